"""What every solver must answer, whatever its own conventions.

Arithmetic stands beside each case.  Interior-point and first-order methods are compared at 1e-5."""

import math

import cvxpy as cp
import numpy as np
import pytest

from farkas.errors import NoAnswer, SolverUnavailable, UnsupportedForm
from farkas.forms import check_point
from farkas.forms.matrices import as_scipy
from farkas.solvers import Ability, Conclusion, Reason, availability, solve
from farkas.solvers.base import find
from farkas.solvers.convex import solve_problem
from tests.conformance.solvers.cases import (
    HERE,
    INF,
    NATIVE,
    UNLIMITED,
    entropy,
    form,
    knapsacks,
    market_split,
    stopped_with_a_point,
)

NEAR = 1e-5


def can(solver, ability):
    return ability in find(solver).abilities


every = pytest.mark.parametrize("solver", [s for s in HERE if can(s, Ability.LINEAR)])
integer = pytest.mark.parametrize("solver", [s for s in HERE if can(s, Ability.INTEGER)])
continuous_only = pytest.mark.parametrize(
    "solver", [s for s in HERE if not can(s, Ability.INTEGER)]
)
mixed = pytest.mark.parametrize(
    "solver", [s for s in HERE if can(s, Ability.LINEAR | Ability.INTEGER)]
)
duals = pytest.mark.parametrize("solver", [s for s in HERE if can(s, Ability.DUALS)])
rays = pytest.mark.parametrize("solver", [s for s in HERE if can(s, Ability.RAYS)])


def optimum(case, solver, **options):
    answer = solve(case, solver, **options)
    assert (answer.reason, answer.claim) == (Reason.FINISHED, Conclusion.OPTIMAL), answer.message
    assert check_point(case, answer.point, tolerance=NEAR), str(check_point(case, answer.point))
    assert answer.objective == pytest.approx(case.objective(answer.point), abs=1e-9)
    return answer


@pytest.mark.parametrize("solver", NATIVE)
def test_promised_solvers_are_usable_here(solver):
    assert availability(solver)


@every
@pytest.mark.parametrize("offset", [0.0, 5.0, -3.0])
@pytest.mark.parametrize(("sense", "sign"), [("max", 1.0), ("min", -1.0)])
def test_linear_program(solver, sense, sign, offset):
    # max 3x + 2y, x + y <= 4, x + 3y <= 6: (4, 0), value 12; min of the negated cost: -12.
    case = form(
        [3 * sign, 2 * sign],
        [(-INF, [1, 1], 4), (-INF, [1, 3], 6)],
        sense=sense,
        offset=offset,
    )
    answer = optimum(case, solver)
    assert answer.objective == pytest.approx(12 * sign + offset, abs=NEAR)
    assert answer.point == pytest.approx([4, 0], abs=NEAR)


@duals
@pytest.mark.parametrize(("sense", "sign"), [("max", 1.0), ("min", -1.0)])
def test_duals_are_derivatives_whatever_the_sense(solver, sense, sign):
    # As above with sides 4 + e and 6 + f: the maximum is 3 (4 + e), so the duals are (3, 0),
    # the only ones since (4, 0) is nondegenerate: one row and one bound are tight.
    case = form([3 * sign, 2 * sign], [(-INF, [1, 1], 4), (-INF, [1, 3], 6)], sense=sense)
    assert optimum(case, solver).row_duals == pytest.approx([3 * sign, 0], abs=NEAR)


@duals
@pytest.mark.parametrize(("sense", "toward"), [("min", 1.0), ("max", -1.0)])
@pytest.mark.parametrize(
    ("low", "high", "cost", "dual"),
    [
        # x + 2y against 6 on [0, 10]^2, minimised: all of it on x, at x = 6
        (-INF, 6, [-2, -1], -2),  # <=: one more unit of room lowers a minimum by 2
        (6, INF, [1, 3], 1),  # >=: one more unit of duty costs 1
        (6, 6, [1, 3], 1),  # =: either sign
        (6, 6, [-1, 3], -1),
        (2, 6, [-2, -1], -2),  # a range tight above
        (6, 9, [1, 3], 1),  # and below
    ],
)
def test_signs_of_duals(solver, low, high, cost, dual, sense, toward):
    # maximising the negated cost is the same with every derivative negated
    case = form([toward * c for c in cost], [(low, [1, 2], high)], upper=10.0, sense=sense)
    answer = optimum(case, solver)
    assert answer.point == pytest.approx([6, 0], abs=NEAR)
    assert answer.row_duals == pytest.approx([toward * dual], abs=NEAR)


