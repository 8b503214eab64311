"""What a store claims is proved again, and what was tampered with is found out."""

from __future__ import annotations

import json

import msgspec
import pytest

from farkas.cli import call
from farkas.experiments.sweeps import Store, prove_again, settled_seed, sweep
from tests.experiments.sweeps.made import number, written

ALGORITHM = """
[[algorithms]]
name = "mlbroker.fractional"
seeds = "0..1"
options = { epsilon = [0.1, 1.0] }
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory) -> str:
    """Store of 2 instances x 2 values of epsilon x 2 seeds, and 2 programs, all re-checked."""
    path = written(tmp_path_factory.mktemp("ran"), count=2)
    path.write_text(path.read_text() + ALGORITHM)
    found = sweep(path, workers=2)
    assert (found.performed, found.rejected) == ({"done": 10}, 0)
    return found.store


@pytest.mark.slow
def test_runs_keep_their_certificate_and_every_one_was_proved_again(ran):
    with Store(ran) as store:
        results = list(store.results(output=True))
        runs = [result for result in results if result.task.what == "run"]
        assert {result.recheck for result in results} == {"proved again"}
        assert len({(r.task.instance, r.task.seed, r.task.options["epsilon"]) for r in runs}) == 8
        for result in runs:
            assert result.ratio == pytest.approx(result.value / number(result.bound))
            assert result.output["manifest"]["instance_sha256"] == result.task.instance
        assert [words for _, words in prove_again(store)] == ["proved again"] * 10


def drawn(store: Store, share: float, seed: int | None) -> frozenset[str]:
    return frozenset(result.key for result, _ in prove_again(store, share, seed))


def test_a_sample_is_a_share_by_its_seed_alone(ran):
    with Store(ran) as store:
        everything = drawn(store, 1.0, 0)
        assert len(everything) == 10
        samples = [drawn(store, 0.25, seed) for seed in range(12)]
        assert {len(sample) for sample in samples} == {3}, "a share is rounded up"
        assert all(sample < everything for sample in samples)
        assert samples[5] == drawn(store, 0.25, 5)
        # no result is out of reach, whatever its address
        assert frozenset().union(*samples) == everything
        assert not drawn(store, 0.0, 0)


def test_the_seed_of_a_sample_is_fresh_and_told(ran, monkeypatch, capsys):
    monkeypatch.setattr("secrets.randbits", lambda bits: bits + 5)
    assert settled_seed(None, 0.5) == (37, ", drawn with --seed 37")
    assert settled_seed(4, 0.5) == (4, ", drawn with --seed 4")
    assert settled_seed(None, 1.0) == settled_seed(None, 0.0) == (0, "")
    with Store(ran) as store:
        assert drawn(store, 0.3, None) == drawn(store, 0.3, 37)
    assert call(["sweep", ran, "--recheck", "0.3", "--ratios"]) == 0
    assert "proved again: 3 of 3, drawn with --seed 37\n" in capsys.readouterr().out
    assert call(["sweep", ran, "--recheck", "0.3", "--json", "--ratios"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["seed"], said["proved_again"], said["rechecked"]) == (37, 3, 3)


def test_a_run_that_breaks_something_and_has_no_value_is_proved_to(ran, tmp_path):
    with Store(ran) as original, Store(tmp_path / "copy.sqlite") as store:
        run = next(r for r in original.results(output=True) if r.task.what == "run")
        for slot in run.output["decisions"]:
            slot["server"] = [[0.0 for _ in row] for row in slot["server"]]
        nothing = {"value": None, "ratio": None}
        broken = {**nothing, "value_exact": None, "violations": ["no server"]}
        store.add_instances([(run.task.instance, original.instance(run.task.instance))])
        store.add(msgspec.structs.replace(run, **nothing, output={**run.output, **broken}))
        assert [words for _, words in prove_again(store)] == ["proved again"]
