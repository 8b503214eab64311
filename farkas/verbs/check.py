"""Prove again what a file claims: certificates, runs, and VIPR files."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from farkas.certificates import Certificate, FormCertificate, Proof
from farkas.certificates import check as prove_certificate
from farkas.certificates.files import RELAXATION, from_json
from farkas.certificates.packed import rational, shown
from farkas.certificates.proof import rounded
from farkas.certificates.runs import require_run_bound
from farkas.errors import (
    FarkasError,
    FileProblem,
    InvalidOption,
    MissingInstance,
    NoAnswer,
    NotACertificate,
    require_type,
)
from farkas.instances import Instance
from farkas.online.run import Run
from farkas.online.run import from_json as run_from_json
from farkas.reading import read_record
from farkas.replay import Replayed, audit, excess_words, replayed_ratio
from farkas.verbs.inputs import InstanceOrName, as_instance
from farkas.words import named

if TYPE_CHECKING:
    from farkas.certificates import ViprProof
    from farkas.verbs.solve import Solution


UNPROVED = ("costs", "numbers", "remarks", "timings")
"""Fields of a run beside what is proved: value by slot and part, further results, and words."""


@dataclasses.dataclass(frozen=True, slots=True)
class RunProof:
    """What was proved again about a run.

    Parameters
    ----------
    run
        The run, as its file says it.
    proof
        Proof of its bound.
    replayed
        Value and requirements, from its decisions and the instance alone; None for a kind without
        a replay: then the value is the run's word.
    ratio
        Replayed value against proved bound, rounded up; None when the value is the run's word,
        when decisions break requirements, or when a zero makes it meaningless.
    """

    run: Run
    proof: Proof
    replayed: Replayed | None
    ratio: float | None

    @property
    def value(self) -> Fraction | None:
        """What the decisions cost at most, or earn at least; None without a proof of it."""
        if self.replayed is None or self.replayed.broken or self.run.violations:
            return None
        return self.replayed.proved(self.run.sense)

    @property
    def words(self) -> tuple[str, ...]:
        """Fields of the run that nothing here recomputes: they are the word of its file."""
        return tuple(name for name in UNPROVED if getattr(self.run, name))

    @property
    def statement(self) -> str:
        """The proof in words."""
        said = [self.proof.statement, *self._sentences()]
        if self.words:
            said.append(f"Not proved, but the file's word: {', '.join(self.words)}.")
        return "  ".join(said)

    def _sentences(self) -> list[str]:
        run, found = self.run, self.replayed
        who = f"the run that the file calls {named(run.algorithm)}"
        if found is None:
            return [f"T{who[1:]} says that it reached {run.value:.9g}; that is its word."]
        if self.value is None:
            what = found.broken[0] if found.broken else "by what would otherwise count as kept"
            return [f"The decisions of {who} break requirements ({what}): there is no ratio."]
        least = run.sense == "min"
        worth = f"{'cost at most' if least else 'earn at least'} {rounded(self.value, up=least)}"
        said = [
            f"Replayed in exact arithmetic, the decisions of {who} {worth} and keep every "
            f"requirement {_how_well(found)}."
        ]
        said += [found.note] if found.note else []
        if self.ratio is not None:
            ratio = rounded(self.ratio, up=True)
            said.append(f"Proved ratio of the run to the optimum: at most {ratio}.")
        return said


def _how_well(found: Replayed) -> str:
    return f"within a share of {excess_words(found)}" if found.excess else "exactly"


def check(
    what: str | os.PathLike[str] | Certificate | Run | Solution,
    instance: InstanceOrName | None = None,
) -> Proof | RunProof | ViprProof:
    """Prove again, in exact arithmetic and without any solver, what a certificate claims.

    Parameters
    ----------
    what
        A certificate, a run, or the path of its file; files of suffix ``.vipr`` are VIPR 1.0.  Of
        a solution its certificate, without an instance about the program that was solved.
    instance
        Rebuild the program from this instance, so that the proof is about it; without, the proof
        is about the program inside the file.  A run always needs its instance.

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
    if isinstance(what, Certificate):
        return _certificate(what, instance)
    if isinstance(what, Run):
        return _run(what, instance, "the run")
    if not isinstance(what, str | os.PathLike):
        return _solution(what, instance)
    if os.fspath(what).endswith(".vipr"):
        if instance is not None:
            raise InvalidOption("instance: a VIPR file names no instance; check the .json file")
        from farkas.certificates.vipr_check import check_vipr

        return check_vipr(what)
    found, where = opened(what), named(os.fspath(what))
    return _run(found, instance, where) if isinstance(found, Run) else _certificate(found, instance)


