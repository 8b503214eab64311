"""Certificate files: JSON, one tagged record each, strictly read.

The tag is the field ``certificate``.  A certificate of a further shape is a subclass of
:class:`Certificate` in a module of this package, registered with :func:`certificate_type`; its tag
begins with its kind, so that reading it loads that kind alone.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np

from farkas import __version__
from farkas.atomic import Target, write_bytes
from farkas.certificates.bound import prove_bound, prove_infeasible
from farkas.certificates.packed import (
    ExactVector,
    FilePart,
    PackedForm,
    pack,
    rational,
    shown,
    unpack,
)
from farkas.certificates.points import exact_feasibility, exact_value
from farkas.certificates.proof import Proof, provenance
from farkas.errors import FileProblem, InvalidOption, NotACertificate, UnknownName
from farkas.forms import LinearForm
from farkas.numbers import Floats
from farkas.reading import read_record, require_single
from farkas.registry import Registry
from farkas.tolerances import FEASIBLE
from farkas.words import named, parsed, quoted

if TYPE_CHECKING:
    from farkas.instances import Instance

Hash = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
Option = str | int | float | bool | None
ProgramName = Annotated[str, msgspec.Meta(max_length=200, pattern=r"^[^\x00-\x1f\x7f-\x9f]*\Z")]
"""One line without control characters: statements repeat it."""


RELAXATION = "relaxation of "
"""How the name of a form begins whose integrality was dropped."""


class Certificate(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="certificate"
):
    """What every certificate file says of itself.

    Parameters
    ----------
    farkas
        Version of the file format.
    version
        Version of farkas that wrote the file.
    kind
        Kind of the instance, for example ``mlbroker``; null for a program without one.
    program
        Program name with variant.
    options
        Options of the program that rebuild the form.
    instance
        SHA-256 of the instance, or null.
    """

    farkas: Literal[1] = 1
    version: str = __version__
    kind: ProgramName | None = None
    program: ProgramName
    options: dict[str, Option] = {}
    instance: Hash | None = None

    def prove(self, form: LinearForm | None, instance: Instance | None) -> Proof:
        """Prove what the certificate claims, from scratch.

        Parameters
        ----------
        form
            The program rebuilt from the instance, or None to use the data of the file.
        instance
            Whose hash was compared already, or None.

        Raises
        ------
        NotACertificate
            When the claim is not proved.
        """
        raise NotImplementedError


certificate_types: Registry[type[Certificate]] = Registry("certificate", "farkas.certificates")

C = TypeVar("C", bound=type[Certificate])


def certificate_type(cls: C) -> C:
    """Register a certificate class under its tag."""
    certificate_types.add(str(cls.__struct_config__.tag), cls)
    return cls


class Tagged(msgspec.Struct, frozen=True):
    """The field that says how to read the rest of a certificate file."""

    certificate: Annotated[str, msgspec.Meta(max_length=100)]


class PointClaim(FilePart, frozen=True, kw_only=True):
    """A point whose objective is claimed to be reached.

    Parameters
    ----------
    objective
        Exact objective, a fraction.
    tolerance
        Violation claimed at most, as a share of the side or of its row's or column's unit; 0 for
        exact feasibility.
    values
        Base64 of the deflated doubles, one a column.
    """

    objective: str
    tolerance: Annotated[float, msgspec.Meta(ge=0.0, le=FEASIBLE)]
    values: str

    @classmethod
    def of(cls, form: LinearForm, point: Floats, tolerance: float) -> PointClaim:
        """Claim ``point``, shape (columns,), after checking it."""
        if not 0 <= tolerance <= FEASIBLE:
            raise InvalidOption(
                f"tolerance = {tolerance:g}; points are claimed within {FEASIBLE:g}"
            )
        exact_feasibility(form, point, tolerance)
        return cls(
            objective=str(exact_value(form, point)),
            tolerance=tolerance,
            values=pack(point),
        )

    def floats(self, size: int) -> Floats:
        """Return the point, shape (size,)."""
        return unpack(self.values, (size,), "point.values")


class FormCertificate(Certificate, frozen=True, kw_only=True):
    """A certificate about one linear form.

    Parameters
    ----------
    form
        SHA-256 of the form.
    sense
        Sense of the program.
    data
        The form itself, so that the file can be checked on its own; null to leave it out.
    """

    form: Hash
    sense: Literal["min", "max"]
    data: PackedForm | None = None

    def bound_form(self, rebuilt: LinearForm | None) -> LinearForm:
        """Return the form the certificate speaks of, its hash recomputed and compared.

        Parameters
        ----------
        rebuilt
            The program rebuilt from the instance, or None to use the data of the file.
        """
        form = rebuilt
        if form is None:
            self._require_own_words()
            if self.data is None:
                raise NotACertificate(
                    "the certificate holds no program data; check it with its instance"
                )
            form = self.data.form(self.program, self.sense)
        if form.sha256 != self.form:
            whose = "its own data" if rebuilt is None else f"the rebuilt {form.name}"
            raise NotACertificate(
                f"the certificate is about form {self.form[:12]}..., {whose} hash to"
                f" {form.sha256[:12]}..."
            )
        if form.sense != self.sense:
            raise NotACertificate(f"the certificate says {self.sense}, the program {form.sense}")
        return form

    def _require_own_words(self) -> None:
        """Refuse a kind and options that contradict the program's name."""
        name, _, variant = self.program.removeprefix(RELAXATION).partition("[")
        if self.kind is not None and not name.startswith(f"{self.kind}."):
            raise NotACertificate(
                f"the certificate names {named(self.program)} but says kind {named(self.kind)}"
            )
        words = variant.removesuffix("]").split(",") if variant else []
        if self.options and list(self.options.values()) != words:
            raise NotACertificate(
                f"the certificate names {named(self.program)} but gives the options"
                f" {quoted(str(self.options))}"
            )


