"""Claims of the papers, and what became of them."""

import dataclasses
import enum
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import Any

from farkas.errors import NoVerdict, require_type
from farkas.instances import library
from farkas.messages import LONGEST_WORDS, ShowsItself, cut
from farkas.proofs.said import Among, Says, Stated
from farkas.registry import Registry


class Standing(enum.StrEnum):
    """What is known about a claim."""

    PROVED = "proved"  #: Symbolically, for all values.
    HELD = "held"  #: In every one of a number of runs; no more than that.
    REFUTED = "refuted"  #: By a counterexample that anyone can recompute.
    NOT_APPLICABLE = "not applicable"  #: An assumption is false.


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Attacked:
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
    fails: tuple[Stated, ...] = ()
    given: tuple[Stated, ...] = ()  #: What the statement assumes, and is so.
    note: str = ""  #: One sentence.
    #: Named values a reader can recompute.
    numbers: Mapping[str, float] = dataclasses.field(default_factory=dict)
    attacked: Attacked | None = None  #: How far a search for a violation got, where there was one.

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


def failing(fails: Iterable[Stated]) -> str:
    """Words for a statement that fails.

    >>> failing([Stated(8.75, "<=", 3.61), Stated(2, "==", 3)])
    'statement 8.75 <= 3.61, 2 == 3 fails'
    """
    return f"statement {', '.join(map(str, fails))} fails"


def held(
    relations: Iterable[Stated], note: str = "", *, runs: int | None = None, **numbers: float
) -> Verdict:
    """Verdict of runs without violation.

    Parameters
    ----------
    relations
        What the statement says of each run; all must hold.
    runs
        Number of runs, when it is not that of relations.

    Raises
    ------
    ValueError
        When there was no run.
    NoVerdict
        When a relation fails.
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
    statement: Stated | Iterable[Stated],
    note: str = "",
    *,
    given: Any = (),
    **numbers: float,
) -> Verdict:
    """Verdict of a counterexample.

    Parameters
    ----------
    counterexample
        ``"kind/name"`` of a shipped instance, for example ``"mlbroker/harmonic"``, or the data of a
        small counterexample inline.
    statement
        What the refuted statement says of the counterexample, with both sides as computed; each
        relation must fail.
    given
        What the statement assumes of the counterexample; a relation or several, which must hold.
    numbers
        Other values that a reader can recompute, or the sides by name.

    Raises
    ------
    ValueError
        Without a counterexample or a relation, or when the instance is not shipped.
    NoVerdict
        When a relation of the statement holds or one that it assumes fails: a counterexample that
        is none is no evidence for the statement either, so that it is not held.
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


def _cited(counterexample: str | Mapping[str, Any]) -> str:
    return counterexample if isinstance(counterexample, str) else "the counterexample"


def _several(relations: Stated | Iterable[Stated]) -> tuple[Stated, ...]:
    several = (relations,) if isinstance(relations, Stated) else tuple(relations)
    for relation in several:
        require_type(relation, Stated, "relation")
    return several


def not_applicable(reason: str) -> Verdict:
    """Verdict when an assumption is false; ``reason`` says which."""
    if not reason:
        raise ValueError("say which assumption is false")
    return Verdict(standing=Standing.NOT_APPLICABLE, note=reason)


def ships(name: str) -> bool:
    """Whether ``kind/name`` is a shipped instance; its file's suffix may follow."""
    return name.removesuffix(".json") in library.names(name.partition("/")[0])


@dataclasses.dataclass(frozen=True, slots=True)
class Claim(ShowsItself):
    """A statement of a paper with the function that checks it."""

    name: str  #: ``kind.what_it_says``.
    source: str  #: Paper and theorem, lemma, equation or page.
    statement: str  #: The docstring of the function.
    check: Callable[[], Verdict]  #: Function without arguments that returns the verdict.
    #: What the statement says of one instance, or of other input: the check goes through it, and an
    #: attack searches with it. None where it is about nothing that can be searched.
    says: Says | None = None
    among: Among = dataclasses.field(default_factory=Among)  #: Where it is attacked.

    def __repr__(self) -> str:
        return f"<claim {self.name} ({self.source}): {self._first}>"

    @property
    def _first(self) -> str:
        """First sentence of the statement, without line breaks."""
        return " ".join(self.statement.split("\n\n")[0].split())

    @property
    def kind(self) -> str:
        return self.name.partition(".")[0]

    def run(self) -> Verdict:
        """Check the claim anew; nothing is remembered."""
        verdict = self.check()
        if not isinstance(verdict, Verdict):
            raise TypeError(f"claim {self.name} returned {type(verdict).__name__}, not a Verdict")
        return verdict


claims: Registry[Claim] = Registry("claim", "farkas.proofs")


def select(name: str | None = None) -> list[Claim]:
    """Return all claims, those of a kind, or the one of that name, sorted by name.

    Raises
    ------
    UnknownName
        When ``name`` is neither a kind with claims nor a claim.
    """
    require_type(name, (str, NoneType), "name")
    if name is None:
        return [claims[item] for item in claims]
    of_kind = claims.names(f"{name}.")
    return [claims[item] for item in of_kind] if of_kind else [claims[name]]


def claim(
    name: str, *, source: str, says: Says | None = None, among: Among | None = None
) -> Callable[[Callable[[], Verdict]], Callable[[], Verdict]]:
    """Register the decorated function as the check of a claim; its docstring is the statement.

    Parameters
    ----------
    name
        ``kind.what_it_says``.
    source
        Where the claim stands, for example ``"mlBroker Lemma 1 (P2)"``.
    says, among
        What it says of one instance, and where a violation is searched for; see `Claim`.
    """
    if "." not in name:
        raise ValueError(f"claim {name!r} needs a name of the form kind.what_it_says")
    if not source:
        raise ValueError(f"claim {name!r} needs a source")

    def register(check: Callable[[], Verdict]) -> Callable[[], Verdict]:
        statement = inspect.getdoc(check)
        if not statement:
            raise ValueError(f"claim {name!r} needs its statement as docstring")
        claims.add(name, Claim(name, source, statement, check, says, among or Among()))
        return check

    return register
