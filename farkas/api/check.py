"""Prove again what is claimed: by certificates, runs, statements, VIPR files, solutions."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

import msgspec

from farkas.certificates.files import RELAXATION, Certificate, from_json
from farkas.certificates.files import check as prove_certificate
from farkas.errors import FileProblem, InvalidOption, NoAnswer
from farkas.files import read_record
from farkas.messages import named

# What only some files need is imported where it is needed: a check loads little.

if TYPE_CHECKING:
    from fractions import Fraction

    from farkas.adversary.gap import Gap, GapProof
    from farkas.algebra.formulation import Formulation
    from farkas.api.check_run import RunProof
    from farkas.api.inputs import InstanceOrName
    from farkas.api.solution import Solution
    from farkas.certificates import Proof, ViprProof
    from farkas.exact.result import ProofResult
    from farkas.online.run import Run


def check(
    what: str | os.PathLike[str] | Certificate | Run | Solution | ProofResult | Gap,
    instance: InstanceOrName | None = None,
    *,
    model: Any = None,
    most_work: int | None = None,
) -> Proof | RunProof | GapProof | ViprProof:
    """Prove again, in exact arithmetic and without any solver, what a certificate claims.

    Parameters
    ----------
    what
        A certificate, a run, or the path of its file; files of suffix ``.vipr`` are VIPR 1.0.  Of
        a solution, or of what :func:`farkas.prove` gave, its certificate, without an instance about
        the program that was solved.  Of a worst case its ``gap``, or the file of that.
    instance
        Rebuild the program from this instance, so that the proof is about it; without, the proof
        is about the program inside the file.  A run needs its instance, unless that ships.
    model
        Of what :func:`farkas.prove` proved: the model again, as an ``.mps`` or ``.lp`` file or in
        memory, so that the proof is about it.
    most_work
        Steps after which a tree or a VIPR file is given up; 2^28 if left out.

    Raises
    ------
    NotACertificate
        When less is proved than is claimed, or about something else.
    FileProblem
        When the file cannot be read, or holds neither certificate nor run.
    InvalidOption
        When an instance is missing, or given for a file that names none.
    NoAnswer
        When a solution holds no certificate.

    Examples
    --------
    >>> import farkas
    >>> run = farkas.run("mlbroker/tiny", "mlbroker.fractional")
    >>> farkas.check(run, "mlbroker/tiny").ratio == run.ratio
    True
    """
    where, held = "the run", what
    if isinstance(what, str | os.PathLike):
        where = named(os.fspath(what))
        if os.fspath(what).endswith(".vipr") and model is None:
            if instance is not None:
                raise InvalidOption("instance: a VIPR file names no instance; check the .json file")
            from farkas.certificates.vipr_check import check_vipr

            return check_vipr(what) if most_work is None else check_vipr(what, most_work)
        if os.path.exists(what) and not os.fspath(what).endswith(".json") and model is None:
            from farkas.files import is_model

            if is_model(what):
                raise InvalidOption(f"{where}: is a model; farkas prove {where} proves its optimum")
        held = opened(what)
    if model is not None:
        return _of_model(held, instance, model, most_work)
    if isinstance(held, Certificate):
        return proof_of(held, instance, most_work)
    from farkas.online.run import Run

    if isinstance(held, Run):
        from farkas.api.check_run import prove_run

        return prove_run(held, instance, where)
    from farkas.adversary.gap import Gap, prove_gap

    if not isinstance(held, Gap):
        return _of_solution(held, instance)
    proof = prove_gap(held)
    if instance is None:
        return proof
    from farkas.api.inputs import as_instance
    from farkas.api.worst_program import placed

    return placed(proof, as_instance(instance))


def opened(path: str | os.PathLike[str]) -> Certificate | Run | Gap:
    """Read what a file holds, once; `FileProblem` says what it is when it is none of these."""
    content, where = read_record(path), named(os.fspath(path))
    fields = fields_of(content)
    if "statement" in fields:
        from farkas.adversary import gap

        return gap.from_json(content, where)
    if "algorithm" in fields:
        from farkas.online import run

        return run.from_json(content, where)
    try:
        return from_json(content, where)
    except FileProblem as error:
        if "certificate" in fields:
            raise
        from farkas.api.load import mistaken

        raise mistaken(path, error, "certificate") from None


def fields_of(content: bytes) -> dict[str, msgspec.Raw]:
    """Fields of an object in JSON; none of anything else."""
    try:
        return msgspec.json.decode(content, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, ValueError, RecursionError):
        return {}


def proof_of(
    certificate: Certificate, instance: InstanceOrName | None, most_work: int | None = None
) -> Proof:
    """Prove a certificate about its own data, or about its program on ``instance``."""
    if instance is None:
        return prove_certificate(certificate, most_work=most_work)
    from farkas.api.inputs import as_instance

    about, form = as_instance(instance), None
    if hasattr(certificate, "form"):  # numbers of a kind's own need no program
        from farkas.api.programs import rebuild

        form = rebuild(certificate, about)
    proof = prove_certificate(certificate, form, instance=about, most_work=most_work)
    if ".worst_" not in proof.program:
        return proof
    from farkas.api.programs import program_named

    program = program_named(certificate.program.removeprefix(RELAXATION), certificate)
    return dataclasses.replace(proof, meaning=worst_meaning(program, proof.bound))


def worst_meaning(program: Formulation, bound: Fraction | None) -> str:
    """Say what a bound on a program of the worst case means; nothing where nothing follows."""
    from farkas.certificates.proof import rounded
    from farkas.models.worst_case import WorstProgram

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


def _of_model(
    held: Any, instance: InstanceOrName | None, model: Any, most_work: int | None
) -> Proof:
    """Prove a certificate about a model that is read again, in the reading that it names."""
    if instance is not None:
        raise InvalidOption("model: give an instance or a model, not both")
    certificate = getattr(held, "certificate", held)  # of a solution, of what prove gave
    if certificate is None:
        raise NoAnswer("model: nothing was proved of it, so that there is nothing to check")
    from farkas.api.prove import read_form
    from farkas.certificates.doubles import MOST_WORK
    from farkas.certificates.tree import TreeCertificate, UnboundedCertificate

    if not isinstance(certificate, TreeCertificate | UnboundedCertificate):
        raise InvalidOption(
            "model: only what farkas prove wrote is about a model of its own; prove it and write"
            " that: farkas prove MODEL --write FILE"
        )

    form, _ = read_form(model, numbers=certificate.numbers)
    return certificate.prove_of(form, "model", MOST_WORK if most_work is None else most_work)


def _of_solution(what: Any, instance: InstanceOrName | None) -> Proof:
    """Prove what was solved or proved here about its own program, or about the instance."""
    from farkas.api.solution import Solution
    from farkas.errors import require_type
    from farkas.exact.result import ProofResult
    from farkas.online.run import Run

    known = (Certificate, Run, Solution, ProofResult, str, os.PathLike)
    require_type(what, known, "what is checked")
    if isinstance(what, ProofResult) and (instance is None or what.certificate is None):
        return what.verify()
    if what.certificate is None:
        raise NoAnswer(f"{what.form.name} was solved without a certificate: give certify=True")
    if instance is not None:
        return proof_of(what.certificate, instance)
    assert isinstance(what, Solution)
    return prove_certificate(what.certificate, what.form)
