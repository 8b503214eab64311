"""Certificates about a rational form, and that form inside their files: its text, packed."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from farkas.certificates.doubles import MOST_WORK
from farkas.certificates.encoding import FilePart, Size, deflate, inflate, rational
from farkas.certificates.files import Certificate, Hash
from farkas.certificates.proof import Proof, Provenance, provenance
from farkas.errors import NotACertificate
from farkas.forms.rational import Numbers, RationalForm, Side, as_rational, rational_form

if TYPE_CHECKING:
    from farkas.forms import LinearForm
    from farkas.instances import Instance

#: Characters of the text of a program, each of which takes some hundred bytes when it is read.
LARGEST_TEXT = 2**26

_TERM = re.compile(r"(0|[1-9][0-9]{0,9}):(-?[1-9][0-9]{0,3999})")


class PackedText(FilePart, frozen=True, kw_only=True):
    """The canonical text of a rational form, deflated."""

    size: Size  #: Characters of the text.
    text: str  #: Base64 of the deflated text.

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


class RationalCertificate(Certificate, frozen=True, kw_only=True):
    """What trees and directions say of the program that they are about."""

    form: Hash  #: SHA-256 of the canonical text of the rational form.
    sense: Literal["min", "max"]
    numbers: Numbers  #: Whether the numbers of the source were read as decimals or as doubles.
    data: PackedText | None = None  #: The form, so that the file can be checked alone.

    def prove(self, form: LinearForm | None, instance: Instance | None) -> Proof:
        """Prove it about the form, or about the data in the file."""
        return self.prove_of(*self.own_program(form, instance))

    def prove_of(
        self, form: RationalForm, whose: Provenance, most_work: float = MOST_WORK
    ) -> Proof:
        """Prove it about a rational form; ``whose`` says where that came from."""
        raise NotImplementedError

    def own_program(
        self, form: LinearForm | None, instance: Instance | None
    ) -> tuple[RationalForm, Provenance]:
        """Return what the file is about: the rebuilt form, else its own data; and which of them."""
        if form is not None:
            return as_rational(form), provenance(form, instance)
        from farkas.certificates.form_encoding import require_own_name

        require_own_name(self)
        if self.data is None:
            raise NotACertificate(
                "the certificate holds no program; check it with what it is about"
            )
        return self.data.form(self.program), "file"

    def require_same(self, form: RationalForm) -> None:
        """Refuse a program with another hash, sense or reading than the file says."""
        if form.sha256 != self.form:
            raise NotACertificate(
                f"the certificate is about program {self.form[:12]}..., the given one hashes to"
                f" {form.sha256[:12]}..."
            )
        if (form.sense, form.numbers) != (self.sense, self.numbers):
            raise NotACertificate("the certificate names another sense or reading of numbers")

    def proof(
        self,
        form: RationalForm,
        whose: Provenance,
        *,
        value: Side,
        bound: Side = None,
        unbounded: bool = False,
    ) -> Proof:
        """Return what was proved of a form."""
        return Proof(
            program=form.name,
            sense=self.sense,
            bound=bound,
            value=value,
            form=form.sha256,
            instance=self.instance,
            provenance=whose,
            numbers=form.numbers,
            unbounded=unbounded,
        )


def prove_within(
    certificate: Certificate,
    form: LinearForm | None,
    instance: Instance | None,
    most_work: float,
) -> Proof:
    """Prove with a limit of steps where the type of the certificate knows one."""
    if not isinstance(certificate, RationalCertificate):
        return certificate.prove(form, instance)
    return certificate.prove_of(*certificate.own_program(form, instance), most_work)


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
