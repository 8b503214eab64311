"""Ctrl-C and the standard streams while foreign code runs."""

import os
import signal
import threading

import numpy as np
import pytest

from farkas.forms.matrices import rows_of_dense
from farkas.solvers import Claimed, Session, solve
from farkas.solvers.options import CtrlC, off_stdout
from farkas.solvers.session import widened
from tests.conformance.solvers.cases import INF, form


def covering():
    return form([1, 1], [(4, [1, 2], INF)])


def test_new_columns_stand_behind_the_old_ones_of_every_row():
    rng, empty = np.random.default_rng(4), 0
    for _ in range(60):
        rows, old, new = rng.integers(0, 5, 3).tolist()
        matrix = rng.integers(-2, 3, (rows, old)) * (rng.random((rows, old)) < 0.5)
        lines = rng.integers(-2, 3, (new, rows)) * (rng.random((new, rows)) < 0.5)
        found = widened(rows_of_dense(matrix), rows_of_dense(lines))
        wanted = rows_of_dense(np.concatenate([matrix, lines.T], axis=1))
        assert found.shape == wanted.shape == (rows, old + new)
        for part in ("starts", "columns", "values"):
            mine, theirs = getattr(found, part), getattr(wanted, part)
            assert mine.dtype == theirs.dtype
            assert mine.tolist() == theirs.tolist()
        empty += not (found.size and lines.size)
    assert 5 < empty < 50


def test_a_form_that_was_handed_out_never_changes():
    first, cost = covering(), np.array([9.0, 1.0])
    session = Session(first)
    session.update(cost=cost)
    shown, cost[1] = session.form, 5.0
    session.update(cost=np.array([9.0, 7.0]))
    assert (first.cost.tolist(), shown.cost.tolist()) == ([1, 1], [9, 1])
    assert session.form.cost.tolist() == [9, 7]


def test_new_rows_and_columns_have_names():
    session = Session(form([1.0]))
    session.add_rows(rows_of_dense([[1.0]]), 1.0, INF)
    session.add_rows(rows_of_dense([[1.0], [2.0]]), 1.0, [INF, 5.0])
    session.add_columns(rows_of_dense([[1.0, 0, 1.0]]), np.array([-1.0]), "more")
    assert session.form.row_name(2) == "added_rows[index=2]"
    assert session.form.row_upper.tolist() == [INF, INF, 5]


