"""Duals by hand, and primal = dual on random programs of every shape."""

from __future__ import annotations

import highspy
import numpy as np
import pytest

from farkas.certificates import exact_bound, prove_infeasible
from farkas.duals.dualize import dualize
from farkas.errors import UnsupportedForm
from farkas.forms import Axis, Block, LinearForm, check_point
from farkas.forms.matrices import as_scipy, rows_of_dense
from tests.generators.forms import INF, random_form, small
from tests.tools.samples import samples


def columns(form: LinearForm) -> list[tuple[str, float, float, float]]:
    """Name, objective coefficient, lower and upper bound of every variable."""
    parts = zip(form.cost, form.lower, form.upper, strict=True)
    return [(form.column_name(j), *map(float, part)) for j, part in enumerate(parts)]


def rows(form: LinearForm) -> list[tuple[str, float, float]]:
    parts = zip(form.row_lower, form.row_upper, strict=True)
    return [(form.row_name(i), *map(float, part)) for i, part in enumerate(parts)]


def dense(form: LinearForm) -> list[list[float]]:
    return as_scipy(form.matrix).toarray().tolist()


def test_the_dual_of_a_diet_is_a_price_list():
    # min 2x + 3y + 5          max 4p + 6q + 5
    #  p: x + 2y >= 4           x: p + 3q <= 2
    #  q: 3x + y >= 6           y: 2p + q <= 3
    #  x, y >= 0                p, q >= 0
    primal = small([[1, 2], [3, 1]], cost=[2, 3], row_lower=[4, 6], offset=5)
    dual = dualize(primal).form
    assert (dual.sense, dual.offset) == ("max", 5)
    assert columns(dual) == [("row[i=0]", 4, 0, INF), ("row[i=1]", 6, 0, INF)]
    assert rows(dual) == [("column[i=0]", -INF, 2), ("column[i=1]", -INF, 3)]
    assert dense(dual) == [[1, 3], [2, 1]]


def test_ranged_rows_and_bounds_get_a_multiplier_for_each_side():
    # min a + 2b + 3c + 4d + 5e         max 1 r:lower + 6 r:upper + 2 a:lower + 7 a:upper
    #  r: 1 <= a + b + c + d + e <= 6       + 3 b:bound + 9 d:bound + 8 e:bound
    #  2 <= a <= 7, b = 3, c free,       r:lower >= 0, r:upper <= 0, a:lower >= 0, a:upper <= 0,
    #  d <= 9, 0 <= e <= 8               b:bound free, d:bound <= 0, e:bound <= 0
    primal = small(
        [[1, 1, 1, 1, 1]],
        cost=[1, 2, 3, 4, 5],
        row_lower=[1],
        row_upper=[6],
        lower=[2, 3, -INF, -INF, 0],
        upper=[7, 3, INF, 9, 8],
    )
    dual = dualize(primal).form
    assert columns(dual) == [
        ("row:lower[i=0]", 1, 0, INF),
        ("row:upper[i=0]", 6, -INF, 0),
        ("column:bound[i=1]", 3, -INF, INF),
        ("column:bound[i=3]", 9, -INF, 0),
        ("column:bound[i=4]", 8, -INF, 0),
        ("column:lower[i=0]", 2, 0, INF),
        ("column:upper[i=0]", 7, -INF, 0),
    ]
    assert [row[1:] for row in rows(dual)] == [(1, 1), (2, 2), (3, 3), (4, 4), (-INF, 5)]
    assert dense(dual) == [
        [1, 1, 0, 0, 0, 1, 1],
        [1, 1, 1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0, 0],
        [1, 1, 0, 1, 0, 0, 0],
        [1, 1, 0, 0, 1, 0, 0],
    ]


