"""What bounds the cheapest placement is beyond no optimum, and closes what is open."""

import pytest

import farkas
from tests.offline.bounds import bounds, closed


@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_relaxations_on_the_envelope_meet_the_tiny_optimum(semantics):
    # 16.8 by the sheet of the kind; its own relaxation proves 14.19
    found, best, _ = bounds("mlbroker/tiny", f"mlbroker.offline[{semantics}]")
    names = [f"mlbroker.relaxed[tight,{semantics}]", f"mlbroker.offline[{semantics},choice,split]"]
    if semantics == "strict":
        names.insert(1, "mlbroker.relaxed[sharp,strict]")
    assert list(found) == names
    assert closed(found, best) == set(names)


def test_a_variant_does_not_bound_itself():
    found, _, _ = bounds("mlbroker/tiny", "mlbroker.offline[printed,choice,split]")
    assert list(found) == ["mlbroker.relaxed[tight,printed]"]


@pytest.mark.slow
def test_the_tightest_variant_proves_the_demo():
    # the relaxation of the printed program proves 10.6, that on the envelope 146.2
    solution = farkas.solve("mlbroker/demo", "mlbroker.offline", certify=True)
    assert solution.proved_by == "mlbroker.offline[printed,choice,split]"
    assert abs(solution.gap) <= 1e-9 * float(solution.bound)
