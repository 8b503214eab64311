"""Certificate files: JSON, one tagged record each, strictly read.

The tag is the field ``certificate``.  Of a further shape is a subclass of :class:`Certificate`,
registered here with :func:`certificate_type`; its tag begins with its kind, which alone is loaded.
"""

from __future__ import annotations

import os
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec

from farkas import __version__
from farkas.certificates.proof import Proof
from farkas.errors import FileProblem, NotACertificate, UnknownName
from farkas.files import read_record, require_single
from farkas.messages import ShowsItself, cut, method, named
from farkas.registry import Registry

if TYPE_CHECKING:
    from farkas.forms import LinearForm
    from farkas.instances import Instance


Hash = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
Option = str | int | float | bool | None
#: One line without control characters: statements repeat it.
ProgramName = Annotated[str, msgspec.Meta(max_length=200, pattern=r"^[^\x00-\x1f\x7f-\x9f]*\Z")]

MOST_LETTERS = 60  #: Of a number that is claimed, in a line.
RELAXATION = "relaxation of "  #: How the name of a form begins whose integrality was dropped.


class Certificate(
    ShowsItself, msgspec.Struct,
    frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="certificate",
):  # fmt: skip
    """What every certificate file says of itself."""

    #: farkas, version: versions of the file format, and of farkas that wrote the file.
    farkas: Literal[1] = 1
    version: str = __version__
    #: Kind of the instance, for example ``mlbroker``; null for a program without one.
    kind: ProgramName | None = None
    program: ProgramName  #: Program name with variant.
    options: dict[str, Option] = {}  #: Options of the program that rebuild the form.
    instance: Hash | None = None  #: SHA-256 of the instance, or null.

    verify = method("check")

    def __repr__(self) -> str:
        tag = str(self.__struct_config__.tag)
        held = ((word, getattr(self, word, None)) for word in ("bound", "value", "violation"))
        claims = [f"{word} {cut(str(x), MOST_LETTERS)}" for word, x in held if x is not None]
        if tag in ("infeasible", "unbounded") or (tag == "tree" and not claims):
            claims.insert(0, "infeasible" if tag == "tree" else tag)
        said = f": claims {', '.join(claims)}" if claims else ""
        return f"<certificate of type {tag} about {named(self.program)}{said}>"

    def prove(self, form: LinearForm | None, instance: Instance | None) -> Proof:
        """Prove what is claimed, from scratch; raises `NotACertificate` where it is not so.

        ``form`` is the program rebuilt from the instance, or None to use the data of the file; the
        hash of ``instance`` was compared already.
        """
        raise NotImplementedError

    def bounds_so_far(self, instance: Any) -> list[Fraction] | None:
        """Bound the instance that ends in each slot; None where the numbers have no slots."""
        return None


certificate_types: Registry[type[Certificate]] = Registry("certificate", "farkas.certificates")

C = TypeVar("C", bound=type[Certificate])


def certificate_type(cls: C) -> C:
    """Register a certificate class under its tag."""
    certificate_types.add(str(cls.__struct_config__.tag), cls)
    return cls


#: Types that others of the kind or `farkas.certificates.priced_tree` replace; farkas 0.2 is the
#: last to read them.
RETIRED = frozenset(
    {
        "coded_budgets",
        "coded_chance",
        "coded_chance_dedicated",
        "coded_counts",
        "coded_dedicated",
        "coded_measured",
        "coded_owners",
        "coded_run",
        "dps_fixed_prices",
        "dps_prices",
        "dps_server_prices",
        "dps_server_trees",
        "eris_cases",
        "eris_prices",
        "eris_spans",
        "gadget.horizon",
        "gadget.one_slot",
        "gadget.slot",
        "gadget.slot_tree",
        "mlbroker_sites",
        "mlbroker_slots",
    }
)


class FileTag(msgspec.Struct, frozen=True):
    """The field that says how to read the rest of a certificate file."""

    certificate: Annotated[str, msgspec.Meta(max_length=100)]


def from_json(content: bytes, where: str = "certificate") -> Certificate:
    """Read the content of a certificate file.

    Raises `FileProblem`: it is none, names the JSON path; when a key stands twice, the key.
    """
    require_single(content, f"{where}: no certificate")
    tag = _decoded(content, FileTag, where).certificate
    if tag in RETIRED:
        raise FileProblem(
            f"{where}: certificates of type {tag} are read by farkas 0.2.0 and not since;"
            " write the bound again with this version - at `$.certificate`"
        )
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
        from farkas.messages.refusals import parsed

        said: Exception = error
        try:
            msgspec.json.decode(content)  # a wrong type is found before what follows the object
        except (msgspec.DecodeError, ValueError, RecursionError) as damage:
            said = damage
        raise FileProblem(f"{where}: no certificate: {parsed(said)}") from None


def to_json(certificate: Certificate) -> bytes:
    """Content of a certificate file."""
    return msgspec.json.encode(certificate) + b"\n"


def write(certificate: Certificate, path: str | os.PathLike[str]) -> None:
    """Write a certificate file, whole or not at all; raises :class:`FileProblem`."""
    from farkas.files.writing import write_bytes  # here: a check writes nothing

    write_bytes(path, to_json(certificate))


def read(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate file; nothing in it is believed before `check`.

    Raises `FileProblem`: the file cannot be read or is no certificate; names the JSON path.
    """
    return from_json(read_record(path), named(os.fspath(path)))


def check(
    certificate: Certificate,
    form: LinearForm | None = None,
    *,
    instance: Instance | None = None,
    most_work: float | None = None,
) -> Proof:
    """Prove what ``certificate`` claims, from scratch and in exact arithmetic.

    ``form``: the program rebuilt from the instance; its hash must be the certificate's.  Without it
    the data inside the file are used, and the proof is about those.  ``instance``: the instance the
    form was rebuilt from; its hash must be the one the certificate names.  ``most_work``: steps
    after which a tree is given up; `farkas.certificates.doubles.MOST_WORK` if left out.  What other
    certificates take grows with their size alone.  Raises `NotACertificate` when a hash differs,
    the data are malformed, or less is proved than claimed.
    """
    if instance is not None and certificate.instance != instance.sha256:
        named = f"{certificate.instance[:12]}..." if certificate.instance else "no instance"
        raise NotACertificate(
            f"the certificate is about {named}, the instance hashes to {instance.sha256[:12]}..."
        )
    if most_work is None:
        return certificate.prove(form, instance)
    from farkas.certificates.rational import prove_within

    return prove_within(certificate, form, instance, most_work)
