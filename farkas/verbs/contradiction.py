"""From one infeasibility ray to rays over fewer rows.

A deletion filter takes rows away one by one and keeps a row only when a point appears without it.
Every ray that is passed on proves infeasibility in exact arithmetic.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from farkas.certificates import prove_infeasible, repaired
from farkas.certificates.bound import project
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.forms.matrices import as_scipy, rows_of_scipy
from farkas.numbers import Bools, Floats, Ints
from farkas.search_tolerances import SHARE, WHOLE
from farkas.solvers import Claimed, Session, open_session, solve


def without_cost(form: LinearForm) -> LinearForm:
    """Keep rows and bounds, drop the objective; a ray has the signs of a minimisation."""
    return form.replace(cost=np.zeros(form.num_columns), offset=0.0, sense="min")


def proved(form: LinearForm, ray: Floats | None) -> Floats | None:
    """``ray``, repaired and as round as possible, when it proves infeasibility; else None."""
    if ray is None or not np.isfinite(ray).all() or not ray.any():
        return None
    # a proof that needs no implied bound is worth more than one that does
    for read in (form.replace(implied_lower=None, implied_upper=None), form):
        for candidate in _candidates(read, ray):
            try:
                prove_infeasible(read, candidate)
            except NotACertificate:
                continue
            return project(read, candidate)
    return None


def _candidates(form: LinearForm, ray: Floats) -> Iterator[Floats]:
    small = np.abs(ray) <= SHARE * np.abs(ray).max()
    clean = np.where(small, 0.0, ray)
    # rays of combinatorial rows are small whole numbers once the smallest one is 1
    scaled = clean / np.abs(clean[clean != 0]).min()
    whole = np.rint(scaled)
    if np.abs(scaled - whole).max() <= WHOLE and np.abs(whole).max() <= 1e6:
        yield whole
    yield clean
    yield ray
    try:
        yield repaired(form, ray)[0]
    except NotACertificate:
        return


def elastic_ray(form: LinearForm) -> Floats | None:
    """Row duals of the least total violation; a ray when that violation is positive.

    ``min sum(s)`` with ``row_lower <= A x + s_up - s_down <= row_upper``: every multiplier lies in
    [-1, 1], so the ray cannot run off as a simplex ray may.
    """
    import scipy.sparse as sp

    m, n = form.matrix.shape
    slack = sp.eye_array(m, format="csr")
    wide = rows_of_scipy(sp.hstack([as_scipy(form.matrix), slack, -slack]))
    elastic = LinearForm(
        name=f"least violation of {form.name}",
        cost=np.concatenate([np.zeros(n), np.ones(2 * m)]),
        matrix=wide,
        row_lower=form.row_lower,
        row_upper=form.row_upper,
        lower=np.concatenate([form.lower, np.zeros(2 * m)]),
        upper=np.concatenate([form.upper, np.full(2 * m, math.inf)]),
        integer=np.zeros(n + 2 * m, dtype=bool),
    )
    return solve(elastic).unless_interrupted().raw_row_duals


def filtered(form: LinearForm, ray: Floats, order: int, until: float) -> tuple[Floats, bool]:
    """Ray over fewer rows, and whether each of them was seen to be needed."""
    rows = np.flatnonzero(ray)
    part = _part(form, rows)
    best = ray[rows]
    by_size = np.argsort(order * np.abs(best), kind="stable")
    kept, finished = np.ones(len(rows), dtype=bool), True
    with open_session(part) as session:
        for i in by_size.tolist():
            if not kept[i]:
                continue
            if time.perf_counter() > until:
                finished = False
                break
            shorter, needed = _without(session, part, kept, i)
            finished &= needed or shorter is not None
            if shorter is not None:
                best, kept = shorter, shorter != 0
    whole = np.zeros(form.num_rows)
    whole[rows] = best
    return whole, finished


def _without(session: Session, part: LinearForm, kept: Bools, i: int) -> tuple[Floats | None, bool]:
    """Try the kept rows without row ``i``: a ray when they contradict, or that it is needed."""
    left = kept.copy()
    left[i] = False
    sides = _sides(part, left)
    if not left.any():
        return None, bool((part.lower <= part.upper).all())
    session.update(**sides)
    answer = session.solve().unless_interrupted()
    fewer = part.replace(**sides)
    if answer.claim is Claimed.OPTIMAL:
        return None, bool(answer.report)
    return proved(fewer, answer.raw_ray), False


def _sides(part: LinearForm, kept: Bools) -> dict[str, Any]:
    return {
        "row_lower": np.where(kept, part.row_lower, -math.inf),
        "row_upper": np.where(kept, part.row_upper, math.inf),
    }


def _part(form: LinearForm, rows: Ints) -> LinearForm:
    """Form of some rows, with the columns they touch."""
    lines = as_scipy(form.matrix)[rows]
    columns = np.unique(lines.indices)
    ends = ("cost", "lower", "upper", "integer", "implied_lower", "implied_upper")
    values = {name: getattr(form, name) for name in ends}
    return form.replace(
        matrix=rows_of_scipy(lines[:, columns]),
        row_lower=form.row_lower[rows],
        row_upper=form.row_upper[rows],
        rows=(),
        columns=(),
        **{name: None if v is None else v[columns] for name, v in values.items()},
    )
