"""Words of others in HTML and JSON, where they can neither close nor hide what is around them."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from farkas.messages import MOST_LETTERS, cleaned, cut

MOST_ROWS = 60  #: Of a table; those in the middle are left out.


def html_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Table in HTML that nothing in it can close; None is an empty cell.

    >>> print(html_table("two <b>", ["name"], [["a"], [None]]))
    <table><caption>two &lt;b&gt;</caption>
    <tr><th scope="col">name</th></tr>
    <tr><td>a</td></tr>
    <tr><td></td></tr>
    </table>
    """

    def cell(what: object) -> str:
        return html.escape(cleaned(cut("" if what is None else str(what), MOST_LETTERS)))

    head = "".join(f'<th scope="col">{cell(column)}</th>' for column in columns)
    body = [f"<tr>{''.join(f'<td>{cell(x)}</td>' for x in row)}</tr>" for row in rows]
    if len(body) > MOST_ROWS:
        half = MOST_ROWS // 2
        body[half:-half] = [f"<tr><td>{len(body) - 2 * half} rows more</td></tr>"]
    lines = [f"<table><caption>{cell(title)}</caption>", *([f"<tr>{head}</tr>"] if head else [])]
    return "\n".join([*lines, *body, "</table>"])


def visible_json(text: str) -> str:
    r"""JSON with the same content whose invisible characters are spelt as ``\uXXXX``.

    Outside its strings JSON holds none of them but line breaks, which stay.

    >>> visible_json('{"name": "\u202e\x7f\u03c1"}') == '{"name": "\\u202e\\u007f\u03c1"}'
    True
    """

    def spelt(found: re.Match[str]) -> str:
        letter = found.group()
        if letter.isprintable():
            return letter
        units = letter.encode("utf-16-be", "surrogatepass")
        return "".join(f"\\u{units[k]:02x}{units[k + 1]:02x}" for k in range(0, len(units), 2))

    return re.sub(r"[^\n -~]", spelt, text)
