"""Worst cases as people see them: statements, proved now, beside what theorems promise."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from farkas.adversary.gap import UNBOUNDED, GapProof, from_json, prove_gap
from farkas.adversary.scoring import decides_again
from farkas.adversary.shipped import Reproved, Shipped, statement_name, statements_of
from farkas.certificates.doubles import double
from farkas.certificates.proof import rounded
from farkas.errors import FileProblem, InvalidOption, NoAnswer
from farkas.experiments import explanation
from farkas.experiments.figures import (
    Agreement,
    Exhibit,
    Figure,
    PlotAxis,
    Preset,
    Series,
    Statement,
)
from farkas.experiments.pictures import BothSides, layouts
from farkas.experiments.sweeps.guarantees import Guarantee, guarantees_of
from farkas.instances.files import require_kind
from farkas.messages import named
from farkas.verbs.worst import worst_known

DIGITS = 4
READINGS = ("printed", "repaired")


@dataclasses.dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem's factor on the instance of a statement."""

    guarantee: Guarantee
    factor: float | None  #: None where an assumption is false on the instance
    #: Whether the decisions, which the algorithm takes today, are proved to be farther off.
    exceeded: bool

    @property
    def reading(self) -> str:
        return self.guarantee.reading


@dataclasses.dataclass(frozen=True, slots=True)
class WorstKnown:
    """What is known of the worst case of an algorithm."""

    standing: Reproved  #: the shipped statement, proved now
    theorems: Sequence[Theorem]  #: the printed reading first

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
    """Ratio of the worst random draw; a dash where none is proved."""
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


def pair_of(proof: GapProof, *, again: bool) -> BothSides | None:
    """Lay out both sides of a proved statement; None for a kind that has no layout.

    Where the algorithm does not decide so ``again`` today, the picture says whose word it is.
    """
    kind, gap = proof.instance.kind, proof.gap
    layout = layouts.get(kind)
    if layout is None:
        return None
    earns, least = ("costs", True) if proof.sense == "min" else ("earns", False)
    name = statement_name(gap.reached) if again else said_to_be(statement_name(gap.reached))
    heads = (
        f"{name} never ends"
        if proof.value is None
        else f"{name} {earns} {rounded(proof.value, up=not least, digits=DIGITS)}",
        f"{gap.witness.algorithm} {earns} {rounded(proof.witness, up=least, digits=DIGITS)}",
    )
    sides = [gap.reached.decisions, gap.witness.decisions]
    words = ratio_words(proof.ratio)
    return BothSides(
        f"{name}: {words if proof.ratio is None else f'at least {words} times off'}",
        heads,
        layout(proof.instance, sides),
        explanation(layout, f"layout of {kind}"),
    )


def said_to_be(name: str) -> str:
    """Words for decisions that a file says an algorithm takes."""
    return f"the file's {name}"


def asked(kind: str, of: str) -> tuple[GapProof, BothSides]:
    """Prove a statement and lay it out.

    Raises `UnknownName`: nothing of that name ships; `FileProblem`: the file cannot be read, or is
    no statement; `NotACertificate`: less is proved than is stated; `NoAnswer`: decisions of the
    kind have no layout.  ``of`` is an algorithm, with options in brackets where the statement has
    such, or the path of a file.
    """
    is_file = Path(of).suffix == ".json"
    if is_file:
        try:
            content = Path(of).read_bytes()
        except OSError as error:
            raise FileProblem(f"{named(of)}: {error.strerror or error}") from None
        proof = prove_gap(from_json(content, of))
    else:
        _shipped(kind)
        proof = worst_known(of if of.startswith(f"{kind}.") else f"{kind}.{of}")
    if proof.instance.kind != kind:
        raise InvalidOption(f"--of {named(of)}: is of kind {proof.instance.kind}, not {kind}")
    pair = pair_of(proof, again=not is_file or decides_again(proof.gap, proof.instance))
    if pair is None:
        raise NoAnswer(f"decisions of kind {named(kind)} have no picture")
    return proof, pair


def _shipped(kind: str) -> list[Shipped]:
    found = list(statements_of(kind))
    if not found:
        raise NoAnswer(f"no worst case of kind {named(kind)} ships; farkas worst finds some")
    return found


def overview(kind: str) -> Exhibit:
    """Exhibit of a kind's worst cases; it is no figure of the paper, so that no list holds it.

    Raises `UnknownName`: there is no such kind.
    """
    require_kind(kind)

    def build(preset: Preset, seed: int) -> Figure:
        return figure_of([case_of(one) for one in _shipped(kind)])

    return Exhibit(
        kind=kind,
        label="worst",
        title=f"Worst cases of kind {kind}",
        source="farkas worst",
        agreement=Agreement.OURS,
        reason="worst cases are searched for, no paper shows them",
        method="Shipped statements are proved when the figure is drawn, from their decisions.",
        build=build,
    )


def figure_of(cases: Sequence[WorstKnown]) -> Figure:
    """Draw ratios of cases; what is not proved, or not repeated, is only named in a finding."""
    columns: dict[str, dict[str, float | None]] = {
        "worst found, proved": {},
        "worst random draw, proved": {},
        "theorem, as printed": {},
        "theorem, repaired": {},
    }
    for case in cases:
        if case.is_proved:
            name, random = case.name.partition(".")[2], case.standing.random
            values = (
                _below(case.standing.ratio),
                None if random is None else _below(random.ratio),
                *map(case.factor, READINGS),
            )
            for column, value in zip(columns.values(), values, strict=True):
                column[name] = value
    series = []
    for title, column in columns.items():
        known = {name: value for name, value in column.items() if value is not None}
        if known:
            series.append(Series(title, list(known), list(known.values()), chart="scatter"))
    return Figure(
        x=PlotAxis(""),
        y=PlotAxis("ratio, at least", log=True),
        series=series,
        findings=_findings(cases),
        caption=(
            "Ratios of what algorithms reach to what others reach on one instance each; arrows are "
            "ratios of something to nothing. Theorems' factors are those on the same instance, "
            "where its assumptions hold. Random draws took as much CPU time as the search"
        ),
    )


def _below(ratio: Fraction | None) -> float:
    """Largest double below a ratio; infinite where it is unbounded."""
    found = None if ratio is None else double(ratio, up=False)
    return math.inf if found is None else found


def _findings(cases: Sequence[WorstKnown]) -> list[Statement]:
    """Say what is proved, what is repeated, and which theorems are exceeded."""
    proved = [case for case in cases if case.standing.proof]
    forged = [f"{c.name}: {c.standing.objection}" for c in cases if c.standing.proof is None]
    found = [
        _ours("every statement is proved", forged, "; "),
        _ours("every algorithm decides so again",
              [case.name for case in proved if not case.standing.repeats]),
        _ours("every ratio is bounded",
              [case.name for case in proved if case.standing.ratio is None]),
        _ours("the search is ahead of random draws",
              [case.name for case in proved if not case.beats_random]),
    ]  # fmt: skip
    for reading in READINGS:
        known = [(case, theorem) for case in cases for theorem in case.theorems
                 if theorem.reading == reading and theorem.factor is not None]  # fmt: skip
        exceeded = [
            f"{case.name}: {ratio_words(case.standing.ratio)}, promised {theorem.factor:.4g}"
            for case, theorem in known
            if theorem.exceeded
        ]
        if known:
            found.append(_ours(f"no theorem as {reading} is exceeded", exceeded, "; "))
    return found


def _ours(statement: str, against: Sequence[str], between: str = ", ") -> Statement:
    return Statement(statement, not against, between.join(against), about="ours")
