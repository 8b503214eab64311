"""Prove again what a run claims: its bound, and by a replay what its decisions are worth.

Stores and sweeps say of a proof that is tried again one line, whatever the file holds.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import msgspec

from farkas.api.check import proof_of
from farkas.api.inputs import InstanceOrName, as_instance
from farkas.certificates.doubles import both, double
from farkas.certificates.encoding import rational, shown
from farkas.certificates.files import Certificate, from_json
from farkas.certificates.proof import Proof, rounded
from farkas.certificates.run_bound import require_run_bound
from farkas.errors import FarkasError, MissingInstance, NotACertificate
from farkas.instances import Instance
from farkas.messages import ShowsStatement, named
from farkas.online.run import Run
from farkas.replay import Replay, audit, excess_words, replayed_ratio, unread

#: What is said where the value is the store's word: no point is kept, or nothing replays runs.
HALF_PROVED = "bound proved again"
#: What a run says of how it came about; its value and its bound do not depend on it.
STORY = ("algorithm", "options", "instance", "method", "seed", "versions")
#: Fields of a run beside what is proved: value by slot and part, further results, and words.
UNPROVED = ("costs", "steps", "theorem", "numbers", "remarks", "timings")


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class RunProof(ShowsStatement):
    """What was proved again about a run."""

    run: Run  #: The run, as its file says it.
    proof: Proof  #: Proof of its bound.
    #: Value and requirements, from its decisions and the instance alone; None for a kind without a
    #: replay: then the value is the run's word.
    replayed: Replay | None
    #: Replayed value against proved bound, rounded up; None when the value is the run's word, when
    #: decisions break requirements, or when a zero makes it meaningless.
    ratio: float | None

    @property
    def value(self) -> Fraction | None:
        """What the decisions cost at most, or earn at least; None without a proof of it."""
        if self.replayed is None or self.replayed.broken or self.run.violations:
            return None
        return self.replayed.proved(self.run.sense)

    @property
    def words(self) -> tuple[str, ...]:
        """What nothing here recomputes: it is the word of the run's file."""
        policy = ("policy_sha256",) if self.run.manifest.policy_sha256 else ()
        further = (name for name in UNPROVED if getattr(self.run, name))
        return *STORY, *policy, *further, *(unread.get(self.run.kind) or ())

    def verify(self, instance: Any = None) -> RunProof:
        """Prove it once more, see `farkas.check`."""
        return self.run.verify(instance)  # type: ignore[no-any-return]

    @property
    def statement(self) -> str:
        """The proof in words, and what it leaves out."""
        return f"{self.proved}  Not proved, but the file's word: {self.left_out}."

    @property
    def proved(self) -> str:
        """What was proved, in words."""
        return "  ".join([self.proof.statement, *self._sentences()])

    @property
    def left_out(self) -> str:
        """What is not proved, in words."""
        return ", ".join(self.words)

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found = self.replayed
        return {
            **self.proof.to_builtins(),
            **both("value", self.value, up=self.proof.sense == "min"),
            "value_is_recomputed": found is not None,
            "excess": None if found is None else double(found.excess, up=True),
            "broken": [] if found is None else list(found.broken),
            "ratio": self.ratio,
            "word_of_the_file": list(self.words),
            "statement": self.statement,
        }

    def _sentences(self) -> list[str]:
        run, found = self.run, self.replayed
        who = f"the run that the file calls {named(run.algorithm)}"
        if found is None:
            return [f"T{who[1:]} says that it reached {run.value:.9g}; that is its word."]
        if self.value is None:
            what = found.broken[0] if found.broken else "by what would otherwise count as kept"
            return [f"The decisions of {who} break requirements ({what}): there is no ratio."]
        least = run.sense == "min"
        kept = f"within a share of {excess_words(found)}" if found.excess else "exactly"
        worth = f"{'cost at most' if least else 'earn at least'} {rounded(self.value, up=least)}"
        said = [
            f"Replayed in exact arithmetic, the decisions of {who} {worth} and keep every "
            f"requirement {kept}."
        ]
        said += [found.note] if found.note else []
        if self.ratio is not None:
            ratio = rounded(self.ratio, up=True)
            assert run.certificate is not None
            among = run.certificate.among
            what = f"the optimum of {among}" if among else "the optimum"
            said.append(f"Proved ratio of the run to {what}: at most {ratio}.")
        return said


def certificate_of(run: Run, where: str) -> Certificate:
    """Return the certificate of a run's bound.

    Raises `NotACertificate`: it holds none; ``where`` begins the message.
    """
    held = run.certificate
    if held is None or held.certificate is None:
        raise NotACertificate(f"{where}: the run of {named(run.algorithm)} holds no certificate")
    return from_json(msgspec.json.encode(held.certificate), "certificate of the run")


def prove_run(run: Run, instance: InstanceOrName | None, where: str) -> RunProof:
    """Prove the bound of a run again and replay its decisions; ``where`` begins an error."""
    certificate = certificate_of(run, where)
    if instance is None:
        instance = shipped_instance(run)
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
    proof = _proved_bound(run, certificate, about)
    if run.sense != proof.sense:
        raise NotACertificate(f"the run says {run.sense}, its certificate {proof.sense}")
    for step in run.steps:  # the file's word, but numbers
        for text in (step.bound_so_far, step.left, step.right):
            if text is not None:
                rational(text, "record of a slot")
    replayed = audit(run, about)
    return RunProof(run, proof, replayed, _ratio(run, proof, replayed))


def shipped_instance(run: Run) -> Instance:
    """Return the instance of a run where it ships; raises `MissingInstance`."""
    from farkas.instances import library

    name = f"{run.kind}/{run.instance}"
    found = library.load(name) if name in library.names(run.kind) else None
    if found is None:
        raise MissingInstance("a run is about an instance; give it: instance=...")
    if found.sha256 != run.manifest.instance_sha256:
        raise MissingInstance(f"the run is not about {name} as it ships; give it: instance=...")
    return found


def _ratio(run: Run, proof: Proof, replayed: Replay | None) -> float | None:
    """Ratio of exact value and proved bound; raises `NotACertificate` when the run claims less."""
    if replayed is None or proof.bound is None or run.violations:
        return None
    ratio = replayed_ratio(run.sense, replayed, proof.bound)
    if run.ratio is not None and (ratio is None or run.ratio < ratio):
        raise NotACertificate(f"the run claims the ratio {run.ratio:.17g}, proved is {ratio}")
    return ratio


def _proved_bound(run: Run, certificate: Certificate, instance: Instance) -> Proof:
    """Prove a run's certificate about its instance.

    Raises `NotACertificate`: it proves less than the run claims, or about what bounds no such run.
    """
    require_run_bound(certificate, run.kind, run.options, run.algorithm, run.decisions)
    proof = proof_of(certificate, instance)
    assert run.certificate is not None
    claimed = run.certificate.exact
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


def run_verdict(run: Run, instance: Instance) -> str:
    """Audit both sides of a run: ``"proved again"``, or ``"rejected: "`` with the reason.

    ``"bound proved again"`` where nothing replays runs of the kind, so that the value is their
    word.
    """
    try:
        proof = prove_run(run, instance, "the run")
    except (FarkasError, ValueError, ArithmeticError) as error:  # the file says anything at all
        return f"rejected: {error}"
    return HALF_PROVED if proof.replayed is None else "proved again"
