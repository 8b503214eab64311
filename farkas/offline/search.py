"""The search for the optimum: methods in turn, the best of both sides kept, until they meet."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from farkas.certificates.doubles import both, double
from farkas.errors import NoAnswer
from farkas.exact.node_bounds import Deadline, OutOfTime
from farkas.executor import Executor
from farkas.messages import ShowsItself, method, named
from farkas.offline.methods import Candidate, Method, OfflineSearch, SearchState
from farkas.online.driver import algorithms, environments
from farkas.online.loop import decide
from farkas.online.policy import as_policy
from farkas.online.run import Bound, Run, Sense
from farkas.solvers.options import CtrlC


@dataclasses.dataclass(frozen=True, slots=True)
class Advance:
    """Where a search stood when a side had moved."""

    seconds: float  #: Since its begin.
    #: value, bound: exact; None as long as there was none.
    value: Fraction | None
    bound: Fraction | None
    method: str  #: What moved it.
    #: ``min``: the value is an upper end and rounded up in words; ``max``: the other way.
    sense: Sense


Progress = Callable[[Advance], None]  #: Called whenever value or bound has become better.


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OfflineOptimum(ShowsItself):
    """The best decisions that were found, with the best bound that was proved."""

    run: Run  #: The decisions, replayed in exact arithmetic, and the bound with its certificate.
    steps: tuple[Advance, ...]  #: What moved value or bound, in order.
    remarks: tuple[str, ...] = ()  #: What methods could not do, in words.
    seconds: float = math.nan  #: Wall time.
    complete: bool = False  #: Whether value and bound are as near as was asked.
    interrupted: bool = False  #: Whether Ctrl-C ended the search.

    @property
    def sense(self) -> Sense:
        return self.run.sense

    @property
    def value(self) -> Fraction:
        """What the decisions cost at most, or earn at least."""
        return Fraction(self.run.reached)

    @property
    def bound(self) -> Fraction | None:
        """Proved: no decisions are better."""
        return None if self.run.certificate is None else self.run.certificate.fraction

    @property
    def gap(self) -> float | None:
        """Distance of value and bound as a share of the larger, rounded up; None without bound."""
        if self.bound is None:
            return None
        size = max(abs(self.value), abs(self.bound))
        return double(abs(self.value - self.bound) / size, up=True) if size else 0.0

    @property
    def found_by(self) -> str:
        """What found the decisions, in words."""
        return next(step.method for step in self.steps if step.value == self.steps[-1].value)

    def __repr__(self) -> str:
        bound = "none" if self.run.certificate is None else self.run.certificate.words(self.sense)
        gap = "none" if self.gap is None else f"{self.gap:.3g}"
        about = f"<optimum of {named(self.run.instance)}: value {float(self.value):.9g}"
        return f"{about}, proved bound {bound}, gap {gap}>"

    plot, to_frame, save = method("plot"), method("to_frame"), method("save")

    def verify(self, instance: Any = None) -> Any:
        """Prove value and bound again, see `farkas.check`."""
        return self.run.verify(instance)

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON, without decisions."""
        up = self.sense == "max"
        return {
            "instance": self.run.instance,
            "kind": self.run.kind,
            "sense": self.sense,
            **both("value", self.value, up=not up),
            **both("bound", self.bound, up=up),
            "gap": self.gap,
            "method": list(dict.fromkeys(step.method for step in self.steps)),
            "steps": [
                {
                    "seconds": step.seconds,
                    "value": None if step.value is None else double(step.value, up=not up),
                    "bound": None if step.bound is None else double(step.bound, up=up),
                    "method": step.method,
                }
                for step in self.steps
            ],
            "remarks": list(self.remarks),
            "seconds": self.seconds,
            "complete": self.complete,
            "interrupted": self.interrupted,
        }


