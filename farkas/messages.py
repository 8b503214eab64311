"""What objects and errors say: lines, tables for notebooks, near names, numbers of things."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

MOST_LETTERS = 300  #: Of a cell of a table; the middle of longer text is left out.
MOST_ROWS = 60  #: Of a table; those in the middle are left out.


class ShowsItself:
    """Is its line, and what it says as plain data, in a table of a notebook."""

    __slots__ = ()

    def _details(self) -> Mapping[str, object]:
        """Return what the table says beside the line."""
        plain = getattr(self, "to_builtins", None)
        return plain() if plain is not None else {}

    def _repr_html_(self) -> str:
        rows = [[word, what] for word, what in self._details().items() if what or what == 0]
        return html_table(repr(self).removeprefix("<").removesuffix(">"), (), rows)


class ShowsStatement(ShowsItself):
    """A proof, which is what its statement says."""

    __slots__ = ()
    statement: Any

    def __repr__(self) -> str:
        return f"<proof: {self.statement}>"


def verb(name: str) -> Any:
    """Make a method that is the public function of a name, with the object first."""

    def method(self: object, *given: Any, **options: Any) -> Any:
        return getattr(import_module("farkas"), name)(self, *given, **options)

    method.__name__, method.__doc__ = name, f"See `farkas.{name}`, with this object first."
    return method


def html_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Table in HTML that nothing in it can close; None is an empty cell.

    >>> print(html_table("two <b>", ["name"], [["a"], [None]]))
    <table><caption>two &lt;b&gt;</caption>
    <tr><th scope="col">name</th></tr>
    <tr><td>a</td></tr>
    <tr><td></td></tr>
    </table>
    """
    import html  # here: only notebooks ask

    from farkas.words import cleaned, cut

    def cell(what: object) -> str:
        return html.escape(cleaned(cut("" if what is None else str(what), MOST_LETTERS)))

    head = "".join(f'<th scope="col">{cell(column)}</th>' for column in columns)
    body = [f"<tr>{''.join(f'<td>{cell(x)}</td>' for x in row)}</tr>" for row in rows]
    if len(body) > MOST_ROWS:
        half = MOST_ROWS // 2
        body[half:-half] = [f"<tr><td>{len(body) - 2 * half} rows more</td></tr>"]
    lines = [f"<table><caption>{cell(title)}</caption>", *([f"<tr>{head}</tr>"] if head else [])]
    return "\n".join([*lines, *body, "</table>"])


def suggestion(name: str, known: Iterable[str]) -> str:
    """Text that names the closest known names, or lists them all when they are few.

    A name is looked for among those of its own kind; one that names no kind, in every kind.

    >>> suggestion("higs", ["highs", "scip"])
    '; did you mean highs?'
    >>> suggestion("local", ["dps.simple", "mlbroker.local"])
    '; did you mean mlbroker.local?'
    >>> suggestion("dps.nosuch", ["coded.uniform", "dps.simple"])
    '; known: dps.simple'
    """
    from difflib import get_close_matches  # here: names are seldom wrong

    names = sorted(set(known))
    owner, dot, _ = name.partition(".")
    if dot:
        names = [one for one in names if one.startswith(f"{owner}.")] or names
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    if not dot:  # those whose part after the kind is the name or, where there is none, close to it
        last: dict[str, list[str]] = {}
        for one in names:
            last.setdefault(one.partition(".")[2] or one, []).append(one)
        parts = [name] if name in last else get_close_matches(name, last, n=3, cutoff=0.6)
        near = [one for part in parts for one in last[part]][:3] or near
    if near:
        return f"; did you mean {' or '.join(near)}?"
    if not names:
        return "; there is none"
    return f"; known: {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}"


def number_of(count: int, things: str, one: str = "") -> str:
    """Return a number and what is counted, in the singular for one.

    >>> number_of(1, "jobs"), number_of(0, "masters"), number_of(1, "entries", "entry")
    ('1 job', '0 masters', '1 entry')
    """
    return f"{count} {(one or things.removesuffix('s')) if count == 1 else things}"


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