@pytest.mark.parametrize("seed", range(12))
def test_a_long_walk_of_changes_ends_where_a_fresh_solve_does(seed):
    rng = np.random.default_rng(seed)
    m, n = 6, 8
    rows = [(1.0, rng.uniform(0, 1, n).tolist(), INF) for _ in range(m)]
    session = Session(form(rng.uniform(1, 2, n).tolist(), rows, upper=50.0))
    for _ in range(15):
        m, n = session.form.num_rows, session.form.num_columns
        kind = int(rng.integers(5))
        if kind == 0:
            session.update(cost=rng.uniform(0, 2, n) * 2.0 ** rng.integers(-20, 20))
        elif kind == 1:
            session.update(row_lower=rng.uniform(0, 3, m))
        elif kind == 2:
            session.update(lower=rng.uniform(0, 1, n), upper=np.full(n, 40.0))
        elif kind == 3:
            session.add_rows(rows_of_dense(rng.uniform(0.1, 1, (1, n))), 0.5, INF)
        else:
            lines = rows_of_dense(rng.uniform(0, 1, (2, m)))
            session.add_columns(lines, np.array([1.0, 1.5]), "more")
        warm, cold = session.solve(), solve(session.form)
        assert warm.claim is cold.claim
        if cold.claim is Claimed.OPTIMAL:
            assert warm.objective == pytest.approx(cold.objective, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("scale", [1.0, 2.0**-37, 2.0**20])
def test_every_solve_starts_from_the_last_basis(scale):
    rng = np.random.default_rng(1)
    lines = rng.uniform(0, 1, (20, 30))
    session = Session(form([1.0] * 30, [(1.0, line.tolist(), INF) for line in lines]))
    first = session.solve().iterations
    assert first > 10
    # the optimal basis stays one, whatever the units, with a column that is too dear and a row
    # that is kept
    session.update(row_lower=np.full(20, scale))
    session.add_columns(rows_of_dense(np.zeros((1, 20)) + 0.1), np.array([99.0]), "dear")
    session.add_rows(rows_of_dense(np.ones((1, 31))), 0.0, INF)
    again = session.solve()
    assert again.iterations == 0
    assert again.objective == pytest.approx(solve(session.form).objective)


def test_crossing_bounds_are_settled_before_the_solver_is_asked():
    session = Session(form([1], [(2, [1], INF)]))
    session.update(lower=np.array([3.0]), upper=np.array([2.0]))
    answer = session.solve()
    assert (answer.claim, answer.solver) == (Claimed.INFEASIBLE, "highs")
    session.update(upper=np.array([4.0]))
    assert session.solve().objective == pytest.approx(3)


@pytest.mark.parametrize("name", ["solve_loaded", "pass_form"])
def test_a_solver_that_throws_gives_an_answer(monkeypatch, name):
    def explode(*_):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(f"farkas.solvers.session.{name}", explode)
    assert Session(form([1], [(2, [1], INF)])).solve().message == "out of memory"


def test_cutting_stock_by_column_generation():
    # Rolls of width 10, pieces 3, 4, 5 wanted 30, 20, 10 times.  Patterns found by pricing.
    # (2 of 3, 1 of 4): 10; (2 of 5): 10.  15 + 5 + 5/... the LP bound is total / 10 = 22 at least.
    width, pieces, wanted = 10, [3, 4, 5], [30.0, 20.0, 10.0]
    start = [[width // p if i == j else 0 for j in range(3)] for i, p in enumerate(pieces)]
    rows = [(w, [float(start[j][i]) for j in range(3)], INF) for i, w in enumerate(wanted)]
    session = Session(form([1.0] * 3, rows))
    patterns = [
        (a, b, c)
        for a in range(4)
        for b in range(3)
        for c in range(3)
        if 3 * a + 4 * b + 5 * c <= width
    ]
    for _ in range(20):
        answer = session.solve()
        best = max(patterns, key=lambda p: float(answer.row_duals @ p))
        if answer.row_duals @ best <= 1 + 1e-9:
            break
        session.add_columns(rows_of_dense([best]), np.ones(1), "pattern")
    everything = form(
        [1.0] * len(patterns),
        [(w, [float(p[i]) for p in patterns], INF) for i, w in enumerate(wanted)],
    )
    assert answer.objective == pytest.approx(solve(everything).objective)
    assert answer.objective >= 22 - 1e-9


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.update(row_lower=np.array([10.0])),
        lambda s: s.update(cost=np.array([-1.0, 1.0])),
        lambda s: s.add_rows(rows_of_dense([[1.0, 0.0]]), 3.0, INF),
        lambda s: s.add_columns(rows_of_dense([[1.0]]), np.array([5.0]), "more"),
    ],
    ids=["right-hand side", "cost", "row", "column"],
)
def test_bounds_implied_by_other_data_are_forgotten(change):
    # min x + y, x + 2y >= 4: y <= 2 at an optimum.  With 10 on the right it is y = 5, and a bound
    # proved with y <= 2 would be 8, above the optimum 5.
    first = covering().replace(implied_upper=np.array([INF, 2.0]))
    session = Session(first)
    change(session)
    assert session.form.implied_upper is None
    assert first.implied_upper is not None


def test_ctrl_c_is_remembered_once_and_the_handler_comes_back():
    with CtrlC() as key:
        assert not key.pressed
        signal.raise_signal(signal.SIGINT)
        assert key.pressed
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_inside_another_both_remember_and_the_outer_one_goes_on():
    with CtrlC() as outer:
        with CtrlC() as inner:
            signal.raise_signal(signal.SIGINT)
        assert (outer.pressed, inner.pressed) == (True, True)
        with CtrlC() as second:
            pass
        signal.raise_signal(signal.SIGINT)
        assert not second.pressed
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_somebody_else_stays():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("theirs"))
    try:
        with CtrlC() as key:
            signal.raise_signal(signal.SIGINT)
        assert (heard, key.pressed) == (["theirs"], False)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_leave_signals_alone():
    pressed = []

    def run():
        with CtrlC() as key:
            pressed.append(key.pressed)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert pressed == [False]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def chatter():
    """Write from Python and, as foreign code does, to the file descriptor itself."""
    print("python", flush=True)
    os.write(1, b"foreign\n")


@pytest.mark.parametrize("log", [False, True])
def test_stdout_stays_free_and_a_log_goes_to_stderr(log, capfd):
    with off_stdout(log):
        chatter()
    print("result")
    shown = capfd.readouterr()
    assert shown.out == "result\n"
    assert sorted(shown.err.split()) == (["foreign", "python"] if log else [])


def test_stdout_comes_back_after_a_failure(capfd):
    with pytest.raises(RuntimeError), off_stdout(False):
        raise RuntimeError
    chatter()
    assert capfd.readouterr().out == "python\nforeign\n"
