"""Where the units of an accepted job go.  DPS Algorithm 2 and its rivals.

Every rule is a pure function of the idle units of the two requested types and returns how many
units of the job each server gets, or None where all servers together have too few.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from farkas.numbers import Ints

Placing = Literal["pa", "best_fit", "random"]
Units = tuple[Ints, Ints]
Rule = Callable[[Ints, Ints, int, int], Units | None]


def pa(idle_workers: Ints, idle_ps: Ints, workers: int, ps: int) -> Units | None:
    """Place greedily on the servers with most idle units.  DPS Algorithm 2.

    The first server, by idle workers, then idle parameter servers, then number, that can host the
    whole job does; without one, workers and then parameter servers fill the servers in that order.
    It minimises the runtime (15) of the job at hand, not the number of servers, and not the
    runtime of a sequence.

    Parameters
    ----------
    idle_workers, idle_ps
        Idle units of the requested types, shape (servers,); X and Z.
    workers, ps
        Units requested, >= 1.

    Returns
    -------
    Units per server, shapes (servers,).
    """
    order = _by_idle_units(idle_workers, idle_ps)
    hosts = (idle_workers >= workers) & (idle_ps >= ps)
    if hosts.any():
        return _on_one(order[hosts[order]][0], len(order), workers, ps)
    return fill(order, idle_workers, idle_ps, workers, ps)


def best_fit(idle_workers: Ints, idle_ps: Ints, workers: int, ps: int) -> Units | None:
    """Place on the server that the whole job fills best; without one, as `pa` does.

    Ties go to the lower number.  Parameters and result as for `pa`.
    """
    hosts = np.flatnonzero((idle_workers >= workers) & (idle_ps >= ps))
    if len(hosts):
        left = idle_workers[hosts] + idle_ps[hosts]
        return _on_one(hosts[np.argmin(left)], len(idle_workers), workers, ps)
    order = _by_idle_units(idle_workers, idle_ps)
    return fill(order, idle_workers, idle_ps, workers, ps)


def fill(order: Ints, idle_workers: Ints, idle_ps: Ints, workers: int, ps: int) -> Units | None:
    """Fill servers in ``order`` with workers, then from the start with parameter servers."""
    if idle_workers.sum() < workers or idle_ps.sum() < ps:
        return None
    return _taken(order, idle_workers, workers), _taken(order, idle_ps, ps)


def colocated(units: Units) -> bool:
    """Whether one server holds the whole job; q."""
    return int(np.count_nonzero((units[0] > 0) | (units[1] > 0))) == 1


RULES: dict[str, Rule] = {"pa": pa, "best_fit": best_fit}  #: Deterministic rules by name.


def _by_idle_units(idle_workers: Ints, idle_ps: Ints) -> Ints:
    return np.lexsort((np.arange(len(idle_workers)), -idle_ps, -idle_workers))


def _on_one(server: int, servers: int, workers: int, ps: int) -> Units:
    units = np.zeros(servers, np.int64), np.zeros(servers, np.int64)
    units[0][server], units[1][server] = workers, ps
    return units


def _taken(order: Ints, idle: Ints, needed: int) -> Ints:
    before = np.cumsum(idle[order]) - idle[order]
    taken = np.zeros(len(idle), np.int64)
    taken[order] = np.clip(needed - before, 0, idle[order])
    return taken
