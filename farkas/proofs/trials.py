"""What claims are tried on, and what many trials say together."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec
import numpy as np

from farkas.errors import NoVerdict
from farkas.extras import needed
from farkas.forms import LinearForm
from farkas.instances import Instance, library
from farkas.instances.generate import generate
from farkas.proofs.claim import Standing, Verdict, held, proved, refuted
from farkas.proofs.said import Saying, Says, Stated
from farkas.solvers import solve

I = TypeVar("I", bound=Instance)  # noqa: E741

#: How what was tried is cited: ``"kind/name"`` if it ships, what draws it, or itself.
Example = str | Mapping[str, Any] | Instance


def shipped(kind: type[I], name: str) -> I:
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


def optimum(form: LinearForm) -> float:
    """Optimal value, found without any gap; raises `NoAnswer` when none is claimed."""
    return solve(form, gap=0.0 if form.is_mip else None).require_optimal().objective


def growth(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Slope of log values over log sizes by least squares: the power with which values grow.

    Parameters
    ----------
    sizes, values
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
        self._relations: list[Stated] = []
        self._worst: tuple[Stated, Example] | None = None

    @property
    def slack(self) -> float:
        """Smallest distance from violation so far, infinite before the first trial."""
        return min((relation.slack for relation in self._relations), default=math.inf)

    def add(self, example: Example, *relations: Stated) -> None:
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


class Deferred:
    """A module that is imported when something of it is first used; ``name`` is its dotted name."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, held: str) -> Any:
        return getattr(needed(self._name), held)


sp = Deferred("sympy")  #: SymPy, which reading, listing and showing claims does not need.


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
