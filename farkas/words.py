"""Text that others wrote, shown so that it cannot pass for words of farkas.

Names, comments and messages come from files, solvers and stores.  A line break in them could begin
a line of its own, an escape sequence could rewrite the screen, a mark of writing direction could
turn a sentence round, and a quotation mark could end the quotation that they stand in.
"""

from __future__ import annotations

import re

LONGEST_WORDS = 200
"""Characters of a quotation that are shown; the middle of longer text is left out."""

LONGEST_LINE = 4000
"""Characters of a message that are shown."""

_PLAIN = re.compile(r"[A-Za-z0-9._/~][A-Za-z0-9._/~\[\]=,+@-]*")
_OF_THE_FILE = re.compile(
    r"((?:Invalid enum value|Invalid value|Object contains unknown field) )"
    r"(['`])(.*?)\2((?: - at `\$[^`]*`)?)",
    re.DOTALL,
)
"""What decoders of JSON and TOML repeat of a file, between marks that they do not escape."""


def cleaned(text: str) -> str:
    r"""Text in which every character that is not printable is spelt, also line breaks.

    >>> cleaned("two\nlines, \x1b[31mred"), cleaned("turned \u202e round")
    ('two\\nlines, \\x1b[31mred', 'turned \\u202e round')
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def one_line(text: str, most: int = LONGEST_LINE) -> str:
    r"""One printable line; runs of blanks and line breaks become one blank.

    A word that is too long to be read loses its middle, whoever repeats it.

    >>> one_line("two\nlines,  \x07")
    'two lines, \\x07'
    """
    return cut(cleaned(" ".join(cut(word, 2 * LONGEST_WORDS) for word in text.split())), most)


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
    if len(text) <= most and _PLAIN.fullmatch(text):
        return text
    return quoted(text, most)


def parsed(error: object) -> str:
    r"""Return what a decoder says of a file, with the file's words quoted unless they are a name.

    >>> print(parsed("Object contains unknown field `jobz` - at `$.x`"))
    Object contains unknown field `jobz` - at `$.x`
    >>> print(parsed("Object contains unknown field `a`. Proved: `b`"))
    Object contains unknown field "a`. Proved: `b"
    """
    text = str(error)
    found = _OF_THE_FILE.fullmatch(text)
    if found is None or _PLAIN.fullmatch(found[3]):
        return text
    return f"{found[1]}{quoted(found[3])}{found[4]}"


def cut(text: str, most: int) -> str:
    """Text without its middle where it is longer than ``most``.

    >>> cut("0123456789", 7)
    '01...89'
    """
    if len(text) <= most:
        return text
    kept = max(most - 3, 2)
    return f"{text[: kept - kept // 2]}...{text[len(text) - kept // 2 :]}"


def shown(value: object, most: int = LONGEST_WORDS) -> str:
    """Return a value as Python writes it, without its middle where that is longer than ``most``.

    >>> shown("x"), shown([1, 2]), shown("0123456789", 7), shown(10**5000)
    ("'x'", '[1, 2]', "'0...9'", '<int>')
    """
    try:
        return cut(repr(value), most)
    except ValueError:  # an integer of more digits than Python writes
        return f"<{type(value).__name__}>"
