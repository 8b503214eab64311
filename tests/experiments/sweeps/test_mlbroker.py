"""Guarantees of the fractional algorithm by hand, and what a run of the broker shows."""

from __future__ import annotations

import math

import pytest

from farkas.experiments.sweeps.guarantee import guarantees_of
from farkas.experiments.sweeps.trajectory import of_run
from farkas.instances import library
from farkas.online import algorithms
from tests.experiments.sweeps.made import INSTANCES


def test_guarantees_of_the_fractional_algorithm_by_hand():
    # eps = 1: sigma = ln 2.  printed 2 + 2 ln 2 = 3.386; repaired 1 + R ln 2 for tight
    instance = INSTANCES[0].replace(epsilon=1.0)
    printed, repaired = guarantees_of("mlbroker.fractional")
    tight = {"relax": "tight", "semantics": "printed", "epsilon": 0.0}
    assert printed.factor(instance, tight) == pytest.approx(2 + 2 * math.log(2))
    assert repaired.factor(instance, tight) == pytest.approx(1 + instance.num_sites * math.log(2))
    assert repaired.factor(instance, tight | {"semantics": "strict"}) is None
    # eps = 0.1 of the options wins: sigma = ln 11 = 2.398 > 1
    small = tight | {"epsilon": 0.1}
    assert repaired.factor(instance, small) == pytest.approx(
        math.log(11) * (1 + 0.1 * instance.num_sites)
    )
    # printed relaxation: U = 1 + largest need, so the job that needs least presence decides
    kappa_at_most_1 = repaired.factor(instance, tight | {"relax": "printed"})
    assert kappa_at_most_1 >= repaired.factor(instance, tight)


def test_the_whole_algorithm_is_promised_what_its_claim_refutes():
    from farkas.proofs import claims

    (printed,) = guarantees_of("mlbroker.mlbroker")
    numbers = claims["mlbroker.theorem5"].run().numbers
    scaled = library.load("mlbroker/unit_scaling")
    assert printed.factor(scaled, {"epsilon": 0.0}) == pytest.approx(numbers["r1_r2"])
    # a site without data makes λ, and with it r2, infinite
    assert printed.factor(library.load("mlbroker/tiny"), {"epsilon": 0.0}) is None


@pytest.mark.parametrize("name", ["tiny", "demo"])
def test_a_run_without_certificate_has_no_duals(name):
    instance = library.load(f"mlbroker/{name}")
    run = algorithms["mlbroker.central"].run(instance)
    run.certificate = None
    titles = {title for title, _, _ in of_run(instance, run)}
    assert "Workers" in titles
    assert "Dual prices of presence" not in titles


def test_workers_and_their_price_slot_by_slot():
    instance = library.load("mlbroker/demo")
    run = algorithms["mlbroker.central"].run(instance)
    placed = [
        [sum(job[site] for job in slot["workers"]) for site in range(instance.num_sites)]
        for slot in run.decisions
    ]
    busy = next(slot for slot, counts in enumerate(placed) if sum(counts))
    run.costs[busy].pop("resource")  # a store says of costs whatever it likes
    found = {title: figure for title, _, figure in of_run(instance, run)}
    drawn = [list(series.y) for series in found["Workers"].series]
    shown = [[float(x) for x in site] for site in zip(*placed, strict=True)]
    assert [site for site in drawn if any(site)] == [site for site in shown if any(site)]
    (paid,) = (series.y for series in found["Price paid per worker"].series)
    for price, counts, costs in zip(paid, placed, run.costs, strict=True):
        if sum(counts):
            assert price == pytest.approx(costs.get("resource", 0.0) / sum(counts))
        else:
            assert math.isnan(price)
    assert paid[busy] == 0