def test_free_rows_have_no_multiplier_and_columns_fixed_to_zero_no_constraint():
    # min -x, x + z free row, z = 0, x <= 0: the dual constraint of z is vacuous, of x is >= -1
    primal = small([[1, 1]], cost=[-1, 7], lower=[-INF, 0], upper=[0, 0])
    dual = dualize(primal)
    assert dual.form.num_columns == 0
    assert rows(dual.form) == [("column[i=0]", -1, INF), ("column[i=1]", -INF, INF)]
    assert dual.lift(np.zeros(0)).tolist() == [0]


def test_the_sides_of_a_ranged_row_add_up_to_its_multiplier():
    primal = small([[1.0]], cost=[1], row_lower=[1], row_upper=[6])
    dual = dualize(primal)
    assert dual.lift(np.array([3.0, -1.0])).tolist() == [2]
    assert dual.embed(np.array([2.0])).tolist() == [2, 0]
    assert dual.embed(np.array([-2.0])).tolist() == [0, -2]


def test_whole_families_keep_their_index_sets_and_parts_become_tuples():
    grid = (
        Axis(("job",), np.array([[3], [5]])),
        Axis(("slot", "site"), np.array([[0, 0], [1, 2]])),
    )
    matrix = rows_of_dense(np.ones((4, 4)))
    form = LinearForm(
        name="grid",
        cost=np.ones(4),
        matrix=matrix,
        row_lower=np.ones(4),
        row_upper=np.full(4, INF),
        lower=np.zeros(4),
        upper=np.array([INF, INF, 2.0, INF]),
        integer=np.zeros(4, bool),
        rows=(Block("demand", "3b", 0, grid),),
        columns=(Block("moved", "", 0, grid),),
    )
    # a part of a family that is not the first: without sides row 2 has no multiplier
    free = form.row_lower.copy()
    free[2] = -INF
    halves = tuple(Block(name, "", at, (grid[1],)) for name, at in (("early", 0), ("late", 2)))
    parts = dualize(form.replace(rows=halves, row_lower=free)).form
    assert [parts.column_name(j) for j in range(3)] == [
        "early[slot=0, site=0]",
        "early[slot=1, site=2]",
        "late[slot=1, site=2]",
    ]
    dual = dualize(form).form
    assert dual.column_block("demand").axes is grid
    assert dual.column_name(3) == "demand[job=5, slot=1, site=2]  (3b)"
    assert dual.column_name(4) == "moved:bound[job=5, slot=0, site=0]"
    assert dual.row_name(1) == "moved[job=3, slot=1, site=2]"


def test_integers_are_refused_by_name():
    form = small([[1.0, 1.0]], cost=[1, 1], row_lower=[1], integer=[False, True])
    with pytest.raises(UnsupportedForm, match=r"column\[i=1\] is integer"):
        dualize(form)


@pytest.mark.parametrize(
    ("field", "value"),
    [("row_lower", INF), ("row_upper", -INF), ("lower", INF), ("upper", -INF), ("lower", np.nan)],
)
def test_ends_that_no_number_satisfies_are_refused(field, value):
    form = small([[1.0]], cost=[1], row_lower=[1]).replace(**{field: np.array([value])})
    with pytest.raises(UnsupportedForm, match="no finite"):
        dualize(form)


# --- primal = dual on random programs ------------------------------------------------------------


