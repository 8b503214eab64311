"""mlBroker (9) as users of other modelling tools would write it, handed over to a solver's arrays.

Each function returns rows, columns and matrix entries of what it made; the programs are those of
`benchmarks.bench_algebra.by_hand`, in the tool's own order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker import data as shared

Size = tuple[int, int, int]


def _constants(d: Brokerage) -> tuple[float, float]:
    """M and U of (9)."""
    return float(d.valid_big_m("printed")), float(d.deployment_bound("printed"))


def by_pyoptinterface(d: Brokerage) -> Size:
    """Loops over Python objects, one row at a time, into HiGHS."""
    import pyoptinterface as poi
    from pyoptinterface import highs

    if not highs.is_library_loaded():
        raise ImportError("its HiGHS is missing", name="highsbox")
    P, R, K = range(d.num_pairs), range(d.num_sites), range(d.num_resources)
    slots = shared.busy_slots(d)
    T = range(len(slots))
    job, slot = d.pair_job.tolist(), np.searchsorted(slots, d.pair_slot).tolist()
    rate, volume = d.worker_capacity.tolist(), d.trained_volume.tolist()
    n, m, transfer = d.worker_demand.tolist(), d.server_demand.tolist(), d.transfer.tolist()
    big, bound = (
        float(d.valid_big_m("printed")),
        float(d.deployment_bound("printed")),
    )
    needed, sync, deploy = d.workers_needed.tolist(), d.sync_volume, d.deploy_cost.tolist()
    of_slot: list[list[int]] = [[] for _ in T]
    for p, t in enumerate(slot):
        of_slot[t].append(p)
    model, entries = highs.Model(), 0
    model.set_raw_parameter("output_flag", False)
    new = model.add_variable
    y, s, v, z = ([[new(lb=0.0) for _ in R] for _ in P] for _ in range(4))
    q, g = ([[[new(lb=0.0) for _ in R] for _ in R] for _ in P] for _ in range(2))
    x, u1, u2 = ([[[new(lb=0.0) for _ in K] for _ in R] for _ in T] for _ in range(3))

    def row(terms: list[Any], sense: Any, right: float) -> None:
        nonlocal entries
        entries += len(terms)
        expression = poi.ExprBuilder()
        for weight, variable in terms:
            if weight != 0.0:
                expression.add_affine_term(variable, weight)
            else:
                entries -= 1
        model.add_linear_constraint(expression, sense, right)

    for p in P:
        for r in R:
            row([(rate[job[p]], y[p][r])] + [(-1.0, q[p][o][r]) for o in R], poi.Geq, 0.0)
            row([(1.0, q[p][r][to]) for to in R], poi.Eq, volume[p][r])
            row([(bound, v[p][r]), (-1.0, y[p][r]), (-1.0, s[p][r])], poi.Geq, 0.0)
            row([(1.0, g[p][r][to]) for to in R] + [(-1.0, y[p][r])], poi.Eq, 0.0)
            row([(1.0, g[p][o][r]) for o in R] + [(-needed[p], s[p][r])], poi.Geq, 0.0)
            before = int(d.previous_pair[p])
            old = [(1.0, v[before][r])] if before >= 0 else []
            row([(1.0, z[p][r]), (-1.0, v[p][r]), *old], poi.Geq, 0.0)
        row([(1.0, s[p][r]) for r in R], poi.Eq, 1.0)
    prices = ((d.list_price, np.zeros_like(d.surcharge), u1), (d.reduced_price, d.surcharge, u2))
    for t in T:
        for r in R:
            for k in K:
                for price, low, switch in prices:
                    cost = float(price[r, k])
                    used = [(-cost * n[job[p]][k], y[p][r]) for p in of_slot[t]]
                    used += [(-cost * m[job[p]][k], s[p][r]) for p in of_slot[t]]
                    terms = [(1.0, x[t][r][k]), *used, (big, switch[t][r][k])]
                    row(terms, poi.Geq, float(low[r, k]))
                row([(1.0, u1[t][r][k]), (1.0, u2[t][r][k])], poi.Eq, 1.0)
    total = poi.ExprBuilder()
    for p in P:
        for o in R:
            total.add_affine_term(z[p][o], deploy[job[p]])
            for r in R:
                total.add_affine_term(q[p][o][r], transfer[o][r])
                total.add_affine_term(g[p][o][r], transfer[o][r] * float(sync[job[p]]))
    for t in T:
        for r in R:
            for k in K:
                total.add_affine_term(x[t][r][k], 1.0)
    model.set_objective(total, poi.ObjectiveSense.Minimize)
    return model.getnumrow(), model.getnumcol(), entries


def by_linopy(d: Brokerage) -> Size:
    """Labelled arrays, handed over to highspy."""
    import linopy as tool
    import xarray as xr
    from linopy.io import to_highspy

    slots = shared.busy_slots(d)
    job, slot = d.pair_job, np.searchsorted(slots, d.pair_slot)
    dims = {"p": d.num_pairs, "o": d.num_sites, "r": d.num_sites, "k": d.num_resources}
    at = {name: np.arange(size) for name, size in dims.items()} | {"t": np.arange(len(slots))}

    def data(values: Any, *names: str) -> Any:
        return xr.DataArray(values, {name: at[name] for name in names}, names)

    model = tool.Model()

    def variable(name: str, *names: str) -> Any:
        return model.add_variables(
            lower=0, coords=[at[each] for each in names], dims=names, name=name
        )

    y, s, v, z = (variable(name, "p", "r") for name in "ysvz")
    q, g = (variable(name, "p", "o", "r") for name in "qg")
    x, u1, u2 = (variable(name, "t", "r", "k") for name in ("x", "u1", "u2"))
    big, bound = (
        float(d.valid_big_m("printed")),
        float(d.deployment_bound("printed")),
    )
    rate, needed = data(d.worker_capacity[job], "p"), data(d.workers_needed, "p")
    n, m = data(d.worker_demand[job], "p", "k"), data(d.server_demand[job], "p", "k")
    by_slot = data(slot, "p").rename("t")
    add = model.add_constraints
    add(rate * y - q.sum("o") >= 0)
    add(q.sum("r") == data(d.trained_volume, "p", "o"))
    for price, low, switch in ((d.list_price, 0.0, u1), (d.reduced_price, d.surcharge, u2)):
        unit = data(price, "r", "k")
        used = (unit * n * y + unit * m * s).groupby(by_slot).sum()
        side = data(np.broadcast_to(low, price.shape), "r", "k")
        add(x - used + big * switch >= side)
    add(u1 + u2 == 1)
    add(s.sum("r") == 1)
    add(bound * v - y - s >= 0)
    first = d.previous_pair < 0
    later = np.flatnonzero(~first)
    add((z - v).sel(p=np.flatnonzero(first)) >= 0)
    if len(later):
        old = v.sel(p=d.previous_pair[later]).assign_coords(p=later)
        add((z - v).sel(p=later) + old >= 0)
    add(g.sum("r") - y.rename({"r": "o"}) == 0)
    add(g.sum("o") - needed * s >= 0)
    transfer = data(d.transfer, "o", "r")
    total = (transfer * q).sum() + x.sum() + (data(d.deploy_cost[job], "p") * z).sum()
    model.add_objective(total + (data(d.sync_volume[job], "p") * transfer * g).sum())
    lp = to_highspy(model).getLp()
    return lp.num_row_, lp.num_col_, len(lp.a_matrix_.value_)


def by_cvxpy(d: Brokerage) -> Size:
    """Matrices and vectors, canonicalised for HiGHS."""
    import cvxpy as cp

    slots = shared.busy_slots(d)
    T, P, R, K = len(slots), d.num_pairs, d.num_sites, d.num_resources
    job, slot = d.pair_job, np.searchsorted(slots, d.pair_slot)
    of_slot = sp.csr_array((np.ones(P), (slot, np.arange(P))), shape=(T, P))
    y, s, v, z = (cp.Variable((P, R), nonneg=True) for _ in range(4))
    q, g = (cp.Variable((P, R * R), nonneg=True) for _ in range(2))  # from o to r at o R + r
    x, u1, u2 = ([cp.Variable((T, R), nonneg=True) for _ in range(K)] for _ in range(3))
    to = sp.csr_array(np.kron(np.ones((R, 1)), np.eye(R)))
    out = sp.csr_array(np.kron(np.eye(R), np.ones((R, 1))))
    big, bound = (
        float(d.valid_big_m("printed")),
        float(d.deployment_bound("printed")),
    )
    n, m = d.worker_demand[job], d.server_demand[job]
    rows = [
        cp.multiply(d.worker_capacity[job][:, None] * np.ones((1, R)), y) - q @ to >= 0,
        q @ out == d.trained_volume,
        cp.sum(s, axis=1) == 1,
        bound * v - y - s >= 0,
        g @ out - y == 0,
        g @ to - cp.multiply(d.workers_needed[:, None] * np.ones((1, R)), s) >= 0,
    ]
    for k in range(K):
        for price, low, switch in ((d.list_price, 0.0, u1), (d.reduced_price, d.surcharge, u2)):
            at = sp.diags_array(price[:, k])
            used = (of_slot * n[:, k]) @ y @ at + (of_slot * m[:, k]) @ s @ at
            side = np.broadcast_to(low, price.shape)[:, k] * np.ones((T, 1))
            rows.append(x[k] - used + big * switch[k] >= side)
        rows.append(u1[k] + u2[k] == 1)
    first, later = np.flatnonzero(d.previous_pair < 0), np.flatnonzero(d.previous_pair >= 0)
    rows.append(z[first] - v[first] >= 0)
    if len(later):
        rows.append(z[later] - v[later] + v[d.previous_pair[later]] >= 0)
    weights = d.transfer.ravel()
    total = cp.sum(q @ weights) + cp.sum(cp.multiply(d.sync_volume[job], g @ weights))
    total += sum(cp.sum(part) for part in x) + cp.sum(cp.multiply(d.deploy_cost[job], cp.sum(z, 1)))
    found = cp.Problem(cp.Minimize(total), rows).get_problem_data(
        cp.HIGHS, canon_backend=cp.SCIPY_CANON_BACKEND
    )[0]
    matrix = found["A"]
    return matrix.shape[0], matrix.shape[1], matrix.nnz


#: By package; without one of them, or HiGHS for PyOptInterface, `ImportError`.
PEERS = {"pyoptinterface": by_pyoptinterface, "linopy": by_linopy, "cvxpy": by_cvxpy}
