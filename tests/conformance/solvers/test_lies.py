"""Solvers that lie: whatever they return, nothing false is printed as a fact."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import farkas
from farkas.cli import call
from farkas.forms import LinearForm
from farkas.solvers import Answer, Conclusion, Reason, Session, session, solve
from farkas.solvers.answer import handed
from farkas.solvers.base import Ability, UndecidedRay, find
from farkas.solvers.options import Options
from farkas.tolerances import LOOSE_GAP, SOLVERS_WHOLE
from tests.conformance.solvers.cases import EVERY
from tests.generators.forms import small

Lie = Callable[[Answer, LinearForm], object]


def changed(**fields: Any) -> Lie:
    return lambda answer, _form: dataclasses.replace(answer, **fields)


def point(change: Callable[[Any], Any]) -> Lie:
    """Lie about the point, where there is one."""

    def lie(answer: Answer, _form: LinearForm) -> Answer:
        if answer.raw_point is None:
            return answer
        return dataclasses.replace(answer, raw_point=change(answer.raw_point.copy()))

    return lie


def duals(change: Callable[[Any], Any]) -> Lie:
    """Lie about multipliers and rays, where there are some."""

    def lie(answer: Answer, _form: LinearForm) -> Answer:
        fields = {name: getattr(answer, name) for name in ("raw_row_duals", "raw_ray")}
        new = {name: change(v.copy()) for name, v in fields.items() if v is not None}
        return dataclasses.replace(answer, **new)

    return lie


def raising(error: BaseException) -> Lie:
    def lie(_answer: Answer, _form: LinearForm) -> object:
        raise error

    return lie


def first(value: float) -> Callable[[Any], Any]:
    def change(values: Any) -> Any:
        values[:1] = value
        return values

    return change


def anything(_answer: Answer, form: LinearForm) -> Answer:
    """An optimum that is nothing but numbers."""
    rng = np.random.default_rng(0)
    return Answer(
        reason=Reason.FINISHED,
        claim=Conclusion.OPTIMAL,
        objective=1.0,
        bound=1.0,
        raw_point=rng.normal(size=form.num_columns),
        raw_row_duals=rng.normal(size=form.num_rows),
    )


def by_claim(claim: Conclusion) -> Lie:
    empty = Answer(reason=Reason.FINISHED, claim=claim)
    return lambda answer, _form: empty


LIES: dict[str, Lie] = {
    "point a little off": point(lambda x: x - 1e-3),
    "point a little up": point(lambda x: x + 1e-3),
    "point elsewhere": point(lambda x: x * 0.0),
    "point far away": point(lambda x: x + 1e30),
    "point beyond doubles": point(lambda x: x + 1e308),
    "point NaN": point(first(math.nan)),
    "point infinite": point(first(math.inf)),
    "point too short": point(lambda x: x[:-1]),
    "point too long": point(lambda x: np.append(x, 0.0)),
    "point a matrix": point(lambda x: np.vstack([x, x])),
    "point words": point(lambda x: ["x"] * len(x)),
    "point fractional": point(lambda x: x + 1e-5),
    "point slightly fractional": point(lambda x: x + 0.9e-6),
    "objective off": lambda a, _: dataclasses.replace(a, objective=a.objective + 100),
    "objective NaN": changed(objective=math.nan),
    "objective infinite": changed(objective=math.inf),
    "bound off": lambda a, _: dataclasses.replace(a, bound=a.objective + 100),
    "bound below": lambda a, _: dataclasses.replace(a, bound=-100.0),
    "bound above": changed(bound=100.0),
    "bound NaN": changed(bound=math.nan),
    "bound infinite": changed(bound=math.inf),
    "bound minus infinite": changed(bound=-math.inf),
    "bound none": changed(bound=None),
    "duals NaN": duals(first(math.nan)),
    "duals infinite": duals(first(math.inf)),
    "duals huge": duals(lambda y: y * 1e300),
    "duals flipped": duals(lambda y: -y),
    "duals zero": duals(lambda y: y * 0.0),
    "duals off": duals(lambda y: y + 0.1),
    "duals too short": duals(lambda y: y[:-1]),
    "duals too long": duals(lambda y: np.append(y, 0.0)),
    "duals none": changed(raw_row_duals=None),
    "nothing": lambda *_: None,
    "a list": lambda *_: [1.0, 2.0],
    "a number": lambda *_: 3.0,
    "exception": raising(ValueError("first line\nsecond \x1b[31m line")),
    "wordless exception": raising(ZeroDivisionError()),
    "out of memory": raising(MemoryError()),
    "deep": raising(RecursionError("maximum recursion depth exceeded")),
    "sys.exit": raising(SystemExit(0)),
    "sys.exit with words": raising(SystemExit("good bye")),
    "undecided": raising(UndecidedRay()),
    "says infeasible": by_claim(Conclusion.INFEASIBLE),
    "says unbounded": by_claim(Conclusion.UNBOUNDED),
    "says optimal": by_claim(Conclusion.OPTIMAL),
    "says feasible": by_claim(Conclusion.FEASIBLE),
    "says nothing": by_claim(Conclusion.NONE),
    "infeasible with a point": changed(claim=Conclusion.INFEASIBLE),
    "unbounded with a point": changed(claim=Conclusion.UNBOUNDED),
    "false ray": lambda _, f: Answer(claim=Conclusion.INFEASIBLE, raw_ray=np.ones(f.num_rows)),
    "claim of another type": changed(claim="optimal"),
    "anything": anything,
}


QUICK = (
    "point a little off",
    "point infinite",
    "point beyond doubles",
    "point fractional",
    "objective off",
    "bound off",
    "duals huge",
    "duals flipped",
    "nothing",
    "exception",
    "sys.exit",
    "undecided",
    "says infeasible",
    "says unbounded",
    "says optimal",
    "anything",
)
"""Lies that take different ways; the others are told by `make test-all`."""
KINDS = ("mlbroker", "eris", "dps", "gadget", "coded")


every_lie = pytest.mark.parametrize(
    ("kind", "lie"),
    [
        pytest.param(
            KINDS[number % len(KINDS)], lie, id=name,
            marks=() if name in QUICK else pytest.mark.slow,
        )
        for number, (name, lie) in enumerate(LIES.items())
    ],
)  # fmt: skip
"""Every lie, each about another kind than the one before it."""


def lying(honest: Callable[..., Answer], lie: Lie) -> Callable[..., object]:
    """A backend's ``run``, or the solve of a session, whose answers are changed."""

    def run(*arguments: Any) -> object:
        form = next(a for a in arguments if isinstance(a, LinearForm))
        return lie(honest(*arguments), form)

    return run


