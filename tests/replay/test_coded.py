"""Plans in exact arithmetic: shares, forbidden pairs, and enclosures of completion times."""

from __future__ import annotations

import decimal
import sys
import types
from fractions import Fraction as F
from typing import Any

import msgspec
import numpy as np
import pytest

from farkas.errors import NotACertificate
from farkas.instances.coded import CodedComputing
from farkas.models.coded.completion_times import Allocation
from farkas.online import algorithms, environments
from farkas.replay import Replay
from farkas.replay.coded import WIDTH, LateShare, WorkingPair, completion, replay
from tests.generators.coded import random_coded_computing
from tests.tools.edits import edits

EXPECTING = [name for name in algorithms.names("coded.") if not algorithms[name].problem]
DIGITS = decimal.Context(prec=60, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)


def replayed(data: CodedComputing, decisions: Any) -> Replay:
    """Replay decisions as a file holds them."""
    plain = msgspec.json.decode(msgspec.json.encode(decisions))
    run = types.SimpleNamespace(algorithm="coded.sca", kind="coded", options={}, decisions=plain)
    return replay(data, run)


def plan(share: Any, loads: Any) -> list[dict[str, Any]]:
    return [{"share": share, "loads": loads}]


def simple(*rows: int, rate: float = 1.0, shift: float = 1.0, workers: int = 1) -> CodedComputing:
    """Masters that want so many rows of workers that are all alike."""
    pairs = [[1.0] * workers for _ in rows]
    return CodedComputing.build(
        success_probability=0.5, masters=[{"rows": count} for count in rows], workers=workers,
        rate=[[rate * one for one in row] for row in pairs],
        shift=[[shift * one for one in row] for row in pairs],
    )  # fmt: skip


@pytest.mark.ids(1)
@pytest.mark.parametrize("seed", range(1))
@pytest.mark.parametrize("name", EXPECTING)
def test_an_edited_plan_is_refused_or_means_what_the_environment_says(name: str, seed: int) -> None:
    data = random_coded_computing(300 + seed)
    honest = msgspec.to_builtins(algorithms[name].run(data).decisions)
    before = replayed(data, honest)
    for path, changed in edits(honest):
        try:
            found = replayed(data, changed)
        except NotACertificate:
            continue
        try:
            typed = [Allocation(*map(np.array, (p["share"], p["loads"]))) for p in changed]
            outcome = environments["coded"].evaluate(data, typed)
        except (ValueError, TypeError):
            assert found.broken, path
            continue
        if outcome.violations:
            assert found.broken, (path, outcome.violations)
        elif not found.broken:
            assert float(found.high) == pytest.approx(outcome.total, rel=1e-13)
            unused = honest[0]["share"][path[2]][path[3]] == 0 or len(data.masters) > 1
            assert unused or found != before, path


def test_one_worker_is_done_when_its_load_is_expected() -> None:
    # l (1 − exp(a u − u t/l)) = L with l = 2 L, u = a = 1: t = 2 L (1 + ln 2)
    found = replayed(simple(10), plan([[1.0]], [[20.0]]))
    exact = 20 * (1 + F(DIGITS.ln(decimal.Decimal(2))))
    assert found.low < exact < found.high
    assert (found.high - found.low) / exact < F(1, 1 << WIDTH - 1)
    assert (found.excess, found.broken) == (0, ())


@pytest.mark.parametrize(
    ("share", "loads", "words"),
    [
        (
            [[1.0, 0.0], [0.0, 1.0]],
            [[10.0, 0.0], [0.0, 20.0]],
            "master 0 never expects its 10 rows",
        ),
        ([[1.0, 0.0], [0.0, 0.0]], [[20.0, 0.0], [0.0, 20.0]], "master 1 never expects"),
        ([[1.0, 0.0], [0.0, 1.0]], [[20.0, 0.0], [0.0, 0.0]], "master 1 never expects"),
        (
            [[1.0, 0.0], [1e-6, 1.0]],
            [[20.0, 0.0], [20.0, 20.0]],
            "worker 0 is shared out too often",
        ),
        ([[1.0, 0.0], [-0.5, 1.0]], [[20.0, 0.0], [0.0, 20.0]], "worker 0 is shared out"),
        ([[1.0, 0.0], [0.0, 1.0]], [[20.0, -1.0], [0.0, 20.0]], "worker 1 has a negative load"),
        ([[1.0], [0.0]], [[20.0, 0.0], [0.0, 20.0]], "need shape"),
        ([[1.0, 0.0]], [[20.0, 0.0]], "need shape"),
    ],
)
def test_refusals_name_what_is_broken(share: Any, loads: Any, words: str) -> None:
    found = replayed(simple(10, 10, workers=2), plan(share, loads))
    assert any(words in said for said in found.broken), found.broken


def test_a_forbidden_pair_is_refused_only_where_it_is_used() -> None:
    data = simple(10, workers=2)
    data = data.replace(rate=[[1.0, None]], shift=[[1.0, None]])
    assert not replayed(data, plan([[1.0, 1.0]], [[20.0, 0.0]])).broken
    idle = replayed(data, plan([[1.0, 0.0]], [[20.0, 20.0]]))
    assert idle.broken == ("worker 1 has a load, and no share, of master 0",)
    for share, load in ((1.0, 20.0), (1e-9, 20.0), (1.0, 0.5), (1.0, 5e-324)):
        used = replayed(data, plan([[1.0, share]], [[20.0, load]]))
        assert used.broken == ("master 0 may not use worker 1",)