@duals
def test_duals_of_equations_ranges_and_lower_sides(solver):
    # min x + 2y + 3z, x + y + z = 10, 2 <= x <= 4 as a row, y <= 3 as a row 0 <= y <= 3:
    # x = 4, y = 3, z = 3, value 19.  One more on the equation costs 3; one more x saves 2,
    # one more y saves 1.
    case = form(
        [1, 2, 3],
        [(10, [1, 1, 1], 10), (2, [1, 0, 0], 4), (0, [0, 1, 0], 3)],
    )
    answer = optimum(case, solver)
    assert answer.objective == pytest.approx(19, abs=NEAR)
    assert answer.row_duals == pytest.approx([3, -2, -1], abs=NEAR)


@duals
@pytest.mark.parametrize(("sense", "value", "dual"), [("min", 2, 1), ("max", 5, 1)])
def test_ranged_row_is_tight_on_the_side_of_the_sense(solver, sense, value, dual):
    # The cost is the row x + 2y in [2, 5] itself: 2 or 5, with slope 1 on either side.
    case = form([1, 2], [(2, [1, 2], 5)], sense=sense)
    answer = optimum(case, solver)
    assert answer.objective == pytest.approx(value, abs=NEAR)
    assert answer.row_duals == pytest.approx([dual], abs=NEAR)


@duals
def test_degenerate_vertex_gives_any_of_its_duals(solver):
    # max x + y with x <= 1, y <= 1, x + y <= 2 as rows, x and y free: (1, 1) is optimal.
    # Duals (a, b, c) >= 0 with a + c = 1, b + c = 1: all of (1 - c, 1 - c, c), 0 <= c <= 1.
    case = form(
        [1, 1],
        [(-INF, [1, 0], 1), (-INF, [0, 1], 1), (-INF, [1, 1], 2)],
        lower=-INF,
        sense="max",
    )
    a, b, c = optimum(case, solver).row_duals
    assert -NEAR <= c <= 1 + NEAR
    assert (a, b) == pytest.approx((1 - c, 1 - c), abs=NEAR)


@every
def test_free_and_fixed_columns(solver):
    # min x - y, x free, y = 3 fixed, x + y >= 1: x = -2, value -5.
    case = form([1, -1], [(1, [1, 1], INF)], lower=[-INF, 3], upper=[INF, 3])
    answer = optimum(case, solver)
    assert answer.objective == pytest.approx(-5, abs=NEAR)
    assert answer.point == pytest.approx([-2, 3], abs=NEAR)


@every
def test_columns_bounded_only_above_or_below_zero(solver):
    # max x + y, x <= -1 only, y in [-5, -2]: value -3.
    case = form([1, 1], [(-INF, [1, 1], 0)], lower=[-INF, -5], upper=[-1, -2], sense="max")
    assert optimum(case, solver).objective == pytest.approx(-3, abs=NEAR)


@every
def test_empty_rows_and_columns(solver):
    # The second row has no entries, the third no sides, the second column stands nowhere: 2x >= 3.
    case = form(
        [1, 0], [(3, [2, 0], INF), (-1, [0, 0], 1), (-INF, [1, 0], INF)], lower=[0, 1], upper=[9, 2]
    )
    answer = optimum(case, solver)
    assert answer.objective == pytest.approx(1.5, abs=NEAR)
    if can(solver, Ability.DUALS):
        assert answer.row_duals == pytest.approx([0.5, 0, 0], abs=NEAR)


@every
def test_an_empty_row_that_excludes_zero_is_infeasible(solver):
    case = form([1, 0], [(3, [2, 0], INF), (1, [0, 0], 2)], upper=9)
    answer = solve(case, solver)
    assert answer.claim is Conclusion.INFEASIBLE
    assert not answer.has_point


@every
def test_a_form_without_rows(solver):
    # min x - y on [1, 2] x [1, 2]: 1 - 2.
    answer = optimum(form([1, -1], lower=1, upper=2, offset=4), solver)
    assert answer.objective == pytest.approx(3, abs=NEAR)
    assert answer.point == pytest.approx([1, 2], abs=NEAR)


@every
def test_a_form_without_columns(solver):
    answer = optimum(form([], [(-1, [], 1)], offset=4), solver)
    assert answer.objective == 4
    assert answer.point.shape == (0,)


