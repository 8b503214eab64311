"""Programs of the worst case: what they share, and each of them by trial of a box."""

import functools
import itertools
from fractions import Fraction

import msgspec
import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.errors import InvalidOption, NotApplicable
from farkas.models.coded.kernel import Pairs, owner_levels
from farkas.models.coded.worst_simple_greedy import speed_range
from farkas.models.mlbroker.worst_local import drawn_servers, with_volumes
from farkas.models.worst_case import ROUNDED, RatioWords, ShareWords, WorstProgram, by_family
from farkas.online import algorithms
from farkas.online.coded.simple_greedy import greedy_owner
from tests.tools.boxes import coded_box, dps_box, gadget_box, mlbroker_box

NAMES = [name for name in programs if issubclass(programs[name], WorstProgram)]


@pytest.mark.parametrize("word", ["1", "2.5", "1e-3", "1e300", "1e-320"])
def test_any_positive_number_is_a_ratio(word):
    assert word in RatioWords(("1",))


@pytest.mark.parametrize("word", ["0", "-1", "inf", "nan", "", "tight", "²", 3])
def test_nothing_else_is_a_ratio(word):
    assert word not in RatioWords(("1",))


def test_margins_are_shares():
    found = [word in ShareWords(("0",)) for word in ("0", "0.5", "1", "-0.1", "nan")]
    assert found == [True, True, False, False, False]


@pytest.mark.parametrize("name", NAMES)
def test_the_ratio_is_a_word_of_the_name_and_read_back_from_it(name):
    program = programs.build(f"{name}[ratio=2.5]")
    assert program.factor == 2.5
    assert programs.build(program.full_name).variant == program.variant
    with pytest.raises(InvalidOption, match="ratio cannot be '0'"):
        programs.build(f"{name}[ratio=0]")


@pytest.mark.parametrize("name", NAMES)
def test_a_program_is_about_an_algorithm_of_its_kind(name):
    from farkas.online import algorithms

    program = programs[name]
    assert program.algorithm == name.replace("worst_", "")
    assert algorithms[program.algorithm].kind == program.kind
    assert program.varied


@pytest.mark.parametrize("name", NAMES)
def test_the_objective_is_one_side_less_the_ratio_times_the_other(name):
    once, twice, four = (
        programs.build(name, ratio=str(ratio)).form(programs.build(name).example())
        for ratio in (1, 2, 4)  # powers of two: nothing is rounded
    )
    assert (four.cost - twice.cost == 2 * (twice.cost - once.cost)).all()
    # no variable is on both sides, so that their values follow from two ratios exactly
    assert ((once.cost == 0) | (twice.cost == once.cost) | (twice.cost == 2 * once.cost)).all()
    assert (twice.cost != once.cost).any()


@pytest.mark.parametrize("name", NAMES)
def test_only_an_optimum_that_is_proved_to_be_at_most_0_bounds_a_ratio(name):
    program = programs.build(f"{name}[ratio=2.5]")
    for bound in (Fraction(0), Fraction(-1, 10**30), Fraction(-7)):
        assert program.ratio_at_most(bound) == Fraction(5, 2) * ROUNDED
    for nothing in (None, Fraction(1, 10**30), Fraction(3)):
        assert program.ratio_at_most(nothing) is None
    # a margin leaves instances out, and two zeros have the ratio 1
    with_margin = programs.build(f"{name}[ratio=2.5]")
    with_margin.variant["margin"] = "0.5"
    assert with_margin.ratio_at_most(Fraction(-1)) is None
    assert programs.build(f"{name}[ratio=0.5]").ratio_at_most(Fraction(-1)) == ROUNDED


def with_demands(box, demands):
    jobs = [
        msgspec.structs.replace(job, demand=(units,))
        for job, units in zip(box.jobs, demands, strict=True)
    ]
    return box.replace(jobs=jobs)


def fifo_sides(data):
    value = algorithms["gadget.fifo"].run(data, 0).value
    return value, farkas.solve(data, "gadget.offline").answer.objective


