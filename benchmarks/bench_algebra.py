"""Trace and hand-over of mlBroker (9) against hand-written assembly and other modelling tools.

R = 15 sites, T = 50 slots, 10 jobs a slot (the published scale); Pyomo is measured on fewer slots
and scaled by the number of matrix entries, unless ``--full`` is given.  The others are in the extra
``bench``.  Also: the exact bound of (9), and the cliques of 10,000 DPS jobs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.measure import Figures, drawn, fastest, side_by_side
from benchmarks.peers import PEERS
from farkas.certificates import exact_bound
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_scipy
from farkas.instances.dps import Market
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker import data as shared
from farkas.relaxations.dps.interval import IntervalLP
from farkas.relaxations.mlbroker.relaxed import Relaxation
from farkas.solvers import solve
from farkas.solvers.highs import pass_form

PYOMO_SLOTS = 8
Int32s = npt.NDArray[np.int32]
#: Coefficients, columns, and rows from numbers of the rows.
Term = tuple[Any, Int32s, Callable[[Int32s], Int32s]]


def by_hand(d: Brokerage) -> LinearForm:
    """Assemble (9) from index arrays, as one would for this program alone."""
    P, R, K = d.num_pairs, d.num_sites, d.num_resources
    slots = shared.busy_slots(d)
    T = len(slots)
    job = d.pair_job
    slot = np.searchsorted(slots, d.pair_slot)
    sizes = [P * R] * 4 + [P * R * R] * 2 + [T * R * K] * 3
    y, s, v, z, q, g, x, u1, u2 = np.split(
        np.arange(sum(sizes), dtype=np.int32), np.cumsum(sizes)[:-1]
    )
    y, s, v, z = (part.reshape(P, R) for part in (y, s, v, z))
    q, g = (part.reshape(P, R, R) for part in (q, g))
    x, u1, u2 = (part.reshape(T, R, K) for part in (x, u1, u2))
    rows: list[Any] = []
    cols: list[Any] = []
    vals: list[Any] = []
    lows: list[Any] = []
    highs: list[Any] = []
    at = 0

    def family(
        shape: tuple[int, ...],
        low: Any,
        high: Any,
        *terms: Term,
    ) -> None:
        nonlocal at
        size = int(np.prod(shape))
        number = np.arange(at, at + size, dtype=np.int32).reshape(shape)
        at += size
        lows.append(np.broadcast_to(low, shape).ravel())
        highs.append(np.broadcast_to(high, shape).ravel())
        for value, column, where in terms:
            row = where(number)
            whole = np.broadcast_shapes(row.shape, column.shape)
            rows.append(np.broadcast_to(row, whole).ravel())
            cols.append(np.broadcast_to(column, whole).ravel())
            vals.append(np.broadcast_to(np.asarray(value, float), whole).ravel())

    def same(number: Int32s) -> Int32s:
        return number

    def inner(number: Int32s) -> Int32s:
        return number[..., None]

    by_target = q.transpose(0, 2, 1)
    rate = d.worker_capacity[job][:, None]
    inf = np.inf
    family((P, R), 0, inf, (rate, y, same), (-1, by_target, inner))
    family((P, R), trained := d.trained_volume, trained, (1, q, inner))
    n, m = d.worker_demand[job], d.server_demand[job]

    def of_pair(number: Int32s) -> Int32s:  # row (t, r, k) of each pair, shape (P, R, K)
        return number[slot]

    a, b, e = d.list_price, d.reduced_price, d.surcharge
    big = d.valid_big_m("printed")
    yy, ss = y[:, :, None], s[:, :, None]
    for price, low, switch in ((a, 0.0, u1), (b, e, u2)):
        family(
            (T, R, K),
            low,
            inf,
            (1, x, same),
            (-price * n[:, None, :], yy, of_pair),
            (-price * m[:, None, :], ss, of_pair),
            (big, switch, same),
        )
    family((T, R, K), 1, 1, (1, u1, same), (1, u2, same))
    family((P,), 1, 1, (1, s, inner))
    bound = d.deployment_bound("printed")
    family((P, R), 0, inf, (bound, v, same), (-1, y, same), (-1, s, same))
    first = np.flatnonzero(d.previous_pair < 0)
    later = np.flatnonzero(d.previous_pair >= 0)
    family((len(first), R), 0, inf, (1, z[first], same), (-1, v[first], same))
    family(
        (len(later), R),
        0,
        inf,
        (1, z[later], same),
        (-1, v[later], same),
        (1, v[later - 1], same),
    )
    family((P, R), 0, 0, (1, g, inner), (-1, y, same))
    needed = d.workers_needed[:, None]
    family((P, R), 0, inf, (1, g.transpose(0, 2, 1), inner), (-needed, s, same))
    cost = np.zeros(sum(sizes))
    cost[q] = d.transfer
    cost[g] = d.transfer * d.sync_volume[job][:, None, None]
    cost[x] = 1
    cost[z] = d.deploy_cost[job][:, None]
    entries = (np.concatenate(vals), (np.concatenate(rows), np.concatenate(cols)))
    matrix = rows_of_scipy(sp.coo_array(entries, shape=(at, len(cost))))
    free = np.zeros(len(cost))
    return LinearForm(
        name="by hand",
        cost=cost,
        matrix=matrix,
        row_lower=np.concatenate(lows).astype(float),
        row_upper=np.concatenate(highs).astype(float),
        lower=free,
        upper=np.full(len(cost), inf),
        integer=np.zeros(len(cost), bool),
    )


def same_program(left: LinearForm, right: LinearForm) -> bool:
    """Whether two forms hold the same numbers in the same places."""
    parts = ("cost", "row_lower", "row_upper", "lower", "upper")
    return (
        np.array_equal(left.matrix.starts, right.matrix.starts)
        and np.array_equal(left.matrix.columns, right.matrix.columns)
        and np.allclose(left.matrix.values, right.matrix.values, rtol=1e-12)
        and all(np.allclose(getattr(left, p), getattr(right, p), rtol=1e-12) for p in parts)
    )


def handed_over(form: LinearForm) -> None:
    from highspy import _core

    solver = _core._Highs()
    solver.setOptionValue("output_flag", False)
    pass_form(solver, form)


def pyomo_seconds(data: Brokerage) -> float:
    """Build the model and compile it to the arrays that a solver takes."""
    from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler

    def work(instance: Brokerage) -> None:
        model = Relaxation().to_pyomo(instance)
        LinearStandardFormCompiler().write(model, mixed_form=True, set_sense=None)

    work(drawn(Brokerage, "small"))  # imports do not count
    return fastest(lambda: work(data), repeats=1)


def peer_seconds(data: Brokerage, form: LinearForm) -> dict[str, float]:
    """CPU seconds of the tools that are here; each must make a program of the same size."""
    found, size = {}, (form.num_rows, form.num_columns, form.num_entries)
    for name, work in PEERS.items():
        try:
            work(drawn(Brokerage, "small"))
        except ImportError as missing:
            print(f"  {name:15} skipped: {missing.name} is not installed")
            continue
        if work(data) != size:
            raise SystemExit(f"{name} made another program")
        found[name] = fastest(partial(work, data), repeats=3)
    return found


def main() -> None:
    data = drawn(Brokerage)
    program = Relaxation()
    form = program.form(data)
    if not same_program(form, by_hand(data)):
        raise SystemExit("the hand-written assembly is another program")
    size = {"rows": form.num_rows, "columns": form.num_columns, "entries": form.num_entries}
    print(f"mlBroker (9): {size}")
    times = side_by_side(
        {
            "traced": lambda: handed_over(program.form(data)),
            "by_hand": lambda: handed_over(by_hand(data)),
            "trace_alone": lambda: program.form(data),
            "by_hand_alone": lambda: by_hand(data),
        },
        repeats=15,
    )
    small = data if "--full" in sys.argv else drawn(Brokerage, num_slots=PYOMO_SLOTS)
    share = program.form(small).num_entries / form.num_entries
    times["pyomo"] = pyomo_seconds(small) / share
    times |= peer_seconds(data, form)
    begin = time.process_time()
    answer = solve(form).require_optimal()
    times["solve"] = time.process_time() - begin
    times["certificate"] = fastest(lambda: exact_bound(form, answer.row_duals), repeats=9)
    market = drawn(Market, num_jobs=10_000)
    times["cliques"] = fastest(lambda: IntervalLP(shape="cliques").form(market))
    error = float(exact_bound(form, answer.row_duals)) - answer.objective
    report(times, share, error)


def report(times: dict[str, float], share: float, error: float) -> None:
    figures = Figures("algebra")
    floors = {"certificate": 0.04, "cliques": 0.1}
    for name, seconds in times.items():
        figures.add(name, seconds, most=floors.get(name))
    print(f"  Pyomo measured on {share:.1%} of the entries")
    traced = times["traced"]
    figures.add("traced over by hand", traced / times["by_hand"], "x", most=1.25)
    for name in ("pyomo", *PEERS):
        if name in times:
            least = 50 if name == "pyomo" else 1
            figures.add(f"{name} over traced", times[name] / traced, "x", least=least)
    figures.add("certificate over solve", times["certificate"] / times["solve"], "x", most=0.05)
    print(f"  proved - claimed {error:8.1e} USD")
    print(figures.keep())


if __name__ == "__main__":
    main()
