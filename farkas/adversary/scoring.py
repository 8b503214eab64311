"""How far an algorithm is from a witness on one instance, in exact arithmetic."""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from farkas.adversary.deciding import decide
from farkas.adversary.gap import (
    RELAXED,
    UNBOUNDED,
    Decisions,
    Gap,
    ratio_of,
    replayed,
    value_of,
    witnessed,
)
from farkas.adversary.shape import shape_of
from farkas.errors import FarkasError
from farkas.instances import Instance
from farkas.offline.climbing import climb
from farkas.offline.ladder import Ladder, ladders
from farkas.online.driver import Algorithm, algorithms, environments
from farkas.online.run import Bound
from farkas.portable.logarithms import log

NEAR = Fraction(1, 1000)
"""Gap at which the search for a better witness ends."""
LIFTS = 20
"""Searches for a witness that tell what the next one can add."""
SECONDS = 10.0
"""And its time limit, which small instances do not need."""


@dataclasses.dataclass(frozen=True, slots=True)
class Scored:
    """An instance with both sides of its statement.

    Parameters
    ----------
    instance
        The instance.
    reached, witness
        Decisions of the algorithm and the best others that are known.
    value, other
        What they are worth, exact.
    ratio
        Exact; None when unbounded.
    bound
        Proved bound on the optimum, if a search proved one.
    """

    instance: Instance
    reached: Decisions
    witness: Decisions
    value: Fraction
    other: Fraction
    ratio: Fraction | None
    bound: Bound | None = None

    @property
    def height(self) -> float:
        """Logarithm of the ratio; infinite when it is unbounded."""
        if self.ratio is None:
            return math.inf
        if not self.ratio:
            return -math.inf
        return _log(self.ratio.numerator) - _log(self.ratio.denominator)

    @property
    def signature(self) -> bytes:
        """Equal for instances on which the algorithm decides the same."""
        return hashlib.sha256(msgspec.json.encode(self.reached.decisions)).digest()

    def gap(self, seed: int) -> Gap:
        """Write down the statement."""
        from farkas.adversary.box import plain_of

        data = {"farkas": 1, "kind": self.instance.kind, "name": "worst case"}
        return Gap(
            instance=data | plain_of(self.instance),
            seed=seed,
            reached=self.reached,
            witness=self.witness,
            ratio=UNBOUNDED if self.ratio is None else str(self.ratio),
        )


class Scorer:
    """Scores instances for one algorithm.

    Parameters
    ----------
    algorithm, options, seed
        Whose worst case is searched for, its options, and the seed of its draws.
    witnesses
        Algorithms that are asked for better decisions; by default the fast ones of the kind's
        shape, of a kind without one all, that decide the same problem.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        options: Mapping[str, Any],
        seed: int = 0,
        witnesses: Sequence[str] | None = None,
    ) -> None:
        self.algorithm, self.seed = algorithm, seed
        self.options = algorithm.settle(dict(options))
        kind = algorithm.kind
        named = witnesses or shape_of(kind).witnesses or algorithms.names(f"{kind}.")
        self.witnesses = [
            name
            for name in named
            if algorithms[name].problem == algorithm.problem and name not in RELAXED
        ]
        self.ladder = _ladder(kind, algorithm.problem)
        self.sense = environments[kind].sense
        self._lifts: collections.deque[float] = collections.deque([math.inf], maxlen=LIFTS)
        self.evaluations = 0
        self.refused = 0

    def score(self, instance: Instance, at_least: float = -math.inf) -> Scored | None:
        """Score an instance; None where the algorithm has no decisions that keep requirements.

        Parameters
        ----------
        at_least
            Height that matters: the search for a better witness is asked only where it can get
            there by what it has added to the fast algorithms' witnesses lately.
        """
        self.evaluations += 1
        reached = decide(self.algorithm, self.options, instance, self.seed)
        try:
            value = None if reached is None else value_of(self.sense, replayed(reached, instance))
        except FarkasError:
            value = None
        if reached is None or value is None or value < 0:
            self.refused += 1
            return None
        best: Scored | None = None
        for name in self.witnesses:
            if name != self.algorithm.name:
                other = algorithms[name]
                witness = decide(other, other.settle({}), instance, 0)
                best = self._better(best, instance, reached, value, witness)
        if best is None or (best.ratio and best.height + max(self._lifts) > at_least):
            before = -math.inf if best is None else best.height
            best = self._searched(best, instance, reached, value)
            if best is not None and before > -math.inf and best.height < math.inf:
                self._lifts.append(best.height - before)
        return best

    def _searched(
        self, best: Scored | None, instance: Instance, reached: Decisions, value: Fraction
    ) -> Scored | None:
        """Ask the search for the offline optimum as well."""
        if self.ladder is None:
            return best
        try:
            found = climb(instance, self.ladder, gap=NEAR, time_limit=SECONDS)
        except FarkasError:
            return best
        if found.interrupted:
            raise KeyboardInterrupt
        run = found.run
        witness = Decisions(
            algorithm=run.algorithm, kind=run.kind, options=run.options, decisions=run.decisions
        )
        best = self._better(best, instance, reached, value, witness)
        return None if best is None else dataclasses.replace(best, bound=run.certificate)

    def _better(
        self,
        best: Scored | None,
        instance: Instance,
        reached: Decisions,
        value: Fraction,
        witness: Decisions | None,
    ) -> Scored | None:
        """Return the better of what is known and another witness."""
        if witness is None:
            return best
        try:
            other = witnessed(self.sense, replayed(witness, instance))
            ratio = ratio_of(self.sense, value, other)
        except FarkasError:
            return best
        found = Scored(instance, reached, witness, value, other, ratio)
        return found if best is None or found.height > best.height else best


def _log(number: int) -> float:
    """Logarithm of a whole number > 0 of any size, the same on every machine."""
    shift = max(0, number.bit_length() - 53)
    return float(log(float(number >> shift)) + shift * log(2.0))


def _ladder(kind: str, problem: str) -> Ladder | None:
    known = [ladders[name] for name in ladders.names(f"{kind}.")]
    return next((one for one in known if one.problem == problem), None)