@pytest.mark.ids(1)
@pytest.mark.parametrize(("most", "horizon", "jobs"), [(3.0, 1, 3), (3.0, 2, 2), (5.0, 1, 2)])
def test_the_optimum_of_fifo_is_the_largest_loss_over_the_box(most, horizon, jobs):
    # with demands up to 5 of 4 units some jobs are passed over
    box = gadget_box(jobs=jobs, most=most, horizon=horizon)
    steps = [float(k) for k in range(1, int(most) + 1)]
    scored = [fifo_sides(with_demands(box, d)) for d in itertools.product(steps, repeat=jobs)]
    for ratio in (1.0, 3.0):
        loss = max(best - ratio * value for value, best in scored)
        found = farkas.prove(box, f"gadget.worst_fifo[ratio={ratio}]")
        assert found.status == "optimal"
        assert float(found.value) == pytest.approx(loss, rel=1e-9)


def test_jobs_queue_by_arrival_and_run_from_there_on():
    box = gadget_box(jobs=2, horizon=2)
    late = msgspec.structs.replace(box.jobs[0], arrival=1)
    box = box.replace(jobs=[late, *box.jobs[1:]])
    steps = [1.0, 2.0, 3.0]
    scored = [fifo_sides(with_demands(box, d)) for d in itertools.product(steps, repeat=2)]
    loss = max(best - 2.0 * value for value, best in scored)
    found = farkas.prove(box, "gadget.worst_fifo[ratio=2]")
    assert float(found.value) == pytest.approx(loss, rel=1e-9)


def test_a_point_is_decoded_to_demands_with_its_loss():
    box = gadget_box()
    program = programs.build("gadget.worst_fifo[ratio=2]")
    found = farkas.prove(box, program)
    data = program.decoded(box, by_family(program.form(box), found.point))
    value, best = fifo_sides(data)
    assert best - 2.0 * value == pytest.approx(float(found.value), rel=1e-9)


@pytest.mark.parametrize(
    ("units", "is_on"), [(1.0, True), (2.0, True), (1.5, False), (1 + 1e-9, False)]
)
def test_demands_in_whole_parts_are_on_the_grid(units, is_on):
    box = gadget_box()
    program = programs.build("gadget.worst_fifo")
    assert program.on_grid(box, with_demands(box, [3.0, units, 1.0])) == is_on


def test_fifo_is_not_about_other_boxes():
    with pytest.raises(NotApplicable, match="needs one server, this cluster has 2"):
        programs.build("gadget.worst_fifo").form(farkas.load("gadget/tiny"))
    job = msgspec.structs.replace(gadget_box().jobs[0], budget=(4.0,))
    with pytest.raises(NotApplicable, match="without budgets"):
        programs.build("gadget.worst_fifo").form(gadget_box().replace(jobs=[job]))
    flat = with_demands(gadget_box(), [1.1, 1.2, 1.3])
    with pytest.raises(NotApplicable, match="no whole part"):
        programs.build("gadget.worst_fifo").form(flat)


def instances(box, parts):
    """Every instance of the box, with what the algorithm and the optimum cost."""
    steps = np.arange(0.0, 4.0 + 1e-9, 2.0 / parts)
    for volumes in itertools.product(steps, repeat=box.volume.size):
        data = with_volumes(box, np.reshape(volumes, box.volume.shape))
        value = algorithms["mlbroker.local"].run(data, 0).value
        yield data, value, farkas.solve(data, "mlbroker.offline").answer.objective


def optimum(box, parts, ratio):
    return farkas.prove(box, f"mlbroker.worst_local[ratio={ratio},parts={parts}]")


@pytest.mark.slow
def test_the_optimum_of_local_is_the_largest_loss_over_the_box():
    box = mlbroker_box(slots=1)
    for parts in (1, 2):
        scored = [(value, best) for _, value, best in instances(box, parts)]
        for ratio in (1.0, 1.5):
            most = max(value - ratio * best for value, best in scored)
            found = optimum(box, parts, ratio)
            assert found.status == "optimal"
            assert float(found.value) == pytest.approx(most, rel=1e-9, abs=1e-9)


