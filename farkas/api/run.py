"""One algorithm on one instance, with its certificate; told of jobs as they come; quantities."""

from __future__ import annotations

from collections.abc import Iterable
from types import NoneType
from typing import TYPE_CHECKING, Any

from farkas.api.inputs import InstanceOrName, as_instance
from farkas.errors import (
    require_progress,
    require_seed,
    require_type,
)
from farkas.instances import Instance
from farkas.online import Algorithm, Policy, Run
from farkas.online.driver import Progress
from farkas.online.policy import as_algorithm

if TYPE_CHECKING:
    from farkas.online.feed import Feed
    from farkas.quantities import Value


def run(
    instance: InstanceOrName,
    algorithm: str | Algorithm | Policy | type,
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
        Name, for example ``"mlbroker.fractional"``; ``farkas.algorithms(kind)`` lists them.  Or a
        policy of your own: an object, its class, or ``"file.py:Class"``; see `farkas.Policy`.
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
    >>> run = farkas.run("mlbroker/tiny", "mlbroker.fractional[tight]")
    >>> round(run.value, 6), run.certificate.words("min"), round(run.ratio, 6)
    (16.8, '16.7999999', 1.0)
    """
    require_seed(seed)
    require_progress(progress)
    data = as_instance(instance)
    chosen = as_algorithm(algorithm, data.kind)
    return chosen.run(data, seed, progress=progress, **options)


def feed(
    instance: InstanceOrName,
    algorithm: str | Algorithm | Policy | type,
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
        What the algorithm is told before the first job; see `farkas.online.feed.Feed`.
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
    require_seed(seed)
    data = as_instance(instance)
    chosen = as_algorithm(algorithm, data.kind)
    from farkas.online.feed import Feed  # here: runs have no use for it

    return Feed(data, chosen, seed, known, options)


def evaluate(instance: InstanceOrName, keys: str | Iterable[str] | None = None) -> dict[str, Value]:
    """Compute named quantities of an instance; those not defined for it are absent.

    Parameters
    ----------
    instance
        An instance, the path of its file, or the name of a shipped one.
    keys
        One name or several, also of programs: their optima; by default those listed under
        "expected" in the instance's file, or every quantity of the kind when the file lists none.

    Raises
    ------
    UnknownName, InvalidOption
        When a key belongs to no quantity of the kind.

    Examples
    --------
    >>> import farkas
    >>> farkas.evaluate("mlbroker/tiny", "mlbroker.offline[strict]")
    {'mlbroker.offline[strict]': 16.8}
    """
    data = as_instance(instance)
    require_type(data, Instance, "instance")
    require_type(keys, (str, Iterable, NoneType), "keys")
    asked = [keys] if isinstance(keys, str) else None if keys is None else list(keys)
    for key in asked or ():
        require_type(key, str, "key")
    from farkas import quantities  # here: runs have no use for them

    return quantities.evaluate(data, asked)


def measure(item: Instance) -> str:
    """Say what values on an instance are, with their unit; empty where its kind does not say.

    >>> from farkas.instances import library
    >>> measure(library.load("mlbroker/tiny"))
    'cost (USD)'
    """
    from farkas.online import environments

    said = getattr(environments.get(item.kind), "measure", None)
    return str(said(item)) if said is not None else ""
