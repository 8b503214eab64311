"""Traps of HiGHS, the default solver."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

import farkas
from farkas.cli import call
from farkas.errors import InvalidOption
from farkas.forms import LinearForm, Sense, check_point
from farkas.forms.matrices import rows_of_dense
from farkas.forms.model_text import read_text
from farkas.forms.rational import RationalForm
from farkas.solvers import Conclusion, Options, Reason, Session, solve
from farkas.solvers.audit import ray_value
from farkas.solvers.highs import _set_options
from farkas.solvers.highs_reader import with_second_reading
from tests.conformance.solvers.cases import HERE, INF, form, knapsacks


def test_time_limits_of_a_session_count_from_each_solve():
    # the clock of HiGHS runs on over all solves of one object
    session = Session(knapsacks())
    for _ in range(3):
        answer = session.solve(time_limit=0.2)
        assert answer.reason is Reason.TIME_LIMIT
        assert answer.claim in (Conclusion.FEASIBLE, Conclusion.NONE)  # none on a busy machine
        assert answer.seconds > 0.1


def test_infeasible_session_gives_a_ray_and_recovers():
    session = Session(form([1, 1], [(4, [1, 2], INF)], upper=5.0))
    session.solve()
    session.update(row_lower=np.array([16.0]))  # at most 15
    answer = session.solve()
    assert answer.claim is Conclusion.INFEASIBLE
    assert ray_value(session.form, answer.ray) > 0
    session.update(row_lower=np.array([15.0]))
    assert session.solve().objective == pytest.approx(10)


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
    assert answer.claim is Conclusion.FEASIBLE
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
    session = Session(case)
    for threads in (2, 1, 2):
        assert session.solve(threads=threads).objective == pytest.approx(20)


def test_fewer_threads_after_a_time_limit_do_not_hang():
    # dropping the pool of two threads while one still sleeps in it once blocked for ever
    for threads in (2, 1):
        answer = solve(knapsacks(), threads=threads, time_limit=0.5)
        assert answer.reason is Reason.TIME_LIMIT


CASE = form([1, 1, 1], [(1, [1, 1, 0], INF), (1, [0, 1, 1], INF), (1, [1, 0, 1], INF)])


def test_options_of_its_own_hold_for_one_solve():
    few = {"simplex_iteration_limit": 0, "presolve": "off"}
    stopped = solve(CASE, "highs", solver_options=few)
    assert (stopped.reason, stopped.claim) == ("iteration_limit", "none")
    assert solve(CASE, "highs").objective == pytest.approx(1.5)
    # a whole number is taken where a double is wanted
    assert solve(CASE, "highs", solver_options={"time_limit": 60}).objective == pytest.approx(1.5)
    for name, value in (("no_such", 1), ("presolve", "perhaps"), ("presolve", 3)):
        with pytest.raises(InvalidOption, match=f'highs refuses its option "?{name}'):
            solve(CASE, "highs", solver_options={name: value})
    assert solve(CASE, "highs").objective == pytest.approx(1.5)


@pytest.mark.parametrize(("solver", "name", "value"), [
    ("gurobi", "IterationLimit", 0), ("scip", "limits/nodes", 10), ("clarabel", "max_iter", 1),
    ("cvxpy:SCS", "max_iters", 1), ("cvxpy:OSQP", "max_iter", 25),
])  # fmt: skip
def test_every_solver_takes_its_own(solver, name, value):
    free, held = (solve(CASE, solver, solver_options=o) for o in ({}, {name: value}))
    assert free.objective == pytest.approx(1.5, abs=1e-5)
    assert (solver == "scip") == (held.claim == "optimal"), held


@pytest.mark.parametrize("solver", HERE)
def test_what_a_solver_does_not_know_is_refused_in_its_words(solver):
    told = "highs" if solver in ("pyomo:highs", "pyomo:appsi_highs") else solver
    with pytest.raises(InvalidOption, match=f"^{told} refuses its option .*no_such"):
        solve(CASE, solver, solver_options={"no_such": 1})


@pytest.mark.parametrize("wrong", [[("a", 1)], {"a": None}, {1: 2}, {"a": [1]}, "a=1"])
def test_other_things_are_no_options(wrong):
    with pytest.raises(InvalidOption, match="solver option solver_options"):
        solve(CASE, "highs", solver_options=wrong)


LP = "min\n obj: x + 0.1 y\nst\n c: x + 3 y >= 1.5\nbounds\n x <= 4\nend\n"
MPS = (
    "NAME m\nROWS\n N obj\n G c\nCOLUMNS\n x obj 1 c 1\n y obj 0.1 c 3\nRHS\n r c 1.5\n"
    "BOUNDS\n UP b x 4\nENDATA\n"
)


def second(text: str, suffix: str, folder: Path) -> RationalForm:
    path = folder / f"m.{suffix}"
    path.write_bytes(text.encode())
    return with_second_reading(read_text(path))


@pytest.mark.parametrize(("text", "suffix"), [
    (LP, "lp"), (MPS, "mps"), ("\ufeff" + LP, "lp"), (LP.replace("\n", "\r"), "lp"),
    (MPS.replace("\n", "\r\n"), "mps"), (LP.replace("y", "größe"), "lp"),
    (LP.replace("end\n", "binary\n y\nend\n"), "lp"), (LP.replace("c: x", "c: x + 2 x"), "lp"),
    (LP.replace("0.1", "1e30"), "lp"),
])  # fmt: skip
def test_files_that_both_read_the_same_are_confirmed(
    text: str, suffix: str, tmp_path: Path
) -> None:
    form = second(text, suffix, tmp_path)
    assert (form.differences, form.notes, form.confirmed) == ((), (), True)


@pytest.mark.parametrize(("text", "suffix", "reason"), [
    (LP.replace("obj: x", "obj: x + 2 x"), "lp", "HiGHS keeps one of repeated terms"),
    (LP.replace("end", "binary\n x\nend"), "lp", "reach beyond 0 and 1"),
    (LP.replace("end", "lazy constraints\n d: x >= 1\nend"), "lp", "neither lazy rows nor user"),
    (LP.replace("bounds", "Lazy Constraints\n x >= 1\nbounds"), "lp", "neither lazy rows nor user"),
    (MPS.replace("RHS", " x2 c 1e-13\nRHS"), "mps", "drops those below 1e-12"),
    (MPS.replace("UP b x 4", "UP b x -4"), "mps", "HiGHS keeps the lower bound 0"),
    (MPS.replace("UP b x 4", "FX b x 1\n BV b x"), "mps", "leaves out BV"),
    (MPS.replace(" G c", " G c\n N d").replace("r c", "r d 2 c"), "mps", "another free row"),
    (MPS.replace("COLUMNS", "LAZYCONS\n G e\nCOLUMNS"), "mps", "no section LAZYCONS"),
])  # fmt: skip
def test_known_faults_of_highs_are_notes(
    text: str, suffix: str, reason: str, tmp_path: Path
) -> None:
    form = second(text, suffix, tmp_path)
    assert form.differences == ()
    assert not form.confirmed
    assert reason in form.notes[-1]


def test_repeated_terms_of_rows_excuse_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.lp"
    path.write_text(LP.replace("c: x", "c: x + 2 x"))
    assert read_text(path).faults == {}


def test_what_highs_cannot_read_is_a_note(tmp_path: Path) -> None:
    form = second(LP.replace("c: x", "c: 1 <= x").replace(">= 1.5", "<= 9"), "lp", tmp_path)
    assert form.notes == ("HiGHS does not read this file",)
    assert not form.confirmed


def test_an_unknown_section_explains_the_number_of_rows_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.write_bytes
    lazy = MPS.replace("COLUMNS", "LAZYCONS\n G e\nCOLUMNS")

    def write(self: Path, data: bytes) -> int:
        return real(self, data.replace(b"obj 0.1", b"obj 0.2") if self.name[0] == "m" else data)

    path = tmp_path / "lazy.mps"
    path.write_text(lazy)
    monkeypatch.setattr(Path, "write_bytes", write)
    form = with_second_reading(read_text(path))
    assert form.differences == ('cost of "y": 0.1 here, 0.2 to HiGHS',)
    assert "HiGHS knows no section LAZYCONS" in form.notes[-1]


CHANGES = {
    "lower side of": ("1.5", "1.25"), "cost of": ("0.1", "0.2"), "upper end of": ("4", "5"),
    "entry of": ("3", "2"), "columns": ("x", "z"), "sense": ("min", "max"),
    "rows": ("st", "st\n x >= 1"), "whole of": ("end", "general\n x\nend"),
    "constant": ("obj: x", "obj: x + 2"), "lower end of": (" x <=", " 1 <= x <="),
}  # fmt: skip


@pytest.fixture(params=CHANGES)
def misread(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A file that HiGHS is made to read with one change, and what differs then."""
    old, new = CHANGES[request.param]
    path = tmp_path / "m.lp"
    path.write_text(LP)
    real = Path.write_bytes
    changed = LP.replace(old, new, 1) if old != "x" else LP.replace("x", new)

    def write(self: Path, data: bytes) -> int:
        return real(self, changed.encode() if self.name == "model.lp" else data)

    monkeypatch.setattr(Path, "write_bytes", write)
    return path, request.param


