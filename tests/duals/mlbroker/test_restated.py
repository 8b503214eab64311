"""A guide as multipliers of the relaxation."""

from __future__ import annotations

import pytest

from farkas.certificates import check, from_json
from farkas.duals.restated import as_linear
from farkas.standalone.checker import check_certificate
from tests.fuzz import kinds


@pytest.mark.parametrize("k", [0, 1])
def test_the_linear_certificate_proves_as_much(k):
    instance, content = kinds.honest("mlbroker_run", k)
    own = check(from_json(content), instance=instance)
    linear = as_linear(from_json(content), instance)
    proof = check(linear)
    assert (linear.program, linear.instance) == ("mlbroker.relaxed[tight,printed]", instance.sha256)
    assert float(proof.bound) == pytest.approx(float(own.bound), rel=1e-9)
    found = check_certificate(kinds.plain(linear))
    assert found["lower"] == proof.bound
