"""Which rows and bounds of a program contradict each other, by the names of its source."""

from __future__ import annotations

from farkas.certificates import Certificate
from farkas.certificates.long_numbers import long_rational
from farkas.certificates.tree import TreeCertificate
from farkas.exact.whole import weighted_sum
from farkas.forms.rational import RationalForm
from farkas.messages import named


def contradicting(form: RationalForm, certificate: Certificate | None) -> list[str]:
    """Rows and bounds that a proof uses; more of a tree than of a single ray.

    Returns
    -------
    Sentences such as ``row demand: >= 4`` and ``column x: <= 3``, rows first.
    """
    if not isinstance(certificate, TreeCertificate):
        return []
    rows: dict[tuple[int, bool], None] = {}
    columns: dict[tuple[int, bool], None] = {}
    lines: list[list[tuple[int, int]]] = [form.row(i) for i in range(form.num_rows)]
    for step in certificate.ends:
        if step.row >= 0:
            entry = dict(lines[step.row])[step.column]
            rows[step.row, (entry > 0) != step.upper] = None
    for cut in certificate.cuts:
        weights = {i: long_rational(text, "weight") for i, text in cut.rows}
        rows |= {(i, (w > 0) == (i in cut.across)): None for i, w in weights.items()}
        divisor = long_rational(cut.divisor, "divisor")
        for j, total in weighted_sum(weights, lines.__getitem__).items():
            if not (form.integer[j] and (total / divisor).denominator == 1):
                columns[j, j not in cut.complemented] = None  # it is measured from this end
        lines.append([(j, long_rational(text, "cut").numerator) for j, text in cut.terms])
    for leaf in certificate.weights:
        factors = {i: long_rational(text, "factor") for i, text in leaf.factors}
        rows |= {(i, y > 0): None for i, y in factors.items()}
        moved = weighted_sum(factors, lines.__getitem__)
        columns |= {(j, pull < 0): None for j, pull in moved.items()}
    return [
        # an equation is told once; of cuts their rows are
        *dict.fromkeys(_row(form, i, lower) for i, lower in sorted(rows) if i < form.num_rows),
        *(said for j, low in sorted(columns) if (said := _column(form, j, low))),
        *_crossed(form),
    ]


def _row(form: RationalForm, i: int, lower: bool) -> str:
    side, factor = (form.row_lower[i] if lower else form.row_upper[i]), form.factors[i]
    low, high = form.row_lower[i], form.row_upper[i]
    relation = "=" if low == high else ">=" if lower else "<="
    shown = "none" if side is None else str(side / factor)
    return f"{_told('row', form.row_names, i)}: {relation} {shown}"


def _column(form: RationalForm, j: int, lower: bool) -> str:
    end = form.lower[j] if lower else form.upper[j]
    name = _told("column", form.column_names, j)
    return "" if end is None else f"{name}: {'>=' if lower else '<='} {end}"


def _crossed(form: RationalForm) -> list[str]:
    found = []
    for j, (a, b) in enumerate(zip(form.lower, form.upper, strict=True)):
        if a is not None and b is not None and a > b:
            found.append(f"{_told('column', form.column_names, j)}: >= {a} and <= {b}")
    for i, (a, b) in enumerate(zip(form.row_lower, form.row_upper, strict=True)):
        if a is not None and b is not None and a > b:
            factor = form.factors[i]
            name = _told("row", form.row_names, i)
            found.append(f"{name}: >= {a / factor} and <= {b / factor}")
    return found


def _told(what: str, names: tuple[str, ...], place: int) -> str:
    """``row demand``, or ``row 3`` where the source names none."""
    return f"{what} {named(names[place]) if names else place}"
