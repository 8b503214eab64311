"""How far an algorithm is from a witness on one instance, in exact arithmetic."""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np

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
from farkas.adversary.shape import plain_of, shape_of
from farkas.errors import FarkasError, NotApplicable
from farkas.instances import Instance
from farkas.offline.methods import OfflineSearch, searches
from farkas.offline.search import find_optimum
from farkas.online.driver import Algorithm, algorithms, environments, plain
from farkas.online.loop import decide as decide_all
from farkas.online.policy import as_policy
from farkas.online.run import Bound
from farkas.replay.base import replays
from farkas.tolerances import ROUNDING


def decide(
    algorithm: Algorithm,
    options: Mapping[str, Any],
    instance: Instance,
    seed: int,
    arrivals: Iterable[Any] | None = None,
) -> Decisions | None:
    """Let an algorithm decide; None where it has no answer.

    The options are all, settled; ``arrivals`` are those of the instance where they are made
    already.
    """
    found = _decided(algorithm, options, instance, seed, arrivals)
    return found if isinstance(found, Decisions) else None


def _decided(
    algorithm: Algorithm,
    options: Mapping[str, Any],
    instance: Instance,
    seed: int,
    arrivals: Iterable[Any] | None,
) -> Decisions | Exception:
    """Let an algorithm decide; the error where it has no answer."""
    policy, world = as_policy(algorithm.make(**options)), environments[instance.kind]
    try:
        decisions = decide_all(policy, world, instance, seed, arrivals=arrivals).decisions
    except (FarkasError, ArithmeticError) as error:
        return error
    return Decisions(
        algorithm=algorithm.name,
        kind=instance.kind,
        options=plain(dict(options)),
        decisions=plain(decisions),
        policy_sha256=algorithm.source_sha256 or msgspec.UNSET,
    )


def decides_again(gap: Gap, instance: Instance) -> bool:
    """Whether the algorithm of a statement decides today as the statement says, within rounding.

    False of a policy whose class is not at hand.
    """
    if gap.reached.algorithm not in algorithms:
        return False
    algorithm = algorithms[gap.reached.algorithm]
    found = decide(algorithm, algorithm.settle(gap.reached.options), instance, gap.seed)
    if found is None:
        return False
    # as files hold them: tuples are lists there
    one, other = (
        _apart(msgspec.json.decode(msgspec.json.encode(each.decisions)))
        for each in (found, gap.reached)
    )
    if one[0] != other[0]:
        return False
    numbers, others = np.array(one[1]), np.array(other[1])
    largest = np.abs(others).max(initial=0.0)
    return bool((np.abs(numbers - others) <= ROUNDING * largest).all())


def _apart(plain: Any) -> tuple[Any, list[float]]:
    """Plain data with None for each float, and the floats."""
    if isinstance(plain, float):
        return None, [plain]
    if not isinstance(plain, dict | list):
        return [plain], []
    parts = [_apart(part) for part in (plain.values() if isinstance(plain, dict) else plain)]
    keys = list(plain) if isinstance(plain, dict) else None
    return (keys, [shape for shape, _ in parts]), [x for _, numbers in parts for x in numbers]


NEAR = Fraction(1, 1000)  #: Gap at which the search for a better witness ends.
#: The same for instances that are passed by: proving the rest takes most of the time.
ROUGH = Fraction(1, 50)
LIFTS = 20  #: Searches for a witness that tell what the next one can add.
LONGEST = 10.0  #: Its time limit, seconds, which small instances do not need.
SHORTEST = 0.1  #: The same where the time of the whole search is over.


