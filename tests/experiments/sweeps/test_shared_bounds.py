"""A sweep proves one bound an instance, and all its runs are held against it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import msgspec
import pytest

from farkas.cli import call
from farkas.errors import InvalidOption
from farkas.experiments.sweeps import (
    Ratios,
    Result,
    Store,
    plan,
    prove_again,
    ratios,
    read_config,
    sweep,
)
from farkas.experiments.sweeps.ratios import held, shared_bounds
from farkas.experiments.sweeps.task import Request, perform
from farkas.instances import library, to_bytes, write
from farkas.offline import OfflineSearch, searches
from farkas.offline.search import policies
from tests.experiments.sweeps.made import written

CONFIG = """
name = "shared"
bound_seconds = 60
[[instances]]
files = ["demo.json"]
[[algorithms]]
name = "mlbroker.fractional"
options = { relax = ["tight", "printed"] }
"""
DEMO = library.load("mlbroker/demo")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shared")
    write(DEMO, path / "demo.json")
    (path / "sweep.toml").write_text(CONFIG)
    return path


@pytest.fixture(scope="module")
def found(folder: Path) -> dict[str, Result]:
    """The sweep's results: one search, whose bound is the relaxation's, and two runs."""
    searches.load()
    name = "mlbroker.optimum"
    search = OfflineSearch(
        name, methods=(policies("mlbroker.one_shot"),), options={"semantics": "strict"}
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searches, "_items", {name: search})
        tasks, _ = plan(read_config(folder / "sweep.toml"), folder)
        text = to_bytes(DEMO).decode()
        results = [perform(Request(task.key, task, text)) for task in tasks]
    return {str(r.task.options.get("relax", r.task.what)): r for r in results}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as made:
        made.add_instances([(DEMO.sha256, DEMO)])
        yield made


def filled(store: Store, found: dict[str, Result], **changes: Any) -> Store:
    """The results, with fields of the search's changed."""
    for name, one in found.items():
        store.add(msgspec.structs.replace(one, **changes) if name == "optimum" else one)
    return store


def by_relax(items: list[Ratios]) -> dict[str, Ratios]:
    return {str(item.options.get("relax", item.what)): item for item in items}


def test_the_search_comes_first_and_is_proved_again(found: dict[str, Result]) -> None:
    assert list(found) == ["optimum", "tight", "printed"]
    for result in found.values():
        assert (result.status, result.error) == ("done", "")
    assert found["optimum"].task.options == {"time_limit": 60.0}
    assert found["optimum"].output["algorithm"] == "mlbroker.optimum"  # type: ignore[index]


def test_runs_are_held_against_it_where_it_bounds_them(
    found: dict[str, Result], store: Store
) -> None:
    assert [words for _, words in prove_again(filled(store, found))] == ["proved again"] * 3
    items = by_relax(ratios(store))
    tight, printed = items["tight"], items["printed"]
    assert tight.own_mean == found["tight"].ratio
    assert tight.mean == pytest.approx(float(F(found["tight"].value) / F(found["optimum"].bound)))  # type: ignore[arg-type]
    assert tight.mean < tight.own_mean  # type: ignore[operator]
    assert tight.values == [tight.mean]
    # fractional points of the printed relaxation are none of the tight one
    assert printed.mean == printed.own_mean == found["printed"].ratio
    assert items["optimum"].mean == items["optimum"].own_mean


def test_without_a_search_nothing_changes(found: dict[str, Result], store: Store) -> None:
    for name in ("tight", "printed"):
        store.add(found[name])
    for item in ratios(store):
        assert item.mean == item.own_mean


@pytest.mark.parametrize(
    "changes",
    [
        {"recheck": "rejected: wrong"},
        {"bound": ""},
        {"bound": "one"},
        {"status": "failed", "value": None, "bound": "", "ratio": None, "output": None},
        {"output": {"sense": "min"}},
        {"output": {"sense": "min", "certificate": {"exact": "1", "method": ""}}},
    ],
)
def test_a_search_that_proves_nothing_bounds_nothing(
    found: dict[str, Result], store: Store, changes: dict[str, Any]
) -> None:
    assert shared_bounds(filled(store, found, **changes)) == {}
    tight = by_relax(ratios(store))["tight"]
    assert tight.mean == tight.own_mean


def test_a_bound_that_was_found_wrong_is_left_out(found: dict[str, Result], store: Store) -> None:
    wrong = {found["optimum"].key: "rejected: now"}
    tight = by_relax(ratios(filled(store, found), objections=wrong))["tight"]
    assert tight.mean == tight.own_mean


