"""Policies that nobody registered: objects, classes, and classes in files."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import farkas
from farkas.errors import (
    FileProblem,
    InvalidInstance,
    InvalidOption,
    PolicyProblem,
    UnknownName,
)
from farkas.experiments.sweeps import Store, rechecked, sweep
from farkas.online import Bound
from farkas.online.driver import algorithms
from farkas.online.mlbroker.environment import PlacedSlot
from farkas.online.policy import as_algorithm
from farkas.online.sources import own_modules

FILE = '''
import dataclasses
import farkas

@dataclasses.dataclass
class Idle(farkas.Policy):
    """Runs nothing."""

    kind = "gadget"
    wait: int = 3

    def step(self, state, arrivals):
        return state, []

class Duck:
    """Has a step and no base."""

    def start(self, known, seed):
        return 0

    def step(self, state, arrivals):
        return state + 1, []

class Wrong(farkas.Policy):
    """Decides what is no decision."""

    def step(self, state, arrivals):
        return state, {"job": 3}

class Broken(farkas.Policy):
    """Fails in its second step."""

    def start(self, known, seed):
        return [7]

    def step(self, state, arrivals):
        state.pop()
        return state, []

class Needy(farkas.Policy):
    """Cannot be made without an argument."""

    def __init__(self, limit):
        self.limit = limit

    def step(self, state, arrivals):
        return state, []

class Other:
    """Decides nothing."""
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    return path


@dataclasses.dataclass
class Counting(farkas.Policy):
    """Remembers in itself, which a run must not see of another."""

    steps: int = 0

    def step(self, state: Any, arrivals: Any) -> tuple[Any, list[Any]]:
        self.steps += 1
        return state, []

    def remarks(self, state: Any) -> list[str]:
        return [f"{self.steps} steps"]


def test_an_object_a_class_and_a_file_run_alike(file: Path) -> None:
    mine = Counting()
    runs = [farkas.run("gadget/tiny", given) for given in (mine, mine, Counting)]
    assert {(run.algorithm, run.value, tuple(run.remarks)) for run in runs} == {
        ("gadget.Counting", 0.0, (f"{farkas.load('gadget/tiny').horizon} steps",))
    }
    assert mine.steps == 0
    assert runs[0].options == {"steps": 0}
    assert farkas.run("gadget/tiny", mine, steps=2).options == {"steps": 2}
    found = farkas.run("gadget/tiny", f"{file}:Idle", wait=5)
    assert (found.algorithm, found.options) == ("gadget.Idle", {"wait": 5})
    assert farkas.run("gadget/tiny", f"{file}:Duck").algorithm == "gadget.Duck"
    assert len(found.manifest.policy_sha256) == 64
    assert farkas.run("gadget/tiny", "gadget.fifo").manifest.policy_sha256 == ""
    before = found.manifest.policy_sha256
    file.write_text(FILE + "\n")
    assert farkas.run("gadget/tiny", f"{file}:Idle").manifest.policy_sha256 != before
    assert farkas.check(found, instance="gadget/tiny").value == 0


def test_own_policies_are_compared_and_fed(file: Path) -> None:
    found = farkas.compare("gadget/tiny", [f"{file}:Idle", Counting(), "fifo"])
    assert {entry.algorithm for entry in found} == {"gadget.Idle", "gadget.Counting", "gadget.fifo"}
    assert farkas.compare("gadget/tiny", Counting).entries[0].algorithm == "gadget.Counting"
    feed = farkas.feed("gadget/tiny", Counting())
    assert feed.step() == []
    with pytest.raises(InvalidOption, match="wait"):
        farkas.run("gadget/tiny", f"{file}:Idle", wait="long")


def test_the_kind_is_that_of_the_instance_or_of_the_class(file: Path) -> None:
    assert as_algorithm(f"{file}:Idle").kind == "gadget"
    with pytest.raises(InvalidOption, match="Duck says no kind"):
        as_algorithm(f"{file}:Duck")
    with pytest.raises(InvalidInstance, match="takes instances of kind gadget, not dps"):
        as_algorithm("gadget.fifo", "dps")


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("Wrong", PolicyProblem, "policy Wrong, its decisions: .*; kind gadget takes a list"),
        ("Broken", PolicyProblem, r"policy Broken, step 1: IndexError.*\(mine\.py, line \d+\)"),
        ("Needy", InvalidOption, "Needy: option 'limit' needs a default; or hand an object over"),
        ("Other", UnknownName, "unknown policy of .*'Other'; known: Broken, Duck, Idle, Needy"),
    ],
)
def test_errors_are_those_of_the_policy(file: Path, name: str, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        farkas.run("gadget/tiny", f"{file}:{name}")


@dataclasses.dataclass
class Boaster(farkas.Policy):
    """Proves what it likes."""

    bound: Any = None

    def step(self, state: Any, arrivals: Any) -> tuple[Any, list[Any]]:
        return state, []

    def certify(self, instance: Any, state: Any, decisions: Any) -> Any:
        return self.bound


def test_a_bound_of_ones_own_is_proved_at_once() -> None:
    true = farkas.run("gadget/tiny", "gadget.fifo").certificate
    assert farkas.run("gadget/tiny", Boaster(true)).certificate == true
    other = farkas.run("mlbroker/tiny", "mlbroker.local").certificate
    tight = Bound.of(true.fraction / 2, "magic", true.certificate)
    loose = Bound.of(true.fraction * 2, "modesty", true.certificate)
    assert farkas.run("gadget/tiny", Boaster(loose)).certificate == loose
    for wrong in (tight, other, Bound.of(1, "nothing"), 5):
        with pytest.raises(PolicyProblem, match="policy Boaster, certify: "):
            farkas.run("gadget/tiny", Boaster(wrong))


class Forger(farkas.Policy):
    """Empties in the last slot what it decided before."""

    def start(self, known: Any, seed: int) -> list[Any]:
        return []

    def step(self, state: list[Any], arrivals: Any) -> tuple[list[Any], Any]:
        decision = PlacedSlot(
            arrivals.jobs,
            np.full((len(arrivals.jobs), arrivals.market.num_sites), 9),
            np.zeros(len(arrivals.jobs), int),
        )
        for before in state:
            before.workers[:] = 0
        return [*state, decision], decision


def test_what_was_decided_stands() -> None:
    run = farkas.run("mlbroker/tiny", Forger())
    assert {count for slot in run.decisions for row in slot["workers"] for count in row} == {9}


@pytest.mark.parametrize("part", ["prepare", "start", "step", "certify", "remarks", "theorem"])
def test_whatever_part_fails_is_told_with_its_line(part: str) -> None:
    def fail(*_: Any) -> Any:
        raise SystemExit(0)

    broken = type("Quitter", (Counting,), {part: fail})
    with pytest.raises(
        PolicyProblem, match=r"policy Quitter, .*SystemExit: 0 \(test_own\.py, line"
    ):
        farkas.run("gadget/tiny", broken())


def test_a_file_without_a_class_is_answered_with_its_policies(file: Path) -> None:
    with pytest.raises(
        InvalidOption, match=r"name its policy, as in FILE\.py:CLASS; Broken, Duck, Idle"
    ):
        farkas.run("gadget/tiny", str(file))


def test_files_that_cannot_be_imported_say_why(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    with pytest.raises(FileProblem):
        as_algorithm(f"{path}:Mine", "dps")
    path.write_text("import nosuchpackage\n")
    with pytest.raises(PolicyProblem, match="cannot be imported: ModuleNotFoundError"):
        as_algorithm(f"{path}:Mine", "dps")


def test_other_distributions_bring_policies_of_shipped_kinds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from importlib import metadata

    entry = metadata.EntryPoint("gadget.counting", f"{__name__}:Counting", "farkas.policies")
    monkeypatch.setattr(metadata, "entry_points", lambda group: [entry] * (group == entry.group))
    monkeypatch.setattr(algorithms, "_items", dict(algorithms._items))
    monkeypatch.setattr(algorithms, "_loaded", set())
    assert "gadget.counting" in algorithms.names("gadget.")
    assert farkas.run("gadget/tiny", "gadget.counting").value == 0


SELLER = """
import farkas
from farkas.online.dps.environment import Decision