def opened(path: str | os.PathLike[str]) -> Certificate | Run:
    """Read what a file holds, once; raises `FileProblem` when it is neither."""
    content, where = read_record(path), named(os.fspath(path))
    try:
        return run_from_json(content, where)  # first: a run claims more than its certificate does
    except FileProblem:
        return from_json(content, where)


def certificate_of(run: Run, where: str) -> Certificate:
    """Return the certificate of a run's bound; raises `NotACertificate` when it holds none."""
    if run.certificate is None or run.certificate.certificate is None:
        raise NotACertificate(f"{where}: the run of {named(run.algorithm)} holds no certificate")
    return from_json(msgspec.json.encode(run.certificate.certificate), "certificate of the run")


def _solution(what: Solution, instance: InstanceOrName | None) -> Proof:
    from farkas.verbs.solve import Solution  # here: it loads solvers, which nothing else needs

    require_type(what, (Certificate, Run, Solution, str, os.PathLike), "what is checked")
    if what.certificate is None:
        raise NoAnswer(f"{what.form.name} was solved without a certificate: give certify=True")
    if instance is None:
        return prove_certificate(what.certificate, what.form)
    return _certificate(what.certificate, instance)


def _certificate(certificate: Certificate, instance: InstanceOrName | None) -> Proof:
    about = None if instance is None else as_instance(instance)
    form = None
    if about is not None and isinstance(certificate, FormCertificate):
        from farkas.verbs.programs import rebuild  # numbers of a kind's own need no program

        form = rebuild(certificate, about)
    return prove_certificate(certificate, form, instance=about)


def _run(run: Run, instance: InstanceOrName | None, where: str) -> RunProof:
    certificate = certificate_of(run, where)
    if instance is None:
        raise MissingInstance("a run is about an instance; give it: instance=...")
    about = as_instance(instance)
    if run.kind != about.kind:
        raise NotACertificate(
            f"the run is of kind {named(run.kind)}, the instance of kind {about.kind}"
        )
    if run.manifest.instance_sha256 != about.sha256:
        said = named(run.manifest.instance_sha256[:12])
        raise NotACertificate(
            f"the run is about {said}..., the instance hashes to {about.sha256[:12]}..."
        )
    assert run.certificate is not None
    proof = _recheck(
        certificate,
        run.certificate.exact,
        about,
        bounds_runs_of(run.kind, run.options, run.algorithm),
    )
    if run.sense != proof.sense:
        raise NotACertificate(f"the run says {run.sense}, its certificate {proof.sense}")
    replayed = audit(run, about)
    return RunProof(run, proof, replayed, _ratio(run, proof, replayed))


def _ratio(run: Run, proof: Proof, replayed: Replayed | None) -> float | None:
    """Ratio of exact value and proved bound; raises `NotACertificate` when the run claims less."""
    if replayed is None or proof.bound is None or run.violations:
        return None
    ratio = replayed_ratio(run.sense, replayed, proof.bound)
    if run.ratio is not None and (ratio is None or run.ratio < ratio):
        raise NotACertificate(f"the run claims the ratio {run.ratio:.17g}, proved is {ratio}")
    return ratio


Refusal = Callable[[Certificate], None]
"""Raises `NotACertificate` for a certificate about something else."""


