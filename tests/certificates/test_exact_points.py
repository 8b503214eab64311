"""Points that keep every row exactly, beside those that miss them by rounding."""

from __future__ import annotations

import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.certificates.exact_points import MOST, settled
from farkas.certificates.points import exact_feasibility
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_dense
from farkas.solvers import solve

INF = np.inf


def form(
    rows: list[list[float]], low: list[float], high: list[float], **changes: object
) -> LinearForm:
    size = len(rows[0])
    made = LinearForm(
        name="by hand", cost=np.zeros(size), matrix=rows_of_dense(np.array(rows)),
        row_lower=np.array(low), row_upper=np.array(high), lower=np.zeros(size),
        upper=np.full(size, INF), integer=np.zeros(size, bool),
    )  # fmt: skip
    return made.replace(**changes)


def broken(program: LinearForm, point: np.ndarray) -> bool:
    try:
        exact_feasibility(program, point)
    except NotACertificate:
        return True
    return False


def test_thirds_are_moved_by_a_rounding_error() -> None:
    # 1/3 + 0.6666666666666667 is more than 1 by half a unit in the last place
    program = form([[1.0, 1.0]], [-INF], [1.0])
    point = np.array([1 / 3, 0.6666666666666667])
    assert broken(program, point)
    found = settled(program, point)
    assert found is not None
    assert not broken(program, found)
    assert np.abs(found - point).max() <= 2.0**-52
    assert found[1] == point[1], "the smaller one moves"


@pytest.mark.parametrize("side", ["equal", "below", "above"])
def test_what_moves_puts_the_fewest_rows_at_risk(side: str) -> None:
    # the first column stands in the second row too, which is tight
    low, high = {"equal": (1.0, 1.0), "below": (-INF, 1.0), "above": (1.0, INF)}[side]
    step = 2.0**-50 if side == "below" else -(2.0**-50)
    program = form([[1.0, 1.0], [1.0, 0.0]], [low, 0.25], [high, 0.25])
    point = np.array([0.25, 0.75 + step])
    assert broken(program, point)
    found = settled(program, point)
    assert found is not None
    assert found.tolist() == [0.25, 0.75]


def test_an_equation_is_mended_only_where_a_double_does_it() -> None:
    # 0.1 x = 1 has no solution in doubles; 0.5 x = 1 has one
    assert settled(form([[0.1]], [1.0], [1.0]), np.array([10.0])) is None
    half = settled(form([[0.5]], [1.0], [1.0]), np.array([2.0 + 2.0**-40]))
    assert half is not None
    assert half.tolist() == [2.0]


def test_whole_columns_are_rounded_and_stay() -> None:
    program = form([[1.0, 1.0]], [2.0], [2.0], integer=np.array([True, False]))
    found = settled(program, np.array([1.0 - 1e-9, 1.0 + 1e-9]))
    assert found is not None
    assert found.tolist() == [1.0, 1.0]
    whole = program.replace(integer=np.array([True, True]))
    assert settled(whole, np.array([1.0, 0.4])) is None


def test_bounds_are_kept_and_may_leave_nothing_to_move() -> None:
    program = form([[1.0, -1.0]], [0.0], [0.0], upper=np.array([1.0, 1.0]))
    found = settled(program, np.array([1.0 + 1e-9, 1.0 - 2.0**-53]))
    assert found is not None
    assert found.tolist() == [1.0, 1.0]
    full = form([[1.0]], [1.0 + 1e-12], [INF], upper=np.array([1.0]))
    assert settled(full, np.array([1.0])) is None


def test_a_large_program_is_left_alone() -> None:
    size = MOST + 1
    program = form(np.eye(size).tolist(), [1.0] * size, [1.0] * size)
    assert settled(program, np.full(size, 1.0 + 1e-9)) is None


@pytest.mark.parametrize(
    "name", ["mlbroker.relaxed", "mlbroker.outer", "gadget.offline_column_bound", "dps.offline_lp"]
)
def test_points_of_solvers_become_exact_and_stay_where_they_are(name: str) -> None:
    kind = name.partition(".")[0]
    program = programs.build(name).form(farkas.load(f"{kind}/tiny"))
    point = solve(program).point
    found = settled(program, point)
    assert found is not None
    assert not broken(program, found)
    assert np.abs(found - point).max() <= 1e-9 * max(1.0, np.abs(point).max())


def test_a_certificate_says_so() -> None:
    solution = farkas.solve("gadget/tiny", "gadget.offline_column_bound", certify=True)
    assert solution.certificate.point.tolerance == 0
    assert "feasible exactly" in farkas.check(solution.certificate, "gadget/tiny").statement