def test_a_point_is_decoded_to_volumes_with_its_loss():
    box = mlbroker_box(slots=2)
    program = programs.build("mlbroker.worst_local[ratio=1.25]")
    found = optimum(box, 2, 1.25)
    data = program.decoded(box, by_family(program.form(box), found.point))
    value = algorithms["mlbroker.local"].run(data, 0).value
    best = farkas.solve(data, "mlbroker.offline").answer.objective
    assert value - 1.25 * best == pytest.approx(float(found.value), rel=1e-9)
    assert 0 <= data.volume.min() <= data.volume.max() <= 4.0


@pytest.mark.parametrize(
    ("parts", "volume", "is_on"),
    [(1, 2.0, True), (2, 1.0, True), (1, 1.0, False), (2, 1.0 + 1e-9, False)],
)
def test_volumes_in_whole_parts_are_on_the_grid(parts, volume, is_on):
    box = mlbroker_box(slots=1)
    volumes = np.full(box.volume.shape, 4.0)
    volumes.flat[0] = volume
    program = programs.build(f"mlbroker.worst_local[parts={parts}]")
    assert program.on_grid(box, with_volumes(box, volumes)) == is_on


def test_servers_stand_where_the_algorithm_draws_them():
    data = farkas.load("mlbroker/demo")
    decided = algorithms["mlbroker.local"].run(data, 0).decisions
    stands = drawn_servers(data)
    for slot in decided:
        for job, site in zip(slot["jobs"], slot["server"], strict=True):
            assert np.flatnonzero(stands[job]).tolist() == [site]


def test_a_box_without_whole_parts_is_refused():
    box = with_volumes(mlbroker_box(), np.full((2, 2), 0.9))
    with pytest.raises(NotApplicable, match="no whole part"):
        programs.build("mlbroker.worst_local").form(box)


BELOW = 2.0 * (1.0 - 1e-6)
"""A budget just below what is asked: the supremum is not reached where it is asked for exactly."""


def with_budgets(box, budgets):
    jobs = [
        msgspec.structs.replace(job, budget=budget)
        for job, budget in zip(box.jobs, budgets, strict=True)
    ]
    return box.replace(jobs=jobs)


def fixed_price_sides(data):
    value = algorithms["dps.fixed_price"].run(data, 0).value
    program = "dps.offline[capped]" if data.price_cap else "dps.offline[free]"
    return value, farkas.solve(data, program).answer.objective


@pytest.mark.parametrize(("low", "high"), [(1.0, 3.0), (2.0, 7.0)])
@pytest.mark.parametrize("cap", [None, 2.0])
def test_the_optimum_of_a_fixed_price_is_the_largest_loss_over_the_box(low, high, cap):
    # cap: two units cost 4 at most
    box = dps_box(low, high).replace(price_cap=cap)
    steps = sorted({low, high, max(low, BELOW), 2.0})
    scored = [fixed_price_sides(with_budgets(box, b)) for b in itertools.product(steps, repeat=3)]
    for ratio in (1.0, 2.0):
        loss = max(best - ratio * value for value, best in scored)
        found = farkas.prove(box, f"dps.worst_fixed_price[ratio={ratio}]")
        assert found.status == "optimal"
        assert float(found.value) >= loss
        assert float(found.value) == pytest.approx(loss, rel=1e-5, abs=1e-5)


def test_the_margin_keeps_those_who_decline_away_from_what_is_asked():
    box = dps_box(1.0, 3.0)
    program = programs.build("dps.worst_fixed_price[ratio=3,margin=0.25]")
    found = farkas.prove(box, program)
    data = program.decoded(box, by_family(program.form(box), found.point))
    assert all(job.budget <= 1.5 or job.budget >= 2.0 - 1e-8 for job in data.jobs)
    value, best = fixed_price_sides(data)
    assert best - 3.0 * value == pytest.approx(float(found.value), rel=1e-8)


def test_who_can_always_pay_does_not_decline_in_a_tie():
    assert farkas.prove(dps_box(2.0, 2.0), "dps.worst_fixed_price").value == 0


def test_a_fixed_price_is_not_about_other_boxes():
    with pytest.raises(NotApplicable, match="needs one server"):
        programs.build("dps.worst_fixed_price").form(farkas.load("dps/tiny"))
    with pytest.raises(NotApplicable, match="fixed_prices"):
        programs.build("dps.worst_fixed_price").form(farkas.load("dps/one_server"))


