"""Program mlbroker.offline: every variant against enumeration, and the price form (7)."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.algebra import programs
from farkas.errors import InvalidInstance
from farkas.forms import check_point
from farkas.instances import library
from farkas.models.mlbroker.data import (
    busy_slots,
    entropy,
    growth,
    of_busy_slots,
    rounded_up,
)
from farkas.models.mlbroker.placement import Offline
from farkas.online import algorithms
from farkas.relaxations.integrality import relax
from farkas.relaxations.mlbroker.relaxed import Relaxation
from farkas.solvers import solve
from farkas.testing import variants
from farkas.tolerances import NORMAL, ULP
from tests.generators.mlbroker import discounted, edge_cases, random_brokerage, single
from tests.references.mlbroker_offline import enumerated

EVERY = pytest.mark.parametrize("program", variants(Offline), ids=lambda p: p.full_name)
EDGES = edge_cases()


def value(program, data):
    form = program.form(data)
    answer = solve(form).require_optimal()
    assert check_point(form, answer.point)
    return answer.objective


@EVERY
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_is_that_of_all_placements(program, seed):
    data = random_brokerage(seed)
    assert value(program, data) == pytest.approx(enumerated(data, program.semantics), abs=1e-6)


@EVERY
@pytest.mark.parametrize("name", EDGES)
def test_the_optimum_of_extreme_instances_is_that_of_all_placements(program, name):
    data = EDGES[name]
    assert value(program, data) == pytest.approx(enumerated(data, program.semantics), abs=1e-6)


@EVERY
def test_only_one_variant_states_whole_connections(program):
    form = program.form(random_brokerage(0))
    whole = form.integer[form.column_block("connected").where]
    assert set(whole.ravel().tolist()) == {program.presence == "whole"}


@pytest.mark.parametrize(
    ("name", "printed", "strict"),
    [
        # sticky: two deployments are charged as printed, three are made: 3 more
        ("return_trip", 6.6, 9.6),
        # two workers, one of which avoids its 5 GB to the server as printed; strict moves the
        # other half worker of data for 5 x 1 USD
        ("surplus_worker", 1.3, 5.7),
        ("tiny", 16.8, 16.8),
    ],
)
def test_printed_and_strict_differ_where_the_text_and_8_differ(name, printed, strict):
    data = library.load(f"mlbroker/{name}")
    assert value(Offline(semantics="printed"), data) == pytest.approx(printed)
    assert value(Offline(semantics="strict"), data) == pytest.approx(strict)


@pytest.mark.parametrize("seed", range(4))
def test_two_constants_relax_to_the_envelope(seed):
    # single M <= two constants = chord, all else equal
    data = random_brokerage(seed, sites=3, jobs=3, resources=2)
    single, two = (
        solve(relax(Offline(prices=p, presence="split").form(data))).require_optimal().objective
        for p in ("single", "two")
    )
    chord = solve(programs.build("mlbroker.relaxed[tight]").form(data)).require_optimal().objective
    assert single <= two + 1e-7
    assert two == pytest.approx(chord, abs=1e-7)


def test_constants_by_hand():
    # 3 and 2 workers: U = 1 + 3.  M = max(e, (a - b)(H - l)) = max(0.5, 0.5 (5 - 1))
    assert discounted().deployment_bound("printed") == 4
    assert discounted().valid_big_m("printed") == 2.0
    assert discounted().replace(big_m=50.0).valid_big_m("printed") == 50.0


@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_two_constants_are_those_of_the_instance_and_one_is_the_largest(semantics: str) -> None:
    data = discounted()
    found = {}
    for prices in ("single", "two"):
        m = Offline(prices=prices, semantics=semantics).declarations(data)
        found[prices] = m.big_m_list.values, m.big_m_reduced.values
    first, second = data.two_big_ms(semantics)
    busy = np.unique(data.pair_slot)
    assert np.array_equal(found["two"][0], first[busy])
    assert np.array_equal(found["two"][1], second[busy])
    one = max(data.big_m or data.smallest_big_m, float(first.max()), float(second.max()))
    assert (found["single"][0] == one).all()
    assert (found["single"][1] == one).all()


def test_an_idle_worker_under_strict_semantics_needs_larger_constants():
    # no data: 1 unit of the server as printed, one more of a worker that keeps the job there;
    # (a - b)(H - l) = 0.5 (1 - 0.5), then 0.5 (2 - 0.5)
    idle = single([[0.0]], discount_price=[[0.5]], discount_threshold=[[0.5]])
    assert (idle.deployment_bound("printed"), idle.deployment_bound("strict")) == (1, 2)
    assert (idle.valid_big_m("printed"), idle.valid_big_m("strict")) == (0.25, 0.75)


def later_job():
    """Jobs in slots 0-1 and 3 of 5."""
    data = single([[30.0, 0.0], [0.0, 12.0]], num_slots=5)
    late = msgspec.structs.replace(data.jobs[0], arrival=3, departure=3, data=((1.0, 1.0),))
    return data.replace(jobs=[data.jobs[0], late])


def test_slots_without_jobs_are_left_out():
    data = later_job()
    assert busy_slots(data).tolist() == [0, 1, 3]
    assert of_busy_slots(data, np.arange(5.0)[:, None]).tolist() == [[0], [1], [3]]
    assert busy_slots(data.replace(jobs=[])).tolist() == []


@pytest.mark.ids(9)
@pytest.mark.parametrize("unit", [1.0, 1e-150, 1e150, 1e-300])
@pytest.mark.parametrize("relax", ["printed", "tight"])
@pytest.mark.parametrize("semantics", ["printed", "strict"])
def test_full_usage_costs_no_more_than_what_is_implied_without_rounding(relax, semantics, unit):
    program, met = Relaxation(relax=relax, semantics=semantics), 0
    for seed in range(12):
        data = random_brokerage(seed, sites=2, jobs=3, resources=2)
        rng = np.random.default_rng(seed)
        changes = {"base_price": (unit * rng.random((2, 2))).tolist(), "discount_price": None}
        # what all use adds up exactly where demands are whole; products with prices never do
        demand = rng.random((3, 2, 2)) if seed % 2 else rng.integers(1, 8, (3, 2, 2)) / 1.0
        jobs = [
            msgspec.structs.replace(job, worker_demand=tuple(worker), server_demand=tuple(server))
            for job, (worker, server) in zip(data.jobs, demand.tolist(), strict=True)
        ]
        form = program.form(data.replace(**changes, jobs=jobs, big_m=None))
        family = "cost_on_chord" if relax == "tight" else "cost_at_list_price"
        cost = form.column_block("resource_cost")
        where = np.arange(form.num_rows)[form.row_block(family).where]
        for i, column in zip(where.tolist(), range(cost.start, cost.stop), strict=True):
            columns, entries = (part.tolist() for part in form.matrix.row(i))
            named = {j: form.column_name(j).split("[")[0] for j in columns}
            full = sum(
                (Fraction(-a) * Fraction(float(form.safe_upper[j]))
                 for j, a in zip(columns, entries, strict=True)
                 if named[j].endswith(("workers", "server"))),
                Fraction(0),
            )  # fmt: skip
            implied = Fraction(float(form.safe_upper[column]))
            assert full <= implied <= full * (1 + Fraction(1, 10**6)) + Fraction(2) ** -900
            met += full > implied * (1 - Fraction(1, 2**40))
    assert met > 20 or unit < 1e-200


def test_only_what_is_exactly_nothing_implies_nothing():
    values = np.array([0.0, 0.0, 1.0, 1e300, 5e-324])
    above = rounded_up(values, 3, np.array([False, True, True, True, True]))
    assert above.tolist() == [0.0, NORMAL, 1.0 + 4 * ULP, 1e300 * (1.0 + 4 * ULP), NORMAL]
    assert rounded_up(np.array([np.finfo(float).max]), 1, np.array([True])).tolist() == [np.inf]


EPSILONS = (1e-300, 1e-100, 1e-17, 1e-9, 0.1, 1.0, 1e9, 1e17, 1e100, 1e300)
SHARES = (0.0, 1e-12, 0.25, 0.25 + 1e-9, 0.5, 1.0)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("before", SHARES)
@pytest.mark.parametrize("deployed", SHARES)
def test_the_entropy_term_has_nine_digits_for_every_epsilon(deployed, before, epsilon):
    # 700 digits, because 1e-300 and its reciprocal meet in one sum
    with decimal.localcontext(prec=700):
        v, p, e = Decimal(deployed), Decimal(before), Decimal(epsilon)
        log = ((v + e) / (p + e)).ln()
        scale = 1 / math.log1p(1 / epsilon)
        exact = float(Decimal(scale) * ((v + e) * log - v + p))
        slope = float(Decimal(scale) * log)
    arrays = np.array([deployed]), np.array([before])
    assert entropy(*arrays, np.array([scale]), epsilon)[0] == pytest.approx(exact, rel=1e-9)
    assert scale * growth(*arrays, epsilon)[0] == pytest.approx(slope, rel=1e-9)


@pytest.mark.parametrize("epsilon", [1e-300, 1e300])
@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("relax", ["printed", "tight"])
def test_a_run_with_an_extreme_epsilon_is_certified(relax, semantics, epsilon):
    broker = library.load("mlbroker/return_trip").replace(epsilon=epsilon)
    run = algorithms["mlbroker.fractional"].run(broker, relax=relax, semantics=semantics)
    assert not run.violations
    assert all(math.isfinite(number) for number in run.numbers.values())
    assert run.ratio is not None


def test_a_deployment_cost_that_overflows_with_epsilon_is_refused():
    broker = library.load("mlbroker/tiny")
    dear = [msgspec.structs.replace(job, deploy_cost=1e9) for job in broker.jobs]
    with pytest.raises(InvalidInstance, match="give a smaller epsilon"):
        broker.replace(jobs=dear, epsilon=1e300)
