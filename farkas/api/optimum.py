"""The best offline solution of an instance, the best proved bound, and runs held against it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from types import NoneType

from farkas.api.check_run import certificate_of
from farkas.api.inputs import InstanceOrName, as_instance, refuse_unknown
from farkas.api.limits import require_search_limit
from farkas.certificates.run_bound import bounds_run
from farkas.errors import InvalidOption, require_progress, require_share, require_type
from farkas.executor import Executor
from farkas.messages import named
from farkas.offline import OfflineOptimum, OfflineSearch, find_optimum, searches
from farkas.offline.search import Progress
from farkas.online.run import Bound, Run, Sense
from farkas.solvers.options import CtrlC

GAP = 0.001  #: Distance of value and bound that is near enough unless another is asked for.
SECONDS = 60.0  #: Time limit unless another is given.


def optimum(
    instance: InstanceOrName,
    *,
    problem: str | None = None,
    gap: float = GAP,
    time_limit: float = SECONDS,
    workers: int | None = None,
    scheduler: str = "",
    progress: Progress | None = None,
    **unknown: object,
) -> OfflineOptimum:
    """Search for the best decisions with hindsight, and prove how good they are.

    The kind's heuristics and bounds are tried in turn, each from what those before it left, until
    value and bound are near enough, nothing is left to try, or the time is over.  Ctrl-C ends the
    search like the time limit; where there is nothing yet, it is raised.

    Parameters
    ----------
    instance
        An instance, the path of its file, or the name of a shipped one.
    problem
        Program whose points the decisions are, for example ``"coded.chance"``; by default what runs
        of the kind are worth.
    gap
        Distance of value and bound, as a share of the larger, that is near enough; in [0, 1).
    time_limit
        Seconds, > 0, without those of compiling; a method may pass it by what its last step takes.
    workers
        Child processes on this machine that share what falls apart: for mlbroker slots and jobs,
        for eris the jobs of proofs.  None for this process alone.  Value, bound and certificate
        are the same for any number unless time ends the search.
    scheduler
        Address of a dask scheduler to use instead of child processes.
    progress
        Called with a `farkas.offline.search.Advance` whenever a side has moved.
    unknown
        Nothing: a misspelt option is told by the nearest that there is.

    Returns
    -------
    The decisions as a run, replayed in exact arithmetic, whose certificate proves the bound.

    Raises
    ------
    InvalidOption
        The kind has no such problem, or an option has an impossible value.
    SolverUnavailable
        The scheduler does not answer.
    NoAnswer
        No decisions were found in time.

    Examples
    --------
    >>> import farkas
    >>> found = farkas.optimum("mlbroker/tiny")
    >>> float(found.value), found.gap <= 0.001
    (16.8, True)
    """
    refuse_unknown(optimum, unknown)
    data = as_instance(instance)
    require_type(problem, (str, NoneType), "problem")
    require_share(gap, "gap")
    require_type(time_limit, (int, float), "time_limit")
    require_search_limit(time_limit)
    require_progress(progress)
    require_type(workers, (int, NoneType), "workers")
    require_type(scheduler, str, "scheduler")
    chosen = search_of(data.kind, problem)
    # workers begin and end in peace, whatever is pressed
    with CtrlC() as keys, Executor.of(workers, scheduler) as executor:
        if keys.pressed:
            raise KeyboardInterrupt
        return find_optimum(
            data, chosen, gap=Fraction(gap), time_limit=time_limit, progress=progress,
            executor=executor,
        )  # fmt: skip


def search_of(kind: str, problem: str | None = None) -> OfflineSearch:
    """Return the search of a kind's problem.

    Raises `InvalidOption`: the kind has none.
    """
    known = {searches[name].problem: searches[name] for name in searches.names(f"{kind}.")}
    found = known.get(problem or "")
    if found is None and problem is None:
        raise InvalidOption(f"kind {kind} has no search for its offline optimum")
    if found is None:
        names = [name for name in known if name]
        wrong = f"kind {kind} has no search for {named(str(problem))}"
        raise InvalidOption.near(wrong, str(problem), names)
    return found


def best_bounds(runs: Sequence[Run]) -> list[Bound | None]:
    """Return for each run the tightest bound proved by any that holds for it.

    A kind says which runs a certificate's program bounds; a bound without one holds for all.
    """
    read = [
        None
        if run.certificate is None or run.certificate.certificate is None
        else certificate_of(run, "a fresh run")
        for run in runs
    ]

    def holds(maker: int, run: Run) -> bool:
        certificate = read[maker]
        if runs[maker] is run or certificate is None:
            return True
        return bounds_run(certificate, run.kind, run.options, run.algorithm, run.decisions)

    return [
        tightest([r.certificate for k, r in enumerate(runs) if holds(k, run)], run.sense)
        for run in runs
    ]


def tightest(bounds: Iterable[Bound | None], sense: Sense) -> Bound | None:
    """Largest of lower bounds, smallest of upper ones."""
    proved = [bound for bound in bounds if bound is not None]
    pick = max if sense == "min" else min
    return pick(proved, key=lambda bound: bound.fraction, default=None)
