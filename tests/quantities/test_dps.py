"""Quantities of a market whose numbers are small enough to count by hand."""

from __future__ import annotations

import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.online.dps import fixed_prices
from farkas.quantities import dps as module
from farkas.quantities import evaluate, evaluate_all

TINY = library.load("dps/tiny")


def value(key: str) -> object:
    return evaluate(TINY, [key])[key]


def test_optima_with_price_caps_are_ordered() -> None:
    # a cap only takes payments away, and forced service only choices
    free, capped, forced = (value(f"dps.offline{end}") for end in ("", "_capped", "_forced"))
    assert free == value("dps.interval_ip") == 11.0
    assert forced <= capped < free  # type: ignore[operator]
    assert value("dps.interval_lp_capped") == value("dps.interval_lp[capped]") == 10.25
    assert capped <= value("dps.interval_lp_capped") < value("dps.interval_lp")  # type: ignore[operator]


def test_sellers_at_random_give_a_profit_and_the_others_a_summary() -> None:
    for seller in ("dps", "simple", "top"):
        found = value(f"dps.{seller}")
        assert sorted(found) == ["explored", "profit", "served", "total_runtime"]  # type: ignore[call-overload]
    assert value("dps.simple")["explored"] == 0  # type: ignore[index]
    assert value("dps.dps")["explored"] == TINY.num_jobs  # type: ignore[index]
    assert isinstance(value("dps.random"), float)


def test_fewest_servers_are_those_that_algorithm_2_uses_where_it_can_choose() -> None:
    # servers 0 to 1; job 3 fits nowhere
    assert value("dps.min_servers") == value("dps.pa_servers") == [1, 1, 2, None, 2]
    assert value("dps.placement")[3] is None  # type: ignore[index]


def test_a_job_that_fits_nowhere_leaves_sequences_undefined() -> None:
    for key in ("dps.pa_sequence", "dps.best_fit_sequence", "dps.placement_sequence"):
        assert value(key) is None


@pytest.mark.parametrize(
    ("limit", "key"),
    [
        ("MOST_SERVERS", "dps.min_servers"),
        ("MOST_SERVERS", "dps.pa_servers"),
        ("MOST_FOR_BEST_PRICE", "dps.bfp"),
    ],
)
def test_what_would_be_enumerated_too_long_is_absent_and_says_the_limit(
    limit: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, limit, 1)
    (outcome,) = evaluate_all(TINY, [key])
    assert "1" in str(outcome.error)
    assert key in str(outcome.error)


def test_exact_optima_are_of_markets_with_few_jobs() -> None:
    for jobs, defined in ((60, ["dps.offline"]), (61, [])):
        assert [*evaluate(generate("dps", "small", 0, num_jobs=jobs), ["dps.offline"])] == defined


def test_limits_are_the_largest_that_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    module._at_most(7, 7, "jobs")
    with pytest.raises(NotApplicable, match="at most 7 jobs, this market has 8"):
        module._at_most(8, 7, "jobs")
    few = library.load("dps/unattained")
    for limit, defined in ((few.num_jobs, True), (few.num_jobs - 1, False)):
        monkeypatch.setattr(module, "MOST_FOR_BEST_PRICE", limit)
        assert bool(evaluate(few, ["dps.bfp"])) is defined


def test_sequences_last_as_long_as_their_jobs_where_all_are_served() -> None:
    alone = generate("dps", "small", 0, num_jobs=1)
    for placing in ("pa", "best_fit"):
        found = evaluate(alone, [f"dps.{placing}_sequence"])[f"dps.{placing}_sequence"]
        assert found == pytest.approx(alone.least_runtime[0])


def test_a_grid_with_too_many_prices_has_no_best_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_prices, "best_on_grid", lambda market: None)
    assert value("dps.bfp_grid") is None


def test_sellers_at_random_draw_alike_without_a_seed() -> None:
    market = generate("dps", "small", 0, num_jobs=30).replace(seed=None)
    for key in ("dps.random", "dps.dps_random_placement"):
        assert len({evaluate(market, [key])[key] for _ in range(3)}) == 1
