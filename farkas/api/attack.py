"""Search for an instance that breaks a claim, and say what became of the claim.

The search anneals on how far the claim's relations are from failing.  A relation's *height* is the
logarithm of its sides' ratio, in the direction of violation, so that neither units nor sizes count;
one whose sides differ in sign, or of which one is 0, has that of the largest ratio that is told
apart.  The claim's own relations, with its tolerances, judge whether it is broken.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from farkas.adversary.moves import reduced
from farkas.adversary.search import Annealer
from farkas.adversary.shape import DRAWS, InstanceBox, Plain, copied, plain_of
from farkas.api.limits import search_seconds
from farkas.errors import FarkasError, InvalidOption, require_type
from farkas.instances import Instance
from farkas.proofs.claim import Claim, claims
from farkas.proofs.verdict import AttackRecord, Relation, Saying, Standing, Verdict, refuted

WARM = 1.0  #: First temperature of a walk.
HIGHEST = 14.0  #: Largest logarithm of a ratio of sides that is told apart.
FINDS = 6  #: Violations that are looked for and made small, of which the shortest is kept.
AGAIN = 0.2  #: Share of the time in which a violation is followed by a search for another.
#: By how much an example is lower of which the statement says nothing: more than sides differ.
ASSUMED = 100.0

#: Called with the examples tried and the smallest slack, whenever that has fallen.
Progress = Callable[[int, float], None]


@dataclasses.dataclass(frozen=True, slots=True)
class Attempt:
    """One example with what the statement says of it."""

    example: Any  #: The instance, or plain input.
    data: Plain  #: Its plain fields.
    said: Saying  #: What the statement says.

    @property
    def broken(self) -> bool:
        """Whether the statement is wrong about it."""
        return bool(self.said.broken)

    @property
    def height(self) -> float:
        """How near it is to violation: the largest over the relations.

        An assumption that fails is climbed first.
        """
        failing = [one for one in self.said.given if not one.holds]
        if failing:
            return -ASSUMED - sum(1.0 + max(height(one), 0.0) for one in failing)
        return max(height(one) for one in self.said.relations)

    @property
    def signature(self) -> str:
        """Equal for the same data."""
        return str(self.data)


def height(relation: Relation) -> float:
    """Logarithm of the ratio of two sides: above 0 where the relation fails.

    >>> height(Relation(2.0, "<=", 1.0)) == -height(Relation(1.0, "<=", 2.0)) > 0.69
    True
    """
    left, right = float(relation.left), float(relation.right)
    larger = max(abs(left), abs(right), relation.size)
    if left == right:
        beyond = 0.0
    elif math.isinf(larger):
        beyond = math.copysign(1.0, left - right)
    else:
        beyond = max(-1.0, min(1.0, (left - right) / larger))
    towards = {"<": beyond, ">": -beyond, "=": abs(beyond), "!": -abs(beyond)}[relation.sign[0]]
    steps = HIGHEST if abs(towards) == 1 else min(HIGHEST, -float(math.log1p(-abs(towards))))
    return math.copysign(steps, towards) if towards else 0.0


@dataclasses.dataclass(frozen=True, slots=True)
class Attack:
    """An attack on a claim, and the claim's verdict after it."""

    claim: Claim  #: What was attacked.
    found: Attempt | None  #: A violation, made small; None where there was none.
    #: Smallest distance from violation that was seen; None where nothing was said.
    slack: float | None
    #: evaluations, refused: examples tried, and those that no instance of the kind is, or that
    #: could not be computed.
    evaluations: int
    refused: int
    seconds: float  #: CPU seconds of search and shrinking.
    is_shrunk: bool  #: Whether nothing more could be left out or rounded.
    interrupted: bool  #: Whether Ctrl-C ended it.
    seed: int  #: Of the search.
    #: That of the claim's own check; *refuted* by what was found where the check had not been. Held
    #: stays held, with how far the attack got.
    verdict: Verdict | None = None

    @property
    def instance(self) -> Instance | None:
        """Instance that breaks the claim; None where none was found, or other input does."""
        example = None if self.found is None else self.found.example
        return example if isinstance(example, Instance) else None

    def __repr__(self) -> str:
        return f"<attack on {self.claim.name}: {'broken' if self.found else 'not broken'}>"

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found = self.found
        return {
            "claim": self.claim.name,
            "verdict": None if self.verdict is None else self.verdict.to_builtins(),
            "broken": found is not None,
            "broken_by": None if found is None else _cited(found),
            "fails": None if found is None else [one.to_builtins() for one in found.said.broken],
            "refused": self.refused,
            "shrunk": self.is_shrunk,
            "interrupted": self.interrupted,
        }


