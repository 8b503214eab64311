"""Points and duals go back into models as the packages' own solves leave them."""

from __future__ import annotations

import math
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import cvxpy as cp
import gurobipy as gp
import highspy
import linopy
import numpy as np
import pyomo.environ as pyo
import pytest

import farkas
from farkas.algebra import programs
from farkas.errors import FarkasError, InvalidOption, NoAnswer, UnsupportedForm
from farkas.exact.from_doubles import rational
from farkas.forms import LinearForm
from farkas.instances import library
from tests.generators.forms import INF, small

# max 3x + 2y or min -3x - 2y, x <= 4, x + 2y <= 7: x = 4, y = 3/2; one more of the row gives 1


@pytest.fixture(params=["max", "min"])
def sense(request: pytest.FixtureRequest) -> str:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(params=["solve", "prove"])
def load(request: pytest.FixtureRequest) -> Any:
    if request.param == "solve":
        return lambda model: farkas.solve(model, load=True)
    return lambda model: farkas.prove(model).load_into(model)


def sign(sense: str) -> int:
    return 1 if sense == "max" else -1


def test_pyomo(sense: str, load: Any) -> None:
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(0, 4)), pyo.Var(domain=pyo.NonNegativeReals)
    model.cap = pyo.Constraint(expr=model.x + 2 * model.y <= 7)
    goal = sign(sense) * (3 * model.x + 2 * model.y)
    model.goal = pyo.Objective(expr=goal, sense={"max": pyo.maximize, "min": pyo.minimize}[sense])
    model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    load(model)
    ours = (model.x.value, model.y.value, model.dual[model.cap])
    assert ours == pytest.approx((4, 1.5, sign(sense)))
    pyo.SolverFactory("appsi_highs").solve(model)
    assert ours == pytest.approx((model.x.value, model.y.value, model.dual[model.cap]))


def test_cvxpy(sense: str, load: Any) -> None:
    x, y = cp.Variable(name="x"), cp.Variable(nonneg=True, name="y")
    rows = [x + 2 * y <= 7, x <= 4, x - y == 2.5]
    goal = cp.Maximize(3 * x + 2 * y) if sense == "max" else cp.Minimize(-3 * x - 2 * y)
    problem = cp.Problem(goal, rows)
    load(problem)
    ours = [x.value, y.value, problem.value, *(row.dual_value for row in rows[:2])]
    problem.solve(solver=cp.HIGHS)
    theirs = [x.value, y.value, problem.value, *(row.dual_value for row in rows[:2])]
    # at a degenerate vertex the duals may differ, their worth may not
    assert np.ravel(ours[:3]).tolist() == pytest.approx(np.ravel(theirs[:3]).tolist())
    assert ours[3] >= -1e-9
    assert ours[4] >= -1e-9
    assert 7 * ours[3] + 4 * ours[4] + 2.5 * float(rows[2].dual_value) == pytest.approx(
        7 * theirs[3] + 4 * theirs[4] + 2.5 * float(rows[2].dual_value), abs=5
    )


def test_duals_of_cvxpy_have_its_sign(sense: str, load: Any) -> None:
    x, y = cp.Variable(name="x"), cp.Variable(nonneg=True, name="y")
    rows = [x + 2 * y <= 7, x <= 4]
    goal = cp.Maximize(3 * x + 2 * y) if sense == "max" else cp.Minimize(-3 * x - 2 * y)
    problem = cp.Problem(goal, rows)
    load(problem)
    ours = [float(row.dual_value) for row in rows]
    problem.solve(solver=cp.HIGHS)
    assert ours == pytest.approx([float(row.dual_value) for row in rows])
    assert ours == pytest.approx([1, 2])


def test_gurobi(sense: str, load: Any) -> None:
    with gp.Env(params={"OutputFlag": 0}) as env, gp.Model(env=env) as model:
        x, y = model.addVar(ub=4), model.addVar()
        cap = model.addConstr(x + 2 * y <= 7)
        model.setObjective(sign(sense) * (3 * x + 2 * y), -sign(sense))
        load(model)
        ours = (x.PStart, y.PStart, cap.DStart)
        assert ours == pytest.approx((4, 1.5, sign(sense)))
        model.optimize()
        assert ours == pytest.approx((x.X, y.X, cap.Pi))
        x.VType = "I"
        load(model)
        assert (x.Start, y.Start) == pytest.approx((4, 1.5))


