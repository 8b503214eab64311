"""Linear programs over the rationals, held against a simplex method in fractions."""

from __future__ import annotations

import random
from fractions import Fraction as F

import msgspec
import numpy as np
import pytest

from farkas.errors import NotACertificate
from farkas.exact import linear
from farkas.exact.bound_propagation import VertexFinder, dual_value, reduced_costs
from farkas.exact.certificate import combined, refuted, tree_certificate
from farkas.exact.linear import elastic, infeasibility, solve_linear
from farkas.exact.node_bounds import Deadline, Matrix, OutOfTime, ScaledVector, objects
from farkas.exact.refinement import Singular, Square, fractions_near
from farkas.forms.model_text import read_model
from farkas.forms.rational import RationalForm, whole_array
from farkas.solvers.simplex import BASIC, LOWER, UPPER, Basis
from tests.generators.rational import Given, keeps, program, random_linear, reference_optimum
from tests.generators.without_ends import solvable
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


OPTIMA = {"afiro": F(-406659, 875), "sc50b": F(-70)}


@pytest.mark.parametrize("name", sorted(OPTIMA))
def test_public_programs_where_they_are(name: str) -> None:
    path = SHARED / "mps" / f"{name}.mps.gz"
    if path.exists():
        assert solve_linear(read_model(path)).value == OPTIMA[name]
        binary = solve_linear(read_model(path, numbers="binary"))
        assert binary.value is not None
        assert abs(binary.value - OPTIMA[name]) < F(1, 10**9)


FREE = (None, None)
LARGE = 3 * 2**70


def free(rows: list[list[Given]], sides: list[tuple[Given, Given]], whole: int = 4) -> RationalForm:
    """Columns without ends, of which the first ones are whole."""
    n = len(rows[0])
    return program(rows, cost=[1] * n, rows=sides, ends=[FREE] * n,
                   whole=[int(j < whole) for j in range(n)])  # fmt: skip


def one_cut(form: RationalForm) -> tuple[dict[int, F], dict[int, int], F]:
    """Weights, terms and side of the cut that refutes a form, which the checker takes."""
    tree = refuted(form)
    assert tree is not None
    assert (tree.complete, tree.bound, tree.point, tree.nodes) == (True, None, None, [0])
    file = tree_certificate(form, tree, about={"program": "small"})
    assert file.prove_of(form, "form").infeasible
    (cut,) = tree.cuts
    stronger = msgspec.structs.replace(file.cuts[0], side=str(cut.side - 1))
    with pytest.raises(NotACertificate, match="stronger"):
        msgspec.structs.replace(file, cuts=(stronger,)).prove_of(form, "form")
    return dict(cut.rows), cut.terms, cut.side


@pytest.mark.parametrize(("row", "sides", "floor"), [
    ([2, -2], (1, 1), 0), ([3, 6], (7, 7), 2), ([6, -9], ("1/2", "1/2"), 0),
    ([10, -10], ("3/10", "97/10"), 0), ([-4, 8], (-7, -5), -2),
    ([LARGE, LARGE + 3], (1, 2), 0), (["1/3", "1/6"], ("1/12", "1/12"), 0),
])  # fmt: skip
def test_a_row_without_a_whole_number_between_its_sides(
    row: list[Given], sides: tuple[Given, Given], floor: int
) -> None:
    form = free([[1, 1], row], [(None, 9), sides])
    weights, terms, side = one_cut(form)
    assert (weights, terms, side) == ({1: 1}, dict(form.row(1)), floor)


def test_equations_that_add_up_to_one() -> None:
    # x + y + 2z = 0 and x - y + 2w = 1: halves give x + z + w = 1/2
    rows: list[list[Given]] = [[1, 1, 2, 0], [5, 0, 0, 3], [1, -1, 0, 2]]
    weights, terms, side = one_cut(free(rows, [(0, 0), (None, 7), (1, 1)]))
    assert weights in ({0: F(1, 2), 2: F(1, 2)}, {0: F(-1, 2), 2: F(1, 2)})
    assert side == sum(weights[i] * b for i, b in ((0, 0), (2, 1))) - F(1, 2)
    assert {terms[j] for j in terms} <= {1, -1}


def test_weights_are_found_where_there_is_no_whole_point() -> None:
    rng, seen = random.Random(5), {True: 0, False: 0}
    for _ in range(150):
        m, n = rng.randint(1, 4), rng.randint(1, 5)
        point = [F(rng.randint(-6, 6), rng.choice([1, 1, 2, 3])) for _ in range(n)]
        rows = [[rng.randint(-6, 6) for _ in range(n)] for _ in range(m)]
        sides = [sum(v * x for v, x in zip(row, point, strict=True)) for row in rows]
        below = 6 if any(side.denominator > 1 for side in sides) else 1
        rows = [[below * v for v in row] for row in rows]
        sides = [below * side for side in sides]
        weights = combined([dict(enumerate(row)) for row in rows], sides)
        key = tuple(map(tuple, rows))
        assert (weights is None) is solvable(key, tuple(map(int, sides)))
        seen[weights is None] += 1
        if weights is not None:
            sums = (sum(w * v for w, v in zip(weights, column, strict=True))
                    for column in zip(*rows, strict=True))  # fmt: skip
            assert {total.denominator for total in sums} == {1}
            assert sum(w * b for w, b in zip(weights, sides, strict=True)).denominator > 1
    assert min(seen.values()) > 30


