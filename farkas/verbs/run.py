"""One algorithm on one instance, with its certificate."""

from __future__ import annotations

from typing import Any

from farkas.errors import InvalidInstance, UnknownName, require_seed, require_type
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
    >>> round(run.value, 6), run.certificate.words("min"), round(run.ratio, 6)
    (16.8, '16.7999999', 1.0)
    """
    require_type(algorithm, (str, Algorithm), "algorithm")
    require_seed(seed)
    data = as_instance(instance)
    chosen = find_algorithm(algorithm, data.kind) if isinstance(algorithm, str) else algorithm
    return chosen.run(data, seed, progress=progress, **options)


def find_algorithm(name: str, kind: str) -> Algorithm:
    """Return the algorithm of a name, for instances of ``kind``.

    Raises
    ------
    UnknownName
        There is none of that name; one that names no kind is answered with those of ``kind``.
    InvalidInstance
        It takes instances of another kind.
    """
    require_type(name, str, "algorithm")
    known = [] if "." in name else algorithms.names(f"{kind}.")
    if known and name not in known:
        raise UnknownName.of("algorithm", name, known)
    found = algorithms[name]
    if found.kind != kind:
        raise InvalidInstance(f"{name} takes instances of kind {found.kind}, not {kind}")
    return found