@every
def test_a_form_without_columns_may_be_infeasible(solver):
    answer = solve(form([], [(-1, [], 1), (1, [], 2)]), solver)
    assert answer.claim is Conclusion.INFEASIBLE
    assert answer.ray.tolist() == [0, 1]


@every
@pytest.mark.parametrize("cost", [[0, 0], [-1, -1]])
def test_infeasible(solver, cost):
    # x - y >= 1 and x - y <= 0; with cost (-1, -1) the dual is infeasible too.
    case = form(cost, [(1, [1, -1], INF), (-INF, [1, -1], 0)])
    answer = solve(case, solver)
    assert (answer.reason, answer.claim) == (Reason.FINISHED, Conclusion.INFEASIBLE), answer.message
    with pytest.raises(NoAnswer, match="infeasible"):
        _ = answer.point


@rays
@pytest.mark.parametrize("sense", ["min", "max"])
def test_infeasibility_comes_with_multipliers_that_prove_it(solver, sense):
    # x + y >= 8 on [0, 3]^2, with a ranged row that plays no part: y = (1, 0) proves 8 - 6 > 0.
    case = form([1, 2], [(8, [1, 1], INF), (-1, [1, -1], 1)], upper=3, sense=sense)
    ray = solve(case, solver).ray
    reduced = ray @ as_scipy(case.matrix)
    most = np.maximum(reduced * case.lower, reduced * case.upper).sum()
    sides = np.where(ray > 0, case.row_lower, case.row_upper)
    used = np.abs(ray) > 1e-9
    assert (ray * sides)[used].sum() - most > 0


@every
@pytest.mark.parametrize(("sense", "sign"), [("min", -1.0), ("max", 1.0)])
def test_unbounded(solver, sense, sign):
    # x = y + 1 to infinity.
    case = form([sign, sign], [(1, [1, -1], 1)], sense=sense)
    answer = solve(case, solver)
    assert (answer.reason, answer.claim) == (Reason.FINISHED, Conclusion.UNBOUNDED), answer.message
    assert not answer.has_point


@every
def test_crossing_bounds_are_infeasible_and_named(solver):
    answer = solve(form([1], [(0, [1], INF)], lower=2, upper=1), solver)
    assert answer.claim is Conclusion.INFEASIBLE
    assert "column 0: lower bound 2.0 > upper bound 1.0" in answer.message


@integer
def test_integer_program(solver):
    # max 5x + 4y, 6x + 4y <= 24, x + 2y <= 6, integer: LP optimum 21 at (3, 3/2);
    # integer: (4, 0) gives 20, (3, 1) gives 19, so 20.
    case = form(
        [5, 4], [(-INF, [6, 4], 24), (-INF, [1, 2], 6)], sense="max", integer=[0, 1], offset=1.0
    )
    answer = optimum(case, solver)
    assert answer.objective == pytest.approx(21, abs=1e-6)
    assert answer.raw_row_duals is None


@mixed
def test_mixed_program_keeps_continuous_columns_fractional(solver):
    # min x + y, x + y >= 3/2, x integer <= 1 with y <= 0.75: x = 1, y = 1/2.
    case = form([1, 1], [(1.5, [1, 1], INF)], upper=[1, 0.75], integer=[0])
    assert optimum(case, solver).point == pytest.approx([1, 0.5], abs=1e-6)


@integer
def test_integer_program_without_integer_points_is_infeasible(solver):
    # 2x + 2y = 1 has real points and no integer ones.
    case = form([1, 1], [(1, [2, 2], 1)], upper=5, integer=[0, 1])
    answer = solve(case, solver)
    assert answer.claim is Conclusion.INFEASIBLE
    assert answer.raw_ray is None


@mixed
def test_unbounded_integer_program(solver):
    case = form([-1, 0], [(0, [1, -1], 0)], integer=[0, 1])
    assert solve(case, solver).claim is Conclusion.UNBOUNDED


@continuous_only
def test_integer_columns_are_refused_by_solvers_that_would_ignore_them(solver):
    with pytest.raises(UnsupportedForm, match="takes no integer columns and case has 1"):
        solve(form([1], [(0.5, [1], INF)], integer=[0]), solver)


