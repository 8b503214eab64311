"""Prove again what a file claims: certificates, runs, and VIPR files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from farkas.certificates.files import Certificate
from farkas.errors import InvalidOption, NoAnswer
from farkas.verbs.check_file import opened, proof_of, prove_file
from farkas.words import named

if TYPE_CHECKING:
    from farkas.adversary.gap import Gap, GapProof
    from farkas.certificates import Proof, ViprProof
    from farkas.exact.proved import Proved
    from farkas.online.run import Run
    from farkas.verbs.check_run import RunProof
    from farkas.verbs.inputs import InstanceOrName
    from farkas.verbs.solution import Solution


def check(
    what: str | os.PathLike[str] | Certificate | Run | Solution | Proved | Gap,
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
        is about the program inside the file.  A run always needs its instance.
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
    if model is not None:
        return _of_model(what, instance, model, most_work)
    if isinstance(what, Certificate):
        return proof_of(what, instance, most_work)
    if not isinstance(what, str | os.PathLike):
        return _run_or_solution(what, instance)
    if os.fspath(what).endswith(".vipr"):
        if instance is not None:
            raise InvalidOption("instance: a VIPR file names no instance; check the .json file")
        from farkas.certificates.vipr_check import check_vipr

        return check_vipr(what) if most_work is None else check_vipr(what, most_work)
    if os.path.exists(what) and not os.fspath(what).endswith(".json"):
        from farkas.forms.model_text import is_model

        if is_model(what):
            name = named(os.fspath(what))
            raise InvalidOption(f"{name}: is a model; farkas prove {name} proves its optimum")
    return prove_file(what, instance, most_work)


def _of_model(
    what: str | os.PathLike[str] | Certificate | Run | Solution | Proved | Gap,
    instance: InstanceOrName | None,
    model: Any,
    most_work: int | None,
) -> Proof:
    """Prove a certificate about a model that is read again, in the reading that it names."""
    if instance is not None:
        raise InvalidOption("model: give an instance or a model, not both")
    given = opened(what) if isinstance(what, str | os.PathLike) else what
    certificate = getattr(given, "certificate", given)  # of a solution, of what prove gave
    if certificate is None:
        raise NoAnswer("model: nothing was proved of it, so that there is nothing to check")
    from farkas.certificates.tree import TreeCertificate
    from farkas.certificates.unbounded import UnboundedCertificate
    from farkas.certificates.work import MOST_WORK
    from farkas.verbs.prove import read_form

    if not isinstance(certificate, TreeCertificate | UnboundedCertificate):
        raise InvalidOption(
            "model: only what farkas prove wrote is about a model of its own; prove it and write"
            " that: farkas prove MODEL --write FILE"
        )

    form, _ = read_form(model, numbers=certificate.numbers)
    return certificate.prove_of(form, "model", MOST_WORK if most_work is None else most_work)


def _run_or_solution(
    what: Run | Solution | Proved | Gap, instance: InstanceOrName | None
) -> RunProof | Proof | GapProof:
    from farkas.adversary.gap import Gap
    from farkas.online.run import Run

    if isinstance(what, Run | Gap):
        from farkas.verbs.check_decided import prove_decided

        return prove_decided(what, instance, "the run")
    from farkas.verbs.check_solved import prove_solved  # it loads solvers, which nothing else needs

    return prove_solved(what, instance)
