"""Traps of HiGHS, the default solver."""

import os
import signal
import threading

import numpy as np
import pytest

from farkas.forms import check_point
from farkas.solvers import Claimed, Options, Reason, open_session, solve
from farkas.solvers.audit import ray_value
from farkas.solvers.highs import _set_options
from tests.conformance.solvers.cases import INF, form, knapsacks, stopped_with_a_point


@pytest.mark.parametrize("seed", range(40))
def test_duals_certify_random_programs_of_every_shape(seed):
    # Strong duality with the dual sign contract: value = sum of duals times tight sides plus
    # reduced costs times tight bounds, in both senses.
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 7)), int(rng.integers(1, 7))
    point = rng.integers(-3, 4, n).astype(float)
    dense = rng.integers(-3, 4, (m, n)).astype(float)
    low = dense @ point - rng.integers(0, 3, m)
    high = dense @ point + rng.integers(0, 3, m)
    sense = ["min", "max"][seed % 2]
    case = form(
        rng.integers(-4, 5, n).tolist(),
        [(a, line.tolist(), b) for a, line, b in zip(low, dense, high, strict=True)],
        lower=point - rng.integers(0, 3, n),
        upper=point + rng.integers(0, 3, n),
        sense=sense,
        offset=float(seed),
    )
    answer = solve(case).require_optimal()
    toward = 1.0 if sense == "min" else -1.0
    duals = toward * answer.row_duals
    reduced = toward * case.cost - duals @ dense
    bound = np.where(duals > 0, duals * low, duals * high).sum()
    bound += np.where(reduced > 0, reduced * case.lower, reduced * case.upper).sum()
    assert toward * bound + case.offset == pytest.approx(answer.objective, abs=1e-6)


def test_time_limits_of_a_session_count_from_each_solve():
    # the clock of HiGHS runs on over all solves of one object
    session = open_session(knapsacks())
    for _ in range(3):
        answer = session.solve(time_limit=0.2)
        assert answer.reason is Reason.TIME_LIMIT
        assert answer.claim in (Claimed.FEASIBLE, Claimed.NONE)  # none on a busy machine
        assert answer.seconds > 0.1


def test_options_of_one_solve_do_not_stay_for_the_next():
    case = form([1, 1], [(3, [1, 2], INF), (3, [2, 1], INF)])
    solve(case, time_limit=0.0, threads=1, seed=9)
    assert solve(case).claim is Claimed.OPTIMAL


def test_infeasible_session_gives_a_ray_and_recovers():
    session = open_session(form([1, 1], [(4, [1, 2], INF)], upper=5.0))
    session.solve()
    session.update(row_lower=[16.0])  # at most 15
    answer = session.solve()
    assert answer.claim is Claimed.INFEASIBLE
    assert ray_value(session.form, answer.ray) > 0
    session.update(row_lower=[15.0])
    assert session.solve().objective == pytest.approx(10)


def test_start_is_used_where_no_time_is_left_to_find_a_better_point():
    case = knapsacks()
    best = stopped_with_a_point(case, "highs").point
    answer = solve(case, start=best, time_limit=0.0)
    assert answer.objective >= case.objective(best) - 1e-6
    assert solve(case, time_limit=0.0).claim is Claimed.NONE


def test_reduced_costs_of_a_session():
    # min x + 3y, x + y >= 2: x = 2, dual 1, reduced costs 0 and 2.
    session = open_session(form([1, 3], [(2, [1, 1], INF)]))
    assert session.solve().row_duals.tolist() == [1]
    assert session.reduced_costs.tolist() == [0, 2]


def test_ctrl_c_stops_the_solver_and_keeps_its_point():
    case = knapsacks()
    before = signal.getsignal(signal.SIGINT)

    over = threading.Event()

    def press():
        while signal.getsignal(signal.SIGINT) is before and not over.wait(0.01):
            pass  # the solver does not listen yet
        if not over.wait(0.2):
            os.kill(os.getpid(), signal.SIGINT)

    pressing = threading.Thread(target=press)
    pressing.start()
    try:
        # 0 is a point from the beginning: there is one to keep, however late the key is pressed
        answer = solve(case, start=np.zeros(case.num_columns), time_limit=3600)
    finally:
        over.set()
        pressing.join()
    assert answer.reason is Reason.INTERRUPTED
    assert answer.claim is Claimed.FEASIBLE
    assert check_point(case, answer.point)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(("mip", "until"), [(True, 2.0), (False, 102.0)])
def test_time_limits_do_not_add_up_over_solves(mip, until):
    # after 100 s of earlier solves: linear solves read a clock that runs on, integer ones do not
    given = {}

    class Recorder:
        setOptionValue = staticmethod(given.__setitem__)

        @staticmethod
        def getRunTime():
            return 100.0

    _set_options(Recorder(), Options(time_limit=2.0), mip=mip)
    assert given["time_limit"] == until


def test_the_number_of_threads_may_change_from_solve_to_solve():
    # HiGHS keeps the thread pool of its first run and then refuses any other number
    case = form([5, 4], [(-INF, [6, 4], 24), (-INF, [1, 2], 6)], sense="max", integer=[0, 1])
    for threads in (1, 2, 1, 2):
        assert solve(case, threads=threads).objective == pytest.approx(20)
    session = open_session(case)
    for threads in (2, 1, 2):
        assert session.solve(threads=threads).objective == pytest.approx(20)


def test_fewer_threads_after_a_time_limit_do_not_hang():
    # dropping the pool of two threads while one still sleeps in it once blocked for ever
    for threads in (2, 1):
        answer = solve(knapsacks(), threads=threads, time_limit=0.5)
        assert answer.reason is Reason.TIME_LIMIT
