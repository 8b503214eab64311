"""Ctrl-C and the standard streams while foreign code runs."""

import os
import signal
import threading

import numpy as np
import pytest

from farkas.solvers import Conclusion, Session, solve
from farkas.solvers.options import CtrlC, off_stdout
from tests.conformance.solvers.cases import INF, form


def covering():
    return form([1, 1], [(4, [1, 2], INF)])


def test_a_form_that_was_handed_out_never_changes():
    first, cost = covering(), np.array([9.0, 1.0])
    session = Session(first)
    session.update(cost=cost)
    shown, cost[1] = session.form, 5.0
    session.update(cost=np.array([9.0, 7.0]))
    assert (first.cost.tolist(), shown.cost.tolist()) == ([1, 1], [9, 1])
    assert session.form.cost.tolist() == [9, 7]


@pytest.mark.parametrize("seed", range(12))
def test_a_long_walk_of_changes_ends_where_a_fresh_solve_does(seed):
    rng = np.random.default_rng(seed)
    m, n = 6, 8
    rows = [(1.0, rng.uniform(0, 1, n).tolist(), INF) for _ in range(m)]
    session = Session(form(rng.uniform(1, 2, n).tolist(), rows, upper=50.0))
    for _ in range(15):
        kind = int(rng.integers(3))
        if kind == 0:
            session.update(cost=rng.uniform(0, 2, n) * 2.0 ** rng.integers(-20, 20))
        elif kind == 1:
            session.update(row_lower=rng.uniform(0, 3, m))
        else:
            session.update(lower=rng.uniform(0, 1, n), upper=np.full(n, 40.0))
        warm, cold = session.solve(), solve(session.form)
        assert warm.claim is cold.claim
        if cold.claim is Conclusion.OPTIMAL:
            assert warm.objective == pytest.approx(cold.objective, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("scale", [1.0, 2.0**-37, 2.0**20])
def test_every_solve_starts_from_the_last_basis(scale):
    rng = np.random.default_rng(1)
    lines = rng.uniform(0, 1, (20, 30))
    session = Session(form([1.0] * 30, [(1.0, line.tolist(), INF) for line in lines]))
    first = session.solve().iterations
    assert first > 10
    # the optimal basis stays one, whatever the units
    session.update(row_lower=np.full(20, scale))
    again = session.solve()
    assert again.iterations == 0
    assert again.objective == pytest.approx(solve(session.form).objective)


def test_a_solve_in_other_units_starts_from_the_last_basis():
    rng = np.random.default_rng(1)
    lines = rng.uniform(0, 1, (20, 30))
    session = Session(form([1.0] * 30, [(1.0, line.tolist(), INF) for line in lines]))
    assert session.solve().iterations > 10
    # a column at 0 is measured in 2^-40 from here on, so that HiGHS gets all entries again
    upper = np.full(30, INF)
    upper[3] = 2.0**-40
    session.update(upper=upper)
    assert session.solve().iterations == 0


def test_crossing_bounds_are_settled_before_the_solver_is_asked():
    session = Session(form([1], [(2, [1], INF)]))
    session.update(lower=np.array([3.0]), upper=np.array([2.0]))
    answer = session.solve()
    assert (answer.claim, answer.solver) == (Conclusion.INFEASIBLE, "highs")
    session.update(upper=np.array([4.0]))
    assert session.solve().objective == pytest.approx(3)


@pytest.mark.parametrize("name", ["solve_loaded", "pass_form"])
def test_a_solver_that_throws_gives_an_answer(monkeypatch, name):
    def explode(*_):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(f"farkas.solvers.session.{name}", explode)
    assert Session(form([1], [(2, [1], INF)])).solve().message == "out of memory"


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.update(row_lower=np.array([10.0])),
        lambda s: s.update(cost=np.array([-1.0, 1.0])),
    ],
    ids=["right-hand side", "cost"],
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