@functools.cache
def proved(ratio):
    return farkas.prove(coded_box(), f"coded.worst_simple_greedy[ratio={ratio}]")


def greedy_sides(speed):
    """Levels of the best plan and of the algorithm, by enumeration."""
    masters, workers = speed.shape
    owners = itertools.product(range(masters), repeat=workers)
    best = max(owner_levels(speed, np.array(owner)).min() for owner in owners)
    return best, owner_levels(speed, greedy_owner(speed)).min()


def grid(masters, workers, steps):
    for entries in itertools.product(steps, repeat=masters * workers):
        yield greedy_sides(np.reshape(entries, (masters, workers)))


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1.25, 1.5])
def test_the_optimum_of_simple_greedy_is_the_largest_loss_over_the_box(ratio):
    most = max(best - ratio * level for best, level in grid(2, 3, [1.0, 2.0, 3.0]))
    found = proved(ratio)
    assert found.status == "optimal"
    assert float(found.value) >= most
    assert float(found.value) == pytest.approx(most, rel=1e-9, abs=1e-9)


def test_two_workers_are_as_bad_as_the_box_allows():
    # the fastest pair leaves the other master the slowest: 1 instead of 3
    found = farkas.prove(coded_box(workers=2), "coded.worst_simple_greedy[ratio=2]")
    assert float(found.value) == pytest.approx(3.0 - 2.0 * 1.0)
    assert max(best - 2 * level for best, level in grid(2, 2, [1.0, 2.0, 3.0])) == 1.0


def test_unlike_masters_are_not_taken_for_equal_ones():
    # the second master needs half as many rows: its speeds are twice as large
    box = coded_box().replace(masters=[{"rows": 20}, {"rows": 10}])
    found = farkas.prove(box, "coded.worst_simple_greedy[ratio=1.5]")
    scale = np.array([[1.0], [2.0]])
    steps = itertools.product([1.0, 2.0, 3.0], repeat=6)
    scored = [greedy_sides(np.reshape(speed, (2, 3)) * scale) for speed in steps]
    most = max(best - 1.5 * level for best, level in scored)
    assert float(found.value) >= most
    assert most >= 0.25


@pytest.mark.slow
def test_a_point_is_decoded_to_rates_and_shifts_of_the_box_with_its_speeds():
    box = coded_box()
    program = programs.build("coded.worst_simple_greedy[ratio=1.25]")
    form = program.form(box)
    found = proved(1.25)
    values = by_family(form, found.point)
    data = program.decoded(box, values)
    unit = 1.0 / 10.0 / (1.0 + 2.1461932206205825)  # h - ln(1 + h) = 1
    assert Pairs.of(data).speed == pytest.approx(values["speed"] * unit, rel=1e-12)
    assert 1.0 <= data.rates.min() <= data.rates.max() <= 3.0
    assert 1.0 / 3.0 <= data.shifts.min() <= data.shifts.max() <= 1.0


def test_speeds_reach_from_the_slowest_rate_and_largest_shift_to_the_opposite():
    low, high = speed_range(coded_box().replace(shift=[[2.0, 1.0, 1.0]] * 2), "it")
    speeds = [Pairs.of(coded_box().replace(rate=[[u] * 3] * 2, shift=[[a] * 3] * 2)).speed[0, 0]
              for u, a in ((1.0, 2.0), (3.0, 1.0))]  # fmt: skip
    assert low.min() == 1.0
    assert high.max() == pytest.approx(speeds[1] / speeds[0], rel=1e-12)
    assert high.max() >= speeds[1] / speeds[0]


def test_a_box_of_equal_speeds_is_one_instance():
    # three workers for two masters: somebody has one only, whoever gives them away
    found = farkas.prove(coded_box(most=1.0), "coded.worst_simple_greedy[ratio=0.5]")
    assert found.status == "optimal"
    assert found.value == Fraction(1, 2)


def test_simple_greedy_is_not_about_other_boxes():
    with pytest.raises(NotApplicable, match="pairs are forbidden"):
        programs.build("coded.worst_simple_greedy").form(farkas.load("coded/tiny"))
    with pytest.raises(NotApplicable, match="a worker for every master"):
        programs.build("coded.worst_simple_greedy").form(coded_box(workers=2, masters=3))