def box_of(claim: Claim) -> InstanceBox:
    """Return the box in which a claim is attacked: around draws, never around shipped instances."""
    among = claim.among
    if among.samples is None:
        return InstanceBox.drawn(
            claim.kind, preset=among.preset, size=among.size, ranges=among.ranges
        )
    samples = list(itertools.islice(among.samples(), DRAWS))
    kind = claim.kind if isinstance(samples[0], Instance) else ""
    starts = [plain_of(one) if isinstance(one, Instance) else copied(one) for one in samples]
    return InstanceBox.spanned(kind, starts, among.ranges)


def search_violation(
    claim: Claim,
    *,
    seconds: float = math.inf,
    evaluations: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Attack:
    """Search for a violation of a claim that says something of single examples.

    ``seconds`` are CPU time of search and shrinking; the same number of ``evaluations`` finds the
    same whatever the time.  ``progress`` is called whenever the smallest slack has fallen.  Raises
    `ValueError`: the claim says nothing of single examples.
    """
    if claim.says is None:
        raise ValueError(f"{claim.name} says nothing of single examples")
    begin = time.process_time()
    work = _ClaimSearch(claim, box_of(claim), np.random.default_rng(seed), progress)
    work.end, work.again = begin + seconds, begin + AGAIN * seconds
    work.most = math.inf if evaluations is None else evaluations
    interrupted = False
    try:
        work.run()
    except KeyboardInterrupt:
        interrupted = True
    return Attack(
        claim=claim,
        found=work.smallest,
        slack=work.slack if work.heard else None,
        evaluations=work.searched,
        refused=work.refused,
        seconds=time.process_time() - begin,
        is_shrunk=work.complete,
        interrupted=interrupted,
        seed=seed,
    )


@dataclasses.dataclass(slots=True)
class _ClaimSearch:
    """What was tried, and the nearest to violation."""

    claim: Claim
    box: InstanceBox
    rng: np.random.Generator
    progress: Progress | None
    #: end, again: CPU times at which it ends, and at which no other violation is looked for.
    end: float = math.inf
    again: float = math.inf
    most: float = math.inf  #: Examples tried at most.
    #: evaluations, reducing: examples tried, and those of them that make a violation small.
    evaluations: int = 0
    reducing: int = 0
    refused: int = 0
    heard: int = 0  #: Examples to which the claim applies.
    slack: float = math.inf
    smallest: Attempt | None = None
    complete: bool = False  #: Whether nothing more can be left out of ``smallest``.
    broken: Attempt | None = None  #: The last violation.

    @property
    def searched(self) -> int:
        return self.evaluations - self.reducing

    @property
    def late(self) -> bool:
        """Whether the limits are reached."""
        return self.searched >= self.most or time.process_time() >= self.end

    def run(self) -> None:
        """Look for violations, each of which is made small, and keep the smallest."""
        for _ in range(FINDS):
            annealer = Annealer(self.box, self.score, self.rng, WARM)
            annealer.run(lambda: self.broken is not None or self.late)
            self.refused += annealer.refused
            if self.broken is None:
                return
            self.keep(*self.reduced(self.broken))
            self.broken = None
            if self.late or time.process_time() >= self.again:
                return

    def keep(self, found: Attempt, complete: bool) -> None:
        """Keep the shorter as text; the last of two that are as short."""
        if self.smallest is None or len(found.signature) <= len(self.smallest.signature):
            self.smallest, self.complete = found, complete

    def score(self, example: Any, data: Plain) -> Attempt | None:
        """Ask the statement about an example, and remember what it says."""
        attempt = self.asked(example, data)
        if attempt is None:
            return None
        if attempt.said.applies:
            self.heard += 1
            if attempt.said.slack < self.slack:
                self.slack = attempt.said.slack
                if self.progress is not None:
                    self.progress(self.evaluations, self.slack)
        if attempt.broken:
            self.broken = attempt
            if self.smallest is None:
                self.smallest = attempt
        return attempt

    def asked(self, example: Any, data: Plain) -> Attempt | None:
        """Ask the statement about an example; None where it says nothing."""
        assert self.claim.says is not None
        self.evaluations += 1
        try:
            with np.errstate(all="ignore"):  # sides that are no numbers are refused
                said = self.claim.says(example)
        except (FarkasError, ArithmeticError, ValueError, IndexError, RuntimeError):
            said = None
        if said is None:
            self.refused += 1
            return None
        return Attempt(example, plain_of(example) if self.box.kind else data, said)

    def reduced(self, found: Attempt) -> tuple[Attempt, bool]:
        """Leave out parts and round numbers while the claim stays broken."""
        before = self.evaluations

        def tried(data: Plain, current: Attempt) -> Attempt | None:
            example = self.box.built(data) if self.box.kind else copied(data)
            attempt = None if example is None else self.asked(example, data)
            if attempt is None or not attempt.broken or attempt.data == current.data:
                return None
            self.keep(attempt, False)
            return attempt

        left = self.end - time.process_time()
        try:
            return reduced(found, lambda one: one.data, self.box, tried, seconds=left)
        finally:
            self.reducing += self.evaluations - before


def attack(
    claim: str | Claim,
    *,
    seconds: float | None = None,
    evaluations: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Attack:
    """Search for an instance, or other input, that breaks a claim.

    The search starts from draws; shipped instances are not used.  What is found is made small while
    the claim's own relations, with its own tolerances, fail on it.

    Parameters
    ----------
    claim
        Name, for example ``"coded.simple_greedy_is_good"``, or the claim.
    seconds
        CPU seconds of search and shrinking; 60 unless evaluations are given.
    evaluations
        Examples tried by the search at most; the result then depends on nothing else but seed.
    seed
        Of the search.
    progress
        Called with the examples tried and the smallest slack, whenever that has fallen.

    Raises
    ------
    UnknownName
        No such claim.
    InvalidOption
        The claim says nothing of single examples, with the reason.

    Examples
    --------
    >>> import farkas
    >>> found = farkas.attack("coded.proposition1", evaluations=20)
    >>> found, found.verdict.standing.value
    (<attack on coded.proposition1: broken>, 'refuted')
    """
    require_type(claim, (str, Claim), "claim")
    limit = search_seconds(seconds, evaluations, seed, progress)
    chosen = claims[claim] if isinstance(claim, str) else claim
    verdict = chosen.run()
    if chosen.says is None:
        raise InvalidOption(f"{chosen.name} cannot be attacked: {why_not(verdict)}")
    outcome = search_violation(
        chosen, seconds=limit, evaluations=evaluations, seed=seed, progress=progress
    )
    return dataclasses.replace(outcome, verdict=_after(verdict, outcome))


def why_not(verdict: Verdict) -> str:
    """Say why a claim that says nothing of single examples cannot be attacked."""
    if verdict.standing is Standing.PROVED:
        return "it is proved for all values"
    if verdict.standing is Standing.NOT_APPLICABLE:
        return "an assumption of it is false"
    if isinstance(verdict.counterexample, str):
        return "its relation is about parts of one instance that are chosen by hand"
    if verdict.counterexample:
        return f"it is a statement about {', '.join(verdict.counterexample)}"
    return "it is a statement about many runs together"


def _after(verdict: Verdict, outcome: Attack) -> Verdict:
    tried = AttackRecord(
        seconds=outcome.seconds, evaluations=outcome.evaluations, slack=outcome.slack,
        seed=outcome.seed,
    )  # fmt: skip
    found = outcome.found
    if found is not None and verdict.standing is not Standing.REFUTED:
        note = "found by an attack"
        verdict = refuted(_cited(found), found.said.broken, note, given=found.said.given)
    return dataclasses.replace(verdict, attacked=tried)


def _cited(found: Attempt) -> Plain:
    if not isinstance(found.example, Instance):
        return found.data
    return {"farkas": 1, "kind": found.example.kind, "name": "counterexample"} | found.data