def test_highspy(sense: str, load: Any) -> None:
    model = highspy.Highs()
    model.silent()
    x, y = model.addVariable(0, 4), model.addVariable(0)
    model.addConstr(x + 2 * y <= 7)
    (model.maximize if sense == "max" else model.minimize)(sign(sense) * (3 * x + 2 * y))
    theirs = model.getSolution()
    model.clearSolver()
    load(model)
    ours = model.getSolution()
    for name in ("col_value", "row_dual"):
        assert list(getattr(ours, name)) == pytest.approx(list(getattr(theirs, name))), name


@pytest.mark.ids(1)
def test_linopy(sense: str, load: Any) -> None:
    model = linopy.Model()
    x = model.add_variables(lower=0, upper=4, name="x")
    gone = model.add_variables(name="gone")
    y = model.add_variables(lower=0, coords=[range(2)], mask=[False, True], name="y")
    model.add_constraints(x + 2 * y.sum() <= 7, name="cap")
    model.add_objective(sign(sense) * (3 * x + 2 * y.sum()), sense=sense)
    assert gone.name == "gone"
    model.remove_variables("gone")
    load(model)
    ours = (float(x.solution), float(y.solution[1]), float(model.constraints["cap"].dual))
    assert ours == pytest.approx((4, 1.5, sign(sense)))
    assert np.isnan(y.solution[0])
    assert model.objective.value == pytest.approx(sign(sense) * 15)
    model.solve(solver_name="highs", progress=False)
    theirs = (float(x.solution), float(y.solution[1]), float(model.constraints["cap"].dual))
    assert ours == pytest.approx(theirs)


def test_another_or_a_changed_model_gets_no_values() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, 4))
    model.goal = pyo.Objective(expr=model.x, sense=pyo.maximize)
    found, solution = farkas.prove(model), farkas.solve(model)
    model.x.setub(5)
    for result in (found, solution):
        with pytest.raises(InvalidOption, match="is not model any more"):
            result.load_into(model)
    with pytest.raises(InvalidOption, match="needs a model in memory"):
        farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", load=True)
    with pytest.raises(InvalidOption, match="an instance was solved"):
        farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]").load_into(model)
    model.no = pyo.Constraint(expr=model.x >= 6)
    with pytest.raises(NoAnswer, match="infeasible"):
        farkas.prove(model).load_into(model)


def test_results_answer_to_the_words_of_users() -> None:
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(0, 4)), pyo.Var(domain=pyo.NonNegativeReals)
    model.cap = pyo.Constraint(expr=model.x + 2 * model.y <= 7)
    model.goal = pyo.Objective(expr=3 * model.x + 2 * model.y, sense=pyo.maximize)
    for result in (farkas.prove(model), farkas.solve(model, certify=True)):
        assert (result.status, float(result.objective), float(result.bound)) == ("optimal", 15, 15)
        assert float(result.gap) == 0
        assert {name: float(value) for name, value in result.x.items()} == {"x": 4, "y": 1.5}
        assert {name: float(value) for name, value in result.duals.items()} == {"cap": 1}
        assert result.solver == "highs"
        assert result.seconds >= 0
        assert result.summary().splitlines()[:2] == ["status:    optimal", "objective: 15"]
        assert list(result.to_pandas()["variable"]) == ["x", "y"]
    model.x.setub(0)
    assert list(farkas.prove(model).to_pandas()["value"]) == [0, 3.5]
    assert list(farkas.solve(model).to_pandas()["value"]) == [0, 3.5]
    model.x.setub(4)
    for result in (farkas.prove(model), farkas.solve(model, certify=True)):
        for other, word in (("ObjVal", "objective"), ("shadow_prices", "duals"), ("primal", "x"),
                            ("Runtime", "seconds"), ("MIPGap", "gap"), ("best_bound", "bound"),
                            ("termination_condition", "status")):  # fmt: skip
            said = f"no attribute '{other}'; did you mean .*{word}"
            with pytest.raises(AttributeError, match=said):
                getattr(result, other)
        with pytest.raises(AttributeError, match="did you mean"):
            result.objectiv  # noqa: B018
    model.x.domain = pyo.Integers
    with pytest.raises(NoAnswer, match="no duals"):
        farkas.prove(model).duals  # noqa: B018
    with pytest.raises(NoAnswer, match="no row duals"):
        farkas.solve(model).duals  # noqa: B018


def test_the_base_of_all_errors_and_the_solvers_stand_at_the_top() -> None:
    assert issubclass(InvalidOption, farkas.FarkasError)
    names = {line.name for line in farkas.solvers()}
    assert {"highs", "gurobi", "scip", "pyomo:cbc", "cvxpy:SCS"} <= names


