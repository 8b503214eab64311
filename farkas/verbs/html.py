"""Small HTML tables in which objects show themselves in notebooks."""

from __future__ import annotations

import html as escaping
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from farkas.certificates.proof import rounded
from farkas.certificates.ratio import ratio_words
from farkas.words import cleaned, cut, named

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


def _run(one: Any) -> str:
    bound, steps = one.certificate, len(one.decisions)
    told = "" if one.made_on is not None else ", as its file says: not proved again here"
    return card(
        f"run of {named(one.algorithm)} on {named(one.instance)}{told}",
        [
            ("value", "none" if math.isnan(one.value) else f"{one.value:.9g}"),
            ("bound" if told else "proved bound", _bound(bound, one.sense)),
            ("bound by" if told else "proved by", None if bound is None else bound.method),
            ("ratio" if told else "certified ratio", _ratio(one.ratio)),
            ("sense", {"min": "cost", "max": "reward"}[one.sense]),
            ("options", ", ".join(f"{k}={v}" for k, v in one.options.items()) or None),
            ("decisions", f"{steps} step{'s' * (steps != 1)}"),
            ("breaks", "; ".join(one.violations) or None),
            ("remarks", "; ".join(one.remarks) or None),
        ],
    )


def _comparison(one: Any) -> str:
    rows = [
        [e.algorithm, e.value, None if e.ratio is None else ratio_words(e.ratio),
         None if e.seconds is None else f"{e.seconds:.3g}", e.note]
        for e in one.entries
    ]  # fmt: skip
    columns = ["algorithm", "value", "certified ratio", "seconds", "note"]
    return table(f"{one.title}: proved bound {one.proved}", columns, rows)


def _optimum(one: Any) -> str:
    bound = one.run.certificate
    return card(
        f"optimum of {named(one.run.instance)}",
        [
            ("value", rounded(one.value, up=one.sense == "min")),
            ("proved bound", _bound(bound, one.sense)),
            ("gap", "none" if one.gap is None else f"{one.gap:.3g}"),
            ("found by", one.found_by),
            ("proved by", None if bound is None else bound.method),
            ("seconds", f"{one.seconds:.3g}"),
            ("remarks", "; ".join(one.remarks) or None),
        ],
    )


def _solution(one: Any) -> str:
    answer, form = one.answer, one.form
    whole = int(form.integer.sum())
    columns = f"{form.num_columns} columns" + (f" ({whole} integer)" if whole else "")
    size = f"{form.sense}, {form.num_rows} rows, {columns}, {form.num_entries} entries"
    bound = None if one.bound is None else rounded(one.bound, up=form.sense == "max")
    return card(
        form.name,
        [
            ("program", size),
            (f"{answer.solver} claims", answer.claim),
            ("value of its point", f"{answer.objective:.9g}" if answer.has_point else None),
            ("proved bound", bound),
            ("proved by", one.proved_by or None),
            ("proved infeasible", None if one.infeasible is None else "yes"),
        ],
    )


def _worst(one: Any) -> str:
    return card(
        f"worst case of {named(one.gap.reached.algorithm)}",
        [
            ("ratio at least", one.ratio_words),
            ("witness", one.gap.witness.algorithm),
            ("instance", repr(one.instance)[1:-1]),
            ("evaluations", one.evaluations),
            ("seconds", f"{one.seconds:.3g}"),
            ("seed", one.seed),
        ],
    )


def _claim(one: Any) -> str:
    statement = " ".join(one.statement.split())
    return card(f"claim {one.name}", [("source", one.source), ("statement", statement)])


def _verdict(one: Any) -> str:
    by, fails = one.counterexample, [str(relation) for relation in one.fails]
    return card(
        str(one.standing),
        [
            ("runs", one.runs),
            ("smallest slack", one.slack),
            ("tolerance", one.tolerance or None),
            ("counterexample", by if isinstance(by, str) or by is None else "an instance inline"),
            ("fails", "; ".join(fails) or None),
            ("note", one.note or None),
            ("numbers", ", ".join(f"{name} {x:.6g}" for name, x in one.numbers.items()) or None),
            ("attacked", one.attacked),
        ],
    )


def _bound(bound: Any, sense: str) -> str:
    return "none" if bound is None else str(bound.words(sense))


def _ratio(ratio: float | None) -> str:
    return "none" if ratio is None else ratio_words(ratio)


SHOWN: Mapping[str, Callable[[Any], str]] = {
    "Claim": _claim,
    "Comparison": _comparison,
    "OfflineOptimum": _optimum,
    "Run": _run,
    "Solution": _solution,
    "Verdict": _verdict,
    "WorstCase": _worst,
}
"""By name of a class: what shows a run need not load what shows claims."""


def html(one: Any) -> str:
    """Table of an object of a class of `SHOWN`, or of one that is derived from it."""
    return next(SHOWN[base.__name__] for base in type(one).__mro__ if base.__name__ in SHOWN)(one)