def find_optimum(
    instance: Any,
    search: OfflineSearch,
    *,
    gap: Fraction,
    time_limit: float = math.inf,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> OfflineOptimum:
    """Let methods improve value and bound until they meet, nothing is left to try, or time ends.

    Ctrl-C ends the search like the time limit; further ones change nothing.

    ``gap``: Distance of value and bound, as a share of the larger, that is near enough; >= 0.
    ``time_limit``: Seconds, > 0.  ``progress``: Called whenever a side has moved.  ``executor``:
    Who performs parts of a bound; this process if left out.  Raises `KeyboardInterrupt`: Ctrl-C
    came before any decisions.  Raises `NoAnswer`: No decisions were found in time.  Raises
    `NotACertificate`: When environment and replay disagree, or a value is better than a bound
    allows.
    """
    begin = time.monotonic()
    with CtrlC() as keys:
        deadline = Deadline(time_limit, lambda: keys.pressed)
        sense, executor = environments[search.kind].sense, executor or Executor()
        executor.seconds = lambda: deadline.left
        state = SearchState(sense, deadline, gap, executor=executor)
        recorder = _Recorder(instance, search, state, begin, progress)
        remarks = list(filter(None, map(recorder.use, search.methods)))
        if state.run is None or state.decisions is None:
            if keys.pressed:
                raise KeyboardInterrupt
            why = f": {remarks[0]}" if remarks else ""
            raise NoAnswer(f"{named(search.name)} found no decisions{why}")
        run = search.run(instance, state.decisions, state.bound)
        state.bound = run.certificate  # that of the kind where no method proved one
        run.timings["policy"] = time.monotonic() - begin  # not what looking them up took
        complete = state.done
        return OfflineOptimum(
            run=run,
            steps=tuple(recorder.steps),
            remarks=(*remarks, *executor.remarks),
            seconds=time.monotonic() - begin,
            complete=complete,
            interrupted=keys.pressed and not complete,
        )


class _Recorder:
    """Takes what methods find."""

    def __init__(
        self,
        instance: Any,
        search: OfflineSearch,
        state: SearchState,
        begin: float,
        progress: Progress | None,
    ) -> None:
        self._instance, self._search, self._state = instance, search, state
        self._begin, self._progress = begin, progress
        self.steps: list[Advance] = []

    def use(self, method: Method) -> str:
        """Run a method; returns why it had no answer, in words, or nothing."""
        if self._state.over():
            return ""
        try:
            for candidate in method(self._instance, self._state):
                self._take(candidate)
                if self._state.over():
                    break
        except OutOfTime:
            return ""
        except NoAnswer as failure:
            return str(failure)
        return ""

    def _take(self, candidate: Candidate) -> None:
        """Keep what is better than what was known."""
        state = self._state
        if candidate.decisions is not None:
            run = self._search.run(self._instance, candidate.decisions, state.bound)
            if not run.violations and state.better_value(Fraction(run.reached)):
                state.run, state.decisions = run, candidate.decisions
                self._moved(candidate.method)
        bound = candidate.bound
        if bound and state.better_bound(bound.fraction) and self._search.bounds(bound):
            state.bound = bound
            self._moved(bound.method)

    def _moved(self, method: str) -> None:
        state = self._state
        bound = None if state.bound is None else state.bound.fraction
        seconds = time.monotonic() - self._begin
        self.steps.append(Advance(seconds, state.value, bound, method, state.sense))
        if self._progress is not None:
            self._progress(self.steps[-1])


def policies(*names: str) -> Method:
    """Let algorithms decide in turn, with their default options and seed 0."""

    def run(instance: Any, state: SearchState) -> Iterator[Candidate]:
        for name in names:
            if state.over():
                return
            decisions, bound = decided(name, instance, certify=True)
            yield Candidate(name, decisions, bound or environments[instance.kind].bound(instance))

    return run


def decided(
    name: str, instance: Any, *, certify: bool = False
) -> tuple[Sequence[Any], Bound | None]:
    """Return what an algorithm decides; to certify, with the bound that it proves, if it does."""
    policy, world = as_policy(algorithms[name].policy()), environments[instance.kind]
    done = decide(policy, world, instance, 0)
    bound = policy.certify(instance, done.state, done.decisions) if certify else None
    return done.decisions, bound
