"""Prices and plans of kind coded: what passes is true, what is false does not pass."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import check
from farkas.certificates.coded import (
    ChancePrices,
    CodedPrices,
    meets_surrogate,
    safe_patience,
    time_bound,
)
from farkas.certificates.files import from_json
from farkas.certificates.packed import unpack
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.models.coded.chance import best_quantile
from farkas.models.coded.kernel import Pairs
from farkas.models.coded.law import shared_plan
from farkas.online import algorithms
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.tolerances import ULP
from farkas.verbs.check_run import bounds_runs_of, recheck
from tests.generators.coded import by_speed, random_coded_computing

DEMO = library.load("coded/demo")


@pytest.mark.parametrize("seed", range(5))
def test_the_bound_is_the_optimum_but_for_rounding(seed):
    data = random_coded_computing(seed, masters=3, workers=6)
    found = shared_optimum(data)
    bound = time_bound(data, found.prices, safe_patience(Pairs.of(data).patience))
    assert found.time * (1 - 1e-11) <= float(bound) <= found.time


@pytest.mark.parametrize("work", [1e-300, 1e-295, 1e-289, 1e-30, 1e300])
def test_the_bound_holds_at_both_ends_of_what_an_instance_allows(work):
    # h = sqrt(2 c) is lost in 1 + h below c = 1e-32: two workers of rate 1, time L / 2.
    rate = 1.0 if work < 1 else 1e150
    data = DEMO.replace(
        masters=DEMO.masters[:1],
        workers=2,
        rate=[[rate] * 2],
        shift=[[work / rate] * 2],
        plans=None,
    )
    found = shared_optimum(data)
    proved = CodedPrices.of(data, found.prices, Pairs.of(data).patience).bound
    assert found.time * (1 - 1e-11) <= Fraction(proved) <= found.time * (1 + 1e-15)
    if work < 1e-32:
        assert found.time == pytest.approx(DEMO.masters[0].rows / 2, rel=1e-15)


def test_sums_beyond_double_precision_are_sums():
    # Scaling prices changes nothing; two of 1.7e308 add up to more than a double holds.
    patience = safe_patience(Pairs.of(DEMO).patience)
    small, large = (time_bound(DEMO, np.full(2, p), patience) for p in (1.0, 1.7e308))
    assert float(large) == pytest.approx(float(small), rel=1e-14)
    # So do the rows of workers that have ages to return 1.7e308 each.
    loads = np.full(DEMO.rates.shape, 1.7e308)
    share = np.full(DEMO.rates.shape, 0.5)
    meets_surrogate(DEMO, share, loads, Fraction(10) ** 320)
    with pytest.raises(NotACertificate, match="master 0 expects 0 of"):
        meets_surrogate(DEMO, share, loads, Fraction(1))


def test_any_prices_and_zero_patience_prove_something():
    # η = 0: v = u / L.
    bound = time_bound(DEMO, np.ones(2), np.zeros(DEMO.rates.shape))
    want = 2 / (DEMO.rates / DEMO.rows[:, None]).max(axis=0).sum()
    assert float(bound) == pytest.approx(want, rel=1e-12)
    assert float(bound) <= shared_optimum(DEMO).time


@pytest.mark.parametrize(
    ("prices", "change", "message"),
    [
        ([1.0, -1.0], 1.0, "negative"),
        ([0.0, 0.0], 1.0, "all prices are 0"),
        ([1.0, np.inf], 1.0, "infinite"),
        ([1.0], 1.0, "prices for 2 masters"),
        ([1.0, 1.0], 1.0 + 1e-9, "master 0 with worker 0 is too large"),
        ([1.0, 1.0], np.nan, "negative or infinite"),
        ([1.0, 1e308], 1.0, "overflows"),
    ],
)
def test_what_proves_nothing_is_refused(prices, change, message):
    patience = safe_patience(Pairs.of(DEMO).patience) * change
    data = (
        DEMO
        if message != "overflows"
        else DEMO.replace(rate=(DEMO.rates * 1e6).tolist(), shift=(DEMO.shifts / 1e6).tolist())
    )
    with pytest.raises(NotACertificate, match=message):
        time_bound(data, np.array(prices), patience)


def test_a_master_that_nobody_may_serve_is_proved_infeasible():
    data = library.load("coded/forbidden_pairs").replace(
        plans=None,
        rate=[[None] * 4, [1.0, 2.5, None, 1.2]],
        shift=[[None] * 4, [0.9, 0.2, None, 0.4]],
    )
    made = CodedPrices.of(data, shared_optimum(data).prices, Pairs.of(data).patience)
    proof = check(made, instance=data)
    assert (proof.infeasible, proof.bound) == (True, None)


def certificate():
    found = shared_optimum(DEMO)
    plan = shared_plan(DEMO, found.share, found.time)
    proved = CodedPrices.of(DEMO, found.prices, Pairs.of(DEMO).patience)
    return proved.with_plan(DEMO, plan.share, plan.loads, found.time)


def test_the_optimal_plan_is_proved_optimal_to_eleven_digits():
    proof = check(certificate(), instance=DEMO)
    assert 1 <= proof.ratio <= 1 + Fraction(1, 10**11)
    again = from_json(msgspec.json.encode(certificate()), "test")
    assert check(again, instance=DEMO).bound == proof.bound


def test_an_earlier_time_or_a_higher_bound_is_refused():
    made = certificate()
    sooner = msgspec.structs.replace(
        made.plan, time=str(Fraction(made.plan.time) * (1 - Fraction(1, 10**9)))
    )
    with pytest.raises(NotACertificate, match="expects"):
        check(msgspec.structs.replace(made, plan=sooner), instance=DEMO)
    higher = str(Fraction(made.bound) * (1 + Fraction(1, 10**12)))
    with pytest.raises(NotACertificate, match="its numbers prove"):
        check(msgspec.structs.replace(made, bound=higher), instance=DEMO)
    with pytest.raises(NotACertificate, match="that there is no point"):
        check(msgspec.structs.replace(made, bound=None), instance=DEMO)
    other = DEMO.replace(success_probability=0.5)
    with pytest.raises(NotACertificate, match="hashes to"):
        check(made, instance=other)
    with pytest.raises(NotACertificate, match="give it"):
        check(made)
    with pytest.raises(NotACertificate, match=r"not coded.* of kind coded"):
        check(msgspec.structs.replace(made, program="coded.chance"), instance=DEMO)


def test_plans_that_share_too_much_or_use_forbidden_pairs_are_refused():
    data = library.load("coded/forbidden_pairs")
    share, loads = np.full((2, 4), 0.5), np.full((2, 4), 3.0)
    with pytest.raises(NotACertificate, match=r"forbidden pair \(0, 1\)"):
        meets_surrogate(data, share, loads, Fraction(100))
    share[0, 0] = np.nextafter(0.5, 1)
    loads[~data.allowed] = 0.0
    with pytest.raises(NotACertificate, match="worker 0 is shared out"):
        meets_surrogate(data, share, loads, Fraction(100))
    share[0, 0] = 0.5
    meets_surrogate(data, share, loads, Fraction(100))
    with pytest.raises(NotACertificate, match="master 0 expects 0 of 3 rows"):
        meets_surrogate(data, share, loads, Fraction(1, 100))


@pytest.mark.parametrize("name", ["coded.expected", "coded.uniform", "coded.simple_greedy"])
def test_the_certificate_of_a_run_is_proved_again_from_its_file(name):
    run = algorithms[name].run(DEMO)
    accepted = bounds_runs_of("coded", {}, "coded.expected", run.decisions)
    proof = recheck(run.certificate.certificate, run.certificate.exact, DEMO, accepted)
    assert float(proof.value) == pytest.approx(run.value, rel=1e-11)
    assert run.ratio >= 1 - 1e-12


def test_products_beyond_doubles_never_make_a_bound_too_high():
    # u a = 1e300: η = 1e299 passes.  A master of 1e7 rows: L (1 + η) = 1e306, and with rates of
    # 1e308 at most 100 rows a unit of time and worker come out, so that t >= L / 200 = 5e4 at most.
    data = DEMO.replace(
        masters=[{"name": "large", "rows": 10_000_000}],
        workers=2,
        rate=[[1e308] * 2],
        shift=[[1e-8] * 2],
        plans=None,
    )
    for eta in (0.0, 1e100, 1e299, 9.9e299):
        bound = time_bound(data, np.ones(1), np.full((1, 2), eta))
        exact = 10**7 * (1 + Fraction(eta)) / (2 * Fraction(1e308))
        assert exact * (1 - Fraction(1, 10**12)) <= bound <= exact
    for eta in (1.1e300, 1.79e308):
        with pytest.raises(NotACertificate, match="too large"):
            time_bound(data, np.ones(1), np.full((1, 2), eta))


def test_a_worker_shared_out_beyond_doubles_is_refused_in_words():
    share = np.full(DEMO.rates.shape, 1.7e308)
    with pytest.raises(NotACertificate, match="is shared out 3"):
        meets_surrogate(DEMO, share, share, Fraction(1))


@pytest.mark.parametrize("seed", range(6))
def test_a_time_bound_is_the_formula_in_fractions_and_never_above_it(seed):
    data = random_coded_computing(seed, masters=3, workers=4)
    rng = np.random.default_rng(seed)
    prices = rng.choice([0.0, 0.5, 1.0, 3.7], 3)
    prices[seed % 3] = 1.25
    eta = safe_patience(Pairs.of(data).patience) * rng.choice([0.0, 0.3, 1.0], data.rates.shape)
    ignored = np.where(data.allowed, eta, np.nan)
    earned = sum(
        max(
            Fraction(float(prices[m])) * Fraction(float(data.rates[m, n]))
            / (Fraction(float(data.rows[m])) * (1 + Fraction(float(eta[m, n]))))
            if data.allowed[m, n] else Fraction(0)
            for m in range(3)
        )
        for n in range(data.rates.shape[1])
    )  # fmt: skip
    exact = sum(Fraction(p) for p in prices.tolist()) / earned
    assert exact * (1 - Fraction(1, 10**14)) < time_bound(data, prices, ignored) < exact


def test_a_time_a_hair_too_early_is_refused():
    # half of 20 rows are back when 1 - exp(c - u t / l) = 1/2: t = l (ln 2 / u + a)
    data = DEMO.replace(
        masters=[{"name": "one", "rows": 10}], workers=1, rate=[[3.0]], shift=[[0.25]], plans=None
    )
    share, loads = np.ones((1, 1)), np.full((1, 1), 20.0)
    with mpmath.workdps(40):
        exact = Fraction(str(20 * (mpmath.log(2) / 3 + mpmath.mpf(1) / 4)))
    meets_surrogate(data, share, loads, exact * (1 + Fraction(1, 10**14)))
    for time in (exact * (1 - Fraction(1, 10**14)), Fraction(1, 10), Fraction(0)):
        with pytest.raises(NotACertificate, match="master 0 expects"):
            meets_surrogate(data, share, loads, time)
    meets_surrogate(data, share, loads / 2 * (1 + 1e-12), Fraction(10**9))
    with pytest.raises(NotACertificate, match="master 0 expects"):
        meets_surrogate(data, share, loads / 2 * (1 - 1e-12), Fraction(10**9))


@pytest.mark.parametrize("bad", [-0.5, -1e-300, np.inf, np.nan])
@pytest.mark.parametrize("part", ["share", "loads"])
def test_shares_and_loads_that_are_none_are_refused(part, bad):
    plan = {"share": np.full(DEMO.rates.shape, 0.5), "loads": np.full(DEMO.rates.shape, 9.0)}
    plan[part][1, 0] = bad
    with pytest.raises(NotACertificate, match="negative or infinite"):
        meets_surrogate(DEMO, **plan, time=Fraction(10**6))
    with pytest.raises(NotACertificate, match="a plan has shape"):
        meets_surrogate(DEMO, **(plan | {part: np.ones(2)}), time=Fraction(1))


def test_a_claimed_plan_is_a_little_later_and_shares_a_little_less():
    found = shared_optimum(DEMO)
    plan = shared_plan(DEMO, found.share, found.time)
    claim = certificate().plan
    assert Fraction(claim.time) == Fraction(found.time) * (1 + Fraction(1, 2**40))
    share = unpack(claim.share, DEMO.rates.shape, "share")
    assert share.tolist() == (plan.share * (1 - 3 * 2.0**-52)).tolist()


def test_patience_is_what_changes_one_and_a_little_less():
    given = np.array([[0.0, 1e-17, 2.0**-52, 1.0, np.inf]])
    less = 1 - 2.0**-44
    assert safe_patience(given).tolist() == [[0, 0, 2.0**-52 * less, less, 0]]


def one_pair(**changes):
    """A master of ten rows and a worker of rate 1 and shift 1/4."""
    alone = {"masters": [{"name": "one", "rows": 10}], "workers": 1, "plans": None}
    return DEMO.replace(**(alone | {"rate": [[1.0]], "shift": [[0.25]]} | changes))


def test_a_patience_that_is_too_large_by_a_fraction_of_a_rounding_is_refused():
    # far above 1 the excess h - ln(1 + h) is almost h, and no margin of the series hides a rounding
    refused = 0
    for exponent in range(20, 50):
        eta = 2.0**exponent * 1.37
        with mpmath.workdps(60):
            excess = Fraction(str(mpmath.mpf(eta) - mpmath.log1p(eta)))
        below = float(excess)
        below = np.nextafter(below, 0.0) if Fraction(below) >= excess else below
        for work in (below, np.nextafter(below, 0.0)):
            refused += 1
            with pytest.raises(NotACertificate, match="is too large"):
                time_bound(one_pair(shift=[[work]]), np.ones(1), np.array([[eta]]))
        enough = below * (1 + 1e-14)
        assert time_bound(one_pair(shift=[[enough]]), np.ones(1), np.array([[eta]])) > 0
    assert refused == 60


@pytest.mark.parametrize(
    ("exponent", "rate", "shift"),
    [
        (20, 1.5118216247002567, 950201.3456976245),
        (23, 1.2455522672431776, 9226731.792027067),
        (27, 1.6051365892775145, 114556150.2731556),
    ],
)
def test_a_patience_is_refused_whose_work_only_rounds_to_enough(exponent, rate, shift):
    eta = 2.0**exponent * 1.37
    with mpmath.workdps(60):
        excess = Fraction(str(mpmath.mpf(eta) - mpmath.log1p(eta)))
    assert Fraction(rate) * Fraction(shift) < excess <= Fraction(rate * shift)
    with pytest.raises(NotACertificate, match="is too large"):
        time_bound(one_pair(rate=[[rate]], shift=[[shift]]), np.ones(1), np.array([[eta]]))


def test_no_time_bound_of_one_pair_is_above_its_fraction():
    # the bound is L (1 + eta) / u, whatever the price
    rng = np.random.default_rng(5)
    for _ in range(300):
        rate, eta = float(rng.uniform(0.1, 9.0)), float(rng.uniform(0.0, 0.5))
        price, rows = float(rng.uniform(0.1, 9.0)), int(rng.integers(1, 2**20))
        masters = [{"name": "one", "rows": rows}]
        data = one_pair(masters=masters, rate=[[rate]], shift=[[1.0]])
        exact = rows * (1 + Fraction(eta)) / Fraction(rate)
        bound = time_bound(data, np.array([price]), np.array([[eta]]))
        assert exact * (1 - Fraction(1, 10**14)) < bound <= exact


@pytest.mark.parametrize(
    ("rows", "rate", "price", "eta"),
    [
        (1078, 1.2308857914913618, 1.0387667322005636, 0.00525441301690488),
        (1037, 1.2365431743679598, 1.0248537919592249, 0.01631248581722644),
        (1139, 1.2845065490282508, 1.046740502835107, 0.027412805655804402),
    ],
)
def test_a_speed_is_rounded_up_by_more_than_its_quotient_loses(rows, rate, price, eta):
    # sum, product, quotient and price, rounded to nearest, lose more than one outward step returns
    data = one_pair(masters=[{"name": "one", "rows": rows}], rate=[[rate]], shift=[[1.0]])
    exact = rows * (1 + Fraction(eta)) / Fraction(rate)
    nearest = price * (rate / (rows * (1.0 + eta))) * (1.0 + 2 * ULP)
    assert Fraction(price) / Fraction(nearest) > exact
    assert time_bound(data, np.array([price]), np.array([[eta]])) <= exact


def test_one_price_that_overflows_is_refused_beside_one_that_does_not():
    masters = [{"name": name, "rows": 1} for name in ("one", "two")]
    data = one_pair(
        masters=masters, workers=2, rate=[[1e300, 1.0], [1.0, 1.0]], shift=[[1.0, 1.0]] * 2
    )
    with pytest.raises(NotACertificate, match="so large that it overflows"):
        time_bound(data, np.array([1e300, 1.0]), np.zeros((2, 2)))


def test_pairs_without_a_share_and_pairs_that_only_begin_take_nothing_from_the_others():
    # worker 0 alone brings all 10 rows; worker 1 is not used, forbidden or barely begins
    share, loads = np.array([[1.0, 0.0]]), np.array([[50.0, 50.0]])
    two = {"workers": 2, "rate": [[1.0, 1.0]], "shift": [[0.25, 0.25]]}
    late = Fraction(30)
    meets_surrogate(one_pair(**two), share, loads, late)
    meets_surrogate(one_pair(**two | {"shift": [[0.25, 1e6]]}), share, loads, late)
    # 30 / 120 = 1/4: the results of worker 1 are just 0, not too late
    both = np.array([[1.0, 1.0]])
    meets_surrogate(one_pair(**two), both, np.array([[50.0, 120.0]]), late)


def test_a_pair_that_is_too_late_leaves_its_master_without_any_row():
    # the second worker begins at 5, too late for 3: with it (6) counts nothing, without it enough
    rates, shifts = [[10.0, 1.0]], [[0.1, 1.0]]
    data = one_pair(masters=[{"name": "one", "rows": 1}], workers=2, rate=rates, shift=shifts)
    alone, both = np.array([[1.0, 0.0]]), np.array([[1.0, 1.0]])
    loads = np.array([[2.0, 5.0]])
    meets_surrogate(data, alone, loads, Fraction(3))
    with pytest.raises(NotACertificate, match="master 0 expects 0 of 1 rows"):
        meets_surrogate(data, both, loads, Fraction(3))
    meets_surrogate(data, both, loads, Fraction(5))


@pytest.mark.ids(9)
@pytest.mark.parametrize("seed", range(12))
def test_no_plan_of_p1_is_earlier(seed):
    data = random_coded_computing(seed, masters=2, workers=4, rows=5)
    for target in (0.05, 0.5, 0.98):
        one = data.replace(success_probability=target)
        patience = Pairs.of(one).patience
        proved = ChancePrices.of(one, shared_optimum(one).prices, patience)
        assert 0 < Fraction(proved.bound) <= best_quantile(one)
        prices = shared_optimum(one).prices
        whole = time_bound(one, prices, safe_patience(patience))
        assert (
            ChancePrices.evaluate(one, prices, safe_patience(patience)) == Fraction(target) * whole
        )


def test_a_bound_of_p3_is_none_of_p1():
    # with a small ρ the first row may be early: P1 then ends before any bound of P3
    data = random_coded_computing(3, masters=1, workers=3, rows=2).replace(success_probability=0.05)
    prices = np.ones(1)
    whole = time_bound(data, prices, safe_patience(Pairs.of(data).patience))
    assert best_quantile(data) < whole


def test_a_master_without_workers_is_never_ready():
    data = by_speed([[0.0, 0.0], [1.0, 2.0]])
    patience = np.zeros(data.rates.shape)
    for kind in (CodedPrices, ChancePrices):
        assert kind.evaluate(data, np.array([1.0, 0.0]), patience) is None
        assert kind.evaluate(data, np.ones(2), patience) > 0
    made = ChancePrices.of(data, np.array([1.0, 0.0]), patience)
    assert check(made, instance=data).infeasible


def test_runs_for_p1_and_for_expected_rows_are_bounded_by_their_own_program():
    data = library.load("coded/tiny")
    quantile, expected = (
        algorithms[name].run(data) for name in ("coded.chance_search", "coded.expected")
    )
    mixed = [(quantile, expected), (expected, quantile)]
    for run, other in mixed:
        assert farkas.check(run, instance=data).ratio is not None
        forged = msgspec.structs.replace(run, certificate=other.certificate, ratio=None)
        with pytest.raises(NotACertificate, match="does not bound runs of coded"):
            farkas.check(forged, instance=data)
        renamed = msgspec.structs.replace(run, algorithm=other.algorithm)
        with pytest.raises(NotACertificate):
            farkas.check(renamed, instance=data)
