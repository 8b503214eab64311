"""What a statement says of one example, among which it can be attacked, and what became of it."""

from __future__ import annotations

import dataclasses
import enum
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, Literal

from farkas.errors import NoVerdict, require_type
from farkas.instances import library
from farkas.messages import LONGEST_WORDS, ShowsItself, cut
from farkas.tolerances import ROUNDING, close

Sign = Literal["<=", "<", ">=", ">", "==", "!="]

Side = float | Fraction

HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclasses.dataclass(frozen=True, slots=True)
class Relation:
    """``left sign right``, as a statement says it; it may hold or fail.

    Raises `ValueError`: a side is not a number, the sign is none, or the tolerance makes no sense.
    """

    #: left, right: two numbers; fractions are compared exactly.
    left: Side
    sign: Sign  #: One of ``<=``, ``<``, ``>=``, ``>``, ``==``, ``!=``.
    right: Side
    #: Violation that is still no violation, as a share of the larger side; with ``<=``, ``>=`` and
    #: ``==`` only.
    tolerance: float = 0.0
    #: In the unit of the sides: when both are smaller, the tolerance is a share of this instead.
    size: float = 0.0

    def __post_init__(self) -> None:
        for side in ("left", "right"):
            object.__setattr__(self, side, _plain(getattr(self, side)))
        if math.isnan(self.left) or math.isnan(self.right):
            raise ValueError(f"{self}: a side is not a number")
        if self.sign not in HOLDS:
            raise ValueError(f"{self.sign!r} is no sign; use one of {', '.join(HOLDS)}")
        for name in ("tolerance", "size"):
            value = float(getattr(self, name))
            object.__setattr__(self, name, value)
            if not 0 <= value < math.inf:
                raise ValueError(f"{self}: {name} {value} is negative or infinite")
        if self.tolerance and self.sign in ("<", ">", "!="):
            raise ValueError(f"{self}: a strict relation leaves no room for a tolerance")

    @property
    def slack(self) -> float:
        """Distance from violation, negative when violated; no tolerance is added to it.

        In the unit of the sides, or a share of the larger one where there is a tolerance, which
        is such a share too.  An equality has slack 0 at best.
        """
        gap = 0.0 if self.left == self.right else float(self.right - self.left)
        distance = {"<": gap, ">": -gap, "=": -abs(gap), "!": abs(gap)}[self.sign[0]] + 0.0
        larger = max(abs(float(self.left)), abs(float(self.right)), self.size)
        if self.tolerance and 0 < larger < math.inf:
            return distance / larger
        return distance

    @property
    def holds(self) -> bool:
        """Whether the relation is so, up to its tolerance."""
        if self.tolerance:
            return self.slack >= -self.tolerance
        return bool(HOLDS[self.sign](self.left, self.right))

    def __str__(self) -> str:
        left, right = _digits(self.left, self.right)
        within = f" (tolerance {self.tolerance:g})" if self.tolerance else ""
        return f"{left} {self.sign} {right}{within}"

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON, which has no infinity: that is a word."""
        shown = float(self.left), float(self.right)
        left, right = (side if math.isfinite(side) else str(side) for side in shown)
        sides = {"left": left, "sign": self.sign, "right": right}
        return sides | ({"tolerance": self.tolerance} if self.tolerance else {})


def _plain(side: Any) -> Side:
    """Return a number of Python: NumPy's and SymPy's print as something else."""
    if isinstance(side, Fraction):
        return side
    return int(side) if isinstance(side, int) else float(side)


def _digits(left: Side, right: Side) -> tuple[str, str]:
    """Both numbers with as few digits as tell them apart, at least six."""
    shown = float(left), float(right)
    for digits in range(6, 17):
        words = f"{shown[0]:.{digits}g}", f"{shown[1]:.{digits}g}"
        if words[0] != words[1] or left == right:
            return words
    return repr(shown[0]), repr(shown[1])


@dataclasses.dataclass(frozen=True, slots=True)
class Saying:
    """What a statement says of one example; build it with `said`."""

    relations: tuple[Relation, ...]  #: All of which the statement claims.
    given: tuple[Relation, ...] = ()  #: All of which it assumes: where one fails, it says nothing.
    #: Named values a reader can recompute.
    numbers: Mapping[str, float] = dataclasses.field(default_factory=dict)

    @property
    def applies(self) -> bool:
        """Whether all that is assumed is so."""
        return all(relation.holds for relation in self.given)

    @property
    def broken(self) -> tuple[Relation, ...]:
        """Relations that fail beyond rounding although all that is assumed is so."""
        return tuple(filter(beyond_rounding, self.relations)) if self.applies else ()

    @property
    def shown(self) -> tuple[Relation, ...]:
        """Relations that fail, as a refutation states them; all of them where none does."""
        return tuple(one for one in self.relations if not one.holds) or self.relations

    @property
    def slack(self) -> float:
        """Smallest distance from violation."""
        return min(relation.slack for relation in self.relations)


def said(*relations: Relation, given: Iterable[Relation] = (), **numbers: float) -> Saying:
    """Say something of an example; at least one relation.

    >>> said(Relation(1, "<=", 2), given=[Relation(0, ">", 0)]).applies
    False
    """
    if not relations:
        raise ValueError("nothing is said of the example")
    return Saying(relations, tuple(given), numbers)


def beyond_rounding(relation: Relation) -> bool:
    """Whether a relation fails, and not only because its sides were rounded.

    A tolerance of its own is what the claim allows for that.  Without one, sides that are doubles
    have to differ by `ROUNDING`; a strict relation of doubles fails at equal sides only where these
    are no result of rounding: 0, or infinite.

    >>> beyond_rounding(Relation(1.0 + 1e-15, "<=", 1.0)), beyond_rounding(Relation(0.0, ">", 0.0))
    (False, True)
    """
    if relation.holds:
        return False
    sides = relation.left, relation.right
    if relation.tolerance or all(isinstance(side, int | Fraction) for side in sides):
        return True
    left, right = map(float, sides)
    if left == right:
        return left in (0.0, float("inf"), float("-inf"))
    return not close(left, right, ROUNDING) and abs(left - right) > ROUNDING * relation.size


#: Says what a statement says of an instance, or of other input; None where that is nothing.
Says = Callable[[Any], Saying | None]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Among:
    """Where a claim is attacked: the box around draws."""

    #: preset, size: of the generator of the claim's kind; by default the smallest draws of the
    #: kind.
    preset: str | None = None
    size: Mapping[str, int] = dataclasses.field(default_factory=dict)
    #: Draws of the claim's own, instead of the generator's: instances, or mappings of numbers and
    #: lists of numbers where the claim is about such.
    samples: Callable[[], Iterable[Any]] | None = None
    #: Lowest and highest value by name of a field; of others that of the draws.
    ranges: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)

    def over(self, **ranges: tuple[float, float]) -> Among:
        """Return the same with other ranges."""
        return dataclasses.replace(self, ranges=ranges)

    def sized(self, **size: int) -> Among:
        """Return the same with some sizes changed."""
        return dataclasses.replace(self, size={**self.size, **size})


class Standing(enum.StrEnum):
    """What is known about a claim."""

    PROVED = "proved"  #: Symbolically, for all values.
    HELD = "held"  #: In every one of a number of runs; no more than that.
    REFUTED = "refuted"  #: By a counterexample that anyone can recompute.
    NOT_APPLICABLE = "not applicable"  #: An assumption is false.


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AttackRecord:
    """How far a search for a violation got."""

    #: CPU seconds that it had; the same ``evaluations`` and ``seed`` find the same again.
    seconds: float
    evaluations: int  #: Instances, or other inputs, that were tried.
    #: Smallest distance from violation over those of which the statement says something; None where
    #: it says nothing of any.
    slack: float | None
    seed: int = 0  #: Of the search.

    def __str__(self) -> str:
        least = "said of none" if self.slack is None else f"smallest slack {self.slack:.3g}"
        return f"attacked for {self.seconds:.3g} s, {self.evaluations:,} instances, {least}"

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON, which has no infinity: that is a word."""
        data = dataclasses.asdict(self)
        if self.slack is not None and not math.isfinite(self.slack):
            data["slack"] = str(self.slack)
        return data


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(ShowsItself):
    """Outcome of checking a claim; build it with the functions below."""

    standing: Standing
    runs: int | None = None  #: Number of runs in which it held.
    #: Smallest distance from violation over those runs, negative within a tolerance; a share of the
    #: sides where there is a tolerance, else in the unit of the claim.
    slack: float | None = None
    tolerance: float = 0.0  #: Largest violation that counted as none, as a share of the sides.
    #: ``"kind/name"`` of an instance in ``farkas/instances/library``, or a small instance inline.
    counterexample: str | Mapping[str, Any] | None = None
    #: What the refuted statement says of the counterexample, and is not so.
    fails: tuple[Relation, ...] = ()
    given: tuple[Relation, ...] = ()  #: What the statement assumes, and is so.
    note: str = ""  #: One sentence.
    #: Named values a reader can recompute.
    numbers: Mapping[str, float] = dataclasses.field(default_factory=dict)
    attacked: AttackRecord | None = (
        None  #: How far a search for a violation got, where there was one.
    )

    def __bool__(self) -> bool:
        raise TypeError("a verdict is neither true nor false: compare its standing")

    def __repr__(self) -> str:
        return f"<verdict {cut(str(self), LONGEST_WORDS)}>"

    def __str__(self) -> str:
        words: list[str] = []
        if self.runs is not None:
            words.append(f"in {self.runs} runs, smallest slack {self.slack:.3g}")
        if self.tolerance:
            words.append(f"tolerance {self.tolerance:g}")
        if self.attacked is not None:
            words.append(str(self.attacked))
        if isinstance(self.counterexample, str):
            words.append(f"by {self.counterexample}")
        if self.fails:
            words.append(failing(self.fails))
        if self.note:
            words.append(self.note)
        return str(self.standing) + (f": {'; '.join(words)}" if words else "")

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON, without what is empty."""
        shown = {
            "standing": str(self.standing),
            "runs": self.runs,
            "slack": self.slack,
            "tolerance": self.tolerance or None,
            "counterexample": self.counterexample,
            "fails": [relation.to_builtins() for relation in self.fails] or None,
            "given": [relation.to_builtins() for relation in self.given] or None,
            "note": self.note or None,
            "numbers": dict(self.numbers) or None,
            "attacked": None if self.attacked is None else self.attacked.to_builtins(),
        }
        return {name: value for name, value in shown.items() if value is not None}


def proved(note: str = "", **numbers: float) -> Verdict:
    """Verdict of a symbolic proof for all values."""
    return Verdict(standing=Standing.PROVED, note=note, numbers=numbers)


def failing(fails: Iterable[Relation]) -> str:
    """Words for a statement that fails.

    >>> failing([Relation(8.75, "<=", 3.61), Relation(2, "==", 3)])
    'statement 8.75 <= 3.61, 2 == 3 fails'
    """
    return f"statement {', '.join(map(str, fails))} fails"


def held(
    relations: Iterable[Relation], note: str = "", *, runs: int | None = None, **numbers: float
) -> Verdict:
    """Verdict of runs without violation, of each of which the statement says ``relations``.

    ``runs`` is their number, when it is not that of relations.  Raises `ValueError` when there was
    no run, `NoVerdict` when a relation fails.
    """
    tried = tuple(relations)
    runs = len(tried) if runs is None else runs
    if runs < 1 or not tried:
        raise ValueError(f"held in {runs} runs says nothing: at least one run is needed")
    for relation in tried:
        if not relation.holds:
            raise NoVerdict(f"{relation} is violated: use refuted()")
    return Verdict(
        standing=Standing.HELD,
        runs=runs,
        slack=min(relation.slack for relation in tried),
        tolerance=max(relation.tolerance for relation in tried),
        note=note,
        numbers=numbers,
    )


def refuted(
    counterexample: str | Mapping[str, Any],
    statement: Relation | Iterable[Relation],
    note: str = "",
    *,
    given: Any = (),
    **numbers: float,
) -> Verdict:
    """Verdict of a counterexample: a shipped instance by name, or the data of a small one.

    Each relation of ``statement`` must fail, with both sides as computed; those that it assumes,
    ``given``, must hold.  ``numbers`` are other values that a reader can recompute.  Raises
    `ValueError` without a counterexample or a relation, or when the instance is not shipped;
    `NoVerdict` when a relation of the statement holds or one that it assumes fails: a
    counterexample that is none is no evidence for the statement either, so that it is not held.
    """
    if not counterexample:
        raise ValueError("a refutation needs a counterexample")
    if isinstance(counterexample, str) and not ships(counterexample):
        raise ValueError(f"no instance {counterexample!r} in farkas/instances/library")
    fails, assumed = _several(statement), _several(given)
    if not fails:
        raise ValueError("a refutation needs the relation that fails")
    for relation in fails:
        if relation.holds:
            raise NoVerdict(f"{_cited(counterexample)} violates nothing: {relation} holds")
    for relation in assumed:
        if not relation.holds:
            raise NoVerdict(
                f"{_cited(counterexample)} is no counterexample: the assumption {relation} fails"
            )
    return Verdict(
        standing=Standing.REFUTED,
        counterexample=counterexample,
        fails=fails,
        given=assumed,
        note=note,
        numbers=numbers,
    )


def verdict_on(
    example: str | Mapping[str, Any],
    relations: Relation | Iterable[Relation],
    note: str = "",
    *,
    given: Any = (),
    **numbers: float,
) -> Verdict:
    """Verdict of one example, whose numbers decide: refuted by what fails of it, else held.

    ``given``: as for `refuted`.
    """
    tried = _several(relations)
    fails = [relation for relation in tried if not relation.holds]
    if not fails:
        return held(tried)
    return refuted(example, fails, note, given=given, **numbers)


def _cited(counterexample: str | Mapping[str, Any]) -> str:
    return counterexample if isinstance(counterexample, str) else "the counterexample"


def _several(relations: Relation | Iterable[Relation]) -> tuple[Relation, ...]:
    several = (relations,) if isinstance(relations, Relation) else tuple(relations)
    for relation in several:
        require_type(relation, Relation, "relation")
    return several


def not_applicable(reason: str) -> Verdict:
    """Verdict when an assumption is false; ``reason`` says which."""
    if not reason:
        raise ValueError("say which assumption is false")
    return Verdict(standing=Standing.NOT_APPLICABLE, note=reason)


def ships(name: str) -> bool:
    """Whether ``kind/name`` is a shipped instance; its file's suffix may follow."""
    return name.removesuffix(".json") in library.names(name.partition("/")[0])