class Plain:
    """HiGHS without presolve, so that it tells infeasible from unbounded."""

    def __init__(self):
        self.highs = highspy.Highs()
        self.highs.silent()
        self.highs.setOptionValue("presolve", "off")
        self.highs.setOptionValue("threads", 1)

    def solve(self, form):
        """Status word, objective, point, row duals."""
        if not form.num_columns:  # "Empty" to HiGHS, feasible or not
            fits = bool(np.all((form.row_lower <= 0) & (form.row_upper >= 0)))
            status = "Optimal" if fits else "Infeasible"
            return status, form.offset, np.zeros(0), np.zeros(form.num_rows)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = form.num_columns, form.num_rows
        lp.col_cost_, lp.offset_ = form.cost, form.offset
        lp.col_lower_, lp.col_upper_ = form.lower, form.upper
        lp.row_lower_, lp.row_upper_ = form.row_lower, form.row_upper
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = form.matrix.starts.astype(np.int32)
        lp.a_matrix_.index_ = form.matrix.columns
        lp.a_matrix_.value_ = form.matrix.values
        lp.sense_ = (
            highspy.ObjSense.kMinimize if form.sense == "min" else highspy.ObjSense.kMaximize
        )
        self.highs.passModel(lp)
        for strategy in (1, 4):  # dual simplex, and primal where it cannot tell
            self.highs.setOptionValue("simplex_strategy", strategy)
            self.highs.clearSolver()
            self.highs.run()
            status = self.highs.modelStatusToString(self.highs.getModelStatus())
            if status in ("Optimal", "Infeasible", "Unbounded"):
                break
        solution = self.highs.getSolution()
        return (
            status,
            self.highs.getInfo().objective_function_value,
            np.array(solution.col_value, float),
            np.array(solution.row_dual, float),
        )


@pytest.mark.slow
@samples(600, 2400)
def test_primal_and_dual_agree_on_random_programs(samples):
    """Every row kind, column kind, sense and offset, bounded or not."""
    rng = np.random.default_rng(20260801)
    plain = Plain()
    counts = {"Optimal": 0, "Infeasible": 0, "Unbounded": 0}
    for _ in range(samples):
        form = random_form(rng)
        dual = dualize(form)
        status, value, _, multipliers = plain.solve(form)
        dual_status, dual_value, dual_point, dual_multipliers = plain.solve(dual.form)
        counts[status] += 1
        if status != "Optimal":
            # an unbounded primal has an infeasible dual; an infeasible one either kind
            allowed = {"Unbounded": {"Infeasible"}, "Infeasible": {"Infeasible", "Unbounded"}}
            assert dual_status in allowed[status]
            continue
        assert dual_status == "Optimal"
        assert dual_value == pytest.approx(value, abs=1e-6)
        # the maps: multipliers of one are the point of the other
        lifted = dual.lift(dual_point)
        assert bound_of(form, lifted) == pytest.approx(value, abs=1e-5)
        assert check_point(dual.form, dual.embed(multipliers))
        assert dual.form.objective(dual.embed(multipliers)) == pytest.approx(value, abs=1e-6)
        assert check_point(form, dual_multipliers)
        assert form.objective(dual_multipliers) == pytest.approx(value, abs=1e-6)
    assert min(counts.values()) > samples // 16, counts


def bound_of(form, multipliers):
    """Exact bound after tiny wrong signs were taken away by finite boxes of 10**6."""
    boxed = form.replace(
        implied_lower=np.full(form.num_columns, -1e6), implied_upper=np.full(form.num_columns, 1e6)
    )
    return float(exact_bound(boxed, np.round(multipliers, 12)))


def test_the_dual_of_the_dual_has_the_same_value():
    rng = np.random.default_rng(77)
    plain = Plain()
    compared = 0
    for _ in range(300):
        form = random_form(rng)
        status, value, *_ = plain.solve(form)
        again = dualize(dualize(form).form).form
        assert again.sense == form.sense
        status_again, value_again, *_ = plain.solve(again)
        assert status_again == status
        if status == "Optimal":
            compared += 1
            assert value_again == pytest.approx(value, abs=1e-6)
    assert compared > 50


def test_an_unbounded_direction_of_the_dual_is_a_ray_of_the_primal():
    # x >= 3 and x <= 1: the dual 3p + q (p >= 0, q <= 0, p + q <= 1) grows along (1, -1)
    form = small([[1.0], [1.0]], cost=[1.0], row_lower=[3, -INF], row_upper=[INF, 1])
    dual = dualize(form)
    assert prove_infeasible(form, dual.lift(np.array([1.0, -1.0]))) == 2