class Refusal(farkas.Policy):
    'Sells nothing.'

    kind = "dps"

    def step(self, state, arrivals):
        return state, Decision("declined", 0.0)
"""


def test_a_policy_in_a_file_is_swept_and_searched_for_its_worst_instance(tmp_path: Path) -> None:
    mine, path = tmp_path / "seller.py", tmp_path / "sweep.toml"
    mine.write_text(SELLER)
    farkas.save(farkas.load("dps/tiny"), tmp_path / "tiny.json")
    path.write_text(
        'name = "own"\n[[instances]]\nfiles = ["tiny.json"]\n'
        f'[[algorithms]]\nname = "{mine}:Refusal"\nseeds = "0..1"\n'
    )
    done = sweep(path)
    with Store(done.store, readonly=True) as store:
        results = list(store.results(output=True))
        assert set(rechecked(store, prove=True).values()) == {"proved again"}
    assert [one.status for one in results] == ["done", "done"]
    assert {one.output["algorithm"] for one in results if one.output} == {"dps.Refusal"}
    found = farkas.worst(f"{mine}:Refusal", evaluations=20)
    assert found.gap.reached.algorithm == "dps.Refusal"


HELPED = """
import farkas
from helper import COST
from parts import inner
from farkas.online.dps.environment import Decision

