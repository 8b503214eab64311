"""The way back from a certificate: the program that it names, traced again."""

from fractions import Fraction
from typing import Any

from farkas.algebra.formulation import Formulation, programs
from farkas.certificates.files import RELAXATION, Certificate
from farkas.certificates.proof import rounded
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.words import named


def rebuild(certificate: Certificate, instance: Any) -> LinearForm | None:
    """Form of the program that a certificate names, on ``instance``; None when it names a run's."""
    program = named_program(certificate)
    if program is None:
        return None
    form = program.form(instance)
    if not certificate.program.startswith(RELAXATION):
        return form
    from farkas.relaxations.integrality import relax

    return relax(form)


def consequence(certificate: Certificate, bound: Fraction) -> str:
    """Say in words what a bound means for an algorithm; nothing unless its program is about one.

    Parameters
    ----------
    bound
        Proved on the optimum of the program that the certificate names, rebuilt.
    """
    from farkas.models.worst_case import WorstProgram

    program = named_program(certificate)
    if not isinstance(program, WorstProgram):
        return ""
    ratio = program.ratio_at_most(bound)
    if ratio is None:
        return ""
    return (
        f"So the ratio of {named(program.algorithm)} is at most {rounded(ratio, up=True)} on every"
        f" instance of its box: {', '.join(program.varied)} anywhere between the smallest and the"
        f" largest there, all else as it stands there{program.scope}.  That holds if the rows of"
        " the program are the algorithm's steps, which tests compare but this does not prove."
    )


def named_program(certificate: Certificate) -> Formulation | None:
    """Make the program that a certificate names; None when it names a run's."""
    if not hasattr(certificate, "form"):
        return None
    name = certificate.program.removeprefix(RELAXATION)
    if " " in name:
        raise NotACertificate(
            f"{named(certificate.program)} is no program that is rebuilt: check what the file was"
            " written from with the instance, and the file without"
        )
    program = _named(name, certificate)
    _same_origin(certificate, program)
    return program


def _named(name: str, certificate: Certificate) -> Formulation:
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