def corrupt(patch: pytest.MonkeyPatch, lie: Lie, *names: str) -> None:
    """Let backends lie; HiGHS in its sessions as well."""
    for name in names:
        engine = type(find(name))
        patch.setattr(engine, "run", lying(engine.run, lie))
    if "highs" in names:
        patch.setattr(session, "solve_loaded", lying(session.solve_loaded, lie))


# min x + 2 y with x + y >= 3.5, x <= 3: x = 3, y = 1/2 and 4; in whole numbers x = 3, y = 1 and 5
FORMS = {
    "linear": small([[1, 1]], cost=[1, 2], row_lower=[3.5], upper=[3, 9]),
    "whole": small([[1, 1]], cost=[1, 2], row_lower=[3.5], upper=[3, 9], integer=[True, True]),
    "greatest": small([[1, 1]], cost=[1, 2], row_upper=[3.5], upper=[3, 9], sense="max"),
    # x >= 4 but x <= 3
    "infeasible": small([[1, 0]], cost=[1, 2], row_lower=[4], upper=[3, 9]),
    # x - y <= 1 limits neither
    "unbounded": small([[1, -1]], cost=[-1, 0], row_upper=[1]),
}
VALUES = {"linear": 4.0, "whole": 5.0, "greatest": 7.0}


