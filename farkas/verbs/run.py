"""One algorithm on one instance, with its certificate."""

from __future__ import annotations

from typing import Any

from farkas.errors import require_type
from farkas.online import Algorithm, Run, algorithms
from farkas.online.driver import Progress
from farkas.verbs.inputs import InstanceOrName, as_instance


def run(
    instance: InstanceOrName,
    algorithm: str | Algorithm,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Run:
    """Run an online algorithm or a baseline; the run ends with a proved bound.

    Parameters
    ----------
    instance
        An instance, the path of its file, or the name of a shipped one.
    algorithm
        Name, for example ``"mlbroker.fractional"``; ``farkas.algorithms(kind)`` lists them.
    seed
        Seed of every random draw, >= 0.
    progress
        Called after every step with the number done and the total.
    options
        Options of the algorithm; ``farkas.show(algorithm)`` lists them.

    Raises
    ------
    UnknownName, InvalidOption
        No such algorithm or option.
    InvalidInstance
        The instance is of another kind.

    Examples
    --------
    >>> import farkas
    >>> run = farkas.run("mlbroker/tiny", "mlbroker.fractional")
    >>> round(run.value, 6), float(run.certificate), round(run.ratio, 6)
    (16.8, 16.8, 1.0)
    """
    require_type(algorithm, (str, Algorithm), "algorithm")
    require_type(seed, int, "seed")
    chosen = algorithms[algorithm] if isinstance(algorithm, str) else algorithm
    return chosen.run(as_instance(instance), seed, progress=progress, **options)