@pytest.mark.ids(7)
@integer
def test_limit_without_incumbent_gives_no_point(solver):
    case = market_split()
    answer = solve(case, solver, time_limit=0.1)
    assert answer.reason is Reason.TIME_LIMIT, answer
    assert answer.claim is Conclusion.NONE
    with pytest.raises(NoAnswer, match="time_limit"):
        _ = answer.point


@pytest.mark.ids(7)
@integer
def test_limit_with_incumbent_gives_a_feasible_point(solver):
    case = knapsacks()
    answer = stopped_with_a_point(case, solver)
    assert answer.reason is Reason.TIME_LIMIT, answer
    assert answer.claim is Conclusion.FEASIBLE, answer
    assert check_point(case, answer.point)
    assert answer.objective == pytest.approx(case.objective(answer.point))
    # a maximum is bounded from above
    assert not answer.bound < answer.objective


@pytest.mark.parametrize(
    "solver", [s for s in HERE if can(s, Ability.LINEAR) and s not in UNLIMITED]
)
def test_no_time_at_all_gives_no_garbage(solver):
    # HiGHS hands out a point that violates rows when it has no time.
    case = form([1, 1], [(3, [1, 2], INF), (3, [2, 1], INF)], upper=5)
    answer = solve(case, solver, time_limit=0.0)
    if answer.has_point:
        assert check_point(case, answer.point, tolerance=NEAR)
        assert answer.claim in (Conclusion.OPTIMAL, Conclusion.FEASIBLE)
    else:
        assert answer.claim is Conclusion.NONE


@every
def test_same_seed_same_point(solver):
    rng = np.random.default_rng(5)
    lines = rng.uniform(0, 1, (12, 20))
    case = form((-lines.sum(axis=0)).tolist(), [(-INF, line.tolist(), 3.0) for line in lines])
    first, second = (solve(case, solver, seed=7) for _ in range(2))
    assert first.point.tolist() == second.point.tolist()


@every
def test_nothing_reaches_stdout(solver, capfd):
    # feasible, infeasible and unbounded, since solvers chatter most about the last two
    for side, cost in ((1, 1), (-1, 1), (1, -1)):
        solve(form([cost], [(1, [side], INF)]), solver)
    assert capfd.readouterr().out == ""


def test_solver_without_licence_says_so_before_anything_is_handed_over():
    # The wheel of MOSEK holds no licence; where one is installed it must solve.
    if availability("mosek"):
        assert optimum(form([1], [(2, [1], INF)]), "mosek").objective == pytest.approx(2)
        return
    with pytest.raises(SolverUnavailable) as refusal:
        solve(form([1], [(2, [1], INF)]), "mosek")
    assert str(refusal.value) == (
        "solver mosek is unlicensed: License cannot be located; put a licence file at "
        "~/mosek/mosek.lic or name it in MOSEKLM_LICENSE_FILE"
    )


@pytest.mark.parametrize("solver", ["gurobi", "pyomo:gurobi_direct", "cvxpy:GUROBI"])
def test_form_too_large_for_a_limited_licence_is_refused_with_limit_and_size(solver):
    if availability("gurobi").most_columns is None:
        assert optimum(form([1.0] * 2001, upper=1.0), solver).objective == pytest.approx(0)
        return
    with pytest.raises(SolverUnavailable) as refusal:
        solve(form([1.0] * 2001), solver)
    assert str(refusal.value) == (
        f"{solver} is limited to 2000 {'rows' if 'cvxpy' in solver else 'columns'} by its licence "
        "and case has 2001; use another solver or a full licence"
    )


ABLE = pytest.mark.parametrize("solver", ["CLARABEL", "cvxpy:SCS"])


@ABLE
def test_relative_entropy(solver):
    problem, _ = entropy()
    answer = solve_problem(problem, solver).require_optimal()
    assert answer.objective == pytest.approx(-math.log(2), abs=1e-6)
    assert answer.values["x"] == pytest.approx([0.5, 0.5], abs=1e-4)
    assert answer.violation < 1e-6
    assert float(answer.duals[0]) == pytest.approx(math.log(2) - 1, abs=1e-4)


@ABLE
def test_infeasible_cone_program_has_no_objective(solver):
    x = cp.Variable()
    problem = cp.Problem(cp.Minimize(cp.exp(x)), [cp.exp(x) <= 1, x >= 1])
    answer = solve_problem(problem, solver)
    assert answer.claim is Conclusion.INFEASIBLE
    assert math.isnan(answer.objective)
    with pytest.raises(NoAnswer, match="infeasible"):
        answer.require_optimal()
