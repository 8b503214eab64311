"""What objects and errors say: lines, tables for notebooks, near names, numbers of things.

Text that others wrote is shown so that it cannot pass for words of farkas: a line break in a name
could begin a line, an escape sequence could rewrite the screen, a quotation mark could end a
quotation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

#: Characters of a quotation that are shown; the middle of longer text is left out.
LONGEST_WORDS = 200

PLAIN = re.compile(r"[A-Za-z0-9._/~][A-Za-z0-9._/~\[\]=,+@-]*")


def cleaned(text: str) -> str:
    r"""Text in which every character that is not printable is spelt, also line breaks.

    >>> cleaned("two\nlines, \x1b[31mred"), cleaned("turned \u202e round")
    ('two\\nlines, \\x1b[31mred', 'turned \\u202e round')
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def quoted(text: str, most: int = LONGEST_WORDS) -> str:
    r"""Text between quotation marks that nothing inside can close.

    >>> print(quoted('a".  Proved: "b'), quoted("x\n"), quoted("0123456789", most=7))
    "a\".  Proved: \"b" "x\n" "01...89"
    """
    escaped = cut(text, most).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{cleaned(escaped)}"'


def named(text: str, most: int = LONGEST_WORDS) -> str:
    r"""Return a name as it is when it reads like one, else quoted.

    >>> named("mlbroker/tiny"), named("gadget.slot[strict]"), named("x: proved bound 5")
    ('mlbroker/tiny', 'gadget.slot[strict]', '"x: proved bound 5"')
    """
    if len(text) <= most and PLAIN.fullmatch(text):
        return text
    return quoted(text, most)


def cut(text: str, most: int) -> str:
    """Text without its middle where it is longer than ``most``.

    >>> cut("0123456789", 7)
    '01...89'
    """
    if len(text) <= most:
        return text
    kept = max(most - 3, 2)
    return f"{text[: kept - kept // 2]}...{text[len(text) - kept // 2 :]}"


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


LONGEST_LINE = 4000  #: Characters of a message that are shown.

#: What decoders of JSON and TOML repeat of a file, between marks that they do not escape.
_OF_THE_FILE = re.compile(
    r"((?:unknown value|Invalid value|Object contains unknown field) )"
    r"(['`])(.*?)\2((?: - at `\$[^`]*`)?)",
    re.DOTALL,
)


def one_line(text: str, most: int = LONGEST_LINE) -> str:
    r"""One printable line; runs of blanks and line breaks become one blank.

    A word that is too long to be read loses its middle, whoever repeats it.

    >>> one_line("two\nlines,  \x07")
    'two lines, \\x07'
    """
    return cut(cleaned(" ".join(cut(word, 2 * LONGEST_WORDS) for word in text.split())), most)


def parsed(error: object) -> str:
    r"""Return what a decoder says of a file, types in words: every such message goes through here.

    The file's words are quoted unless they are a name.

    >>> print(parsed("Object contains unknown field `jobz` - at `$.x`"))
    unknown field `jobz` - at `$.x`
    >>> print(parsed("Object contains unknown field `a`. Proved: `b`"))
    unknown field "a`. Proved: `b"
    >>> print(parsed("Expected `float` >= 0.0 - at `$.x`"))
    Expected a number >= 0.0 - at `$.x`
    >>> print(parsed("Expected `int | null`, got `str` - at `$.x`"))
    Expected a whole number or null, got text - at `$.x`
    """
    text = str(error).replace("JSON is malformed", "not JSON", 1)
    text = text.replace("Input data was truncated", "not JSON: it ends too early", 1)
    text = text.replace("'utf-8' codec", "not JSON: 'utf-8' codec", 1)
    text = text.replace("Invalid enum value", "unknown value", 1)
    found = _OF_THE_FILE.fullmatch(text)
    if found is not None and not PLAIN.fullmatch(found[3]):
        text = f"{found[1]}{quoted(found[3])}{found[4]}"
    if text.startswith("Object "):  # contains unknown field, missing required field
        return text.removeprefix("Object ").removeprefix("contains ")
    return _TYPES.sub(_in_words, _PATTERN.sub(r"\1 without control characters\2", text))


def _in_words(found: re.Match[str]) -> str:
    """Say types of JSON in words."""
    said = found[1] + " or ".join(_TYPE.get(name, name) for name in found[2].split(" | "))
    if found[3] is not None:
        said += found[3] + _GOT.get(found[4], _TYPE.get(found[4], found[4]))
    return said


_TYPE = {
    "float": "a number",
    "int": "a whole number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object of names and values",
}
# of names that a certificate may hold, whose pattern lists what is forbidden: nobody reads that
_PATTERN = re.compile(r"^(Expected `str`) matching regex '\^\[\^.*'( - at `\$[^`]*`)$", re.DOTALL)
#: What a value is called that is none of those expected, where that differs.
_GOT = {"float": "a number with a point", "bool": "a truth value"}
_TYPES = re.compile(r"^(Expected )`([a-z]+(?: \| [a-z]+)*)`(?:(, got )`([a-z]+)`)?")


def shown(value: object, most: int = LONGEST_WORDS) -> str:
    """Return a value as Python writes it, without its middle where that is longer than ``most``.

    >>> shown("x"), shown([1, 2]), shown("0123456789", 7), shown(10**5000)
    ("'x'", '[1, 2]', "'0...9'", '<int>')
    """
    try:
        return cut(repr(value), most)
    except ValueError:  # an integer of more digits than Python writes
        return f"<{type(value).__name__}>"
