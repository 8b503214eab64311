"""Shipped statements, proved now, beside what theorems promise on their instances."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

from farkas.adversary.gap import UNBOUNDED
from farkas.adversary.shipped import Reproved, Shipped, statements_of
from farkas.certificates.proof import rounded
from farkas.experiments.sweeps.guarantees import Guarantee, guarantees_of

DIGITS = 4


@dataclasses.dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem's factor on the instance of a statement.

    Parameters
    ----------
    guarantee
        The theorem.
    factor
        The number; None where an assumption is false on the instance.
    exceeded
        Whether the decisions are proved to be farther from the optimum that the theorem speaks of,
        and the algorithm takes them today.
    """

    guarantee: Guarantee
    factor: float | None
    exceeded: bool

    @property
    def reading(self) -> str:
        return self.guarantee.reading


@dataclasses.dataclass(frozen=True, slots=True)
class WorstKnown:
    """What is known of the worst case of an algorithm.

    Parameters
    ----------
    standing
        The shipped statement, proved now.
    theorems
        Of the algorithm, the printed reading first; none where no theorem states a ratio.
    """

    standing: Reproved
    theorems: Sequence[Theorem]

    @property
    def name(self) -> str:
        return self.standing.name

    @property
    def is_proved(self) -> bool:
        """Whether the statement is proved and its algorithm decides so today."""
        return self.standing.proof is not None and self.standing.repeats

    @property
    def beats_random(self) -> bool:
        """Whether the search, and no draw, found it, and no draw that is kept is worse."""
        proof, random = self.standing.proof, self.standing.random
        search = self.standing.shipped.search
        if search is not None and search.found_by == "draws":
            return False
        if proof is None or random is None:
            return proof is not None
        if proof.ratio is None or random.ratio is None:
            return proof.ratio is None
        return proof.ratio >= random.ratio

    def factor(self, reading: str) -> float | None:
        """Theorem's factor in a reading; None where there is none, or an assumption is false."""
        return next((t.factor for t in self.theorems if t.reading == reading), None)


def case_of(shipped: Shipped) -> WorstKnown:
    """Prove a statement, and hold it against the theorems about its algorithm."""
    standing = shipped.prove()
    algorithm = shipped.name.partition("[")[0]
    return WorstKnown(standing, [_theorem(one, standing) for one in guarantees_of(algorithm)])


def cases_of(kind: str) -> list[WorstKnown]:
    """Prove all statements of a kind."""
    return [case_of(shipped) for shipped in statements_of(kind)]


def _theorem(guarantee: Guarantee, standing: Reproved) -> Theorem:
    proof = standing.proof
    if proof is None:
        return Theorem(guarantee, None, False)
    factor = guarantee.factor(proof.instance, proof.gap.reached.options)
    counts = standing.repeats and proof.gap.witness.algorithm in guarantee.witnesses
    beyond = factor is not None and (proof.ratio is None or proof.ratio > Fraction(factor))
    return Theorem(guarantee, factor, counts and beyond)


def ratio_words(ratio: Fraction | None) -> str:
    """Few digits of a proved ratio, rounded down.

    >>> ratio_words(Fraction(2, 3)), ratio_words(Fraction(20001, 10)), ratio_words(None)
    ('0.6666', '2000', 'unbounded')
    """
    return UNBOUNDED if ratio is None else rounded(ratio, up=False, digits=DIGITS)


def found_words(case: WorstKnown) -> str:
    """Worst ratio found, with what is not proved of it."""
    standing = case.standing
    if standing.proof is None:
        return "not proved"
    words = ratio_words(standing.proof.ratio)
    return words if standing.repeats else f"{words}, not repeated here"


def random_words(case: WorstKnown) -> str:
    """Ratio of the worst random draw; a dash where none is proved.

    >>> from farkas.adversary.shipped import Shipped, Reproved
    >>> from pathlib import Path
    >>> nothing = Reproved(Shipped("dps.simple", Path(), None), None, "no file", False, None)
    >>> random_words(WorstKnown(nothing, [])), found_words(WorstKnown(nothing, []))
    ('–', 'not proved')
    """
    random = case.standing.random
    return "–" if random is None else ratio_words(random.ratio)


def state_words(case: WorstKnown) -> str:
    """Say what is proved of a worst case, and what is not."""
    if case.standing.proof is None:
        return f"not proved: {case.standing.objection}"
    if not case.standing.repeats:
        return "proved of these decisions; the algorithm takes others here"
    return "proved, and the algorithm decides so"


def factor_words(case: WorstKnown, reading: str) -> str:
    """Factor of a theorem on the instance; a dash where none is stated.

    >>> factor_words(WorstKnown(None, []), "printed")
    '–'
    """
    if all(theorem.reading != reading for theorem in case.theorems):
        return "–"
    factor = case.factor(reading)
    return "not applicable" if factor is None else f"{factor:.4g}"