def bounds_runs_of(kind: str, options: Mapping[str, Any], algorithm: str = "") -> Refusal:
    """Accept what the kind lists as bounds of runs of the algorithm with these options."""
    return lambda certificate: require_run_bound(certificate, kind, options, algorithm)


def is_about(program: str) -> Refusal:
    """Accept certificates of one program, or of its relaxation."""
    from farkas.verbs.programs import find_program

    name = find_program(program).full_name

    def refuse(certificate: Certificate) -> None:
        if certificate.program.removeprefix(RELAXATION) != name:
            raise NotACertificate(
                f"the certificate is about {named(certificate.program)}, not {name}"
            )

    return refuse


def recheck(
    certificate: Mapping[str, Any], claimed: str, instance: Instance, accepted: Refusal
) -> Proof:
    """Prove ``certificate`` about ``instance`` and compare with the bound that was ``claimed``.

    Parameters
    ----------
    certificate
        Plain data of a certificate, as runs keep it.
    claimed
        Bound of the run, a rational number as text.
    instance
        The instance of the run.
    accepted
        What the certificate may be about, see `bounds_runs_of` and `is_about`.

    Raises
    ------
    NotACertificate
        When less is proved than was claimed, or about something else.
    """
    found = from_json(msgspec.json.encode(certificate), "certificate of the run")
    return _recheck(found, claimed, instance, accepted)


def _recheck(found: Certificate, claimed: str, instance: Instance, accepted: Refusal) -> Proof:
    """As `recheck`, of a certificate that has been read."""
    accepted(found)
    proof = _certificate(found, instance)
    bound = rational(claimed, "bound of the run")
    better = proof.bound is None or (
        bound > proof.bound if proof.sense == "min" else bound < proof.bound
    )
    if better:
        proved = "no bound"
        if proof.bound is not None:
            proved = rounded(proof.bound, up=proof.sense == "max")
        raise NotACertificate(f"the run claims the bound {shown(claimed)}, it proves {proved}")
    return proof


@dataclasses.dataclass(frozen=True, slots=True)
class Solved:
    """What is claimed of a solve.

    Parameters
    ----------
    certificate
        Plain data of its certificate, with the point that was found.
    sense, bound, value
        Bound as a rational number in text, value of the point as the nearest double.
    program
        Name with its variant.
    relax
        Whether the point need not be whole.
    """

    certificate: Mapping[str, Any]
    sense: str
    bound: str
    value: float | None
    program: str
    relax: bool


def solve_verdict(claimed: Solved, instance: Instance) -> str:
    """Prove bound and point of a solve; words as of `run_verdict`.

    ``"bound proved again"`` where the certificate holds no point of the program, so that the value
    is the store's word.
    """
    try:
        accepted = is_about(claimed.program)
        proof = recheck(claimed.certificate, claimed.bound, instance, accepted)
        if claimed.sense != proof.sense:
            raise NotACertificate(
                f"the solve says {named(claimed.sense)}, its certificate {proof.sense}"
            )
        whole = claimed.relax or not proof.program.startswith(RELAXATION)
        if proof.value is None or not whole:
            return "bound proved again"
        if claimed.value is None or float(proof.value) != claimed.value:
            said = "none" if claimed.value is None else f"{claimed.value:.17g}"
            raise NotACertificate(
                f"the value is said to be {said}, the point reaches {shown(str(proof.value))}"
            )
    except (FarkasError, ValueError, ArithmeticError) as error:  # the file says anything at all
        return f"rejected: {error}"
    return "proved again"


def run_verdict(run: Run, instance: Instance) -> str:
    """Audit both sides of a run: ``"proved again"``, or ``"rejected: "`` with the reason.

    ``"bound proved again"`` where nothing replays runs of the kind, so that the value is their
    word.
    """
    try:
        proof = _run(run, instance, "the run")
    except (FarkasError, ValueError, ArithmeticError) as error:  # the file says anything at all
        return f"rejected: {error}"
    return "bound proved again" if proof.replayed is None else "proved again"
