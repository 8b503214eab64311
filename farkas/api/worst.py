"""The worst instance that can be found for an algorithm, with the proof of how bad it is."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from farkas.adversary.catalogue import find_statement
from farkas.adversary.gap import UNBOUNDED, Gap, GapProof, at_least, prove_gap
from farkas.adversary.moves import shrunk
from farkas.adversary.scoring import LONGEST, ScoredInstance, Scorer
from farkas.adversary.search import Progress, search
from farkas.adversary.shape import InstanceBox
from farkas.api.inputs import InstanceOrName, as_instance
from farkas.api.limits import search_seconds
from farkas.certificates.doubles import both, text_of
from farkas.certificates.proof import rounded
from farkas.errors import (
    InvalidOption,
    NotACertificate,
    require_type,
)
from farkas.instances import Instance
from farkas.messages import ShowsItself, method, named
from farkas.online.driver import Algorithm
from farkas.online.policy import as_algorithm

SEARCHED = 0.8  #: Share of the seconds before shrinking begins.
SHRUNK = 0.9  #: Share of what is left after which shrinking ends, and a last bound is proved.
LAST = 0.05  #: Share that the last bound has where search and shrinking took longer than theirs.


@dataclasses.dataclass(frozen=True, slots=True)
class WorstCase(ShowsItself):
    """The worst instance found, and what is proved on it."""

    #: Both sides, replayed: what the algorithm's decisions and the witness are worth.
    proof: GapProof
    #: The same as the search knew it, with a bound on the optimum where one was proved at last.
    scored: ScoredInstance
    #: evaluations, seconds, seed: instances scored, CPU seconds, and seed of the search.
    evaluations: int
    #: raised, broken: instances on which the algorithm raised, or broke requirements.
    raised: int
    broken: int
    seconds: float
    seed: int
    is_shrunk: bool  #: Whether nothing more could be left out or rounded.
    interrupted: bool  #: Whether Ctrl-C ended the search.

    @property
    def gap(self) -> Gap:
        """The statement, as its file holds it."""
        return self.proof.gap

    @property
    def instance(self) -> Instance:
        """The instance, with a name."""
        return self.proof.instance

    @property
    def ratio(self) -> Fraction | None:
        """Proved: the algorithm's competitive ratio is at least this; None: it has none."""
        return self.proof.ratio

    @property
    def ratio_words(self) -> str:
        """Six digits of the ratio, rounded down."""
        return UNBOUNDED if self.ratio is None else rounded(self.ratio, up=False, digits=6)

    @property
    def bound(self) -> Fraction | None:
        """Proved bound on the optimum of the instance; None where the search proved none."""
        return None if self.scored.bound is None else self.scored.bound.fraction

    def __repr__(self) -> str:
        name = named(self.gap.reached.algorithm)
        least = "" if self.ratio is None else "at least "
        return f"<worst case of {name}: ratio {least}{self.ratio_words}>"

    plot, save = method("plot"), method("save")

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        proof, up = self.proof, self.proof.sense == "max"
        return {
            "algorithm": self.gap.reached.algorithm,
            "options": self.gap.reached.options,
            "sense": proof.sense,
            "ratio_at_least": at_least(self.ratio),
            "ratio_exact": UNBOUNDED if self.ratio is None else text_of(self.ratio),
            "value_exact": "infinite" if proof.value is None else text_of(proof.value),
            "witness_exact": text_of(proof.witness),
            "witness_by": self.gap.witness.algorithm,
            **both("bound", self.bound, up=up),
            "instance": self.gap.instance,
            "evaluations": self.evaluations,
            "raised": self.raised,
            "broke_requirements": self.broken,
            "seconds": self.seconds,
            "seed": self.seed,
            "shrunk": self.is_shrunk,
            "interrupted": self.interrupted,
        }


