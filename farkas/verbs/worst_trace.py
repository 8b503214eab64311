"""The worst trace that can be found for the fractional algorithm of mlBroker, with its proof."""

from __future__ import annotations

import time
from typing import Literal

from farkas.adversary.gap import prove_gap
from farkas.adversary.mlbroker_traces import Progress
from farkas.adversary.mlbroker_traces import worst_trace as searched
from farkas.adversary.scoring import Scorer
from farkas.errors import NoAnswer
from farkas.online.driver import algorithms
from farkas.required import require_progress, require_seed, require_type
from farkas.verbs.worst import WorstCase

WITNESS = "mlbroker.opt"
"""What is asked for better decisions: staying at one site is found at once by an integer solver."""


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
    >>> from farkas.verbs.worst_trace import worst_trace
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
    begin = time.process_time()
    found = searched(
        sites, float(epsilon), slots=slots, tried=tried, seed=seed, progress=progress
    )  # fmt: skip
    scorer = Scorer(algorithms["mlbroker.fractional"], {"relax": relax}, witnesses=(WITNESS,))
    scored = scorer.score(found.trace.instance(float(epsilon)))
    if scored is None:
        raise NoAnswer(f"{WITNESS} found no placement on the worst of {found.tried} traces")
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