@functools.cache
def honest(solver: str, name: str) -> Answer | None:
    """What a backend itself returns; None where it takes no such form, or leaves it undecided."""
    engine, form = find(solver), FORMS[name]
    if form.is_mip and Ability.INTEGER not in engine.abilities:
        return None
    try:
        return engine.run(handed(form, None, form.units)[0], Options(), None)
    except UndecidedRay:
        return Answer(claim=Conclusion.NONE)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("solver", EVERY)
def test_no_lie_of_a_backend_leaves_the_solvers(monkeypatch, solver, name):
    form, true = FORMS[name], honest(solver, name)
    if true is None:
        return
    engine, toward = type(find(solver)), 1 if form.sense == "min" else -1
    for what, lie in LIES.items():
        monkeypatch.setattr(engine, "run", lying(lambda *_: true, lie))
        monkeypatch.setattr(session, "solve_loaded", lying(lambda *_: true, lie))
        answers = [solve(form, solver)]
        if solver == "highs":
            answers.append(Session(form).solve())
        for answer in answers:
            assert isinstance(answer.claim, Conclusion), what
            assert answer.message.isprintable(), what
            assert answer.has_point == (not math.isnan(answer.objective)), what
            assert answer.has_point == (
                answer.claim in (Conclusion.OPTIMAL, Conclusion.FEASIBLE)
            ), what
            assert not math.isinf(answer.bound), what
            if not answer.has_point:
                continue
            assert answer.report or (answer.report.worst <= SOLVERS_WHOLE and form.is_mip), what
            assert name in VALUES, what
            assert answer.objective == form.objective(answer.point), what
            assert toward * (answer.objective - VALUES[name]) >= -LOOSE_GAP * 10, what
            if not math.isnan(answer.bound):
                beyond = toward * (answer.bound - answer.objective)
                assert beyond <= LOOSE_GAP, what


PROGRAMS = {
    "mlbroker": ("mlbroker.relaxed[tight]", "mlbroker.offline"),
    "eris": ("eris.schedule_lp", "eris.offline"),
    "dps": ("dps.interval_lp", "dps.offline"),
    "gadget": ("gadget.offline_bound", "gadget.offline"),
    "coded": ("coded.assignment_lp", "coded.assignment"),
}


@functools.cache
def optimum(program: str) -> float:
    """Value of an honest optimum of the kind's tiny instance."""
    return farkas.solve(f"{program.partition('.')[0]}/tiny", program, gap=0.0).answer.objective


@pytest.fixture
def ask(tmp_path, capsys):
    """Run a command on a tiny instance of a kind, under a new name: bounds are kept by instance."""

    def asked(kind: str, *words: str) -> tuple[int, Any]:
        path = tmp_path / "instance.json"
        farkas.save(farkas.load(f"{kind}/tiny").replace(name=str(tmp_path)), path)
        command, *others = words
        code = call([command, str(path), *others, "--json"])
        told = capsys.readouterr()
        assert code in (0, 1, 2, 3), told
        assert "internal error" not in told.err
        if code:
            assert told.err.startswith("farkas: ")
            assert told.err.count("\n") == 1
            assert told.err[:-1].isprintable()
        return code, json.loads(told.out) if told.out else None

    return asked


def no_better(value: float, than: float, sense: str) -> bool:
    slack = LOOSE_GAP * max(abs(value), abs(than))
    return value >= than - slack if sense == "min" else value <= than + slack


@pytest.mark.ids(4)
@every_lie
def test_solve_states_no_lie_as_a_fact(monkeypatch, ask, kind, lie):
    for program in PROGRAMS[kind]:
        true = optimum(program)
        with monkeypatch.context() as patch:
            corrupt(patch, lie, "highs")
            code, told = ask(kind, "solve", "-p", program, "--certify")
        if told is None:
            assert code
            continue
        sense = told["sense"]
        assert told["proved_infeasible"] is None
        if told["proved_bound"] is not None:
            assert no_better(true, told["proved_bound"], sense)
        if code == 0:
            assert told["feasible"]
            assert no_better(told["objective"], true, sense)
