"""Runs are held against the best bound that their instance owns, where it holds for them."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path
from typing import Any

import msgspec
import pytest

import farkas
from farkas.api.inputs import as_instance
from farkas.api.optimum import best_bounds, hold_against, known_optimum, tightest
from farkas.cli import call
from farkas.errors import InvalidOption, NoAnswer, NotACertificate
from farkas.offline import OfflineSearch, searches
from farkas.offline.search import policies
from farkas.online import Run

DEMO = "mlbroker/demo"


@pytest.fixture(autouse=True)
def relaxation_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that proves what the relaxation proves, which bounds fractional runs, too."""
    searches.load()
    name = "mlbroker.optimum"
    found = OfflineSearch(
        name, methods=(policies("mlbroker.one_shot"),), options={"semantics": "strict"}
    )
    monkeypatch.setattr(searches, "_items", {name: found})


@pytest.fixture(scope="module")
def own() -> Run:
    """A run whose own dual point proves less than the relaxation's optimum."""
    return farkas.run(DEMO, "mlbroker.fractional[tight]")


@pytest.fixture
def held() -> Run:
    return farkas.run(DEMO, "mlbroker.fractional[tight]", bound_seconds=60)


def exact(run: Run) -> F:
    assert run.certificate is not None
    return run.certificate.fraction


def test_a_tighter_bound_becomes_the_run_s_and_its_own_is_kept(own: Run, held: Run) -> None:
    assert held.own_bound == own.certificate
    assert exact(held) > exact(own)
    assert own.ratio is not None
    assert held.ratio is not None
    assert held.ratio < own.ratio
    assert held.ratio == pytest.approx(float(F(held.value_exact or 0) / exact(held)))
    assert (held.value, held.decisions) == (own.value, own.decisions)


def test_both_bounds_are_proved_again(held: Run) -> None:
    proof = farkas.check(held, DEMO)
    assert proof.proof.bound == exact(held)  # type: ignore[union-attr]
    assert "The run itself proves at least 144.26" in proof.statement
    assert proof.to_builtins()["own_bound_exact"] == held.own_bound.exact  # type: ignore[union-attr]


@pytest.mark.parametrize("side", ["certificate", "own_bound"])
def test_neither_bound_may_claim_more_than_it_proves(held: Run, side: str) -> None:
    bound = getattr(held, side)
    more = msgspec.structs.replace(bound, exact=str(bound.fraction + F(1, 10**6)))
    with pytest.raises(NotACertificate, match="the run claims the bound"):
        farkas.check(msgspec.structs.replace(held, **{side: more}), DEMO)


def test_an_own_bound_needs_a_certificate_about_runs(held: Run) -> None:
    bare = msgspec.structs.replace(held.own_bound, certificate=None)  # type: ignore[type-var]
    with pytest.raises(NotACertificate, match="holds no certificate"):
        farkas.check(msgspec.structs.replace(held, own_bound=bare), DEMO)
    program = "mlbroker.relaxed[tight,strict]"
    strict = {**held.own_bound.certificate, "semantics": "strict", "program": program}  # type: ignore[union-attr,dict-item]
    other = msgspec.structs.replace(held.own_bound, certificate=strict)  # type: ignore[type-var]
    with pytest.raises(NotACertificate, match=r"does not bound runs of mlbroker\.fractional"):
        farkas.check(msgspec.structs.replace(held, own_bound=other), DEMO)


def test_a_bound_of_fewer_decisions_is_none_of_the_run_s() -> None:
    """The tight relaxation cuts off fractional points of the printed one, worth 11.3 to its 146."""
    run = farkas.run(DEMO, "mlbroker.fractional", bound_seconds=60, relax="printed")
    assert run.own_bound is None
    assert exact(run) < run.value < 12


def test_a_looser_bound_changes_nothing(own: Run) -> None:
    instance = as_instance(DEMO)
    assert hold_against(own, None, instance) is own
    weak = farkas.run(DEMO, "mlbroker.fractional", relax="printed")
    assert exact(weak) < exact(own)
    assert hold_against(own, weak, instance) is own


def test_a_run_better_than_the_bound_is_an_error(own: Run) -> None:
    too_much = msgspec.structs.replace(own.certificate, exact=str(2 * F(own.value)))  # type: ignore[type-var]
    liar = msgspec.structs.replace(own, certificate=too_much)
    with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
        hold_against(own, liar, as_instance(DEMO))


def test_the_tightest_is_the_largest_of_lower_bounds_and_the_smallest_of_upper_ones() -> None:
    bounds = [None, *(farkas.online.Bound.of(x, "") for x in (2, 5, 3))]
    assert tightest(bounds, "min") == bounds[2]
    assert tightest(bounds, "max") == bounds[1]
    assert tightest([None], "min") is None


def test_bounds_are_shared_where_they_hold(own: Run) -> None:
    printed = farkas.run(DEMO, "mlbroker.fractional", relax="printed")
    once = farkas.run(DEMO, "mlbroker.one_shot")
    found = best_bounds([own, printed, once])
    assert [bound.fraction for bound in found if bound] == [
        exact(once),
        exact(printed),
        exact(once),
    ]


def test_no_decisions_in_time_are_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: Any, **__: Any) -> None:
        raise NoAnswer("no decisions in time")

    monkeypatch.setattr("farkas.api.optimum.optimum", nothing)
    assert known_optimum(as_instance(DEMO), "", 1.0) is None
    run = farkas.run(DEMO, "mlbroker.fractional[tight]", bound_seconds=1.0)
    assert run.own_bound is None


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
@pytest.mark.parametrize("verb", [farkas.run, farkas.compare])
def test_seconds_are_above_0(verb: Any, seconds: float) -> None:
    with pytest.raises(InvalidOption, match=r"bound_seconds = .*; give seconds above 0"):
        verb(DEMO, "mlbroker.local", bound_seconds=seconds)


def test_a_kind_without_a_search_says_so() -> None:
    with pytest.raises(InvalidOption, match="kind dps has no search for its offline optimum"):
        farkas.run("dps/tiny", "dps.simple", bound_seconds=1)


def test_a_comparison_has_the_search_among_its_lines_and_both_ratios() -> None:
    found = farkas.compare(DEMO, ["mlbroker.fractional[tight]", "mlbroker.local"], bound_seconds=60)
    by_name = {entry.algorithm: entry for entry in found.entries}
    assert set(by_name) == {"mlbroker.fractional[tight]", "mlbroker.local", "mlbroker.optimum"}
    fractional = by_name["mlbroker.fractional[tight]"]
    assert fractional.ratio is not None
    assert fractional.own_ratio is not None
    assert fractional.ratio < fractional.own_ratio
    assert by_name["mlbroker.local"].own_ratio == by_name["mlbroker.local"].ratio
    assert found.bound is not None
    assert found.bound.words("min").startswith("146.2")
    assert by_name["mlbroker.optimum"].seconds > 0  # type: ignore[operator]


def test_the_commands_show_both_bounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run.json")
    words = ["run", DEMO, "-a", "mlbroker.fractional[tight]", "--bound-seconds", "60", "--out", out]
    assert call(words) == 0
    shown = capsys.readouterr().out
    assert "146.2" in shown
    assert "own bound" in shown
    assert "144.26" in shown
    assert call(["check", out, "--instance", DEMO]) == 0
    assert "The run itself proves at least 144.26" in capsys.readouterr().out
    words = ["compare", DEMO, "--algorithms", "mlbroker.fractional[tight]", "--bound-seconds", "60"]
    assert call(words) == 0
    assert "mlbroker.optimum" in capsys.readouterr().out
