"""Runs are held against the best bound that their instance owns, where it holds for them."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

import farkas
from farkas.api.optimum import best_bounds, tightest
from farkas.cli import call
from farkas.errors import InvalidOption, NoAnswer
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


def exact(run: Run) -> F:
    assert run.certificate is not None
    return run.certificate.fraction


def test_a_bound_of_fewer_decisions_is_none_of_the_run_s() -> None:
    """The tight relaxation cuts off fractional points of the printed one, worth 11.3 to its 146."""
    both = ["mlbroker.fractional", "mlbroker.fractional[tight]"]
    printed = farkas.compare(DEMO, both, bound_seconds=60)["mlbroker.fractional"]
    assert printed.ratio == printed.own_ratio
    assert printed.value < 12


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

    monkeypatch.setattr("farkas.api.compare.optimum", nothing)
    (alone,) = farkas.compare(DEMO, "mlbroker.local", bound_seconds=1.0)
    assert alone.ratio == alone.own_ratio


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_seconds_are_above_0(seconds: float) -> None:
    with pytest.raises(InvalidOption, match=r"bound_seconds = .*; give seconds above 0"):
        farkas.compare(DEMO, "mlbroker.local", bound_seconds=seconds)


def test_a_kind_without_a_search_says_so() -> None:
    with pytest.raises(InvalidOption, match="kind dps has no search for its offline optimum"):
        farkas.compare("dps/tiny", "dps.simple", bound_seconds=1)


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


def test_the_command_has_the_search_and_run_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", DEMO, "--algorithms", "mlbroker.fractional[tight]", "--bound-seconds", "60"]
    assert call(words) == 0
    assert "mlbroker.optimum" in capsys.readouterr().out
    words = ["run", DEMO, "-a", "mlbroker.local", "--bound-seconds", "60"]
    assert call(words) == 2
    assert "did you mean the command farkas compare, which has it?" in capsys.readouterr().err
