"""Local search: neighbouring owners are placed anew by an integer program over plans that fit."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

import numpy as np
from scipy import sparse

from farkas.decomposition.choice import one_plan_each
from farkas.decomposition.column_generation import Left
from farkas.decomposition.neighbourhoods import Targets
from farkas.decomposition.packing import GUIDING, Packing
from farkas.decomposition.protocol import Demand, Fit
from farkas.numbers import Bools, Floats, Ints
from farkas.solvers.columns import best_columns
from farkas.tolerances import FINE_GAP

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
WIDER = 1.5  #: How many times as many owners as meet in a slot come after each one in vain.
DISCOUNT = 3.0  #: Divisor of what a slot promises for each program in vain.
MOST_IDLE = 6  #: Programs in a row that gain nothing, after which others have their turn.


def reoptimise(
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
    placed = packing.problem.reoptimise(kept, packing.used, prices, missing, gap, left())
    if placed is None:
        placed = _choose(packing, prices, targets, kept, many, gap, left)
    for owner, fit in placed.items():
        packing.put(owner, fit)
    for owner in owners:
        if owner not in packing.plans:
            packing.insert(owner, prices)


def _choose(
    packing: Packing, prices: Floats, targets: Targets, kept: Mapping[int, Fit | None], many: int,
    gap: float, left: Left,
) -> dict[int, Fit]:  # fmt: skip
    """Choose among plans that fit, parameters as of `reoptimise`."""
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
    while waited < (1 if slots else PATIENCE) and left() and len(targets.unserved(packing)):
        before = packing.value
        packing.exchange(prices, targets, TRIES, left, planned=True)
        waited = waited + 1 if packing.value - before <= least else 0
    # where slots say where value is missing, who meets there is reoptimised instead of many at once
    sizes = SIZES[:FEW_SIZES] if slots else SIZES
    for fewer, many in itertools.pairwise((0, *sizes)):
        missed = targets.unserved(packing)
        for owner in missed[np.argsort(-worth[missed], kind="stable")][:MOST_PROGRAMS].tolist():
            if not left() or float(worth[targets.unserved(packing)].sum()) <= small:
                return
            if owner not in packing.plans:
                around = targets.competitors(packing, owner, many)
                if len(around) > fewer:  # else these were tried
                    reoptimise(packing, prices, targets, around, many=PLANS, gap=gap, left=left)


def _plans(
    packing: Packing, prices: Floats, targets: Targets, owner: int, kept: Fit | None, many: int
) -> list[Fit]:
    """Plans that fit: in the rows of the one there is, or is targeted for, and anywhere."""
    problem, found = packing.problem, list[Fit]()
    like = targets.like(owner) if kept is None else packing.use_of(kept)
    for draw in range(DRAWS if many < PLANS else FEW_DRAWS):
        noise = packing.plain if draw < PLAIN else packing.rng.random() * packing.noise()
        same = draw % 2 == 0 and like is not None
        factors = (GUIDING if same or draw == FREE else 1.0) * noise
        inside = like if same else None
        found += problem.fits(owner, Demand(packing.used, prices, factors, 0.0, inside, many))
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
    owner = one_plan_each(np.array([owner for owner, _ in listed], np.int64))
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


class SlotSearch:
    """What was tried where.

    ``slots``: of each row.
    """

    def __init__(self, slots: Ints) -> None:
        many = int(slots.max(initial=-1)) + 1
        self.slots = slots
        self.wider: Ints = np.zeros(many, np.int64)
        """Programs around each slot since others last gained as much as is missing there."""
        self.value: Floats = np.zeros(many)
        """That was reached after the last of them."""
        self.closed: Bools = np.zeros(many, np.bool_)
        """Where all owners with plans were placed anew in vain."""

    def improve(
        self, packing: Packing, targeted: Callable[[], Targets], *, gap: float, left: Left
    ) -> None:
        """Reoptimise owners where that promises most, until many programs in a row gain nothing."""
        idle = 0
        while idle < MOST_IDLE and left():
            targets = targeted()
            rows = targets.gap_by_row(packing, targets.losses(packing))
            missing = np.bincount(self.slots, rows, len(self.wider))
            again = packing.value - self.value > missing
            self.wider[again], self.closed[again] = 0, False
            self.value[again] = packing.value
            promise = np.where(self.closed, 0.0, missing * DISCOUNT ** -self.wider.astype(float))
            slot = int(promise.argmax()) if len(promise) else 0
            if not promise.any() or promise[slot] <= FINE_GAP * abs(targets.bound):
                return
            before, had = packing.value, len(packing.plans)
            owners = targets.slot_neighbourhood(
                packing, slot, self.slots, WIDER ** self.wider[slot]
            )
            everybody = had <= sum(owner in packing.plans for owner in owners)
            reoptimise(packing, targets.prices, targets, owners, many=PLANS, gap=gap, left=left)
            gained = packing.value > before * (1.0 + FINE_GAP)
            self.wider[slot] += 1
            self.value[slot], self.closed[slot] = packing.value, everybody and not gained
            idle = 0 if gained else idle + 1
