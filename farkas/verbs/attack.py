"""Search for an instance that breaks a claim, and say what became of the claim."""

from __future__ import annotations

import dataclasses
import math
from types import NoneType
from typing import Any

from farkas.adversary.attack import Attack, Attempt, Progress, size_of
from farkas.adversary.attack import attack as search
from farkas.adversary.shape import Plain
from farkas.errors import InvalidOption, require_progress, require_seed, require_type
from farkas.instances import Instance, library
from farkas.proofs.claim import Claim, claims
from farkas.proofs.verdict import Attacked, Standing, Verdict, refuted
from farkas.verbs.inputs import require_search_limit

SECONDS = 60.0  #: CPU seconds of an attack that is given neither seconds nor evaluations.


@dataclasses.dataclass(frozen=True, slots=True)
class Assault:
    """An attack on a claim, and the claim's verdict after it."""

    claim: Claim  #: What was attacked.
    #: That of the claim's own check; *refuted* by what was found where the check had not been. Held
    #: stays held, with how far the attack got.
    verdict: Verdict
    outcome: Attack  #: What was tried and found.
    seed: int  #: Of the search.

    @property
    def found(self) -> Attempt | None:
        """Violation with what the statement says of it; None where there was none."""
        return self.outcome.found

    @property
    def instance(self) -> Instance | None:
        """Instance that breaks the claim; None where none was found, or other input does."""
        example = None if self.found is None else self.found.example
        return example if isinstance(example, Instance) else None

    @property
    def size(self) -> int | None:
        """Jobs, sites, slots and other parts of that instance."""
        return None if self.instance is None else size_of(self.instance)

    @property
    def shipped_size(self) -> int | None:
        """The same of the shipped counterexample, where there is one."""
        shipped = self.verdict.counterexample
        return size_of(library.load(shipped)) if isinstance(shipped, str) else None

    def __repr__(self) -> str:
        return f"<attack on {self.claim.name}: {'broken' if self.found else 'not broken'}>"

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found = self.found
        return {
            "claim": self.claim.name,
            "verdict": self.verdict.to_builtins(),
            "broken": found is not None,
            "broken_by": None if found is None else _cited(found),
            "fails": None if found is None else [one.to_builtins() for one in found.said.broken],
            "size": self.size,
            "shipped_size": self.shipped_size,
            "refused": self.outcome.refused,
            "shrunk": self.outcome.is_shrunk,
            "interrupted": self.outcome.interrupted,
        }


def attack(
    claim: str | Claim,
    *,
    seconds: float | None = None,
    evaluations: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Assault:
    """Search for an instance, or other input, that breaks a claim.

    The search starts from draws; shipped instances are not used.  What is found is made small while
    the claim's own relations, with its own tolerances, fail on it.

    Parameters
    ----------
    claim
        Name, for example ``"coded.simple_greedy_is_good"``, or the claim.
    seconds
        CPU seconds of search and shrinking; 60 unless evaluations are given.
    evaluations
        Examples tried by the search at most; the result then depends on nothing else but seed.
    seed
        Of the search.
    progress
        Called with the examples tried and the smallest slack, whenever that has fallen.

    Raises
    ------
    UnknownName
        No such claim.
    InvalidOption
        The claim says nothing of single examples, with the reason.

    Examples
    --------
    >>> import farkas
    >>> found = farkas.attack("coded.proposition1", evaluations=20)
    >>> found, found.verdict.standing.value
    (<attack on coded.proposition1: broken>, 'refuted')
    """
    require_type(claim, (str, Claim), "claim")
    require_type(evaluations, (int, NoneType), "evaluations")
    require_seed(seed)
    require_progress(progress)
    chosen = claims[claim] if isinstance(claim, str) else claim
    if evaluations is not None and (isinstance(evaluations, bool) or evaluations < 1):
        raise InvalidOption(f"evaluations = {evaluations}; give at least 1")
    require_search_limit(seconds, "seconds")
    verdict = chosen.run()
    if chosen.says is None:
        raise InvalidOption(f"{chosen.name} cannot be attacked: {why_not(verdict)}")
    limit = math.inf if evaluations is not None else SECONDS
    limit = limit if seconds is None else seconds
    outcome = search(chosen, seconds=limit, evaluations=evaluations, seed=seed, progress=progress)
    return Assault(chosen, _after(verdict, outcome, seed), outcome, seed)


def why_not(verdict: Verdict) -> str:
    """Say why a claim that says nothing of single examples cannot be attacked."""
    if verdict.standing is Standing.PROVED:
        return "it is proved for all values"
    if verdict.standing is Standing.NOT_APPLICABLE:
        return "an assumption of it is false"
    if isinstance(verdict.counterexample, str):
        return "its relation is about parts of one instance that are chosen by hand"
    if verdict.counterexample:
        return f"it is a statement about {', '.join(verdict.counterexample)}"
    return "it is a statement about many runs together"


def _after(verdict: Verdict, outcome: Attack, seed: int) -> Verdict:
    tried = Attacked(
        seconds=outcome.seconds, evaluations=outcome.evaluations, slack=outcome.slack, seed=seed
    )
    found = outcome.found
    if found is not None and verdict.standing is not Standing.REFUTED:
        note = "found by an attack"
        verdict = refuted(_cited(found), found.said.broken, note, given=found.said.given)
    return dataclasses.replace(verdict, attacked=tried)


def _cited(found: Attempt) -> Plain:
    if not isinstance(found.example, Instance):
        return found.data
    return {"farkas": 1, "kind": found.example.kind, "name": "counterexample"} | found.data
