"""Text that others wrote, shown so that it cannot pass for words of farkas.

Names, comments and messages come from files, solvers and stores.  A line break in them could begin
a line of its own, an escape sequence could rewrite the screen, a mark of writing direction could
turn a sentence round, and a quotation mark could end the quotation that they stand in.
"""

from __future__ import annotations

import re

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
