"""Where a form comes from, and the way back from a certificate to its program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from farkas.algebra.formulation import Formulation, programs
from farkas.certificates.files import RELAXATION, Certificate
from farkas.errors import NotACertificate
from farkas.messages import named

if TYPE_CHECKING:
    from farkas.forms import LinearForm


def origin(program: Formulation, instance: Any) -> dict[str, Any]:
    """Where a form comes from, for its certificate."""
    return {
        "kind": program.kind,
        "options": dict(program.variant),
        "instance": instance.sha256,
    }


def rebuild(certificate: Certificate, instance: Any) -> LinearForm:
    """Form of the program that a certificate with a form names, on ``instance``."""
    name = certificate.program.removeprefix(RELAXATION)
    if " " in name or (certificate.kind is None and name.partition("[")[0] not in programs):
        raise NotACertificate(
            f"{named(certificate.program)} is no program that is rebuilt: check what the file was"
            " written from with the instance, the file without it or with its model"
        )
    program = program_named(name, certificate)
    _same_origin(certificate, program)
    form = program.form(instance)
    if name == certificate.program:
        return form
    from farkas.relaxations.integrality import relax

    return relax(form)


def program_named(name: str, certificate: Certificate) -> Formulation:
    """Make the program of a name; brackets are read only where the options do not spell them."""
    bare, options = name.partition("[")[0], certificate.options
    spelt = f"{bare}[{','.join(map(str, options.values()))}]"
    if spelt == name and list(options) == list(programs[bare].options()):
        return programs[bare](**{key: str(value) for key, value in options.items()})
    return programs.build(name)


def _same_origin(certificate: Certificate, program: Formulation) -> None:
    """Refuse a certificate whose kind or options contradict the program it names."""
    said = {"kind": certificate.kind, **certificate.options}
    for name in sorted(certificate.options.keys() - program.variant.keys()):
        raise NotACertificate(
            f"the certificate gives {program.full_name} the unknown option {name[:40]!r}"
        )
    for what, right in {"kind": program.kind, **program.variant}.items():
        if said.get(what, right) != right and (what, said[what]) != ("kind", None):
            raise NotACertificate(
                f"the certificate names {program.full_name} but says {what} {said[what]!r}"
            )
