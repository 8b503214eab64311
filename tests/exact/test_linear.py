"""Linear programs over the rationals, held against a simplex method in fractions."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from farkas.exact import linear
from farkas.exact.bounding import Deadline, Matrix, OutOfTime, ScaledVector
from farkas.exact.ends import dual_value, reduced_costs
from farkas.exact.linear import elastic, infeasibility, recession, solve_linear
from farkas.forms.model_text import read_model
from farkas.forms.rational import RationalForm
from tests.generators.rational import keeps, program, random_linear, reference_optimum
from tests.tools.shared import SHARED


def truth_holds(form: RationalForm) -> str:
    """Check what is found against the reference, and that it proves itself."""
    found, best = solve_linear(form), reference_optimum(form)
    assert found.status == ("infeasible" if best is None else
                            "unbounded" if best == "unbounded" else "optimal")  # fmt: skip
    if found.status == "infeasible":
        assert found.multipliers is not None
        pairs = [*zip(form.lower, form.upper, strict=True),
                 *zip(form.row_lower, form.row_upper, strict=True)]  # fmt: skip
        crossed = any(a is not None and b is not None and a > b for a, b in pairs)
        assert crossed or infeasibility(form, found.multipliers) > 0
        return found.status
    assert found.point is not None
    assert keeps(form, found.point, whole=False)
    if found.status == "unbounded":
        assert found.direction is not None
        far = [x + 10**30 * d for x, d in zip(found.point, found.direction, strict=True)]
        assert keeps(form, far, whole=False)
        better = form.objective(far) - form.objective(found.point)
        assert better < 0 if form.sense == "min" else better > 0
        return found.status
    assert found.value == best == form.objective(found.point)
    assert found.multipliers is not None
    reduced = reduced_costs(form.cost, Matrix.of(form), ScaledVector.of(found.multipliers))
    assert dual_value(form, found.multipliers, reduced) == best
    return found.status


@pytest.mark.slow
def test_random_programs_of_every_kind() -> None:
    seen = [truth_holds(random_linear(seed)) for seed in range(150)]
    for status in ("optimal", "infeasible", "unbounded"):
        assert seen.count(status) >= 20, status


@pytest.mark.ids(99)
@pytest.mark.parametrize("form", [
    program([], cost=[1, -1], ends=[(0, 1), (0, 2)]), program([], cost=[0]),
    program([], cost=[-1]), program([[0]], cost=[1], rows=[(1, None)]),
    program([[1]], cost=[0], rows=[(1, 1)], ends=[(None, None)]),
    program([[1]], cost=[1], rows=[(3, 2)]),
    program([[1]], cost=[1], rows=[(0, None)], ends=[(2, 1)]),
    # cycling after Beale, and a vertex where many rows meet
    program([["1/4", -8, -1, 9], ["1/2", -12, "-1/2", 3], [0, 0, 1, 0]],
            cost=["-3/4", 20, "-1/2", 6], rows=[(None, 0), (None, 0), (None, 1)]),
    program([[1, 1], [1, 2], [2, 1], [1, -1], [-1, 1]], cost=[-1, -1], rows=[(None, 2), (None, 3),
            (None, 3), (None, 0), (None, 0)]),
    # numbers that doubles mix up
    program([[1, 1], [1, "1000000000000000000001/1000000000000000000000"]], cost=[-1, -2],
            rows=[(None, 1), (None, 1)]),
    program([["1e-9", 1]], cost=["1e-12", 1], rows=[(1, None)]),
    program([["1e9", "1e-6"]], cost=[1, 1], rows=[("1e9", None)]),
    program([[3]], cost=[1], rows=[("0.1", "0.1")], ends=[(None, None)]),
], ids=lambda form: f"{form.num_rows}x{form.num_columns}")  # fmt: skip
def test_corner_cases(form: RationalForm) -> None:
    truth_holds(form)


def test_decimals_that_agree_contradict_each_other_as_doubles() -> None:
    rows, cost = [["0.1", "0.2"], ["0.3", "0.6"]], [1, 1]
    decimal = program(rows, cost=cost, rows=[("0.3", "0.3"), ("0.9", "0.9")])
    assert truth_holds(decimal) == "optimal"
    doubles = program([[F(float(v)) for v in row] for row in rows], cost=cost,
                      rows=[(F(0.3), F(0.3)), (F(0.9), F(0.9))])  # type: ignore[arg-type] # fmt: skip
    truth_holds(doubles)


def test_a_deadline_that_has_passed_is_told() -> None:
    with pytest.raises(OutOfTime):
        solve_linear(random_linear(0), deadline=Deadline(0.0))


def test_a_basis_that_is_optimal_exactly_needs_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    form = program([[1, 2], [3, 1]], cost=[1, 1], rows=[(4, None), (6, None)], ends=[(0, 9)] * 2)
    found = solve_linear(form)
    assert (found.value, found.basis is None) == (F(14, 5), False)
    monkeypatch.setattr(linear, "Simplex", None)  # whose units may be others than the basis's
    again = solve_linear(form, basis=found.basis)
    assert (again.value, again.rounds) == (found.value, 1)
    other = form.replace(cost=(F(-1), F(1)))  # the same vertex, which is not optimal now
    with pytest.raises(TypeError):
        solve_linear(other, basis=found.basis)


def test_the_elastic_program_measures_what_is_missing() -> None:
    form = program(
        [["1/2", 0], [0, 3]], cost=[1, 1], rows=[(2, None), (None, -3)], ends=[(0, 1)] * 2
    )
    found = solve_linear(elastic(form))
    assert found.value == F(3, 2) + 3


def test_the_best_direction_is_cut_at_one() -> None:
    form = program([[1, -1]], cost=[-1, -1], rows=[(None, 5)])
    found = solve_linear(recession(form))
    assert (found.value, found.point) == (-2, [1, 1])


OPTIMA = {"afiro": F(-406659, 875), "sc50b": F(-70)}


@pytest.mark.parametrize("name", sorted(OPTIMA))
def test_public_programs_where_they_are(name: str) -> None:
    path = SHARED / "mps" / f"{name}.mps.gz"
    if path.exists():
        assert solve_linear(read_model(path)).value == OPTIMA[name]
        binary = solve_linear(read_model(path, numbers="binary"))
        assert binary.value is not None
        assert abs(binary.value - OPTIMA[name]) < F(1, 10**9)
