"""Claims of the papers: their registry, what they are tried on, and steps of symbolic proofs."""

import dataclasses
import functools
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any, TypeVar

import msgspec
import numpy as np

from farkas.errors import NoVerdict, require_type
from farkas.extras import needed
from farkas.instances import Instance, library
from farkas.instances.generate import generate
from farkas.messages import ShowsItself
from farkas.proofs.verdict import (
    Among,
    Relation,
    Saying,
    Says,
    Standing,
    Verdict,
    held,
    proved,
    refuted,
)
from farkas.registry import Registry


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
    module: str = ""  #: Where it is written.

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


Checked = TypeVar("Checked", bound=Callable[..., Any])

claims: Registry[Claim] = Registry("claim", "farkas.proofs")


def select(name: str | None = None) -> list[Claim]:
    """Return all claims, those of a kind, or the one of that name, sorted by name.

    Raises `UnknownName`: ``name`` is neither a kind with claims nor a claim.
    """
    require_type(name, (str, NoneType), "name")
    if name is None:
        return [claims[item] for item in claims]
    of_kind = claims.names(f"{name}.")
    return [claims[item] for item in of_kind] if of_kind else [claims[name]]


def claim(
    name: str,
    *,
    source: str,
    says: Says | None = None,
    among: Among | None = None,
    by: str = "",
    note: str = "",
) -> Callable[[Checked], Checked]:
    """Register the decorated function as the check of a claim; its docstring is the statement.

    Parameters
    ----------
    name
        ``kind.what_it_says``.
    source
        Where the claim stands, for example ``"mlBroker Lemma 1 (P2)"``.
    says, among
        What it says of one instance, and where a violation is searched for; see `Claim`.
    by, note
        Shipped instance that refutes it, and a sentence of the verdict: the decorated function says
        what the claim says of one instance then, and the check asks it of this one.
    """
    if "." not in name:
        raise ValueError(f"claim {name!r} needs a name of the form kind.what_it_says")
    if not source:
        raise ValueError(f"claim {name!r} needs a source")

    def register(written: Checked) -> Checked:
        statement = inspect.getdoc(written)
        if not statement:
            raise ValueError(f"claim {name!r} needs its statement as docstring")
        check: Callable[..., Verdict] = written
        if by:
            check = functools.partial(refuted_by, written, by, note)
        said = written if by else says
        made = Claim(name, source, statement, check, said, among or Among(), written.__module__)
        claims.add(name, made)
        return written

    return register


I = TypeVar("I", bound=Instance)  # noqa: E741

#: How what was tried is cited: ``"kind/name"`` if it ships, what draws it, or itself.
Example = str | Mapping[str, Any] | Instance


def instance_of(kind: type[I], name: str) -> I:
    """Shipped instance ``name`` of a kind, without the kind's name."""
    found = library.load(f"{kind.__struct_config__.tag}/{name}")
    assert isinstance(found, kind)
    return found


def drawn(kind: type[I], preset: str = "published", seed: int = 0, **settings: Any) -> I:
    """Instance of a kind's generator."""
    made = generate(str(kind.__struct_config__.tag), preset, seed, **settings)
    assert isinstance(made, kind)
    return made


def asked(says: Says, example: Any) -> Saying:
    """What a statement says of an example of which it has to say something."""
    found = says(example)
    if found is None:
        raise NoVerdict("the statement says nothing of the example")
    return found


def refuted_by(says: Says, name: str, note: str = "", **numbers: float) -> Verdict:
    """Verdict of a shipped instance that a statement is wrong about; more numbers of it follow."""
    found = asked(says, library.load(name))
    return refuted(name, found.shown, note, given=found.given, **{**found.numbers, **numbers})


def growth(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Slope of log values over log sizes by least squares: the power with which values grow.

    At least three of each, > 0: two points have a slope whatever the law, and one has none.
    """
    if len(sizes) < 3:
        raise ValueError(f"{len(sizes)} sizes say nothing of growth: at least three are needed")
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def interval(hits: int, draws: int) -> tuple[float, float]:
    """95 % interval of a probability by Clopper and Pearson."""
    from scipy import stats

    low = float(stats.beta.ppf(0.025, hits, draws - hits + 1)) if hits else 0.0
    high = float(stats.beta.ppf(0.975, hits + 1, draws - hits)) if hits < draws else 1.0
    return low, high


class Trials:
    """Outcomes of one statement: what it says of each example."""

    def __init__(self) -> None:
        self.runs = 0
        self._relations: list[Relation] = []
        self._worst: tuple[Relation, Example] | None = None

    @property
    def slack(self) -> float:
        """Smallest distance from violation so far, infinite before the first trial."""
        return min((relation.slack for relation in self._relations), default=math.inf)

    def add(self, example: Example, *relations: Relation) -> None:
        """Count one trial, of which the statement says all of ``relations``."""
        if not relations:
            raise ValueError(f"{example}: nothing is said of it")
        self.runs += 1
        self._relations += relations
        for relation in relations:
            if relation.holds:
                continue
            if self._worst is None or relation.slack < self._worst[0].slack:
                self._worst = relation, example

    def hear(self, example: Example, found: Saying | None) -> None:
        """Count what a statement says of an example, if it says something and that applies."""
        if found is not None and found.applies:
            self.add(example, *found.relations)

    def verdict(self, note: str = "", **numbers: float) -> Verdict:
        """Held, or refuted by the worst violation."""
        if self._worst is None:
            return held(self._relations, note, runs=self.runs, **numbers)
        relation, worst = self._worst
        example = msgspec.to_builtins(worst) if isinstance(worst, Instance) else worst
        return refuted(example, relation, note, **numbers)

    def proved(self, note: str = "", **numbers: float) -> Verdict:
        """Proved: an argument for all values came before, and trials do not contradict it."""
        tried = self.verdict()
        return proved(note, **numbers) if tried.standing is Standing.HELD else tried


# Steps of symbolic proofs.
#
# An expression that does not simplify proves nothing, and refutes nothing either: it is an error.


class DeferredModule:
    """A module that is imported when something of it is first used; ``name`` is its dotted name."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, held: str) -> Any:
        return getattr(needed(self._name), held)


sp = DeferredModule("sympy")  #: SymPy, which reading, listing and showing claims does not need.


class NotProved(NoVerdict):
    """A step of a symbolic proof does not go through."""


def vanishes(*expressions: Any) -> bool:
    """Whether all expressions simplify to 0."""
    return all(sp.simplify(sp.expand_log(sp.simplify(e), force=True)) == 0 for e in expressions)


def require_zero(**expressions: Any) -> None:
    """Raise `NotProved` unless every expression simplifies to 0."""
    for name, expression in expressions.items():
        if not vanishes(expression):
            raise NotProved(f"{name.replace('_', ' ')}: {expression} does not vanish")


def require(**conditions: Any) -> None:
    """Raise `NotProved` unless every condition is true, or SymPy's true; undecided is not."""
    for name, condition in conditions.items():
        if condition is not True and condition != sp.true:
            raise NotProved(f"{name.replace('_', ' ')}: {condition}")
