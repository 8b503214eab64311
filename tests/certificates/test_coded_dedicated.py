"""Prices that exclude a level for dedicated workers: true of every owner, and of them only."""

import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.coded import (
    ChancePrices,
    EveryPlanPrices,
    earned_above,
    exact_sum,
    safe_patience,
)
from farkas.certificates.coded_dedicated import (
    DedicatedChancePrices,
    DedicatedPrices,
    dedicated_time_bound,
)
from farkas.certificates.files import from_json
from farkas.certificates.runs import require_run_bound
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.online import algorithms
from farkas.relaxations.coded.sharing import excluded_level
from farkas.tolerances import ULP
from farkas.verbs.check_run import prove_run
from tests.generators.coded import by_speed, random_coded_computing

DOMINANT = library.load("coded/dominant")


def made(data, kind=DedicatedPrices):
    cut = excluded_level(Pairs.of(data).speed)
    return kind.excluding(data, cut.prices, Pairs.of(data).patience, cut.level)


def dedicated_optimum(data):
    speed = Pairs.of(data).speed
    owners = itertools.product(range(len(speed)), repeat=speed.shape[1])
    return 1 / max(owner_levels(speed, np.array(own)).min() for own in owners)


@pytest.mark.parametrize("seed", range(12))
def test_no_owners_are_earlier_than_the_bound(seed):
    data = random_coded_computing(seed, masters=2 + seed % 2, workers=5)
    proof = check(made(data), instance=data)
    assert proof.bound <= Fraction(dedicated_optimum(data)) * (1 + Fraction(1, 10**12))


def test_one_fast_worker_is_no_two():
    # v = (100, 1, 1) twice: level 2, cut at which the prices 1, 1 allow 2 + 1 + 1 = 4 = 2 + 2
    data = by_speed([[100.0, 1, 1]] * 2)
    proof = check(made(data), instance=data)
    assert float(proof.bound) == pytest.approx(1 / 2, rel=1e-12)
    assert proof.bound < Fraction(1, 2) * (1 + Fraction(1, 10**12))


def test_a_level_that_is_reached_is_not_excluded():
    data = by_speed([[100.0, 1, 1]] * 2)
    patience = safe_patience(Pairs.of(data).patience)
    for level in (2.0 * (1 - 1e-12), 1.0, 1e-300):
        with pytest.raises(NotACertificate, match="do not exclude the level"):
            dedicated_time_bound(data, np.ones(2), patience, level)
    with pytest.raises(NotACertificate, match="no level near"):
        DedicatedPrices.excluding(data, np.ones(2), Pairs.of(data).patience, 1.9)
    # allowed and needed are equal at a cut that every speed exceeds: 1 <= 1 excludes nothing
    alone = by_speed([[5.0]])
    patience = safe_patience(Pairs.of(alone).patience)
    with pytest.raises(NotACertificate, match="do not exclude"):
        dedicated_time_bound(alone, np.ones(1), patience, 3.0)
    assert float(dedicated_time_bound(alone, np.ones(1), patience, 5.1)) == pytest.approx(1 / 5.1)
    # both sides are 1 + 2 ULP exactly: the dearer master earns 1, rounded up
    two = by_speed([[5.0], [5.0]])
    patience, prices = safe_patience(Pairs.of(two).patience), np.array([1.0, 2 * ULP])
    assert exact_sum(earned_above(prices, np.ones((2, 1)))) == exact_sum(prices)
    with pytest.raises(NotACertificate, match="do not exclude"):
        dedicated_time_bound(two, prices, patience, 1.0)
    assert dedicated_time_bound(two, prices * [1, 1 + 1e-15], patience, 1.0) == 1


@pytest.mark.parametrize("level", [0.0, -1.0, np.inf, np.nan])
def test_a_level_is_a_positive_number(level):
    with pytest.raises(NotACertificate, match="level is not positive"):
        dedicated_time_bound(DOMINANT, np.ones(2), np.zeros(DOMINANT.rates.shape), level)


@pytest.mark.parametrize("kind", [DedicatedPrices, DedicatedChancePrices])
def test_a_file_that_claims_more_than_its_level_is_refused(kind):
    honest = made(DOMINANT, kind)
    again = from_json(msgspec.json.encode(honest), "test")
    assert check(again, instance=DOMINANT).bound == Fraction(honest.bound)
    higher = str(Fraction(honest.bound) * (1 + Fraction(1, 10**12)))
    with pytest.raises(NotACertificate, match="its numbers prove"):
        check(msgspec.structs.replace(honest, bound=higher), instance=DOMINANT)
    lower = msgspec.structs.replace(honest, level=honest.level * (1 - 1e-9), bound=higher)
    with pytest.raises(NotACertificate, match="do not exclude"):
        check(lower, instance=DOMINANT)
    shared = msgspec.structs.replace(honest, program="coded.expected[shared]")
    with pytest.raises(NotACertificate, match=r"bound coded.(expected|chance)\[dedicated\]"):
        check(shared, instance=DOMINANT)


def test_the_bound_on_p1_is_the_probability_times_that_on_p3():
    p1 = made(DOMINANT, DedicatedChancePrices)
    share = Fraction(DOMINANT.success_probability)
    assert check(p1, instance=DOMINANT).bound == share * Fraction(made(DOMINANT).bound)
    shared = ChancePrices.of(
        DOMINANT, excluded_level(Pairs.of(DOMINANT).speed).prices, Pairs.of(DOMINANT).patience
    )
    assert Fraction(p1.bound) > 10 * Fraction(shared.bound)


def test_it_bounds_runs_whose_workers_serve_one_master_each():
    run = algorithms["coded.brute_force"].run(DOMINANT)
    assert run.certificate.certificate["certificate"] == "coded_dedicated"
    assert "dedicate workers only" in run.certificate.method
    assert 1 <= prove_run(run, DOMINANT, "test").ratio < 1 + 1e-9
    shared = algorithms["coded.expected"].run(DOMINANT)
    assert shared.certificate.certificate["certificate"] == "coded_run"
    assert "for every plan" in shared.certificate.method


def test_it_never_bounds_a_plan_that_shares_a_worker():
    dedicated, shared = (
        algorithms[name].run(DOMINANT) for name in ("coded.brute_force", "coded.expected")
    )
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
    certificate = made(DOMINANT)
    with pytest.raises(NotACertificate, match="does not bound runs"):
        require_run_bound(certificate, "coded", {}, "coded.any", decisions)
    served = [{"share": [[1.0], [0.5]], "loads": [[1.0], [0.0]]}]  # without a load, not used
    require_run_bound(certificate, "coded", {}, "coded.any", served)
    loaded = [{"share": [[1.0], [0.0]], "loads": [[1.0], [1.0]]}]  # nor without a share
    require_run_bound(certificate, "coded", {}, "coded.any", loaded)
    with pytest.raises(NotACertificate, match="does not bound runs"):
        require_run_bound(certificate, "coded", {}, "coded.chance_search", served)
    require_run_bound(made(DOMINANT, DedicatedChancePrices), "coded", {}, "coded.chance_x", served)


def test_prices_for_dedicated_workers_cannot_be_made_as_those_for_every_plan():
    # without a level they would state none, and `evaluate` would bound plans that share
    for kind in (DedicatedPrices, DedicatedChancePrices):
        assert not issubclass(kind, EveryPlanPrices)
        assert not hasattr(kind, "of")
        assert not hasattr(kind, "evaluate")