def form() -> RationalForm:
    """Min -3x - 2y, x + y <= 4, x + 3y <= 6, x <= 3: at (3, 1), -11."""
    return program([[1, 1], [1, 3]], cost=[-3, -2], rows=[(None, 4), (None, 6)],
                   ends=[(0, 3), (0, None)])  # fmt: skip


def basis(columns: list[int], rows: list[int]) -> Basis:
    return Basis(np.array(columns, dtype=np.int8), np.array(rows, dtype=np.int8))


def test_the_optimal_vertex_misses_nothing() -> None:
    found = VertexFinder(form()).vertex(basis([UPPER, BASIC], [UPPER, BASIC]))
    assert found.point == [3, 1]
    assert found.activity == [4, 6]
    assert found.multipliers == [-2, 0]
    assert found.reduced == [-1, 0]
    assert (found.primal, found.dual) == (0, 0)
    assert dual_value(form(), found.multipliers, found.reduced) == -11


def test_violations_are_those_of_the_rows_as_written() -> None:
    half = program([["1/2"]], cost=[1], rows=[("1/2", None)])
    found = VertexFinder(half).vertex(basis([LOWER], [BASIC]))
    assert found.primal == 1  # the row's unit is 1/2


def test_bad_bases_are_told() -> None:
    finder = VertexFinder(form())
    with pytest.raises(Singular, match="as many"):
        finder.vertex(basis([BASIC, BASIC], [UPPER, BASIC]))
    twin = program([[1, 1], [1, 1]], cost=[1, 1], rows=[(1, None)] * 2)
    with pytest.raises(Singular):
        VertexFinder(twin).vertex(basis([BASIC, BASIC], [LOWER, LOWER]))


def test_no_bound_follows_where_an_end_is_infinite() -> None:
    assert dual_value(form(), [F(1), F(0)], [F(0), F(0)]) is None
    assert dual_value(form(), [F(0), F(0)], [F(0), F(-1)]) is None
    assert dual_value(form(), [F(-1), F(0)], [F(0), F(0)]) == -4


def square(rows: list[list[int]]) -> Square:
    places = [(i, j, v) for i, row in enumerate(rows) for j, v in enumerate(row) if v]
    size = len(rows)
    at = [np.array([p[k] for p in places], dtype=np.int64) for k in (0, 1)]
    return Square(Matrix(at[0], at[1], whole_array([p[2] for p in places]), (size, size)))


def holds(rows: list[list[int]], side: list[int], x: list[F], transposed: bool) -> bool:
    use = [list(column) for column in zip(*rows, strict=True)] if transposed else rows
    sums = [sum(v * a for v, a in zip(row, x, strict=True)) for row in use]
    return sums == side


@pytest.mark.parametrize("transposed", [False, True])
def test_rows_and_columns_in_units_beyond_doubles(transposed: bool) -> None:
    # 10^400 is no double, and neither is the quotient of the two rows' units
    huge = 10**400
    rows = [[3 * huge, 7 * huge + 1, 0], [1, -2, 5], [0, 11 * huge**2, 13 * huge**2 - 1]]
    side = [17 * huge, 19, 23]
    found = square(rows).solve(objects(side), transposed=transposed)
    assert holds(rows, side, found.fractions(), transposed)


@pytest.mark.parametrize("most", [9, 10**4, 10**9, 2**70])
@pytest.mark.parametrize("transposed", [False, True])
def test_random_systems_are_solved_exactly(most: int, transposed: bool) -> None:
    rng = random.Random(most)
    for size in (1, 2, 3, 5, 8):
        rows = [[rng.randint(-most, most) if rng.random() < 0.8 or i == j else 0
                 for j in range(size)] for i in range(size)]  # fmt: skip
        for i in range(size):
            rows[i][i] = rows[i][i] or 1
        side = [rng.randint(-most, most) for _ in range(size)]
        try:
            found = square(rows).solve(objects(side), transposed=transposed)
        except Singular:
            assert most == 9, "only small numbers make singular matrices by chance"
            continue
        assert holds(rows, side, found.fractions(), transposed)


def test_fractions_need_bits_to_spare() -> None:
    bits = 60
    exact = [F(1, 3), F(-22, 7), F(0), F(5)]
    near = objects([round(x * 2**bits) for x in exact])
    found = fractions_near(near, bits, 2)
    assert found is not None
    assert found.fractions() == exact
    assert found.denominator == 21
    few = objects([round(F(1234567, 7654321) * 2**40)])
    assert fractions_near(few, 40, 2) is None
