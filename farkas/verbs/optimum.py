"""The best offline solution of an instance, and the best proved bound, until they meet."""

from __future__ import annotations

from fractions import Fraction
from types import NoneType

from farkas.errors import InvalidOption
from farkas.executor import Executor
from farkas.offline import Ladder, OfflineOptimum, climb, ladders
from farkas.offline.climbing import Progress
from farkas.required import require_progress, require_share, require_type
from farkas.solvers.interrupt import CtrlC
from farkas.suggestions import suggestion
from farkas.verbs.inputs import InstanceOrName, as_instance
from farkas.verbs.time_limit import require_search_limit
from farkas.words import named

GAP = 0.001
"""Distance of value and bound that is near enough unless another is asked for."""
SECONDS = 60.0
"""Time limit unless another is given."""


def optimum(
    instance: InstanceOrName,
    *,
    problem: str | None = None,
    gap: float = GAP,
    time_limit: float = SECONDS,
    workers: int | None = None,
    scheduler: str = "",
    progress: Progress | None = None,
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
        Seconds, > 0, without those of compiling; a climber may pass it by what its last step takes.
    workers
        Child processes on this machine that share what falls apart: for mlbroker slots and jobs,
        for eris the jobs of proofs.  None for this process alone.  Value, bound and certificate
        are the same for any number unless time ends the search.
    scheduler
        Address of a dask scheduler to use instead of child processes.
    progress
        Called with a `farkas.offline.climbing.Advance` whenever a side has moved.

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
    data = as_instance(instance)
    require_type(problem, (str, NoneType), "problem")
    require_share(gap, "gap")
    require_type(time_limit, (int, float), "time_limit")
    require_search_limit(time_limit)
    require_progress(progress)
    require_type(workers, (int, NoneType), "workers")
    require_type(scheduler, str, "scheduler")
    chosen = ladder_of(data.kind, problem)
    # workers begin and end in peace, whatever is pressed
    with CtrlC() as keys, Executor.of(workers, scheduler) as executor:
        if keys.pressed:
            raise KeyboardInterrupt
        return climb(
            data, chosen, gap=Fraction(gap), time_limit=time_limit, progress=progress,
            executor=executor,
        )  # fmt: skip


def ladder_of(kind: str, problem: str | None = None) -> Ladder:
    """Return the ladder of a kind's problem.

    Raises
    ------
    InvalidOption
        The kind has none.
    """
    known = {ladders[name].problem: ladders[name] for name in ladders.names(f"{kind}.")}
    found = known.get(problem or "")
    if found is None and problem is None:
        raise InvalidOption(f"kind {kind} has no search for its offline optimum")
    if found is None:
        names = [name for name in known if name]
        hint = suggestion(str(problem), names)
        raise InvalidOption(f"kind {kind} has no search for {named(str(problem))}{hint}")
    return found