class Refusal(farkas.Policy):
    kind = "dps"
    shift: float = COST + inner.COST

    def remarks(self, state):
        return [f"shift {COST + inner.COST}"]

    def step(self, state, arrivals):
        return state, Decision("declined", 0.0)
"""


def test_modules_of_its_folder_are_a_part_of_a_policy(tmp_path: Path) -> None:
    mine, path = tmp_path / "helped.py", tmp_path / "sweep.toml"
    mine.write_text(HELPED)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "__init__.py").write_text("from . import inner\n")
    (tmp_path / "parts" / "inner.py").write_text("COST = 5\n")
    (tmp_path / "helper.py").write_text("COST = 1\n")
    (tmp_path / "unused.py").write_text("COST = 1\n")
    assert sorted(own_modules(mine)) == ["helper", "parts", "parts.inner"]
    farkas.save(farkas.load("dps/tiny"), tmp_path / "tiny.json")
    path.write_text(
        'name = "own"\n[[instances]]\nfiles = ["tiny.json"]\n'
        f'[[algorithms]]\nname = "{mine}:Refusal"\n'
    )
    hashes = [as_algorithm(f"{mine}:Refusal").source_sha256]
    assert (sweep(path).performed, sweep(path).performed) == ({"done": 1}, {})
    changes = (("helper.py", "2", 7), ("parts/inner.py", "6", 8))
    for name, cost, shift in changes:  # as long as before, within a second
        (tmp_path / name).write_text(f"COST = {cost}\n")
        run = farkas.run("dps/tiny", f"{mine}:Refusal")
        assert f"shift {shift}" in run.remarks
        hashes.append(run.manifest.policy_sha256)
        assert sweep(path).performed == {"done": 1}
    (tmp_path / "unused.py").write_text("COST = 3\n")
    assert as_algorithm(f"{mine}:Refusal").source_sha256 == hashes[-1]
    assert sweep(path).performed == {}
    assert len(set(hashes)) == 3


def test_a_file_that_imports_nothing_of_its_folder_hashes_as_its_content(tmp_path: Path) -> None:
    mine = tmp_path / "seller.py"
    mine.write_text(SELLER)
    expected = hashlib.sha256(SELLER.encode()).hexdigest()
    assert as_algorithm(f"{mine}:Refusal").source_sha256 == expected
