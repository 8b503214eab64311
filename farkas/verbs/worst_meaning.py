"""What a bound on a program of the worst case means for its algorithm, in words."""

import dataclasses
from fractions import Fraction

from farkas.certificates.files import RELAXATION, Certificate
from farkas.certificates.proof import Proof, rounded
from farkas.models.worst_case import WorstProgram
from farkas.verbs.rebuild import program_named
from farkas.words import named


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class WorstProof(Proof):
    """What a checked certificate proves of a rebuilt program of the worst case.

    Parameters
    ----------
    meaning
        Of the bound for the algorithm, in words; nothing where nothing follows.
    """

    meaning: str

    def _sentences(self) -> list[str]:
        said = Proof._sentences(self)
        return [*said, self.meaning] if self.meaning else said


def explained(proof: Proof, certificate: Certificate) -> Proof:
    """Return a proof about a rebuilt program that says what its bound means."""
    program = program_named(certificate.program.removeprefix(RELAXATION), certificate)
    if not isinstance(program, WorstProgram):
        return proof
    held = {field.name: getattr(proof, field.name) for field in dataclasses.fields(proof)}
    return WorstProof(**held, meaning=meaning(program, proof.bound))


def meaning(program: WorstProgram, bound: Fraction | None) -> str:
    """Say what the ratio is at most, and whose word that is; nothing where nothing follows.

    Parameters
    ----------
    bound
        Proved on the optimum; None where the program has no point.
    """
    ratio = program.ratio_at_most(bound)
    if ratio is None:
        return ""
    return (
        f"So the ratio of {named(program.algorithm)} is at most {rounded(ratio, up=True)} on every"
        f" instance of its box: {', '.join(program.varied)} anywhere between the smallest and the"
        f" largest there, all else as it stands there{program.scope}.  That holds if the rows of"
        " the program are the algorithm's steps, which tests compare but this does not prove."
    )
