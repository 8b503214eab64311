"""Programs by name, their linear forms on instances, and the way back from a certificate."""

from typing import Any

from farkas.algebra import programs
from farkas.algebra.formulation import Formulation
from farkas.certificates import Certificate
from farkas.certificates.files import RELAXATION
from farkas.errors import NotACertificate
from farkas.forms import LinearForm


def find_program(name: str, **variant: str) -> Formulation:
    """Program of any floor by name, for example ``mlbroker.relaxed[tight,strict]``.

    Raises
    ------
    UnknownName, InvalidOption
        When there is no such program, or it has no such variant.
    """
    return programs.build(name, **variant)


def trace(program: Formulation, instance: Any) -> LinearForm:
    """Linear form of ``program`` on ``instance``.

    Raises
    ------
    UnsupportedForm
        When the program is not linear.
    """
    return program.form(instance)


def origin(program: Formulation, instance: Any, *, embed: bool) -> dict[str, Any]:
    """Where a form comes from, for its certificate; ``embed`` puts the form into the file."""
    return {
        "kind": program.kind,
        "options": dict(program.variant),
        "instance": instance.sha256,
        "embed": embed,
    }


def rebuild(certificate: Certificate, instance: Any) -> LinearForm | None:
    """Form of the program that a certificate names, on ``instance``; None when it names a run's."""
    if not hasattr(certificate, "form"):
        return None
    name = certificate.program.removeprefix(RELAXATION)
    program = find_program(name)
    _same_origin(certificate, program)
    form = trace(program, instance)
    if name == certificate.program:
        return form
    from farkas.relaxations.integrality import relax

    return relax(form)


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
