"""Policies that decide at once, step by step, or with hindsight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from farkas.algebra import Param, Program, Set, Sum, Var, constraint, objective
from farkas.errors import InvalidOption
from farkas.online import Policy, driver, loop
from farkas.online.loop import decide
from farkas.online.policy import as_policy
from farkas.solvers.subproblem import Subproblem


class World:
    """Three arrivals."""

    def known(self, instance: Any) -> str:
        return f"known of {instance}"

    def arrivals(self, instance: Any) -> list[int]:
        return [1, 2, 3]


class Steps:
    """Adds up what has come."""

    def start(self, known: str, seed: int) -> list[Any]:
        return [known, seed]

    def step(self, state: list[Any], arrivals: int) -> tuple[list[Any], int]:
        return [*state, arrivals], sum(state[2:]) + arrivals


class Once(Steps):
    """Decides alike without steps, if it may."""

    def __init__(self, found: list[int] | None) -> None:
        self.found = found

    def decide(self, instance: Any, seed: int) -> list[int] | None:
        assert (instance, seed) == ("x", 7)
        return self.found


class Hindsight:
    """Knows all."""

    def decide(self, instance: Any, seed: int) -> tuple[int, ...]:
        return (9, 9)


def done(policy: Any, told: list[tuple[int, int]] | None = None) -> driver.DecisionLog:
    progress = None if told is None else lambda *step: told.append(step)
    return decide(as_policy(policy), World(), "x", 7, progress)  # type: ignore[arg-type]


def test_steps_are_taken_one_after_the_other() -> None:
    told: list[tuple[int, int]] = []
    found = done(Steps(), told)
    assert found.decisions == [1, 3, 6]
    assert found.state == ["known of x", 7, 1, 2, 3]
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_who_decides_at_once_takes_no_steps_unless_it_wants_to() -> None:
    told: list[tuple[int, int]] = []
    found = done(Once([4, 5, 6]), told)
    assert (found.decisions, found.state, found.longest, told) == ([4, 5, 6], None, 0.0, [])
    assert done(Once([])).decisions == []  # no arrivals, and yet an answer
    assert done(Once(None)).decisions == [1, 3, 6]


def test_hindsight_takes_no_steps() -> None:
    found = done(Hindsight())
    assert (found.decisions, found.state, found.longest) == ((9, 9), None, 0.0)


def test_time_is_that_of_deciding(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [5.0]

    def clock() -> float:
        return now[0]

    class Quick(Once):
        def decide(self, instance: Any, seed: int) -> list[int] | None:
            now[0] += 2.0
            return super().decide(instance, seed)

    class Wise(Hindsight):
        def decide(self, instance: Any, seed: int) -> tuple[int, ...]:
            now[0] += 4.0
            return super().decide(instance, seed)

    class Slow(Steps):
        def step(self, state: list[Any], arrivals: int) -> tuple[list[Any], int]:
            now[0] += arrivals
            return super().step(state, arrivals)

    class Prepared(Slow):
        def prepare(self, instance: Any) -> None:
            now[0] += 100.0

    monkeypatch.setattr(loop, "clock", clock)
    for policy in (Slow(), Prepared()):
        found = done(policy)
        assert (found.seconds, found.longest) == (6.0, 3.0)
    assert done(Quick([1, 2, 3])).seconds == 2.0
    assert done(Wise()).seconds == 4.0


class Shares(Program):
    """Buy at least what is asked, the first unit of a shop at half its price."""

    sense = "min"

    def declare(self, m: Any, data: int) -> None:
        m.shops = Set([0, 1], label="shop")
        m.price = Param(m.shops, values=[1.0, 2.0])
        m.most = Param(m.shops, values=[1.5, 10.0])
        m.asked = Param(values=float(data))
        m.bought = Var(m.shops, upper=10.0)

    @constraint("1")
    def enough(m: Any) -> Any:
        """Enough is bought."""
        return Sum(m.bought[s] for s in m.shops) >= m.asked

    @constraint("2", "shops")
    def stock(m: Any, s: Any) -> Any:
        """A shop sells what it has."""
        return m.bought[s] <= m.most[s]

    @objective
    def cost(m: Any) -> Any:
        """What is paid."""
        return Sum(m.price[s] * m.bought[s] for s in m.shops)


class Buyer(Policy):
    """Solves, and rounds up; asks again for what is left beyond four units."""

    def __init__(self, solver: str = "") -> None:
        self.solver = solver

    def start(self, known: str, seed: int) -> int:
        return 0

    def model(self, state: int, arrivals: int) -> Subproblem:
        return Subproblem(Shares(), arrivals, lambda form, answer: answer.point)

    def round(self, state: int, arrivals: int, answer: Any, rng: Any) -> tuple[int, Any]:
        if arrivals == 3 and state == 2:
            return state + 1, None  # once more
        return state + 1, [float(x) for x in answer.decisions] + [rng.random()]


@pytest.mark.parametrize("solver", ["", "clarabel"])
def test_programs_are_solved_and_rounded(solver: str) -> None:
    found = done(Buyer(solver))
    drawn = np.random.default_rng(7).random(3).tolist()
    wanted = [[1.0, 0.0], [1.5, 0.5], [1.5, 1.5]]
    for decision, most, draw in zip(found.decisions, wanted, drawn, strict=True):
        assert decision == pytest.approx([*most, draw], abs=1e-6)
    assert [each.value for each in found.solved] == pytest.approx([1.0, 2.5, 4.5], abs=1e-6)
    assert [len(each.answers) for each in found.solved] == [1, 1, 2]
    assert {a.solver for each in found.solved for a in each.answers} == {solver or "highs"}
    assert found.state == 4


def test_what_is_no_policy_is_refused() -> None:
    with pytest.raises(InvalidOption, match=r"World is no name .* `decide`; derive its class"):
        as_policy(World())
    assert as_policy(Buyer).solver == ""
    assert as_policy(Hindsight()).hindsight
    assert not as_policy(Steps()).hindsight
    assert as_policy(Steps()).name == "Steps"
