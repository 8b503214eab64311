"""The figure ``farkas figure KIND worst``: what is promised, and how bad it gets."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from farkas.adversary.shipped import statements_of
from farkas.certificates.doubles import double
from farkas.errors import NoAnswer
from farkas.experiments.figures import (
    Agreement,
    Exhibit,
    Figure,
    PlotAxis,
    Preset,
    Progress,
    Series,
    Statement,
)
from farkas.experiments.worst_cases.cases import WorstKnown, case_of, ratio_words
from farkas.instances.files import require_kind
from farkas.words import named

WORST = "worst"
"""The number by which `farkas figure` finds it."""


def overview(kind: str) -> Exhibit:
    """Exhibit of a kind's worst cases; it is no figure of the paper, so that no list holds it.

    Raises
    ------
    UnknownName
        There is no such kind.
    """
    require_kind(kind)

    def build(preset: Preset, seed: int, progress: Progress) -> Figure:
        shipped = statements_of(kind)
        if not shipped:
            raise NoAnswer(f"no worst case of kind {named(kind)} ships; farkas worst finds some")
        cases = []
        for done, one in enumerate(shipped):
            cases.append(case_of(one))
            progress(done + 1, len(shipped))
        return figure_of(cases)

    return Exhibit(
        kind=kind,
        label=WORST,
        title=f"Worst cases of kind {kind}",
        source="farkas worst",
        agreement=Agreement.OURS,
        reason="worst cases are searched for, no paper shows them",
        method="Shipped statements are proved when the figure is drawn, from their decisions.",
        build=build,
    )


def figure_of(cases: Sequence[WorstKnown]) -> Figure:
    """Draw ratios of cases; what is not proved, or not repeated, is only named in a finding."""
    shown = [case for case in cases if case.is_proved]
    names = [case.name.partition(".")[2] for case in shown]
    columns: list[tuple[str, Callable[[WorstKnown], float]]] = [
        ("worst found, proved", lambda case: _number(case.standing.ratio)),
        ("worst random draw, proved", _random),
        ("theorem, as printed", lambda case: _factor(case, "printed")),
        ("theorem, repaired", lambda case: _factor(case, "repaired")),
    ]
    series = []
    for title, value in columns:
        known = {name: number for name, case in zip(names, shown, strict=True)
                 for number in [value(case)] if not math.isnan(number)}  # fmt: skip
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


def _number(ratio: Fraction | None) -> float:
    """Largest double below a ratio; infinite where it is unbounded."""
    found = None if ratio is None else double(ratio, up=False)
    return math.inf if found is None else found


def _random(case: WorstKnown) -> float:
    random = case.standing.random
    return math.nan if random is None else _number(random.ratio)


def _factor(case: WorstKnown, reading: str) -> float:
    factor = case.factor(reading)
    return math.nan if factor is None else factor


def _findings(cases: Sequence[WorstKnown]) -> list[Statement]:
    """Say what is proved, what is repeated, and which theorems are exceeded."""
    forged = [case for case in cases if case.standing.proof is None]
    others = [case for case in cases if case.standing.proof and not case.standing.repeats]
    weak = [case.name for case in cases if case.standing.proof and not case.beats_random]
    proofs = [f"{case.name}: {case.standing.objection}" for case in forged]
    endless = [case.name for case in cases if case.standing.proof and case.standing.ratio is None]
    found = [
        _ours("every statement is proved", "; ".join(proofs)),
        _ours("every algorithm decides so again", ", ".join(case.name for case in others)),
        _ours("every ratio is bounded", ", ".join(endless)),
        _ours("the search is ahead of random draws", ", ".join(weak)),
    ]
    for reading in ("printed", "repaired"):
        known = [
            (case, theorem)
            for case in cases
            for theorem in case.theorems
            if theorem.reading == reading and theorem.factor is not None
        ]
        exceeded = [
            f"{case.name}: {ratio_words(case.standing.ratio)}, promised {theorem.factor:.4g}"
            for case, theorem in known
            if theorem.exceeded
        ]
        if known:
            words = "as printed" if reading == "printed" else "as repaired"
            found.append(_ours(f"no theorem {words} is exceeded", "; ".join(exceeded)))
    return found


def _ours(statement: str, against: str) -> Statement:
    return Statement(statement, not against, against, about="ours")
