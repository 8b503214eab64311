"""An algorithm that is told of jobs when they come."""

from __future__ import annotations

from typing import Any

from farkas.online import Algorithm
from farkas.online.feeding import Feed
from farkas.required import require_seed, require_type
from farkas.verbs.inputs import InstanceOrName, as_instance
from farkas.verbs.run import find_algorithm


def feed(
    instance: InstanceOrName,
    algorithm: str | Algorithm,
    *,
    seed: int = 0,
    known: Any = None,
    **options: Any,
) -> Feed:
    """Begin a run without knowing its jobs; ``step`` shows what comes next, ``run`` certifies.

    Parameters
    ----------
    instance
        An instance, the path of its file, or the name of a shipped one; its jobs are left out.
    algorithm
        Name of an online algorithm, for example ``"eris.learned"``.
    seed
        Seed of every random draw, >= 0.
    known
        What the algorithm is told before the first job; see `farkas.online.feeding.Feed`.
    options
        Options of the algorithm; ``farkas.show(algorithm)`` lists them.

    Raises
    ------
    UnknownName, InvalidOption
        No such algorithm or option, or one that has to see the whole instance.
    NotApplicable
        Nothing arrives over time in instances of this kind.

    Examples
    --------
    >>> import farkas
    >>> market = farkas.load("mlbroker/tiny")
    >>> feed = farkas.feed(market, "mlbroker.pooled")
    >>> decision = feed.step(*(job for job in market.jobs if job.arrival == 0))
    >>> run = feed.run()
    >>> run.value >= float(run.certificate)
    True
    """
    require_type(algorithm, (str, Algorithm), "algorithm")
    require_seed(seed)
    data = as_instance(instance)
    chosen = find_algorithm(algorithm, data.kind) if isinstance(algorithm, str) else algorithm
    return Feed(data, chosen, seed, known, options)
