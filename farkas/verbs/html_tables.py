"""Small HTML tables: cards of one object, tables of many."""

from __future__ import annotations

import html as escaping
from collections.abc import Iterable, Sequence

from farkas.words import cleaned, cut

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
