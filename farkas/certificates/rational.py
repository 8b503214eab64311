"""The rational form inside a certificate file: its canonical text, packed."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction

from farkas.certificates.packed import FilePart, Size, deflate, inflate, rational
from farkas.errors import NotACertificate
from farkas.forms.rational import Numbers, RationalForm, Side, rational_form

LARGEST_TEXT = 2**26
"""Characters of the text of a program, each of which takes some hundred bytes when it is read."""

_TERM = re.compile(r"(0|[1-9][0-9]{0,9}):(-?[1-9][0-9]{0,3999})")


class PackedText(FilePart, frozen=True, kw_only=True):
    """The canonical text of a rational form, deflated.

    Parameters
    ----------
    size
        Characters of the text.
    text
        Base64 of the deflated text.
    """

    size: Size
    text: str

    @classmethod
    def of(cls, form: RationalForm) -> PackedText:
        """Pack a form without its names."""
        raw = form.text.encode("ascii")
        return cls(size=len(raw), text=deflate(raw))

    def form(self, name: str) -> RationalForm:
        """Rebuild the form; raises :class:`NotACertificate` unless the text is canonical."""
        if self.size > LARGEST_TEXT:
            raise NotACertificate(f"data: {self.size} characters; {LARGEST_TEXT} are the most")
        raw = inflate(self.text, self.size, "data")
        if not raw.isascii():
            raise NotACertificate("data: not ASCII text")
        text = raw.decode("ascii")
        form = _form(text.split("\n"), name)
        if form.text != text:
            raise NotACertificate("data: the program is not in its canonical form")
        return form


def _form(lines: list[str], name: str) -> RationalForm:
    head = re.fullmatch(r"(min|max) (decimal|binary) ([0-9]{1,10}) ([0-9]{1,10}) (\S+)", lines[0])
    if head is None:
        raise NotACertificate("data: the first line is no head of a program")
    rows, columns = int(head[3]), int(head[4])
    if len(lines) != 1 + rows + columns:
        raise NotACertificate(f"data: {len(lines)} lines for {rows} rows and {columns} columns")
    cost, lower, upper, integer = [], [], [], []
    for line in lines[1 : 1 + columns]:
        words = line.split(" ")
        if len(words) != 4 or words[3] not in ("I", "C"):
            raise NotACertificate("data: a line is no column")
        cost.append(rational(words[0], "data"))
        lower.append(_side(words[1]))
        upper.append(_side(words[2]))
        integer.append(words[3] == "I")
    terms, low, high = [], [], []
    for line in lines[1 + columns :]:
        words = line.split(" ")
        if len(words) < 2:
            raise NotACertificate("data: a line is no row")
        low.append(_side(words[0]))
        high.append(_side(words[1]))
        terms.append([_term(word, columns) for word in words[2:] if word])
        if any(a[0] >= b[0] for a, b in itertools.pairwise(terms[-1])):
            raise NotACertificate("data: columns of a row do not ascend")
        if math.gcd(*(v.numerator for _, v in terms[-1])) > 1:
            raise NotACertificate("data: the program is not in its canonical form")
    numbers: Numbers = "decimal" if head[2] == "decimal" else "binary"
    return rational_form(
        name=name,
        sense="min" if head[1] == "min" else "max",
        numbers=numbers,
        cost=cost,
        offset=rational(head[5], "data"),
        rows=terms,
        row_lower=low,
        row_upper=high,
        lower=lower,
        upper=upper,
        integer=integer,
    )


def _side(text: str) -> Side:
    return None if text == "-" else rational(text, "data")


def _term(text: str, columns: int) -> tuple[int, Fraction]:
    found = _TERM.fullmatch(text)
    if found is None or int(found[1]) >= columns:
        raise NotACertificate("data: a word is no term of a row")
    return int(found[1]), Fraction(int(found[2]))