@pytest.mark.parametrize(("given", "resolved"), [
    ("GUROBI", "gurobi"), ("HiGHS", "highs"), ("appsi_highs", "pyomo:appsi_highs"),
    ("scs", "cvxpy:SCS"), ("Clarabel", "clarabel"), ("PYOMO:APPSI_HIGHS", "pyomo:appsi_highs"),
])  # fmt: skip
def test_solvers_are_known_by_the_names_of_other_packages(given: str, resolved: str) -> None:
    x = cp.Variable()
    problem = cp.Problem(cp.Minimize(x), [x >= 2])
    assert farkas.solve(problem, solver=given).objective == pytest.approx(2, abs=1e-5)
    from farkas.solvers.base import find

    assert find(given).name == resolved


@pytest.mark.parametrize("name", ["glpk", "cbc", "cplex", "XPRESS", "copt", "GLPK_MI"])
def test_a_solver_that_is_missing_says_what_brings_it(name: str) -> None:
    from farkas.solvers.base import find

    standing = find(name).availability()
    if not standing:
        assert "install" in standing.detail or "path" in standing.detail


WIDE = [0.1, -0.3, 1.5, 6.0, -9.0, 2.0**-40, 3 * 2.0**20, 5e-324, 1e300, 1.0, 2.0**62]


def dense_of(form: LinearForm) -> np.ndarray:
    matrix = np.zeros(form.matrix.shape)
    rows = np.repeat(np.arange(form.num_rows), np.diff(form.matrix.starts))
    matrix[rows, form.matrix.columns] = form.matrix.values
    return matrix


def agree(form: LinearForm) -> None:
    """Every number is the double it was, and solvers get these doubles."""
    found = rational(form)
    dense = dense_of(form)
    for i in range(form.num_rows):
        entries = {j: v / found.factors[i] for j, v in found.row(i)}
        assert entries == {j: F(v) for j, v in enumerate(dense[i].tolist()) if v}
        assert math.gcd(*(v for _, v in found.row(i))) in (0, 1)
    here = found.linear
    assert (here.sense, here.offset) == (form.sense, form.offset)
    for name in ("cost", "row_lower", "row_upper", "lower", "upper", "integer"):
        np.testing.assert_array_equal(getattr(here, name), getattr(form, name))
    np.testing.assert_array_equal(dense_of(here), dense)
    assert here.implied_lower is here.implied_upper is None
    assert [form.row_name(i) for i in range(form.num_rows)] == list(found.row_names)
    assert [form.column_name(j) for j in range(form.num_columns)] == list(found.column_names)


