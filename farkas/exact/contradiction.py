"""Which rows and bounds of a program contradict each other, by the names of its source."""

from __future__ import annotations

from farkas.certificates import Certificate
from farkas.certificates.long_numbers import long_rational
from farkas.certificates.tree import TreeCertificate
from farkas.forms.rational import RationalForm
from farkas.words import named


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
    for step in certificate.ends:
        if step.row >= 0:
            entry = dict(form.row(step.row))[step.column]
            rows[step.row, (entry > 0) != step.upper] = None
    for weights in certificate.weights:
        moved: dict[int, int] = {}
        for i, text in weights.factors:
            if i >= form.num_rows:
                continue  # a cut: its rows are not told here
            y = long_rational(text, "factor").numerator
            rows[i, y > 0] = None
            for j, v in form.row(i):
                moved[j] = moved.get(j, 0) + y * v
        for j, pull in moved.items():
            if pull:
                columns[j, pull < 0] = None
    for cut in certificate.cuts:
        for i, text in cut.rows:
            if i < form.num_rows:
                rows[i, text.startswith("-")] = None
    return [
        *(_row(form, i, lower) for i, lower in sorted(rows)),
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
