"""Small HTML tables in which objects show themselves in notebooks."""

from __future__ import annotations

import html as escaping
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from farkas.certificates.proof import rounded
from farkas.certificates.ratio import ratio_words
from farkas.words import cleaned, cut, named

Rows = Iterator[tuple[str, object]]
"""A word and what it is; what is None is left out."""

MOST_LETTERS = 300
"""Of a cell; the middle of longer text is left out."""
MOST_ROWS = 60
"""Of a table; those in the middle are left out."""


def card(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """Table of what is said of one object: a word and what it is, a row each; None is left out.

    >>> print(card("run of <b>", [("value", 105), ("bound", None)]))
    <table><caption>run of &lt;b&gt;</caption>
    <tr><th scope="row">value</th><td>105</td></tr>
    </table>
    """
    said = [
        f'<tr><th scope="row">{_cell(word)}</th><td>{_cell(what)}</td></tr>'
        for word, what in rows
        if what is not None
    ]
    return "\n".join([f"<table><caption>{_cell(title)}</caption>", *said, "</table>"])


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Table of many objects, a row each; None is an empty cell.

    >>> print(table("two", ["name"], [["a"], [None]]))
    <table><caption>two</caption>
    <tr><th scope="col">name</th></tr>
    <tr><td>a</td></tr>
    <tr><td></td></tr>
    </table>
    """
    head = "".join(f'<th scope="col">{_cell(column)}</th>' for column in columns)
    body = [f"<tr>{''.join(f'<td>{_cell(x)}</td>' for x in row)}</tr>" for row in rows]
    if len(body) > MOST_ROWS:
        half = MOST_ROWS // 2
        left = f'<tr><td colspan="{len(columns)}">{len(body) - 2 * half} rows more</td></tr>'
        body = [*body[:half], left, *body[-half:]]
    lines = [f"<table><caption>{_cell(title)}</caption>", f"<tr>{head}</tr>", *body, "</table>"]
    return "\n".join(lines)


def _cell(what: object) -> str:
    """Text that nothing in it can close; numbers in six digits."""
    if what is None:
        return ""
    text = f"{what:.6g}" if isinstance(what, float) else str(what)
    return escaping.escape(cleaned(cut(text, MOST_LETTERS)))


def _run(one: Any) -> Rows:
    bound, steps = one.certificate, len(one.decisions)
    yield f"run of {named(one.algorithm)} on {named(one.instance)}", ""
    yield "value", "none" if math.isnan(one.value) else f"{one.value:.9g}"
    yield "proved bound", "none" if bound is None else bound.words(one.sense)
    yield "proved by", None if bound is None else bound.method
    yield "certified ratio", "none" if one.ratio is None else ratio_words(one.ratio)
    yield "sense", {"min": "cost", "max": "reward"}[one.sense]
    yield "options", ", ".join(f"{k}={v}" for k, v in one.options.items()) or None
    yield "decisions", f"{steps} step{'s' * (steps != 1)}"
    yield "breaks", "; ".join(one.violations) or None
    yield "remarks", "; ".join(one.remarks) or None


def _optimum(one: Any) -> Rows:
    bound = one.run.certificate
    yield f"optimum of {named(one.run.instance)}", ""
    yield "value", rounded(one.value, up=one.sense == "min")
    yield "proved bound", "none" if bound is None else bound.words(one.sense)
    yield "gap", "none" if one.gap is None else f"{one.gap:.3g}"
    yield "found by", one.found_by
    yield "proved by", None if bound is None else bound.method
    yield "seconds", f"{one.seconds:.3g}"
    yield "remarks", "; ".join(one.remarks) or None


def _solution(one: Any) -> Rows:
    answer, up = one.answer, one.form.sense == "max"
    yield one.form.name, ""
    form = one.form
    whole = int(form.integer.sum())
    columns = f"{form.num_columns} columns" + (f" ({whole} integer)" if whole else "")
    yield "program", f"{form.sense}, {form.num_rows} rows, {columns}, {form.num_entries} entries"
    yield f"{answer.solver} claims", answer.claim
    yield "objective", f"{answer.objective:.9g}" if answer.has_point else None
    yield "proved bound", None if one.bound is None else rounded(one.bound, up=up)
    yield "proved by", one.proved_by or None
    yield "proved infeasible", None if one.infeasible is None else "yes"


def _worst(one: Any) -> Rows:
    yield f"worst case of {named(one.gap.reached.algorithm)}", ""
    yield "ratio at least", one.ratio_words
    yield "witness", one.gap.witness.algorithm
    yield "instance", repr(one.instance)[1:-1]
    yield "evaluations", one.evaluations
    yield "seconds", f"{one.seconds:.3g}"
    yield "seed", one.seed


def _claim(one: Any) -> Rows:
    yield f"claim {one.name}", ""
    yield "source", one.source
    yield "statement", " ".join(one.statement.split())


def _verdict(one: Any) -> Rows:
    by, fails = one.counterexample, [str(relation) for relation in one.fails]
    yield str(one.standing), ""
    yield "runs", one.runs
    yield "smallest slack", one.slack
    yield "tolerance", one.tolerance or None
    yield "counterexample", by if isinstance(by, str) or by is None else "an instance inline"
    yield "fails", "; ".join(fails) or None
    yield "note", one.note or None
    yield "numbers", ", ".join(f"{name} {x:.6g}" for name, x in one.numbers.items()) or None
    yield "attacked", one.attacked


SHOWN: Mapping[str, Callable[[Any], Rows]] = {
    "Run": _run,
    "OfflineOptimum": _optimum,
    "Solution": _solution,
    "WorstCase": _worst,
    "Claim": _claim,
    "Verdict": _verdict,
}
"""By name of a class: what shows a run need not load what shows claims."""


def html(one: Any) -> str:
    """Table of an object; the first row of what says it is the title."""
    if type(one).__name__ == "Comparison":
        return _comparison(one)
    name = next(base.__name__ for base in type(one).__mro__ if base.__name__ in SHOWN)
    (title, _), *rows = SHOWN[name](one)
    return card(title, rows)


def _comparison(one: Any) -> str:
    rows = [
        [e.algorithm, e.value, None if e.ratio is None else ratio_words(e.ratio),
         None if e.seconds is None else f"{e.seconds:.3g}", e.note]
        for e in one.entries
    ]  # fmt: skip
    columns = ["algorithm", "value", "certified ratio", "seconds", "note"]
    return table(f"{one.title}: proved bound {one.proved}", columns, rows)
