"""Prices of masters and counts of workers: what passes is true, what is false does not pass."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import msgspec
import numpy as np
import pytest

import farkas
from farkas.api.check_run import prove_run
from farkas.certificates import check
from farkas.certificates.coded import (
    PROGRAMS,
    MasterPrices,
    earned_above,
    exact_sum,
    speeds_above,
    time_bound,
)
from farkas.certificates.encoding import pack
from farkas.certificates.files import from_json
from farkas.certificates.run_bound import require_run_bound
from farkas.errors import FileProblem, NotACertificate
from farkas.instances import library
from farkas.models.coded.chance import best_quantile
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.online import algorithms
from farkas.online.coded.environment import excluding
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.tolerances import ULP
from tests.generators.coded import by_speed, random_coded_computing

DEMO, DOMINANT = library.load("coded/demo"), library.load("coded/dominant")
SHARED, DEDICATED, CHANCE = (
    "coded.expected[shared]",
    "coded.expected[dedicated]",
    "coded.chance",
)
HALF = Fraction(1, 2)


def exact_speed(data, m, n):
    """The speed of a pair to forty digits."""
    with mpmath.workdps(60):
        rate = mpmath.mpf(float(data.rates[m, n]))
        work = rate * mpmath.mpf(float(data.shifts[m, n]))
        h = mpmath.findroot(lambda x: x - mpmath.log1p(x) - work, max(work, mpmath.sqrt(2 * work)))
        return Fraction(str(rate / (1 + h))) / data.masters[m].rows


def one_pair(**changes):
    """A master of ten rows and a worker of rate 1 and shift 1/4."""
    alone = {"masters": [{"name": "one", "rows": 10}], "workers": 1, "plans": None}
    return DEMO.replace(**(alone | {"rate": [[1.0]], "shift": [[0.25]]} | changes))


@pytest.mark.parametrize("seed", range(30))
def test_a_speed_is_no_smaller_than_the_pair_s_and_hardly_larger(seed):
    rng = np.random.default_rng(seed)
    rate, work = float(rng.uniform(0.1, 9)), float(10.0 ** rng.uniform(-12, 4))
    rows = int(rng.integers(1, 2**20))
    masters = [{"name": "one", "rows": rows}]
    data = one_pair(masters=masters, rate=[[rate]], shift=[[work / rate]])
    exact = exact_speed(data, 0, 0)
    assert exact < Fraction(float(speeds_above(data)[0, 0])) < exact * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("work", [1e-300, 1e-295, 1e-289, 1e-30, 1e300])
def test_the_bound_holds_at_both_ends_of_what_an_instance_allows(work):
    # h = sqrt(2 c) is lost in 1 + h below c = 1e-32: two workers of rate 1, time L / 2.
    rate = 1.0 if work < 1 else 1e150
    data = one_pair(workers=2, rate=[[rate] * 2], shift=[[work / rate] * 2])
    found = shared_optimum(data)
    proved = MasterPrices.of(data, SHARED, found.prices).bound
    assert found.time * (1 - 1e-11) <= Fraction(proved) <= found.time * (1 + 1e-15)
    if work < 1e-32:
        assert found.time == pytest.approx(data.masters[0].rows / 2, rel=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_a_time_bound_is_the_formula_in_fractions_and_never_above_it(seed):
    data = random_coded_computing(seed, masters=3, workers=4)
    rng = np.random.default_rng(seed)
    prices = rng.choice([0.0, 0.5, 1.0, 3.7], 3)
    prices[seed % 3] = 1.25
    earned = sum(
        max(
            Fraction(float(prices[m])) * exact_speed(data, m, n) if data.allowed[m, n] else 0
            for m in range(3)
        )
        for n in range(4)
    )
    exact = sum(Fraction(p) for p in prices.tolist()) / earned
    bound = time_bound(data, SHARED, prices, None)
    assert exact * (1 - Fraction(1, 10**12)) < bound < exact
    assert time_bound(data, CHANCE, prices, None) == Fraction(data.success_probability) * bound
    best = shared_optimum(data)
    found = time_bound(data, SHARED, best.prices, None)
    assert best.time * (1 - 1e-11) <= float(found) <= best.time


def test_sums_beyond_double_precision_are_sums():
    # Scaling prices changes nothing; two of 1.7e308 add up to more than a double holds.
    small, large = (time_bound(DEMO, SHARED, np.full(2, p), None) for p in (1.0, 1.7e308))
    assert float(large) == pytest.approx(float(small), rel=1e-14)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ([1.0, -1.0], "negative"),
        ([0.0, 0.0], "all prices are 0"),
        ([1.0, np.inf], "infinite"),
        ([1.0, np.nan], "infinite"),
        ([1.0], "prices for 2 masters"),
    ],
)
def test_prices_that_are_none_are_refused(program, prices, message):
    level = 1.0 if program.endswith("[dedicated]") else None
    with pytest.raises(NotACertificate, match=message):
        time_bound(DEMO, program, np.array(prices), level)


def test_one_price_that_overflows_is_refused_beside_one_that_does_not():
    masters = [{"name": name, "rows": 1} for name in ("one", "two")]
    data = one_pair(
        masters=masters, workers=2, rate=[[1e300, 1.0], [1.0, 1.0]], shift=[[1e-300, 1], [1, 1]]
    )
    with pytest.raises(NotACertificate, match="so large that it overflows"):
        time_bound(data, SHARED, np.array([1e300, 1.0]), None)


def test_a_master_that_nobody_may_serve_is_proved_infeasible():
    data = by_speed([[0.0, 0.0], [1.0, 2.0]])
    for program in (SHARED, CHANCE):
        made = MasterPrices.of(data, program, np.array([1.0, 0.0]))
        proof = check(made, instance=data)
        assert (proof.infeasible, proof.bound) == (True, None)
        assert time_bound(data, program, np.ones(2), None) > 0


def test_a_higher_bound_another_program_or_another_instance_is_refused():
    made = MasterPrices.of(DEMO, SHARED, shared_optimum(DEMO).prices)
    again = from_json(msgspec.json.encode(made), "test")
    assert check(again, instance=DEMO).bound == Fraction(made.bound)
    higher = str(Fraction(made.bound) * (1 + Fraction(1, 10**12)))
    for change, words in (
        ({"bound": higher}, "its numbers prove"),
        ({"bound": None}, "that there is no point"),
        ({"program": CHANCE}, "its numbers prove"),
        ({"program": "coded.loads"}, "has no prices of masters"),
        ({"program": DEDICATED}, "takes a level"),
        ({"level": 1.0}, "takes no level"),
        ({"kind": "dps"}, "not coded"),
    ):
        with pytest.raises(NotACertificate, match=words):
            check(msgspec.structs.replace(made, **change), instance=DEMO)
    with pytest.raises(NotACertificate, match="hashes to"):
        check(made, instance=DEMO.replace(success_probability=0.5))
    with pytest.raises(NotACertificate, match="give it"):
        check(made)


@pytest.mark.parametrize("tag", ["coded_run", "coded_dedicated", "coded_owners", "coded_budgets"])
def test_files_of_earlier_versions_are_refused_in_a_sentence(tag):
    with pytest.raises(FileProblem, match=r"are read by farkas 0\.2\.0 and not since"):
        from_json(msgspec.json.encode({"certificate": tag}), "test")


@pytest.mark.parametrize("name", ["coded.expected", "coded.uniform", "coded.simple_greedy"])
def test_the_certificate_of_a_run_is_proved_again_from_its_file(name):
    run = algorithms[name].run(DEMO)
    assert prove_run(run, DEMO, "the run").proof.bound == run.certificate.fraction
    assert run.ratio >= 1 - 1e-12


@pytest.mark.ids(9)
@pytest.mark.parametrize("seed", range(12))
def test_no_plan_of_p1_is_earlier(seed):
    data = random_coded_computing(seed, masters=2, workers=4, rows=5)
    for target in (0.05, 0.5, 0.98):
        one = data.replace(success_probability=target)
        proved = MasterPrices.of(one, CHANCE, shared_optimum(one).prices)
        assert 0 < Fraction(proved.bound) <= best_quantile(one)


def test_a_bound_of_p3_is_none_of_p1():
    # with a small ρ the first row may be early: P1 then ends before any bound of P3
    data = random_coded_computing(3, masters=1, workers=3, rows=2).replace(success_probability=0.05)
    assert best_quantile(data) < time_bound(data, SHARED, np.ones(1), None)


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


def cut(data, program=DEDICATED):
    """Prices that exclude a level for dedicated workers."""
    return excluding(data, program)


def best_level(data):
    speed = Pairs.of(data).speed
    owners = itertools.product(range(len(speed)), repeat=speed.shape[1])
    return max(float(owner_levels(speed, np.array(own)).min()) for own in owners)


@pytest.mark.parametrize("seed", range(12))
def test_no_owners_are_earlier_than_the_bound(seed):
    data = random_coded_computing(seed, masters=2 + seed % 2, workers=5)
    proof = check(cut(data), instance=data)
    assert proof.bound * Fraction(best_level(data)) <= 1 + Fraction(1, 10**12)


def test_one_fast_worker_is_no_two():
    # v = (100, 1, 1) twice: level 2, cut at which the prices 1, 1 allow 2 + 1 + 1 = 4 = 2 + 2
    data = by_speed([[100.0, 1, 1]] * 2)
    bound = check(cut(data), instance=data).bound
    assert float(bound) == pytest.approx(1 / 2, rel=1e-12)
    assert bound < HALF * (1 + Fraction(1, 10**12))
    p1 = check(cut(data, "coded.chance[dedicated]"), instance=data).bound
    assert p1 == Fraction(data.success_probability) * bound


def test_a_level_that_is_reached_is_not_excluded():
    data = by_speed([[100.0, 1, 1]] * 2)
    for level in (2.0 * (1 - 1e-12), 1.0, 1e-300):
        with pytest.raises(NotACertificate, match="do not exclude the level"):
            time_bound(data, DEDICATED, np.ones(2), level)
    # allowed and needed are equal at a cut that every speed exceeds: 1 <= 1 excludes nothing
    alone = by_speed([[5.0]])
    with pytest.raises(NotACertificate, match="do not exclude"):
        time_bound(alone, DEDICATED, np.ones(1), 3.0)
    assert float(time_bound(alone, DEDICATED, np.ones(1), 5.1)) == pytest.approx(1 / 5.1)
    # both sides are 1 + 2 ULP exactly: the dearer master earns 1, rounded up
    two, prices = by_speed([[5.0], [5.0]]), np.array([1.0, 2 * ULP])
    assert exact_sum(earned_above(prices, np.ones((2, 1)))) == exact_sum(prices)
    with pytest.raises(NotACertificate, match="do not exclude"):
        time_bound(two, DEDICATED, prices, 1.0)
    assert time_bound(two, DEDICATED, prices * [1, 1 + 1e-15], 1.0) == 1


@pytest.mark.parametrize("level", [0.0, -1.0, np.inf, np.nan])
def test_a_level_is_a_positive_number(level):
    with pytest.raises(NotACertificate, match="level is not positive"):
        time_bound(DOMINANT, DEDICATED, np.ones(2), level)


def test_it_never_bounds_a_plan_that_shares_a_worker():
    dedicated, shared = (
        algorithms[name].run(DOMINANT) for name in ("coded.brute_force", "coded.expected")
    )
    assert "dedicate workers only" in dedicated.certificate.method
    assert "for every plan" in shared.certificate.method
    assert 1 <= prove_run(dedicated, DOMINANT, "test").ratio < 1 + 1e-9
    # the true optimum of shared workers is 25 times earlier than the bound on dedicated ones
    assert shared.value < float(dedicated.certificate) / 20
    for name in ("coded.brute_force", "coded.expected"):
        forged = msgspec.structs.replace(
            shared, algorithm=name, certificate=dedicated.certificate, ratio=None
        )
        with pytest.raises(NotACertificate, match="does not bound runs"):
            prove_run(forged, DOMINANT, "test")


@pytest.mark.parametrize(
    "decisions",
    [
        [],
        [{}],
        [{"share": [[1.0]], "loads": [[1.0], [1.0]]}],
        [{"share": [[1.0, 0.0], [0.0]], "loads": [[1.0, 0.0], [0.0, 0.0]]}],
        [{"share": [[0.5], [0.5]], "loads": [[1.0], [1.0]]}],
        [{"share": [[1.0], [0.0]], "loads": [[1.0], [0.0]]}] * 2,
        ["share"],
    ],
)
def test_it_bounds_nothing_that_is_no_plan_of_dedicated_workers(decisions):
    certificate = cut(DOMINANT)
    with pytest.raises(NotACertificate, match="does not bound runs"):
        require_run_bound(certificate, "coded", {}, "coded.any", decisions)
    served = [{"share": [[1.0], [0.5]], "loads": [[1.0], [0.0]]}]  # without a load, not used
    require_run_bound(certificate, "coded", {}, "coded.any", served)
    loaded = [{"share": [[1.0], [0.0]], "loads": [[1.0], [1.0]]}]  # nor without a share
    require_run_bound(certificate, "coded", {}, "coded.any", loaded)
    with pytest.raises(NotACertificate, match="does not bound runs"):
        require_run_bound(certificate, "coded", {}, "coded.chance_search", served)


def test_prices_of_a_file_are_as_many_as_masters():
    made = MasterPrices.of(DEMO, SHARED, np.ones(2))
    with pytest.raises(NotACertificate, match="prices"):
        check(msgspec.structs.replace(made, prices=pack(np.ones(3))), instance=DEMO)
