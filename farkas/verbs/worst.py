"""The worst instance that can be found for an algorithm, with the proof of how bad it is."""

from __future__ import annotations

import dataclasses
import math
import os
import time
from collections.abc import Mapping
from fractions import Fraction
from types import NoneType
from typing import Any, Literal

from farkas.adversary.gap import UNBOUNDED, Gap, GapProof, at_least, prove_gap
from farkas.adversary.moves import shrunk
from farkas.adversary.scoring import LONGEST, Scored, Scorer
from farkas.adversary.search import Found, Problem, Progress, search
from farkas.adversary.shape import InstanceBox
from farkas.adversary.shipped import find_statement
from farkas.adversary.store import Identity, SearchStore
from farkas.certificates.doubles import double, text_of
from farkas.certificates.proof import rounded
from farkas.errors import (
    InvalidOption,
    NoAnswer,
    NotACertificate,
    require_progress,
    require_seed,
    require_type,
)
from farkas.executor import Executor
from farkas.instances import Instance
from farkas.messages import ShowsItself, named, verb
from farkas.online.driver import Algorithm, algorithms
from farkas.online.policy import as_algorithm
from farkas.verbs.inputs import InstanceOrName, as_instance, require_search_limit

SECONDS = 60.0  #: CPU seconds of a search that is given neither seconds nor evaluations.
SEARCHED = 0.8  #: Share of them before shrinking begins.
SHRUNK = 0.9  #: Share of what is left after which shrinking ends, and a last bound is proved.

#: What is asked for better decisions: staying at one site is found at once by an integer solver.
TRACE_WITNESS = "mlbroker.opt"
LAST = 0.05  #: Share that the last bound has where search and shrinking took longer than theirs.


@dataclasses.dataclass(frozen=True, slots=True)
class WorstCase(ShowsItself):
    """The worst instance found, and what is proved on it."""

    #: Both sides, replayed: what the algorithm's decisions and the witness are worth.
    proof: GapProof
    #: The same as the search knew it, with a bound on the optimum where one was proved at last.
    scored: Scored
    #: evaluations, seconds, seed: instances scored, CPU seconds, and seed of the search.
    evaluations: int
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
    require_type(evaluations, (int, NoneType), "evaluations")
    require_type(fixed, bool, "fixed")
    require_seed(seed)
    require_progress(progress)
    require_type(workers, (int, NoneType), "workers")
    require_type(scheduler, str, "scheduler")
    require_type(store, (str, os.PathLike, NoneType), "store")
    given = None if instance is None else as_instance(instance)
    chosen = as_algorithm(algorithm, "" if given is None else given.kind)
    if evaluations is not None and (isinstance(evaluations, bool) or evaluations < 1):
        raise InvalidOption(f"evaluations = {evaluations}; give at least 1")
    require_search_limit(seconds, "seconds")
    if given is None:
        box = InstanceBox.drawn(
            chosen.kind, preset=preset, size=size, ranges=ranges, algorithm=chosen.name
        )
    elif preset is not None or size:
        raise InvalidOption("preset and size are of draws; leave them out beside an instance")
    else:
        box = InstanceBox.around(given, ranges=ranges)
    limit = (SECONDS if evaluations is None else math.inf) if seconds is None else seconds
    asked = _Search(
        chosen, options | dict(settings or {}), dataclasses.replace(box, fixed=fixed), limit, seed,
        evaluations,
    )  # fmt: skip
    begin = time.process_time()
    with Executor.of(workers, scheduler) as executor:
        found = asked.found(executor, store, progress)
    return asked.made_small(found, begin)


