"""What a store claims is proved again, and what was tampered with is found out."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from farkas.cli import call
from farkas.experiments.sweeps import Result, Store, prove_again, settled_seed, sweep
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
    assert call(["ratios", ran, "--recheck", "0.3"]) == 0
    assert "proved again: 3 of 3, drawn with --seed 37\n" in capsys.readouterr().out
    assert call(["ratios", ran, "--recheck", "0.3", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["seed"], said["proved_again"], said["rechecked"]) == (37, 3, 3)


def test_a_ratio_that_a_store_leaves_out_is_missed(ran, tmp_path):
    def change(result: Result, output: dict[str, Any]) -> Result:
        output["ratio"] = None
        return msgspec.structs.replace(result, ratio=None)

    for what in ("run", "solve"):
        folder = tmp_path / what
        folder.mkdir()
        words = opinion(ran, folder, change, what)
        assert words.startswith("rejected: the ratio is said to be none, and should be 1")


def _raised(bound: str) -> str:
    """Bound that claims one part in a million too much."""
    return str(Fraction(bound) * Fraction(1_000_001, 1_000_000))


def _other_byte(text: str) -> str:
    place = len(text) // 2
    return text[:place] + ("A" if text[place] != "A" else "B") + text[place + 1 :]


def raise_bound(result: Result, output: dict[str, Any]) -> Result:
    bound = _raised(result.bound)
    ratio = result.value / number(bound)
    return msgspec.structs.replace(result, bound=bound, ratio=ratio)


def raise_both(result: Result, output: dict[str, Any]) -> Result:
    inner = output["certificate"]["certificate"]
    inner["bound"] = _raised(inner["bound"])
    return raise_bound(result, output)


def change_guide(result: Result, output: dict[str, Any]) -> Result:
    inner = output["certificate"]["certificate"]
    inner["guide"] = _other_byte(inner["guide"])
    return result


def change_ratio(result: Result, output: dict[str, Any]) -> Result:
    return msgspec.structs.replace(result, ratio=1.0 + (result.ratio - 1.0) / 2 + 1e-6)


def lie_about_sense(result: Result, output: dict[str, Any]) -> Result:
    output["sense"] = "max"
    return result


def other_instance(result: Result, output: dict[str, Any]) -> Result:
    output["certificate"]["certificate"]["instance"] = "0" * 64
    return result


def divide_by_zero(result: Result, output: dict[str, Any]) -> Result:
    output["certificate"]["certificate"]["bound"] = "1/0"
    return result


def claim_the_bound(result: Result, output: dict[str, Any]) -> Result:
    """Value := bound, wherever it stands, and ratio 1; decisions as they are."""
    value = number(result.bound)
    output |= {"value": value, "value_exact": result.bound, "ratio": 1.0}
    return msgspec.structs.replace(result, value=value, ratio=1.0)


def claim_it_without_decisions(result: Result, output: dict[str, Any]) -> Result:
    output["decisions"] = []
    return claim_the_bound(result, output)


def name_another_algorithm(result: Result, output: dict[str, Any]) -> Result:
    output["algorithm"] = "mlbroker.opt"
    return result


def opinion(ran, tmp_path, change, what: str) -> str:
    """What is said of one result after a change, in a store of its own."""
    with Store(ran) as original, Store(tmp_path / "copy.sqlite") as store:
        victim = next(r for r in original.results(output=True) if r.task.what == what)
        output = json.loads(json.dumps(victim.output))
        store.add_instances([(victim.task.instance, original.instance(victim.task.instance))])
        store.add(msgspec.structs.replace(change(victim, output), output=output))
        ((_, words),) = prove_again(store)
    return words


def better_objective(result: Result, output: dict[str, Any]) -> Result:
    value = number(result.bound)
    output["certificate"]["certificate"]["point"]["objective"] = str(Fraction(value))
    return msgspec.structs.replace(result, value=value, ratio=1.0)


def worse_value(result: Result, output: dict[str, Any]) -> Result:
    return msgspec.structs.replace(
        result, value=2 * result.value, ratio=2 * result.value / number(result.bound)
    )


def no_value(result: Result, output: dict[str, Any]) -> Result:
    return msgspec.structs.replace(result, value=None, ratio=None)


def no_certificate(result: Result, output: dict[str, Any]) -> Result:
    output["certificate"]["certificate"] = None
    return result


def other_kind(result: Result, output: dict[str, Any]) -> Result:
    task = msgspec.structs.replace(result.task, kind="eris\naccepted: all")
    return msgspec.structs.replace(result, task=task)


@pytest.mark.parametrize("what", ["run", "solve"])
def test_a_task_of_another_kind_is_rejected_in_one_line(ran, tmp_path, what):
    words = opinion(ran, tmp_path, other_kind, what)
    assert words.startswith("rejected: the task is of kind ")
    assert "\n" not in words


@pytest.mark.parametrize("change", [worse_value, no_value, better_objective, no_certificate])
def test_the_value_of_a_solve_is_that_of_its_point(ran, tmp_path, change):
    assert opinion(ran, tmp_path, change, "solve").startswith("rejected")


def test_without_a_point_the_value_of_a_solve_is_the_word_of_the_store(ran, tmp_path, capsys):
    def change(result: Result, output: dict[str, Any]) -> Result:
        output["certificate"]["certificate"]["point"] = None
        return worse_value(result, output)

    assert opinion(ran, tmp_path, change, "solve") == "bound proved again"
    assert call(["ratios", str(tmp_path / "copy.sqlite"), "--recheck", "1"]) == 0
    said = capsys.readouterr().out
    assert "proved again: 0 of 1\n" in said
    assert "bound proved again, value the store's word: 1\n" in said


def test_a_bound_without_a_certificate_is_rejected(ran, tmp_path):
    assert "holds no certificate" in opinion(ran, tmp_path, no_certificate, "run")


def test_a_run_that_breaks_something_and_has_no_value_is_proved_to(ran, tmp_path):
    def change(result: Result, output: dict[str, Any]) -> Result:
        for slot in output["decisions"]:
            slot["server"] = [[0.0 for _ in row] for row in slot["server"]]
        output |= {"value": None, "value_exact": None, "ratio": None, "violations": ["no server"]}
        return msgspec.structs.replace(result, value=None, ratio=None)

    assert opinion(ran, tmp_path, change, "run") == "proved again"


@pytest.mark.parametrize(
    "change",
    [claim_the_bound, claim_it_without_decisions, name_another_algorithm, raise_bound, raise_both,
     change_guide, change_ratio, lie_about_sense, other_instance, divide_by_zero],
)  # fmt: skip
def test_a_store_that_was_tampered_with_is_found_out(ran, tmp_path, capsys, change):
    copy = tmp_path / "copy.sqlite"
    with Store(ran) as original, Store(copy) as store:
        results = list(original.results(output=True))
        store.add_instances((r.task.instance, original.instance(r.task.instance)) for r in results)
        victim = max((r for r in results if r.task.what == "run"), key=lambda r: r.ratio)
        output = json.loads(json.dumps(victim.output))
        changed = msgspec.structs.replace(change(victim, output), output=output)
        for result in results:
            store.add(changed if result.key == victim.key else result)
        opinions = {result.key: words for result, words in prove_again(store)}
    assert opinions.pop(victim.key).startswith("rejected")
    assert set(opinions.values()) == {"proved again"}
    assert call(["ratios", str(copy), "--recheck", "1", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert list(found["rejected"]) == [victim.key]
    left_out = [item["left_out"] for item in found["ratios"] if item["left_out"]]
    assert left_out == [{"certificate rejected": 1}]
