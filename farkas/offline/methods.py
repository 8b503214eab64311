"""What a kind brings to the search for its offline optimum."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np

from farkas.algebra.formulation import programs
from farkas.errors import NoAnswer
from farkas.exact.from_doubles import rational
from farkas.exact.node_bounds import Deadline
from farkas.exact.solver import prove_form
from farkas.executor import Executor
from farkas.forms import LinearForm
from farkas.numbers import Floats
from farkas.online.driver import Outcome, environments
from farkas.online.loop import drive
from farkas.online.policy import Policy
from farkas.online.run import Bound, Run, Sense
from farkas.registry import Registry
from farkas.solvers import solve


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """What a method finds at a time."""

    method: str  #: How it was found, in a few words.
    #: As the environment of the kind evaluates them; None where none were found.
    decisions: Sequence[Any] | None = None
    bound: Bound | None = None  #: Proved, with its certificate; None where none was.


@dataclasses.dataclass(slots=True, eq=False)
class SearchState:
    """State of a search; methods read it, `find_optimum` alone writes."""

    sense: Sense  #: ``min`` for a cost, ``max`` for a reward.
    deadline: Deadline  #: Work must not pass it; long work asks it again and again.
    #: Distance of value and bound, as a share of the larger, at which the search ends.
    gap: Fraction
    run: Run | None = None  #: The best decisions so far; None before the first.
    decisions: Sequence[Any] | None = None  #: Those of the run, as the method gave them.
    bound: Bound | None = None  #: The best bound so far; None before the first.
    #: Who performs parts of a bound.
    executor: Executor = dataclasses.field(default_factory=Executor)

    @property
    def value(self) -> Fraction | None:
        """Exact value of the best decisions."""
        return None if self.run is None else Fraction(self.run.reached)

    @property
    def distance(self) -> Fraction | None:
        """Distance of value and bound, as a share of the larger; None without both."""
        if self.value is None or self.bound is None:
            return None
        value, bound = self.value, self.bound.fraction
        size = max(abs(value), abs(bound))
        return abs(value - bound) / size if size else Fraction(0)

    @property
    def done(self) -> bool:
        """Whether value and bound are as near as was asked."""
        return self.distance is not None and self.distance <= self.gap

    def over(self) -> bool:
        """Whether the search ends here: near enough, or no time is left.

        The first decisions are waited for, however little time there is, unless by who stops it.
        """
        late = not self.deadline.left and (self.run is not None or self.deadline.stopped)
        return self.done or late

    def better_value(self, value: Fraction | float) -> bool:
        """Whether a value is better than the best."""
        if self.value is None:
            return True
        return value < self.value if self.sense == "min" else value > self.value

    def better_bound(self, bound: Fraction) -> bool:
        """Whether a bound is tighter than the best."""
        if self.bound is None:
            return True
        best = self.bound.fraction
        return bound > best if self.sense == "min" else bound < best


#: Called with an instance and the state; yields what it finds until nothing is left to try.
#:
#: It may end at any time, and raise `farkas.errors.FarkasError` where it has no answer: the next
#: one goes on from where the state stands. The first one of a search is to find some decisions
#: soon, whatever the deadline.
Method = Callable[[Any, SearchState], Iterator[Candidate]]


@dataclasses.dataclass(frozen=True, slots=True)
class OfflineSearch:
    """Climbers of a kind's problem, in the order in which they are tried."""

    name: str  #: What runs found so call their algorithm, for example ``"mlbroker.optimum"``.
    methods: tuple[Method, ...]  #: Fast ones first: each starts from what those before it left.
    #: Program whose points the decisions are, where runs of the kind are otherwise worth another.
    problem: str = ""
    #: Of such runs; what bounds them may depend on it.
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    #: What evaluates decisions where the environment of the kind does not; made without arguments.
    judge: Callable[[], Any] | None = None

    @property
    def kind(self) -> str:
        return self.name.partition(".")[0]

    def run(self, instance: Any, decisions: Sequence[Any], bound: Bound | None = None) -> Run:
        """Evaluate, replay and record decisions, and hold them against a bound.

        Raises `NotACertificate`: When environment and replay disagree, or the value is better than
        the bound allows.
        """
        judge = environments[self.kind] if self.judge is None else self.judge()
        policy = _DecidedPolicy(judge, decisions, bound)
        return drive(policy, instance, name=self.name, options=dict(self.options))

    def bounds(self, bound: Bound) -> bool:
        """Whether a bound is one on all decisions of the problem."""
        return bound.holds_for(self.kind, self.options, self.name, [])


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _DecidedPolicy(Policy):
    """The policy that has decided already."""

    judge: Any
    decisions: Sequence[Any]
    bound: Bound | None

    def decide(self, instance: Any, seed: int) -> Sequence[Any]:
        return self.decisions

    def evaluate(self, instance: Any, decisions: Sequence[Any]) -> Outcome:
        outcome: Outcome = self.judge.evaluate(instance, decisions)
        return outcome

    def certify(self, instance: Any, state: Any, decisions: Sequence[Any]) -> Bound | None:
        return self.bound


searches: Registry[OfflineSearch] = Registry("offline search", "farkas.offline")


#: Of the time that is left, for the solver that finds decisions; the rest proves its bound.
SOLVER_SHARE = 0.4

#: Decisions that a point of the form stands for.
Decide = Callable[[Any, LinearForm, Floats], Sequence[Any]]


def integer_program(
    name: str, decide: Decide | None, most_entries: int, share: float = 1.0
) -> Method:
    """Solve a program, and prove it by branch and bound.

    ``name``: Program with variant; ``run_bounds`` of the kind lists it with certificate ``tree``.
    ``decide``: Reads decisions off a point, rounded where columns are whole; None of a program
    whose points are no decisions, which only bounds them.  ``most_entries``: Coefficients above
    which the program is left to other methods.  ``share``: Of the time that is left, which is all
    that it takes.
    """

    def run(instance: Any, state: SearchState) -> Iterator[Candidate]:
        program = programs.build(name)
        form = program.form(instance)
        if form.num_entries > most_entries:
            raise NoAnswer(
                f"{program.full_name} has {form.num_entries} entries, more than {most_entries}"
            )
        clock, gap = state.deadline.part(share), float(state.gap)
        seconds = clock.left * SOLVER_SHARE
        answer = solve(form, time_limit=seconds, gap=gap)
        if decide is not None and answer.has_point:
            point = np.where(form.integer, np.rint(answer.point), answer.point)
            yield Candidate(
                f"{answer.solver} on {program.full_name}", decide(instance, form, point)
            )
        state.deadline.check()
        origin = {
            "kind": program.kind, "options": dict(program.variant), "instance": instance.sha256,
        }  # fmt: skip
        found = prove_form(
            rational(form), answer=answer, time_limit=clock.left, gap=gap,
            embed=False, about=origin,
        )  # fmt: skip
        if decide is not None and found.point is not None:
            point = np.array([float(x) for x in found.point])
            yield Candidate(
                f"branch and bound on {program.full_name}", decide(instance, form, point)
            )
        if found.bound is not None and found.certificate is not None:
            method = f"branch and bound on {program.full_name}, {found.nodes} nodes"
            plain = msgspec.to_builtins(found.certificate)
            yield Candidate(method, bound=Bound.of(found.bound, method, plain))

    return run