@certificate_type
class LinearCertificate(FormCertificate, frozen=True, kw_only=True, tag="linear"):
    """Multipliers that prove a bound on the optimal value.

    Parameters
    ----------
    bound
        Lower bound of a minimum, upper bound of a maximum, a fraction.
    multipliers
        One a row.
    point
        A point that reaches a value, or null.
    """

    bound: str
    multipliers: ExactVector
    point: PointClaim | None = None

    def prove(self, form: LinearForm | None, instance: Instance | None) -> Proof:
        """Recompute the bound, and the point's feasibility and value."""
        bound = rational(self.bound, "bound")
        own = self.bound_form(form)
        y = self.multipliers.floats("multipliers", own.num_rows)
        proof = prove_bound(own, y)
        better = bound > proof.value if self.sense == "min" else bound < proof.value
        if better:
            raise NotACertificate(
                f"the certificate claims the bound {shown(self.bound)}, its multipliers prove"
                f" {shown(str(proof.value))} only"
            )
        value, tolerance = None, 0.0
        if self.point is not None:
            value, tolerance = self._checked_point(self.point, own), self.point.tolerance
        return Proof(
            program=self.program,
            sense=self.sense,
            bound=bound,
            infeasible=False,
            value=value,
            tolerance=tolerance,
            implied=proof.implied,
            form=own.sha256,
            instance=self.instance,
            provenance=provenance(form, instance),
        )

    def _checked_point(self, point: PointClaim, form: LinearForm) -> Any:
        values = point.floats(form.num_columns)
        exact_feasibility(form, values, point.tolerance)
        value = exact_value(form, values)
        if value != rational(point.objective, "point.objective"):
            raise NotACertificate(
                f"the point is claimed to reach {shown(point.objective)}, it reaches"
                f" {shown(str(value))}"
            )
        return value


@certificate_type
class InfeasibleCertificate(FormCertificate, frozen=True, kw_only=True, tag="infeasible"):
    """A ray that proves that a program has no point.

    Parameters
    ----------
    violation
        By how much the rows, combined by the ray, miss the column box; a fraction above 0.
    ray
        One a row, signs as the multipliers of a minimisation.
    """

    violation: str
    ray: ExactVector

    def prove(self, form: LinearForm | None, instance: Instance | None) -> Proof:
        """Recompute the violation."""
        claimed = rational(self.violation, "violation")
        own = self.bound_form(form)
        violation = prove_infeasible(own, self.ray.floats("ray", own.num_rows))
        if not 0 < claimed <= violation:
            raise NotACertificate(
                f"the certificate claims the violation {shown(self.violation)}, its ray proves"
                f" {shown(str(violation))}"
            )
        return Proof(
            program=self.program,
            sense=self.sense,
            bound=None,
            infeasible=True,
            value=None,
            tolerance=0.0,
            implied=self._implied(own),
            form=own.sha256,
            instance=self.instance,
            provenance=provenance(form, instance),
        )

    def _implied(self, form: LinearForm) -> int:
        """Columns whose implied bound the ray needs; none when it proves as much without."""
        ray = self.ray.floats("ray", form.num_rows)
        try:
            prove_infeasible(form.replace(implied_lower=None, implied_upper=None), ray)
        except NotACertificate:
            feasibility = form.replace(cost=np.zeros(form.num_columns), offset=0.0, sense="min")
            return prove_bound(feasibility, ray).implied
        return 0


def to_json(certificate: Certificate) -> bytes:
    """Content of a certificate file."""
    return msgspec.json.encode(certificate) + b"\n"


def from_json(content: bytes, where: str = "certificate") -> Certificate:
    """Read the content of a certificate file.

    Raises
    ------
    FileProblem
        When it is none, names the JSON path; when a key stands twice, the key.
    """
    require_single(content, f"{where}: no certificate")
    tag = _decoded(content, Tagged, where).certificate
    try:
        known = certificate_types[tag]
    except UnknownName as error:
        raise FileProblem(f"{where}: no certificate: {error} - at `$.certificate`") from None
    return _decoded(content, known, where)


R = TypeVar("R", bound=msgspec.Struct)


def _decoded(content: bytes, wanted: type[R], where: str) -> R:
    try:
        return msgspec.json.decode(content, type=wanted)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise FileProblem(f"{where}: no certificate: {parsed(error)}") from None


def read(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate file; nothing in it is believed before :func:`check`.

    Raises
    ------
    FileProblem
        When the file cannot be read or is no certificate; names the JSON path.
    """
    return from_json(read_record(path), named(os.fspath(path)))


def write(certificate: Certificate, path: Target) -> None:
    """Write a certificate file, whole or not at all; raises :class:`FileProblem`."""
    write_bytes(path, to_json(certificate))