def worst(
    algorithm: str | Algorithm,
    instance: InstanceOrName | None = None,
    *,
    preset: str | None = None,
    size: Mapping[str, int] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    fixed: bool = False,
    seconds: float | None = None,
    evaluations: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> WorstCase:
    """Search for an instance on which an algorithm is far from the optimum, and prove how far.

    Instances are searched in a box: sizes at most, and a range for every number, by default from
    the smallest to the largest value of twenty draws of the kind's generator.  What is found is
    made small: parts are left out and numbers rounded while the ratio keeps within 1 %.

    Parameters
    ----------
    algorithm
        Name, for example ``"dps.simple"``.
    instance
        Search around this instance; every number stays between the smallest and the largest of
        its family, or within ``ranges`` and nothing else changes.  By default around draws.
    preset, size
        Of the generator, for example ``{"jobs": 3}``; sizes change the smallest box of the kind,
        or the preset that is named.
    ranges
        Lowest and highest value by name of a field, for example ``{"worth": (1, 1000)}``.
    fixed
        Keep sizes: leave out no job, worker or other part, and double none.
    seconds
        CPU seconds of search and shrinking; 60 unless evaluations are given.
    evaluations
        Instances scored by the search at most; the result then depends on nothing else but seed.
    seed
        Of the search.
    progress
        Called with the evaluations done and the best ratio, whenever that has grown.
    options
        Options of the algorithm, for example ``scheduler="printed"``.

    Returns
    -------
    The instance with both sides replayed in exact arithmetic; ``gap.write(path)`` keeps them for
    `farkas.check`.

    Raises
    ------
    UnknownName, InvalidOption
        No such algorithm, option, preset, size or range.
    NoAnswer
        The algorithm has valid decisions beside a witness on no instance that was tried.
    PolicyProblem
        A policy of one's own raises on each of the first instances.

    Examples
    --------
    >>> import farkas
    >>> found = farkas.worst("mlbroker.local", evaluations=60)
    >>> found.ratio > 1, farkas.check(found.gap).ratio == found.ratio
    (True, True)
    """
    require_type(fixed, bool, "fixed")
    limit = search_seconds(seconds, evaluations, seed, progress)
    given = None if instance is None else as_instance(instance)
    chosen = as_algorithm(algorithm, "" if given is None else given.kind)
    if given is None:
        box = InstanceBox.drawn(chosen.kind, preset=preset, size=size, ranges=ranges)
    elif preset is not None or size:
        raise InvalidOption("preset and size are of draws; leave them out beside an instance")
    else:
        box = InstanceBox.around(given, ranges=ranges)
    box = dataclasses.replace(box, fixed=fixed)
    for name in options.keys() - chosen.options.keys():
        raise InvalidOption.near(
            f"neither worst nor {chosen.name} has an option {name!r}", name,
            [*chosen.options, "seconds", "evaluations", "preset", "size", "ranges", "seed"],
        )  # fmt: skip
    begin = time.process_time()
    found = search(
        box, Scorer(chosen, options), seconds=SEARCHED * limit, evaluations=evaluations, seed=seed,
        progress=progress,
    )  # fmt: skip
    best, complete, interrupted = found.best, False, found.interrupted
    scorer = Scorer(chosen, options)  # one that has seen nothing
    if not interrupted:
        left = begin + limit - time.process_time()
        end = time.process_time() + SHRUNK * left
        scorer.left = lambda: end - time.process_time()
        try:
            best, complete = shrunk(best, box, scorer, seconds=SHRUNK * left)
            left = begin + limit - time.process_time()
            best = scorer.settled(best, min(LONGEST, max(LAST * limit, left)))
        except KeyboardInterrupt:
            interrupted = True
    return WorstCase(
        proof=prove_gap(best.gap(scorer.seed)),
        scored=best,
        evaluations=found.evaluations,
        raised=found.raised,
        broken=found.broken,
        seconds=time.process_time() - begin,
        seed=seed,
        is_shrunk=complete,
        interrupted=interrupted,
    )


def worst_known(algorithm: str) -> GapProof:
    """Prove the worst instance that ships for an algorithm; see :func:`farkas.worst` for others.

    Parameters
    ----------
    algorithm
        Name, with the options in brackets that are not its defaults, as ``farkas list`` has them.

    Raises
    ------
    UnknownName
        None ships for it.
    NotACertificate
        Less is proved than its file states, or the algorithm decides otherwise today.

    Examples
    --------
    >>> import farkas
    >>> farkas.worst_known("eris.eris").ratio
    Fraction(2000, 1)
    """
    standing = find_statement(algorithm).prove()
    if standing.proof is None:
        raise NotACertificate(f"{algorithm}: {standing.objection}")
    if not standing.repeats:
        raise NotACertificate(f"{algorithm}: decides otherwise than its statement says")
    return standing.proof