@dataclasses.dataclass(frozen=True, slots=True)
class _Search:
    """What `worst` is asked for."""

    chosen: Algorithm
    options: Mapping[str, Any]  #: Of the algorithm.
    box: InstanceBox
    limit: float  #: CPU seconds of search and shrinking.
    seed: int
    evaluations: int | None  #: Of the search, at most.

    def found(
        self,
        executor: Executor,
        store: str | os.PathLike[str] | None,
        progress: Progress | None,
    ) -> Found:
        """Search, from where the store stands."""
        scorer = Scorer(self.chosen, self.options)
        problem = Problem.of(self.box, scorer)
        registered = isinstance(problem.algorithm, str)
        name = self.chosen.name
        if not registered and (executor.elsewhere or store is not None):
            raise InvalidOption(f"{named(name)} is not registered: no worker or store has it")
        kept = None if store is None else SearchStore(store, Identity.of(problem, name, self.seed))
        chains = [] if kept is None else kept.chains(self.box, scorer)
        done = sum(chain.evaluations for chain in chains)
        if self.evaluations is not None and done > self.evaluations:
            raise InvalidOption(f"the store holds {done} evaluations already; ask for more")
        return search(
            self.box, scorer, seconds=SEARCHED * self.limit, evaluations=self.evaluations,
            seed=self.seed, progress=progress, executor=executor, chains=chains,
            keep=None if kept is None else kept.keep,
        )  # fmt: skip

    def made_small(self, found: Found, begin: float) -> WorstCase:
        """Leave out and round what can be, bound the optimum, and prove both sides."""
        best, complete, interrupted = found.best, False, found.interrupted
        scorer = Scorer(self.chosen, self.options)  # one that has seen nothing
        if not interrupted:
            left = self.limit - found.seconds - (time.process_time() - begin)
            end = time.process_time() + SHRUNK * left
            scorer.left = lambda: end - time.process_time()
            try:
                best, complete = shrunk(best, self.box, scorer, seconds=SHRUNK * left)
                left = self.limit - found.seconds - (time.process_time() - begin)
                best = scorer.settled(best, min(LONGEST, max(LAST * self.limit, left)))
            except KeyboardInterrupt:
                interrupted = True
        return WorstCase(
            proof=prove_gap(best.gap(scorer.seed)),
            scored=best,
            evaluations=found.evaluations,
            seconds=found.seconds + time.process_time() - begin,
            seed=self.seed,
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


def worst_trace(
    sites: int,
    epsilon: float,
    *,
    relax: Literal["tight", "printed"] = "printed",
    slots: int | None = None,
    tried: int = 20_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> WorstCase:
    """Search for the data of one job on which ``mlbroker.fractional`` pays most; prove how much.

    Slots are solved in closed form while the search lasts (`farkas.adversary.mlbroker_traces`),
    thousands of times faster than by `farkas.worst`, whose search knows nothing of the algorithm.
    The best trace is written as an instance, the algorithm itself runs on it, and both sides are
    replayed exactly, as `farkas.worst` does.

    Parameters
    ----------
    sites
        R >= 1.
    epsilon
        > 0; ε.
    relax
        As in ``mlbroker.fractional``: the paper's relaxation, or the tight one.
    slots
        At most, T >= 1; by default twice the sites.
    tried
        Traces to play, >= 1.
    seed
        Of the search.
    progress
        Called with the traces played and the best ratio, whenever that has grown.

    Raises
    ------
    InvalidOption
        A number is out of its range.
    NoAnswer
        No witness was found for the best trace.

    Examples
    --------
    >>> import farkas
    >>> from farkas.verbs.worst import worst_trace
    >>> found = worst_trace(3, 10.0, relax="tight", tried=2000)
    >>> found.ratio > 1 + 1 / 2 + 1 / 3, farkas.check(found.gap).ratio == found.ratio
    (True, True)
    """
    for value, types, name in (
        (sites, int, "sites"), (epsilon, (int, float), "epsilon"),
        (slots, (int, type(None)), "slots"), (tried, int, "tried"),
    ):  # fmt: skip
        require_type(value, types, name)
    require_seed(seed)
    require_progress(progress)
    from farkas.adversary import mlbroker_traces  # here: of one kind

    begin = time.process_time()
    found = mlbroker_traces.worst_trace(
        sites, float(epsilon), slots=slots, tried=tried, seed=seed, progress=progress
    )  # fmt: skip
    scorer = Scorer(algorithms["mlbroker.fractional"], {"relax": relax}, witnesses=(TRACE_WITNESS,))
    scored = scorer.score(found.trace.instance(float(epsilon)))
    if scored is None:
        raise NoAnswer(f"{TRACE_WITNESS} found no placement on the worst of {found.tried} traces")
    scored = scorer.settled(scored)
    return WorstCase(
        proof=prove_gap(scored.gap(scorer.seed)),
        scored=scored,
        evaluations=found.tried,
        seconds=time.process_time() - begin,
        seed=seed,
        is_shrunk=True,
        interrupted=found.interrupted,
    )
