"""What masters must pay for their probability: true of every plan for P1, dedicated or shared."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import check
from farkas.certificates.coded import (
    FRACTION,
    MasterPrices,
    Payments,
    chance_by_budget,
    costs,
    least_payment,
)
from farkas.certificates.directed_rounding import returned_above
from farkas.errors import NotACertificate
from farkas.exact.node_bounds import Deadline
from farkas.instances import library
from farkas.instances.coded import CodedComputing
from farkas.models.coded.chance import best_quantile
from farkas.models.coded.completion_times import Law
from farkas.offline import coded
from farkas.offline.coded import WorkerPrices
from farkas.online.run import Bound
from tests.generators.coded import random_coded_computing
from tests.references import coded_budgets as reference

CHANCE = "coded.chance"


def search_of(data, cells=16):
    search = WorkerPrices(data, Deadline())
    search.cells = cells
    return search


def best_excluded(data, prices, high):
    """Certificate of the latest time that prices exclude."""
    search = search_of(data)
    time = search.latest(prices, float(data.shifts.min()), high)
    return excluding(data, time, prices, 16)


def excluding(data, time, prices, cells):
    paid = Payments(time=time, cells=cells)
    return MasterPrices.of(data, CHANCE, prices.astype(float), payments=paid)


@pytest.mark.ids(1)
@pytest.mark.parametrize("seed", range(12))
def test_no_plan_of_p1_is_earlier(seed):
    data = random_coded_computing(seed, masters=2, workers=4, rows=5)
    one = data.replace(success_probability=(0.6, 0.9, 0.98)[seed % 3])
    best = best_quantile(one)
    rng = np.random.default_rng(seed)
    for prices in (np.full(4, 20), rng.integers(1, 20, 4), np.full(4, 80)):
        assert 0 < Fraction(best_excluded(one, prices, 10 * best).bound) <= best


def test_one_worker_is_bounded_by_its_own_quantile():
    data = random_coded_computing(5, masters=1, workers=1, rows=1, forbid=0.0)
    best = best_quantile(data)
    proved = best_excluded(data, np.array([100]), 4 * best)
    assert best * 0.995 < float(Fraction(proved.bound)) <= best
    # two masters have it half of the time at most, and want more: no time is late enough
    two = data.replace(masters=data.masters * 2, rate=data.rate * 2, shift=data.shift * 2)
    assert excluding(two, 1e6 * best, np.array([100]), 4).bound == str(Fraction(1e6 * best))


@pytest.mark.ids(1)
@pytest.mark.parametrize("seed", range(8))
def test_no_shared_plan_is_earlier(seed):
    data = random_coded_computing(seed, masters=2, workers=3, rows=3, forbid=0.0)
    data = data.replace(success_probability=0.6)
    bound = float(Fraction(best_excluded(data, np.full(3, 12), 1e3).bound))
    rng = np.random.default_rng(seed)
    earliest = np.inf
    for _ in range(300):
        share = rng.dirichlet(np.full(2, 0.5), 3).T
        loads = rng.integers(0, 4, (2, 3)).astype(float)
        earliest = min(earliest, Law.given(data, share, loads).quantile(0.6))
    assert bound <= earliest < np.inf


@pytest.mark.parametrize("seed", range(20))
def test_what_is_paid_is_where_the_envelope_reaches_the_target(seed):
    rng = np.random.default_rng(seed)
    target = float(rng.uniform(0.05, 0.99))
    chances = np.append(np.sort(rng.uniform(0, 1, 9)) * (target if seed % 2 else 1.0), 1.0)
    worth, aim = [*map(Fraction, chances.tolist())], Fraction(target)
    # the best mean of two budgets, in fractions
    ways = [Fraction(b) for b, w in enumerate(worth) if w >= aim]
    ways += [
        b + (c - b) * (aim - v) / (w - v)
        for b, v in enumerate(worth)
        for c, w in enumerate(worth)
        if v < aim <= w
    ]
    found = least_payment(chances, target)
    assert found <= min(ways)
    assert float(found) == pytest.approx(float(min(ways)), rel=1e-12)


def test_a_target_that_is_just_reached_is_paid():
    assert least_payment(np.array([0.2, 0.5]), 0.5) == 1
    assert least_payment(np.array([0.5, 0.7]), 0.5) == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"payments": Payments(time=0.0, cells=16)}, "exclude times"),
        ({"payments": Payments(time=float("inf"), cells=16)}, "exclude times"),
        ({"payments": Payments(time=float("nan"), cells=16)}, "exclude times"),
        ({"payments": Payments(time=1e9, cells=16)}, "masters pay"),
        ({"payments": Payments(time=1.0, cells=0)}, "cells are none"),
        ({"payments": Payments(time=1.0, cells=2**20)}, "cells are none"),
        ({"payments": msgspec.UNSET}, "prices"),
        ({"level": 1.0}, "without a level"),
        ({"program": "coded.expected[shared]"}, "exclude times of coded.chance"),
        ({"bound": "100000"}, "100000"),
    ],
)
def test_files_that_prove_nothing_are_refused(change, words):
    data = random_coded_computing(1, masters=2, workers=4, rows=5)
    proved = best_excluded(data, np.full(4, 20), 1e3)
    assert check(proved, instance=data).bound == Fraction(proved.bound)
    with pytest.raises(NotACertificate, match=words):
        check(msgspec.structs.replace(proved, **change), instance=data)


@pytest.mark.parametrize(
    "prices",
    [[1, 2, 3], [0, 0, 0, 0], [-1, 20, 20, 20], [0.5, 20, 20, 20], [np.nan, 2, 2, 2], [1e9] * 4],
)
def test_prices_that_are_none_are_refused(prices):
    data = random_coded_computing(1, masters=2, workers=4, rows=5)
    with pytest.raises(NotACertificate):
        excluding(data, float(data.shifts.min()) / 2, np.array(prices), 4)


def test_masters_that_pay_all_and_no_more_exclude_nothing(monkeypatch):
    data = random_coded_computing(5, masters=1, workers=1, rows=1, forbid=0.0)
    prices = np.array([7])
    for paid, excluded in ((Fraction(7), False), (7 + Fraction(1, 10**9), True)):
        monkeypatch.setattr("farkas.certificates.coded.costs", lambda *args, paid=paid: paid)
        if excluded:
            assert excluding(data, 3.0, prices, 4).bound == "3"
        else:
            with pytest.raises(NotACertificate, match="masters pay"):
                excluding(data, 3.0, prices, 4)


def test_it_bounds_runs_for_p1_only():
    data = farkas.load("coded/tiny")
    proved = best_excluded(data, np.full(data.workers, 20), 1e3)
    for name, fits in (("coded.chance_search", True), ("coded.simple_greedy", False)):
        run = farkas.run(data, name)
        swapped = Bound.of(Fraction(proved.bound), "prices of workers", proved.plain())
        again = msgspec.structs.replace(run, certificate=swapped, ratio=None)
        if fits:
            assert farkas.check(again, data).proof.bound == Fraction(proved.bound)
        else:
            with pytest.raises(NotACertificate, match="does not bound runs of coded"):
                farkas.check(again, data)


def order(data, master, prices):
    """Workers of a master as they are asked: the dearest first, then by rate and by shift."""
    able = np.flatnonzero(data.allowed[master]).tolist()
    rate, shift = data.rate[master], data.shift[master]
    return sorted(able, key=lambda n: (prices[n], rate[n], shift[n]), reverse=True)


@pytest.mark.parametrize("seed", range(12))
def test_chances_are_those_of_loads_that_wait(seed):
    data = random_coded_computing(seed, workers=4, rows=7)
    if seed % 2:  # workers that are alike count one by one
        data = data.replace(
            rate=tuple((r[0],) * 4 for r in data.rate), shift=tuple((a[0],) * 4 for a in data.shift)
        )
    prices = np.random.default_rng(seed).integers(0, 4, 4)
    for master in range(2):
        for time in (0.7, 2.0, 6.0):
            found, _ = chance_by_budget(data, master, prices, time, 7, 8)
            for b, above in enumerate(found.tolist()):
                exact = reference.waiting(
                    data, master, order(data, master, prices), prices.tolist(), time, b
                )
                assert exact * (1 - 1e-15) <= above <= max(exact * (1 + 2e-13), 1e-280)
            # a smaller table says the same
            fewer, _ = chance_by_budget(data, master, prices, time, 7, 5)
            assert fewer.tolist() == found[:6].tolist()


@pytest.mark.parametrize("seed", range(6))
def test_no_fixed_loads_do_better_in_fine_cells_or_coarse_ones(seed):
    data = random_coded_computing(seed, workers=3, rows=6)
    prices = np.random.default_rng(seed).integers(1, 4, 3)
    for master in range(2):
        for cells in (1, 2, 3, 6):
            found, _ = chance_by_budget(data, master, prices, 2.0, cells, 6)
            for b, above in enumerate(found.tolist()):
                least = reference.planned(data, master, prices.tolist(), 2.0, b)
                assert least <= above * (1 + 1e-13)


def test_too_large_tables_and_too_many_steps_are_refused(monkeypatch):
    data = random_coded_computing(0, workers=4, rows=7)
    prices = np.ones(4, np.int64)
    with pytest.raises(NotACertificate, match="budgets and rows"):
        chance_by_budget(data, 0, prices, 2.0, 7, 2**23)
    # a payment for each of 9 budgets, and sums for 4 workers
    each = [chance_by_budget(data, master, prices, 2.0, 7, 8)[1] for master in range(2)]
    assert min(each) > 9 * FRACTION + 4 * 9
    monkeypatch.setattr(
        "farkas.certificates.coded.MOST_NUMBERS", 9 * (min(data.masters[0].rows, 7) + 1)
    )
    chance_by_budget(data, 0, prices, 2.0, 7, 8)
    with pytest.raises(NotACertificate, match="budgets and rows"):
        chance_by_budget(data, 0, prices, 2.0, 7, 9)
    monkeypatch.undo()  # of all masters together
    monkeypatch.setattr("farkas.certificates.coded.WHOLE_SUM", 0)
    monkeypatch.setattr("farkas.certificates.coded.MOST_STEPS", sum(each))
    assert costs(data, 2 * prices, 2.0, 7, np.ones(2)) > 0
    monkeypatch.setattr("farkas.certificates.coded.MOST_STEPS", sum(each) - 1)
    with pytest.raises(NotACertificate, match="chances of masters"):
        costs(data, 2 * prices, 2.0, 7, np.ones(2))


def of_one_row(rates, shifts):
    return CodedComputing.build(
        masters=[{"rows": 1}], workers=len(rates), rate=[rates], shift=[shifts],
        success_probability=0.5,
    )  # fmt: skip


def test_times_just_after_a_shift_are_rounded_apart():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        rate, shift = rng.uniform(0.5, 8, 2).tolist()
        time = shift * (1 + int(rng.integers(1, 6)) * 2.0**-52)
        (found,), _ = chance_by_budget(
            of_one_row([rate], [shift]), 0, np.zeros(1, np.int64), time, 1, 0
        )
        y = Fraction(rate) * (Fraction(time) - Fraction(shift))
        assert y - y * y / 2 <= Fraction(float(found)) <= y + Fraction(rate * shift * 2.0**-49)


@pytest.mark.parametrize("seed", range(6))
def test_many_workers_round_up(seed):
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(seed)
    rates = [5.0, *rng.uniform(5e-4, 2e-3, 200).tolist()]
    shifts = [1e-290] * len(rates)
    (found,), _ = chance_by_budget(
        of_one_row(rates, shifts), 0, np.zeros(len(rates), np.int64), 1.0, 1, 0
    )
    with mpmath.workdps(50):
        assert 1 - mpmath.exp(-mpmath.fsum(rates)) <= float(found) < 1


def test_chances_to_be_back_are_rounded_up():
    mpmath = pytest.importorskip("mpmath")
    rng = np.random.default_rng(0)
    y = np.concatenate([10.0 ** rng.uniform(-200, 2, 300), [0.0, 49.9, 50.0, 51.0, 1e300, np.inf]])
    with mpmath.workdps(300):
        for value, above in zip(y.tolist(), returned_above(y).tolist(), strict=True):
            exact = 1 - mpmath.exp(-mpmath.mpf(value))
            assert exact <= above <= min(1, max(exact * (1 + 3e-14), 1e-285))


def test_the_latest_time_is_nearly_the_last_that_is_excluded():
    data = random_coded_computing(1, masters=2, workers=5, rows=5)
    search, prices = search_of(data, 8), np.full(5, 30)
    best = best_quantile(data)
    time = search.latest(prices, best / 8, 8 * best)
    later = time * (1 + 20 * coded.NEAR)
    assert search.paid(time, prices) > 1 >= search.paid(later, prices)
    assert excluding(data, time, prices, 8).bound == str(Fraction(time))
    with pytest.raises(NotACertificate, match="masters pay"):
        excluding(data, later, prices, 8)
    assert search.latest(prices, later, 8 * best) == 0.0


def test_budgets_that_end_early_pay_nearly_what_all_do(monkeypatch):
    data = random_coded_computing(1, masters=2, workers=5, rows=5)
    prices, time = np.full(5, 30), 4 * best_quantile(data)
    search = search_of(data, 8)
    whole = search.paid(time, prices)
    assert search.likely.tolist() == [1.0, 1.0]
    monkeypatch.setattr("farkas.certificates.coded.WHOLE_SUM", 0)
    search = search_of(data, 8)
    for _ in range(2):  # from the first guess, and from what was found
        ended = search.paid(time, prices)
        assert whole * 0.95 < ended <= whole
        assert search.likely.min() < 1.0


@pytest.mark.parametrize("name", ["coded/demo", "coded/forbidden_pairs"])
def test_equal_workers_cost_the_same_and_useless_ones_nothing(name):
    data = library.load(name)
    search = search_of(data)
    found = search.whole(np.ones(data.num_masters + data.workers))
    assert (found > 0).tolist() == data.allowed.any(axis=0).tolist()
    for kind in set(search.types.tolist()):
        assert len(set(found[search.types == kind].tolist())) == 1


def test_masters_pay_no_less_after_changes():
    data = random_coded_computing(2, masters=2, workers=3, rows=3)
    search, time = search_of(data, 8), best_quantile(data)
    first = np.ones(5)
    before = search.paid(time, search.whole(first))
    assert search.paid(time, search.whole(search.improved(first, time))) > before
