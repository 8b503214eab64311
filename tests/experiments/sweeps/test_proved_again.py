"""Results of a store are proved again, also those without a value."""

from __future__ import annotations

import msgspec
import pytest

from farkas.experiments.sweeps import Store, prove_again, sweep
from tests.experiments.sweeps.made import number, written

ALGORITHM = """
[[algorithms]]
name = "mlbroker.fractional"
seeds = "0..1"
options = { epsilon = [0.1, 1.0] }
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> str:
    """Store of 2 instances x 2 values of epsilon x 2 seeds, and 2 runs without either."""
    path = written(tmp_path_factory.mktemp("ran"), count=2)
    path.write_text(path.read_text() + ALGORITHM)
    found = sweep(path, workers=2)
    assert found.performed == {"done": 10}
    return found.store


@pytest.mark.slow
def test_runs_keep_their_certificate_and_every_one_was_proved_again(ran):
    with Store(ran) as store:
        results = list(store.results(output=True))
        runs = [result for result in results if "epsilon" in result.task.options]
        assert len({(r.task.instance, r.task.seed, r.task.options["epsilon"]) for r in runs}) == 8
        for result in runs:
            assert result.ratio == pytest.approx(result.value / number(result.bound))
            assert result.output["manifest"]["instance_sha256"] == result.task.instance
        assert [words for _, words in prove_again(store)] == ["proved again"] * 10


def test_a_run_that_breaks_something_and_has_no_value_is_proved_to(ran, tmp_path):
    with Store(ran) as original, Store(tmp_path / "copy.sqlite") as store:
        run = next(original.results(output=True))
        for slot in run.output["decisions"]:
            slot["server"] = [[0.0 for _ in row] for row in slot["server"]]
        nothing = {"value": None, "ratio": None}
        broken = {**nothing, "value_exact": None, "violations": ["no server"]}
        store.add_instances([(run.task.instance, original.instance(run.task.instance))])
        store.add(msgspec.structs.replace(run, **nothing, output={**run.output, **broken}))
        assert [words for _, words in prove_again(store)] == ["proved again"]
