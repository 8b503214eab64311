"""What objects and errors say: lines, tables for notebooks, numbers of things.

Text that others wrote is shown so that it cannot pass for words of farkas: a line break in a name
could begin a line, an escape sequence could rewrite the screen, a quotation mark could end a
quotation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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


class ShowsItself:
    """Is its line, and what it says as plain data, in a table of a notebook."""

    __slots__ = ()

    def _details(self) -> Mapping[str, object]:
        """Return what the table says beside the line."""
        plain = getattr(self, "to_builtins", None)
        return plain() if plain is not None else {}

    def _repr_html_(self) -> str:
        from farkas.messages.formats import html_table  # here: only notebooks ask

        rows = [[word, what] for word, what in self._details().items() if what or what == 0]
        return html_table(repr(self).removeprefix("<").removesuffix(">"), (), rows)


class KnowsOtherWords(ShowsItself):
    """A result that answers to a word of other packages with its own."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        # tools that copy, pickle or display ask for private names, and read no hint
        hint = ""
        if not name.startswith("_"):
            known = [one for one in dir(type(self)) if not one.startswith("_")]
            hint = import_module("farkas.messages.refusals").suggestion(name, known)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")


class ShowsStatement(ShowsItself):
    """A proof, which is what its statement says."""

    __slots__ = ()
    statement: Any

    def __repr__(self) -> str:
        return f"<proof: {self.statement}>"


def method(name: str) -> Any:
    """Make a method that is the public function of a name, with the object first."""

    def method(self: object, *given: Any, **options: Any) -> Any:
        return getattr(import_module("farkas"), name)(self, *given, **options)

    method.__name__, method.__doc__ = name, f"See `farkas.{name}`, with this object first."
    return method


def number_of(count: int, things: str, one: str = "") -> str:
    """Return a number and what is counted, in the singular for one.

    >>> number_of(1, "jobs"), number_of(0, "masters"), number_of(1, "entries", "entry")
    ('1 job', '0 masters', '1 entry')
    """
    return f"{count} {(one or things.removesuffix('s')) if count == 1 else things}"


LONGEST_LINE = 4000  #: Characters of a message that are shown.


def one_line(text: str, most: int = LONGEST_LINE) -> str:
    r"""One printable line; runs of blanks and line breaks become one blank.

    A word that is too long to be read loses its middle, whoever repeats it.

    >>> one_line("two\nlines,  \x07")
    'two lines, \\x07'
    """
    return cut(cleaned(" ".join(cut(word, 2 * LONGEST_WORDS) for word in text.split())), most)


def shown(value: object, most: int = LONGEST_WORDS) -> str:
    """Return a value as Python writes it, without its middle where that is longer than ``most``.

    >>> shown("x"), shown([1, 2]), shown("0123456789", 7), shown(10**5000)
    ("'x'", '[1, 2]', "'0...9'", '<int>')
    """
    try:
        return cut(repr(value), most)
    except ValueError:  # an integer of more digits than Python writes
        return f"<{type(value).__name__}>"
