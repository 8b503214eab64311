"""Ctrl-C and the standard streams while foreign code runs."""

import os
import re
import signal
import threading

import numpy as np
import pytest

from farkas.errors import InvalidOption, UnsupportedForm
from farkas.forms.matrices import rows_of_dense
from farkas.solvers import Claimed, open_session, solve
from farkas.solvers.options import CtrlC, log_to_stderr, off_stdout
from farkas.solvers.session import _widened
from tests.conformance.solvers.cases import INF, form


def covering():
    return form([1, 1], [(4, [1, 2], INF)])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"cost": [1.0]}, "cost has shape (1,), needs (2,)"),
        ({"cost": [np.nan, 1]}, "cost: value nan is not allowed"),
        ({"lower": ([2], [0.0])}, "lower: positions must lie in 0..1"),
        ({"row_lower": [INF]}, "row_lower: value inf is not allowed"),
        ({"entries": ([0], [2], [1.0])}, "entries: positions must lie in 1 x 2"),
        ({"entries": ([0, 0], [0, -1], [1.0, 1.0])}, "entries: positions must lie in 1 x 2"),
        ({"entries": ([0, -1], [0, 0], [1.0, 1.0])}, "entries: positions must lie in 1 x 2"),
        ({"entries": ([0, 0], [1], [1.0])}, "equal lengths"),
        ({"entries": ([0], [1], [INF])}, "values must be finite"),
    ],
)
def test_bad_changes_are_refused_and_change_nothing(change, words):
    session = open_session(covering())
    with pytest.raises(InvalidOption) as refusal:
        session.update(upper=[1.0, 1.0], **change)
    assert words in str(refusal.value)
    assert session.solve().objective == pytest.approx(2)


def test_bad_rows_and_columns_are_refused():
    session = open_session(covering())
    with pytest.raises(InvalidOption, match="new rows have length 3, need 2"):
        session.add_rows([[1, 1, 1]], 0, 1)
    with pytest.raises(InvalidOption, match="new columns have length 2, need 1"):
        session.add_columns([[1, 1]], 1.0)
    with pytest.raises(UnsupportedForm, match="not finite"):
        session.add_rows([[np.inf, 1]], 0, 1)


def test_new_columns_stand_behind_the_old_ones_of_every_row():
    rng, empty = np.random.default_rng(4), 0
    for _ in range(60):
        rows, old, new = rng.integers(0, 5, 3).tolist()
        matrix = rng.integers(-2, 3, (rows, old)) * (rng.random((rows, old)) < 0.5)
        lines = rng.integers(-2, 3, (new, rows)) * (rng.random((new, rows)) < 0.5)
        found = _widened(rows_of_dense(matrix), rows_of_dense(lines))
        wanted = rows_of_dense(np.concatenate([matrix, lines.T], axis=1))
        assert found.shape == wanted.shape == (rows, old + new)
        for part in ("starts", "columns", "values"):
            mine, theirs = getattr(found, part), getattr(wanted, part)
            assert mine.dtype == theirs.dtype
            assert mine.tolist() == theirs.tolist()
        empty += not (found.size and lines.size)
    assert 5 < empty < 50


def test_positions_that_two_changes_share_are_checked_for_both():
    at = np.array([0, 5])
    session = open_session(form([1, 1], [(4, [1, 2], INF)] * 6))
    session.update(row_lower=(at, [1.0, 2.0]), row_upper=(at, 9.0))
    assert session.form.row_lower.tolist() == [1, 4, 4, 4, 4, 2]
    assert session.form.row_upper.tolist() == [9, INF, INF, INF, INF, 9]
    # six rows, two columns: what is a row is no column
    with pytest.raises(InvalidOption, match=re.escape("upper: positions must lie in 0..1")):
        session.update(row_upper=(at, 9.0), upper=(at, 9.0))


def test_the_first_form_never_changes():
    first = covering()
    before = first.sha256, first.cost.copy()
    session = open_session(first)
    session.update(cost=([0], [9.0]), entries=([0], [0], [0.0]))
    shown = session.form
    session.update(cost=([1], [7.0]))
    assert shown.cost.tolist() == [9, 1]  # a form handed out does not change either
    assert session.form.cost.tolist() == [9, 7]
    assert first.cost.tolist() == before[1].tolist()
    assert first.replace(name="again").sha256 == before[0]


def test_new_rows_and_columns_have_positions_and_names():
    session = open_session(form([1.0]))
    assert session.add_rows([[1.0]], 1.0, INF, name="cut") == range(1)
    assert session.add_rows([[1.0], [2.0]], 1.0, [INF, 5.0], name="cut") == range(1, 3)
    assert session.add_columns(rows_of_dense([[1.0, 0, 1.0]]), -1.0) == range(1, 2)
    assert session.form.row_name(2) == "cut[index=2]"
    assert session.add_rows([[1.0, 0.0]], 1.0, INF, name="other") == range(3, 4)
    assert session.add_rows([[1.0, 0.0]], 1.0, INF, name="other") == range(4, 5)
    names = [session.form.row_name(i) for i in (2, 3, 4)]
    assert names == ["cut[index=2]", "other[index=0]", "other[index=1]"]


