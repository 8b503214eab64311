"""The worst instance that can be found for an algorithm, with the proof of how bad it is."""

from __future__ import annotations

import dataclasses
import math
import os
import time
from collections.abc import Mapping
from fractions import Fraction
from types import NoneType
from typing import Any

from farkas.adversary.box import InstanceBox
from farkas.adversary.gap import UNBOUNDED, Gap, GapProof, at_least, prove_gap
from farkas.adversary.island import Hunt
from farkas.adversary.scoring import LONGEST, Scored, Scorer
from farkas.adversary.search import ISLANDS, Progress, search
from farkas.adversary.shrinking import shrunk
from farkas.adversary.store import Identity, SearchStore
from farkas.certificates.doubles import double, text_of
from farkas.certificates.proof import rounded
from farkas.errors import InvalidOption
from farkas.executor import Executor
from farkas.instances import Instance
from farkas.online.driver import Algorithm, algorithms
from farkas.required import require_progress, require_seed, require_type
from farkas.shown import ShowsItself, verb
from farkas.verbs.inputs import InstanceOrName, as_instance
from farkas.verbs.run import find_algorithm
from farkas.verbs.time_limit import require_search_limit
from farkas.words import named

SECONDS = 60.0
"""CPU seconds of a search that is given neither seconds nor evaluations."""
SEARCHED = 0.8
"""Share of them before shrinking begins."""
SHRUNK = 0.9
"""Share of what is left after which shrinking ends, and a last bound is proved."""

LAST = 0.05
"""Share that the last bound has where search and shrinking took longer than theirs."""


@dataclasses.dataclass(frozen=True, slots=True)
class WorstCase(ShowsItself):
    """The worst instance found, and what is proved on it.

    Parameters
    ----------
    proof
        Both sides, replayed: what the algorithm's decisions and the witness are worth.
    scored
        The same as the search knew it, with a bound on the optimum where one was proved at last.
    evaluations, seconds, seed
        Instances scored, CPU seconds, and seed of the search.
    is_shrunk
        Whether nothing more could be left out or rounded.
    interrupted
        Whether Ctrl-C ended the search.
    """

    proof: GapProof
    scored: Scored
    evaluations: int
    seconds: float
    seed: int
    is_shrunk: bool
    interrupted: bool

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

    plot, save = verb("plot"), verb("save")

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
            "bound": None if self.bound is None else double(self.bound, up=up),
            "bound_exact": None if self.bound is None else text_of(self.bound),
            "instance": self.gap.instance,
            "evaluations": self.evaluations,
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
    workers: int | None = None,
    scheduler: str = "",
    store: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    settings: Mapping[str, Any] | None = None,
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
        CPU seconds of search and shrinking, of all processes together, without those in which
        workers start; 60 unless evaluations are given.
    evaluations
        Instances scored by the search at most; the result then depends on nothing else but seed.
    seed
        Of the search.
    workers
        Child processes on this machine; None for this process alone.  The result is the same for
        any number of them unless time ends the search.  More than four have nothing to do.
    scheduler
        Address of a dask scheduler to use instead of child processes.
    store
        File that holds where the search stands after each round.  The same call goes on from
        there and ends as one that was never interrupted; what the file holds is scored again.
    progress
        Called with the evaluations done and the best ratio, whenever that has grown.
    settings
        Options of the algorithm, also those called as a parameter of this function is:
        ``{"scheduler": "printed"}``.
    options
        The others may be given by name.

    Returns
    -------
    The instance with both sides replayed in exact arithmetic; ``gap.write(path)`` keeps them for
    `farkas.check`.

    Raises
    ------
    UnknownName, InvalidOption
        No such algorithm, option, preset, size or range; or more evaluations are stored already.
    FileProblem
        The store is none, or of another search.
    SolverUnavailable
        The scheduler does not answer.
    NoAnswer
        The algorithm has valid decisions beside a witness on no instance that was tried.

    Examples
    --------
    >>> import farkas
    >>> found = farkas.worst("mlbroker.local", evaluations=60)
    >>> found.ratio > 1, farkas.check(found.gap).ratio == found.ratio
    (True, True)
    """
    require_type(algorithm, (str, Algorithm), "algorithm")
    require_type(evaluations, (int, NoneType), "evaluations")
    require_type(fixed, bool, "fixed")
    require_seed(seed)
    require_progress(progress)
    require_type(workers, (int, NoneType), "workers")
    require_type(scheduler, str, "scheduler")
    require_type(store, (str, os.PathLike, NoneType), "store")
    chosen = algorithms[algorithm] if isinstance(algorithm, str) else algorithm
    options |= settings or {}
    if evaluations is not None and (isinstance(evaluations, bool) or evaluations < 1):
        raise InvalidOption(f"evaluations = {evaluations}; give at least 1")
    require_search_limit(seconds, "seconds")
    if instance is None:
        box = InstanceBox.drawn(
            chosen.kind, preset=preset, size=size, ranges=ranges, algorithm=chosen.name
        )
    elif preset is not None or size:
        raise InvalidOption("preset and size are of draws; leave them out beside an instance")
    else:
        given = as_instance(instance)
        find_algorithm(chosen.name, given.kind)
        box = InstanceBox.around(given, ranges=ranges)
    box = dataclasses.replace(box, fixed=fixed)
    limit = math.inf if evaluations is not None else SECONDS
    limit = limit if seconds is None else seconds
    begin = time.process_time()
    scorer = Scorer(chosen, options)
    with Executor.of(workers, scheduler) as executor:
        hunt = Hunt.of(box, scorer, ISLANDS)
        registered = isinstance(hunt.algorithm, str)
        if not registered and (executor.elsewhere or store is not None):
            raise InvalidOption(
                f"{named(chosen.name)} is not registered: no worker or store has it"
            )
        kept = None if store is None else SearchStore(store, Identity.of(hunt, chosen.name, seed))
        islands = [] if kept is None else kept.islands(box, scorer)
        done = sum(island.evaluations for island in islands)
        if evaluations is not None and done > evaluations:
            raise InvalidOption(f"the store holds {done} evaluations already; ask for more")
        found = search(
            box, scorer, seconds=SEARCHED * limit, evaluations=evaluations, seed=seed,
            progress=progress, executor=executor, islands=islands,
            keep=None if kept is None else kept.keep,
        )  # fmt: skip
    best, complete, interrupted = found.best, False, found.interrupted

    def left() -> float:
        return limit - found.seconds - (time.process_time() - begin)

    if not interrupted:
        scorer = Scorer(chosen, options)  # one that has seen nothing, as after any search
        try:
            shrinking = time.process_time() + SHRUNK * left()
            scorer.left = lambda: shrinking - time.process_time()
            best, complete = shrunk(best, box, scorer, seconds=SHRUNK * left())
            best = scorer.settled(best, min(LONGEST, max(LAST * limit, left())))
        except KeyboardInterrupt:
            interrupted = True
    return WorstCase(
        proof=prove_gap(best.gap(scorer.seed)),
        scored=best,
        evaluations=found.evaluations,
        seconds=found.seconds + time.process_time() - begin,
        seed=seed,
        is_shrunk=complete,
        interrupted=interrupted,
    )


def keep(found: WorstCase, path: str | os.PathLike[str]) -> None:
    """Write the instance that was found as an instance file; raises `FileProblem`."""
    from farkas.instances.writing import write

    write(found.instance, path)
