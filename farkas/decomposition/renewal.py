"""Owners near each other placed anew by an integer program, over plans beside the others."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from farkas.decomposition.choice import once
from farkas.decomposition.neighbours import Targets
from farkas.decomposition.packing import FAINT, Packing
from farkas.decomposition.prices import Left
from farkas.decomposition.protocol import Fit
from farkas.numbers import Floats
from farkas.solvers.columns import best_columns

DRAWS = 8  #: Of prices, at which plans are sought.
FEW_DRAWS = 2  #: Of prices, where many plans are asked for at each.
FREE = 3  #: The draw that is nearly free.
PLAIN = 2  #: Draws of them that are the prices themselves.
MOST_NODES = 100
SIZES = (30, 80, 160, 250, 400)  #: Numbers of others among whom an owner is placed.
FEW_SIZES = 3  #: So many of these of a kind whose rows have slots.
#: Gains that are worth a look more of such a kind, as a divisor of what may be missing.
FEW_GAINS = 10
PLANS = 16  #: Of each owner at each draw of prices, where one is placed.
TRIES = 1_000  #: Exchanges between two looks at whether they go on.
PATIENCE = 2  #: Looks without progress after which they end.
MOST_PROGRAMS = 40  #: For as many owners one after the other, before there are more others.


def renew(
    packing: Packing,
    prices: Floats,
    targets: Targets,
    owners: list[int],
    *,
    many: int,
    gap: float,
    left: Left,
) -> None:
    """Place some owners anew; nothing is lost.

    ``many``: Plans of an owner at each draw of prices.  ``gap``: Share of the value of these owners
    within which their plans are the best.
    """
    missing = targets.bound - packing.value
    kept = {owner: packing.take(owner) for owner in owners}
    placed = packing.problem.renew(kept, packing.used, prices, missing, gap, left())
    if placed is None:
        placed = _chosen(packing, prices, targets, kept, many, gap, left)
    for owner, fit in placed.items():
        packing.put(owner, fit)
    for owner in owners:
        if owner not in packing.plans:
            packing.insert(owner, prices)


def _chosen(
    packing: Packing, prices: Floats, targets: Targets, kept: Mapping[int, Fit | None], many: int,
    gap: float, left: Left,
) -> dict[int, Fit]:  # fmt: skip
    """Choose among plans that fit, parameters as of `renew`."""
    listed: list[tuple[int, Fit]] = []
    for owner, fit in kept.items():
        found = [] if fit is None else [fit]
        found += _plans(packing, prices, targets, owner, fit, many)
        seen: set[bytes] = set()
        for one in found:
            key = one.limit.tobytes() + one.amount.tobytes()
            if key not in seen:
                seen.add(key)
                listed.append((owner, one))
    before = np.array([kept[owner] is fit for owner, fit in listed], np.float64)
    chosen = _best(packing, listed, before, gap, left) if listed else before
    return dict(listed[at] for at in np.flatnonzero(chosen > 0).tolist())


def repair(
    packing: Packing, prices: Floats, targets: Targets, *, small: float, gap: float, left: Left
) -> None:
    """Make room for owners that have a target and no plan, among ever more others.

    ``small``: value that may be missing.
    """
    worth, waited = targets.problem.most, 0
    slots = targets.problem.slot_of is not None
    least = small / (FEW_GAINS if slots else TRIES)
    while waited < (1 if slots else PATIENCE) and left() and len(targets.missed(packing)):
        before = packing.value
        packing.exchange(prices, targets, TRIES, left, planned=True)
        waited = waited + 1 if packing.value - before <= least else 0
    # where slots say where value is missing, who meets there is renewed instead of many at once
    sizes = SIZES[:FEW_SIZES] if slots else SIZES
    for fewer, many in itertools.pairwise((0, *sizes)):
        missed = targets.missed(packing)
        for owner in missed[np.argsort(-worth[missed], kind="stable")][:MOST_PROGRAMS].tolist():
            if not left() or float(worth[targets.missed(packing)].sum()) <= small:
                return
            if owner not in packing.plans:
                around = targets.meeting(packing, owner, many)
                if len(around) > fewer:  # else these were tried
                    renew(packing, prices, targets, around, many=PLANS, gap=gap, left=left)


def _plans(
    packing: Packing, prices: Floats, targets: Targets, owner: int, kept: Fit | None, many: int
) -> list[Fit]:
    """Plans that fit: in the rows of the one there is, or is targeted for, and anywhere."""
    problem, found = packing.problem, list[Fit]()
    like = targets.like(owner) if kept is None else packing.use_of(kept)
    for draw in range(DRAWS if many < PLANS else FEW_DRAWS):
        noise = packing.plain if draw < PLAIN else packing.rng.random() * packing.noise()
        same = draw % 2 == 0 and like is not None
        found += problem.fits(
            owner, packing.used, prices, (FAINT if same or draw == FREE else 1.0) * noise, 0.0,
            like if same else None, many,
        )  # fmt: skip
    return found


def _best(
    packing: Packing, listed: list[tuple[int, Fit]], before: Floats, gap: float, left: Left
) -> Floats:
    """Choose plans; those there were where nothing better is found."""
    problem = packing.problem
    limits = np.unique(np.concatenate([fit.limit for _, fit in listed]))
    sizes = [len(fit.limit) for _, fit in listed]
    use = sparse.csr_array(
        (
            np.concatenate([fit.amount for _, fit in listed]),
            np.searchsorted(limits, np.concatenate([fit.limit for _, fit in listed])),
            np.cumsum([0, *sizes]),
        ),
        shape=(len(listed), len(limits)),
    )
    owner = once(np.array([owner for owner, _ in listed], np.int64))
    room = np.maximum(problem.hard[limits] - packing.used[limits], 0.0)
    room = np.maximum(room, use.T @ before)  # rounding does not forbid what there was
    value = np.array([fit.value for _, fit in listed])
    scarce = np.flatnonzero(np.asarray(use.sum(axis=0)).ravel() > room)
    chosen = best_columns(
        value,
        sparse.hstack([use.tocsc()[:, scarce], owner]).tocsr(),
        np.concatenate([room[scarce], np.ones(owner.shape[1])]),
        start=before, gap=gap, nodes=MOST_NODES, seconds=left(),
    )  # fmt: skip
    better = chosen is not None and float(value @ chosen) >= float(value @ before)
    return chosen if better and chosen is not None else before