def test_a_run_better_than_the_bound_enters_no_number(
    found: dict[str, Result], store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    too_much = str(2 * F(found["tight"].value))  # type: ignore[arg-type]
    tight = by_relax(ratios(filled(store, found, bound=too_much)))["tight"]
    assert tight.left_out == {"better than a bound of the store": 1}
    assert call(["sweep", str(store.path), "--trust", "--ratios"]) == 0
    assert "1 result is better than a bound of the store" in capsys.readouterr().err
    (bound,) = shared_bounds(store)[DEMO.sha256]
    marked = held(found["tight"], {DEMO.sha256: [bound]})
    assert marked.recheck.startswith(
        f"rejected: better than the bound of result {bound.key[:12]}: the bound"
    )


def test_the_tightest_of_several_bounds_counts(found: dict[str, Result], store: Store) -> None:
    (bound,) = shared_bounds(filled(store, found))[DEMO.sha256]
    looser = type(bound)(bound.key, bound.exact / 2, str(bound.exact / 2), bound.certificate)
    for known in ([bound, looser], [looser, bound]):
        assert held(found["tight"], {DEMO.sha256: known}).bound == bound.text
    assert held(found["tight"], {DEMO.sha256: [looser]}) == found["tight"]
    assert held(found["tight"], {"0" * 64: [bound]}) == found["tight"]


@pytest.mark.parametrize(
    "changes", [{"value": None}, {"bound": ""}, {"output": None}, {"violations": ["one"]}]
)
def test_what_has_no_ratio_gets_none(
    found: dict[str, Result], store: Store, changes: dict[str, Any]
) -> None:
    known, one = shared_bounds(filled(store, found)), found["tight"]
    if "violations" in changes:
        changes = {"output": {**one.output, **changes}}  # type: ignore[dict-item]
    one = msgspec.structs.replace(one, **changes)
    assert held(one, known) is one


@pytest.mark.parametrize("field", ["options", "algorithm"])
def test_a_search_that_is_another_s_run_is_rejected(
    found: dict[str, Result], store: Store, field: str
) -> None:
    other = {"options": {"semantics": "printed"}, "algorithm": "mlbroker.local"}[field]
    output = {**found["optimum"].output, field: other}  # type: ignore[dict-item]
    filled(store, found, output=output)
    words = {result.task.what: said for result, said in prove_again(store)}
    assert words["optimum"].startswith("rejected: the run that is kept is not the one")


def test_a_ladder_that_is_not_here_is_rejected(found: dict[str, Result], store: Store) -> None:
    task = msgspec.structs.replace(found["optimum"].task, name="mlbroker.nothing")
    filled(store, found, task=task)
    words = {result.task.what: said for result, said in prove_again(store)}
    assert words["optimum"].startswith("rejected: unknown offline search")


@pytest.mark.parametrize("seconds", ["-1", "600", "nan"])
def test_a_search_has_to_end_before_its_task_is_stopped(folder: Path, seconds: str) -> None:
    path = folder / "wrong.toml"
    path.write_text(CONFIG.replace("bound_seconds = 60", f"bound_seconds = {seconds}"))
    with pytest.raises(InvalidOption, match=r"bound_seconds = .*below the timeout of 600"):
        read_config(path)
    with pytest.raises(InvalidOption, match="--bound-seconds: bound_seconds"):
        sweep(folder / "sweep.toml", bound_seconds=float(seconds))


@pytest.mark.slow
def test_the_command_plans_a_search_for_every_instance(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "command.toml"
    path.write_text(
        CONFIG.replace("bound_seconds = 60\n", "").replace('relax = ["tight", "printed"]', "")
    )
    words = ["sweep", str(path), "--workers", "1", "--bound-seconds", "5"]
    assert call(words) == 0
    with Store(folder / "command.sqlite") as made:
        assert sorted(one.task.what for one in made.results()) == ["optimum", "run"]
    capsys.readouterr()
    assert call(["sweep", str(folder / "command.sqlite"), "--ratios"]) == 0
    shown = capsys.readouterr().out
    assert "own mean" in shown
    assert "mlbroker.optimum (time_limit=5.0)" in shown
    assert "proved again: 2 of 2" in shown


def test_a_sweep_whose_kinds_have_no_search_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searches, "_items", {})
    with pytest.raises(InvalidOption, match="nothing that is run here has a search"):
        plan(read_config(folder / "sweep.toml"), folder)


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