@pytest.mark.parametrize("seed", range(6))
def test_numbers_of_every_size_signs_and_zeros(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = [*WIDE, 0.0, 0.0, -0.0] if seed % 2 else [0.0, 12.0, -18.0, 0.75, 2.0**-30, -30.0]
    dense = rng.choice(pool, size=(4, 3))
    sides = rng.choice([0.1, -3.0, INF, 12.0], size=4)
    agree(small(dense, cost=rng.choice(pool, size=3), row_upper=sides, offset=0.1))


@pytest.mark.parametrize("name", ["eris.offline", "mlbroker.relaxed", "gadget.circulation"])
def test_programs_of_kinds_with_their_names(name: str) -> None:
    kind = name.partition(".")[0]
    agree(programs.build(name).form(library.load(f"{kind}/tiny")))


@pytest.mark.parametrize(("numbers", "problem"), [
    ({"row_lower": [INF]}, r"row\[i=0\] lies between inf and inf"),
    ({"row_upper": [-INF]}, r"row\[i=0\] lies between -inf and -inf"),
    ({"lower": [INF]}, r"column\[.=0\] lies between inf and"),
    ({"upper": [-INF]}, r"column\[.=0\] lies between .* and -inf"),
    ({"row_lower": [float("nan")]}, r"row\[i=0\] lies between nan and inf"),
    ({"cost": [INF]}, "cost.* must be finite"),
    ({"offset": INF}, "constant is inf"),
    ({"matrix": [[INF]]}, "matrix value.* must be finite"),
])  # fmt: skip
def test_numbers_that_make_no_program_are_refused(numbers: dict, problem: str) -> None:
    given = {"cost": [1.0], **numbers}
    form = small(given.pop("matrix", [[1.0]]), **given)
    with pytest.raises(UnsupportedForm, match=problem):
        rational(form)
    with pytest.raises(UnsupportedForm, match=problem):
        farkas.prove(form)


@pytest.mark.parametrize("power", range(60, 67))
def test_entries_as_long_as_a_machine_word_are_kept_whole(power: int) -> None:
    # x + 2**-power y becomes 2**power x + y, which an int64 holds up to 2**62
    form = small([[1, 2.0**-power]], cost=[0, 0], row_upper=[1])
    agree(form)
    assert rational(form).row(0) == [(0, 2**power), (1, 1)]


REFUSED, NO_POINT = "refused", "infeasible"


def lp(goal: str = "min", row: str = "x >= -9", bounds: str = "", more: str = "") -> str:
    return f"{goal}\n obj: x\nst\n c: {row}\nbounds\n{bounds}{more}end\n"


def mps(columns: str = " x obj 1 c 1\n", sides: str = " r c 1\n", bounds: str = "") -> str:
    head = "NAME m\nROWS\n N obj\n G c\nCOLUMNS\n"
    return f"{head}{columns}RHS\n{sides}BOUNDS\n{bounds}ENDATA\n"


LAZY = mps().replace("COLUMNS", "LAZYCONS\n G d\nCOLUMNS").replace(" c 1\n", " c 1\n x d .5\n", 1)
MARKED = " M 'MARKER' 'INTORG'\n x obj -1 c 1\n M 'MARKER' 'INTEND'\n"
TABLE = {
    "upper end below 0, LP": (lp(bounds=" x <= -2\n"), NO_POINT, NO_POINT, NO_POINT),
    "upper end below 0, MPS": (mps(sides=" r c -9\n", bounds=" UP b x -2\n"), -9, NO_POINT, -9),
    "one end twice, LP": (lp(bounds=" x >= 2\n x >= 1\n"), 1, 1, 1),
    "one end twice, MPS": (mps(bounds=" LO b x 2\n LO b x 3\n"), REFUSED, 2, 2),
    "side twice": (mps(sides=" r c 1\n r c 2\n"), REFUSED, 1, 1),
    "cost twice": (mps(columns=" x obj 1 c 1\n x obj 2\n"), REFUSED, 1, 1),
    "two sets of sides": (mps(sides=" r c 1\n s c 2\n"), 1, 1, 1),
    "two sets of bounds": (mps(bounds=" LO b x 2\n LO d x 3\n"), 2, 2, 2),
    "binary, LP": (lp("max", "x <= 9", " 0 <= x <= 3\n", "binary\n x\n"), 1, 3, 1),
    "binary, MPS": (mps(" x obj -1 c 1\n", "", " UP b x 3\n BV b x\n"), -1, -3, -1),
    "marked": (mps(MARKED, ""), -1, -1, -1),
    "side of the objective": (mps(sides=" r c 1\n r obj 5\n"), -4, -4, -4),
    "lazy, LP": (lp().replace("bounds\n", "lazy constraints\n d: x >= 2\n"), 2, REFUSED, 2),
    "lazy, MPS": (LAZY.replace(" r c 1", " r c 1 d 1"), 2, 2, 2),
    "constant in a row": (lp(row="x + 2 >= 3"), REFUSED, 3, 0),
}  # fmt: skip
"""Text, and value by farkas, HiGHS and Gurobi."""


def ours(path: Path) -> float | str:
    try:
        found = farkas.prove(path)
    except FarkasError:
        return REFUSED
    return float(found.objective) if found.status == "optimal" else str(found.status)


def of_highs(path: Path) -> float | str:
    solver = highspy.Highs()
    solver.silent()
    if solver.readModel(str(path)) == highspy.HighsStatus.kError:
        return REFUSED
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kOptimal:
        return float(solver.getInfo().objective_function_value)
    return solver.modelStatusToString(status).lower()


def of_gurobi(path: Path) -> float | str:
    silent = {"OutputFlag": 0, "DualReductions": 0}
    with gp.Env(params=silent) as env, gp.read(str(path), env=env) as model:
        model.optimize()
        return NO_POINT if model.Status == gp.GRB.INFEASIBLE else float(model.ObjVal)


@pytest.mark.ids(99)
@pytest.mark.parametrize("name", TABLE)
def test_readers_have_the_values_of_the_table(name: str, tmp_path: Path) -> None:
    text, *values = TABLE[name]
    path = tmp_path / ("m.mps" if text.startswith("NAME") else "m.lp")
    path.write_text(text)
    assert [ours(path), of_highs(path), of_gurobi(path)] == values