def test_a_share_too_much_by_a_rounding_error_is_told() -> None:
    data = simple(10, 10)
    loads = [[60.0], [60.0]]
    assert replayed(data, plan([[0.5], [0.5]], loads)).excess == 0
    found = replayed(data, plan([[0.5 + 2.0**-40], [0.5]], loads))
    assert (found.excess, found.broken) == (F(2.0**-40), ())


def test_a_share_too_much_is_worth_no_more_than_that_share_of_the_time() -> None:
    # the plan with no share too much, and loads larger by as much, takes that much longer: also
    # where a billionth of a worker does nearly all that a master needs
    more = 2.0**-30
    data = CodedComputing.build(
        success_probability=0.5, masters=[{"rows": 10}, {"rows": 10}], workers=2,
        rate=[[1.0, None], [2.0**40, 2.0**-10]], shift=[[1.0, None], [2.0**-40, 1.0]],
    )  # fmt: skip
    loads = [[60.0, 0.0], [60 * 2.0**30, 1.0]]
    alone = replayed(data, plan([[1.0, 0.0], [more, 1.0]], loads))
    assert (alone.excess, alone.broken) == (F(more), ())
    kept = [[0.5, 0.0], [more / 2, 0.5]]
    longer = replayed(data, plan(kept, [[2 * load for load in row] for row in loads]))
    assert longer.excess == 0
    assert longer.low <= 2 * alone.high
    assert longer.high >= 2 * alone.low


@pytest.mark.parametrize(
    "decisions",
    [None, {}, [None], [{}], [{"share": [[1.0]]}], plan([["1"]], [[1.0]]), plan([1.0], [[1.0]]),
     [plan([[1.0]], [[20.0]])[0] | {"more": 1}]],
)  # fmt: skip
def test_what_is_no_decision_is_refused(decisions: Any) -> None:
    with pytest.raises(NotACertificate, match="decisions of the run"):
        replayed(simple(10), decisions)


@pytest.mark.parametrize("wrong", [float("inf"), float("nan")])
def test_numbers_that_are_none_are_refused(wrong: float) -> None:
    for decisions in (plan([[wrong]], [[20.0]]), plan([[1.0]], [[wrong]])):
        run = types.SimpleNamespace(algorithm="", kind="coded", options={}, decisions=decisions)
        with pytest.raises(NotACertificate, match="decisions of the run"):
            replay(simple(10), run)


def test_one_plan_is_wanted() -> None:
    one = plan([[1.0]], [[20.0]])
    assert replayed(simple(10), []).broken == ("0 decisions, one plan is wanted",)
    assert replayed(simple(10), one * 2).broken == ("2 decisions, one plan is wanted",)


@pytest.mark.parametrize("work", [1e-300, 1e-12, 1.0, 700.0, 1e5, 1e12, 1e300])
@pytest.mark.parametrize("times", [1 + 2.0**-50, 2.0, 1e3, 1e15, 1e200])
def test_extreme_loads_and_work_are_enclosed_as_closely(work: float, times: float) -> None:
    """One pair is done at l (c − ln(1 − L/l)) / u."""
    rows, load = 7, F(7.0 * times)
    context = decimal.Context(prec=700, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
    found = completion([WorkingPair(load, F(work), 1 / load)], rows)
    rest = (load - rows) / load
    log = context.ln(
        context.divide(decimal.Decimal(rest.numerator), decimal.Decimal(rest.denominator))
    )
    exact = load * (F(work) - F(log))
    if exact > sys.float_info.max:
        assert found is None
        return
    assert found is not None
    assert found[0] < exact < found[1]
    assert (found[1] - found[0]) / exact < F(1, 1 << WIDTH - 1)


def test_a_side_is_known_only_where_rounding_cannot_turn_it() -> None:
    # 1/3 of each weight of 3 is left at ln 3, which lies between decimals
    curve = LateShare([WorkingPair(F(3), F(0), F(1))] * 4, F(4), 20)
    context = decimal.Context(prec=40)
    exact, unit = F(context.ln(3)), F(1, 10**19)
    for off, late in ((-9, False), (9, True)):
        assert curve.late(exact + off * unit) is late
        assert curve.late(exact + off * unit / 10**6) is None


def test_times_beyond_all_doubles_and_below_them() -> None:
    assert completion([WorkingPair(F(20), F(10) ** 300, F(1, 10**10))], 10) is None
    found = completion([WorkingPair(F(20), F(1), F(10) ** 400)], 10)
    assert found is not None
    assert 0 < found[0] < found[1] < F(1, 10**399)


def test_the_slower_of_two_very_different_workers_may_decide() -> None:
    # a fast worker returns 9 of 10 rows at once; the tenth comes from a slow one
    pairs = [WorkingPair(F(9), F(1), F(10) ** 9), WorkingPair(F(2), F(1), F(1))]
    found = completion(pairs, 10)
    assert found is not None
    exact = 1 + F(DIGITS.ln(decimal.Decimal(2)))
    assert found[0] < exact < found[1]
    assert found[1] - found[0] < F(1, 1 << WIDTH - 2)


def test_a_time_beyond_all_doubles_is_none() -> None:
    assert completion([WorkingPair(F(20), F(0), F(1, 3 * 10**308))], 10) is None


def test_parts_that_vanish_and_parts_that_are_late_take_no_time() -> None:
    """One pair is done at once, the other begins after 1e300 units."""
    late = WorkingPair(F(9), F(10) ** 300, F(1))
    found = completion([WorkingPair(F(9), F(0), F(10) ** 300), late], 10)
    assert found is not None
    exact = 10**300 + F(DIGITS.ln(DIGITS.divide(decimal.Decimal(9), decimal.Decimal(8))))
    assert found[0] < exact < found[1] < found[0] * (1 + F(1, 1 << WIDTH - 1))