@dataclasses.dataclass(frozen=True, slots=True)
class ScoredInstance:
    """An instance with both sides of its statement."""

    instance: Instance
    #: reached, witness: decisions of the algorithm and the best others that are known.
    reached: Decisions
    witness: Decisions
    #: value, other: what they are worth, exact; a value of None is an infinite cost.
    value: Fraction | None
    other: Fraction
    ratio: Fraction | None  #: Exact; None when unbounded.
    bound: Bound | None = None  #: Proved bound on the optimum; `Scorer.settled` has it proved.

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

    Asked for better decisions are ``witnesses``; without any, the search for the optimum and the
    fast algorithms that the kind's shape names, of a kind without one all, that decide the same
    problem.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        options: Mapping[str, Any],
        seed: int = 0,
        witnesses: Sequence[str] = (),
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
        self.search = None if witnesses else _search(kind, algorithm.problem)
        others = self.search or set(self.witnesses) - {algorithm.name}
        if kind not in replays or not others:
            lack = "policy to compare with, one with `hindsight`" if kind in replays else "replay"
            raise NotApplicable(f"kind {kind} has no worst cases: it has no {lack}")
        self.sense = environments[kind].sense
        self.lifts: collections.deque[float] = collections.deque([math.inf], maxlen=LIFTS)
        self.evaluations = 0
        self.raised = 0  #: Instances on which the algorithm raised an error.
        self.broken = 0  #: Instances on which its decisions break requirements.
        self.error: Exception | None = None  #: The first that it raised.
        self.pressed: Callable[[], bool] = lambda: False
        """Whether Ctrl-C was pressed, after which nothing is scored: solvers end early."""
        self.left: Callable[[], float] = lambda: math.inf
        """Seconds that a search for a better witness may take, if they are fewer than `LONGEST`."""

    def score(self, instance: Instance, at_least: float = -math.inf) -> ScoredInstance | None:
        """Score an instance; None where the algorithm has no decisions that keep requirements.

        The search for a better witness is asked only where it can get to ``at_least`` by what it
        has added to the fast algorithms' witnesses lately.
        """
        self.evaluations += 1
        arrivals = environments[instance.kind].arrivals(instance)  # made once for all algorithms
        reached = _decided(self.algorithm, self.options, instance, self.seed, arrivals)
        if isinstance(reached, Exception):
            self.raised += 1
            self.error = self.error or reached
            return None
        try:
            value = value_of(self.sense, replayed(reached, instance))
        except FarkasError:
            self.broken += 1
            return None
        if value is not None and value < 0:
            return None
        best: ScoredInstance | None = None
        for name in self.witnesses:
            if name != self.algorithm.name:
                other = algorithms[name]
                witness = decide(other, other.settle({}), instance, 0, arrivals)
                best = self._better(best, instance, reached, value, witness)
        if best is None or (best.ratio and best.height + max(self.lifts) > at_least):
            before = -math.inf if best is None else best.height
            most = max(SHORTEST, min(LONGEST, self.left()))
            best, _ = self._searched(best, instance, reached, value, ROUGH, most)
            if best is not None and before > -math.inf and best.height < math.inf:
                self.lifts.append(best.height - before)
        if self.pressed():
            raise KeyboardInterrupt
        return best

    def settled(self, scored: ScoredInstance, seconds: float = LONGEST) -> ScoredInstance:
        """Have the optimum searched to the end: a better witness may be found, a bound proved."""
        best, bound = self._searched(
            scored, scored.instance, scored.reached, scored.value, NEAR, seconds
        )
        return scored if best is None else dataclasses.replace(best, bound=bound)

    def _searched(
        self,
        best: ScoredInstance | None,
        instance: Instance,
        reached: Decisions,
        value: Fraction | None,
        gap: Fraction,
        seconds: float,
    ) -> tuple[ScoredInstance | None, Bound | None]:
        """Ask the search for the offline optimum as well; also returns the bound it proves."""
        if self.search is None:
            return best, None
        try:
            found = find_optimum(instance, self.search, gap=gap, time_limit=seconds)
        except FarkasError:
            return best, None
        if found.interrupted:
            raise KeyboardInterrupt
        run = found.run
        witness = Decisions(
            algorithm=run.algorithm, kind=run.kind, options=run.options, decisions=run.decisions
        )
        return self._better(best, instance, reached, value, witness), run.certificate

    def _better(
        self,
        best: ScoredInstance | None,
        instance: Instance,
        reached: Decisions,
        value: Fraction | None,
        witness: Decisions | None,
    ) -> ScoredInstance | None:
        """Return the better of what is known and another witness."""
        if witness is None:
            return best
        try:
            other = witnessed(self.sense, replayed(witness, instance))
            ratio = ratio_of(self.sense, value, other)
        except FarkasError:
            return best
        found = ScoredInstance(instance, reached, witness, value, other, ratio)
        return found if best is None or found.height > best.height else best


def _log(number: int) -> float:
    """Logarithm of a whole number > 0 of any size, the same on every machine."""
    shift = max(0, number.bit_length() - 53)
    return float(math.log(float(number >> shift)) + shift * math.log(2.0))


def _search(kind: str, problem: str) -> OfflineSearch | None:
    known = [searches[name] for name in searches.names(f"{kind}.")]
    return next((one for one in known if one.problem == problem), None)