@pytest.mark.parametrize("seed", range(12))
def test_a_long_walk_of_changes_ends_where_a_fresh_solve_does(seed):
    rng = np.random.default_rng(seed)
    m, n = 6, 8
    rows = [(1.0, rng.uniform(0, 1, n).tolist(), INF) for _ in range(m)]
    session = open_session(form(rng.uniform(1, 2, n).tolist(), rows, upper=50.0))
    for _ in range(15):
        m, n = session.form.num_rows, session.form.num_columns
        kind = int(rng.integers(6))
        if kind == 0:
            session.update(cost=([int(rng.integers(n))], [float(rng.uniform(0, 2))]))
        elif kind == 1:
            session.update(row_lower=([int(rng.integers(m))], [float(rng.uniform(0, 3))]))
        elif kind == 2:
            at = int(rng.integers(n))
            session.update(lower=([at], [float(rng.uniform(0, 1))]), upper=([at], [40.0]))
        elif kind == 3:
            where = [int(rng.integers(m))], [int(rng.integers(n))]
            session.update(entries=(*where, [float(rng.choice([0.0, 0.5, 2.0]))]))
        elif kind == 4:
            session.add_rows(rng.uniform(0.1, 1, (1, n)), 0.5, INF)
        else:
            session.add_columns(rng.uniform(0, 1, (2, m)), [1.0, 1.5], upper=9.0)
        warm, cold = session.solve(), solve(session.form)
        assert warm.claim is cold.claim
        if cold.claim is Claimed.OPTIMAL:
            assert warm.objective == pytest.approx(cold.objective, rel=1e-7, abs=1e-9)


def test_many_entries_at_once_keep_the_session_right():
    # more than the solver is told one by one: the model is passed anew with the old basis
    rng = np.random.default_rng(0)
    dense = rng.uniform(0.1, 1, (50, 60))
    session = open_session(
        form(np.ones(60).tolist(), [(1.0, line.tolist(), INF) for line in dense])
    )
    session.solve()
    rows, columns = np.indices(dense.shape).reshape(2, -1)
    session.update(entries=(rows, columns, 2 * dense.ravel()))
    # twice the matrix halves the point
    again = solve(form(np.ones(60).tolist(), [(1.0, line.tolist(), INF) for line in dense]))
    assert session.solve().objective == pytest.approx(again.objective / 2)


def test_cutting_stock_by_column_generation():
    # Rolls of width 10, pieces 3, 4, 5 wanted 30, 20, 10 times.  Patterns found by pricing.
    # (2 of 3, 1 of 4): 10; (2 of 5): 10.  15 + 5 + 5/... the LP bound is total / 10 = 22 at least.
    width, pieces, wanted = 10, [3, 4, 5], [30.0, 20.0, 10.0]
    start = [[width // p if i == j else 0 for j in range(3)] for i, p in enumerate(pieces)]
    rows = [(w, [float(start[j][i]) for j in range(3)], INF) for i, w in enumerate(wanted)]
    session = open_session(form([1.0] * 3, rows))
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
        session.add_columns([best], 1.0)
    everything = form(
        [1.0] * len(patterns),
        [(w, [float(p[i]) for p in patterns], INF) for i, w in enumerate(wanted)],
    )
    assert answer.objective == pytest.approx(solve(everything).objective)
    assert answer.objective >= 22 - 1e-9


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.update(row_lower=[10.0]),
        lambda s: s.update(cost=[-1.0, 1.0]),
        lambda s: s.update(entries=([0], [0], [0.5])),
        lambda s: s.add_rows([[1.0, 0.0]], 3.0, INF),
        lambda s: s.add_columns([[1.0]], 5.0),
    ],
    ids=["right-hand side", "cost", "entry", "row", "column"],
)
def test_bounds_implied_by_other_data_are_forgotten(change):
    # min x + y, x + 2y >= 4: y <= 2 at an optimum.  With 10 on the right it is y = 5, and a bound
    # proved with y <= 2 would be 8, above the optimum 5.
    first = covering().replace(implied_upper=np.array([INF, 2.0]))
    session = open_session(first)
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


def test_nothing_is_redirected_without_a_log(capfd):
    with log_to_stderr(False):
        chatter()
    with log_to_stderr(True):
        os.write(1, b"log\n")
    shown = capfd.readouterr()
    assert (shown.out, shown.err) == ("python\nforeign\n", "log\n")