def test_every_other_difference_is_told_and_sets_the_exit_code(
    misread: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    path, what = misread
    found = farkas.prove(path)
    assert found.form.differences[0].startswith(what), found.form.differences
    assert "HiGHS reads the file otherwise" in found.statement
    assert found.to_builtins()["reader_differs"] == list(found.form.differences)
    assert "for the program as read here" in (found.claim or "for the program as read here")
    for command in ("prove", "solve"):
        assert call([command, str(path)]) == 1
        assert f"HiGHS reads {what}" in capsys.readouterr().err
        assert call([command, str(path), "--reader-differs", "accept"]) == 0
    assert call(["prove", str(path), "--reader-differs", "no"]) == 2


def cover(scale: float, offset: float, *, sense: Sense, integer: bool) -> LinearForm:
    # x + y between 3.5 and 7.5, costs scale and 2 scale
    return LinearForm(
        name="cover",
        sense=sense,
        cost=np.array([1.0, 2.0]) * scale,
        offset=offset * scale,
        matrix=rows_of_dense([[1.0, 1.0]]),
        row_lower=np.array([3.5]),
        row_upper=np.array([7.5]),
        lower=np.zeros(2),
        upper=np.full(2, 10.0),
        integer=np.full(2, integer),
    )


def test_subnormal_costs_are_scaled_by_a_finite_power():
    # 2^-1040: the power that makes it 1 is infinite
    tiny = 2.0**-1040
    answer = solve(cover(tiny, 0.0, sense="min", integer=False))
    assert answer.require_optimal().objective == 3.5 * tiny
    assert solve(cover(tiny, 0.0, sense="max", integer=True)).objective == 14 * tiny
