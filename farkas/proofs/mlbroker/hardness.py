"""Hardness of (8): a set cover is a placement of one job."""

import itertools
from collections.abc import Iterator

import numpy as np

from farkas.certificates.bound import prove_bound
from farkas.forms import LinearForm
from farkas.models.mlbroker.offline import Offline
from farkas.numbers import Floats, Ints
from farkas.proofs.claim import Verdict, claim
from farkas.proofs.mlbroker.set_cover import set_cover
from farkas.proofs.said import Stated
from farkas.proofs.trials import Trials, optimum, require, sp
from farkas.solvers.fallback import optimum_by_any
from farkas.tolerances import SOLVER_GAP

PRICE = 1e-4  #: USD a unit at the site of a subset.

Subsets = list[frozenset[int]]


def covers(count: int) -> Iterator[tuple[Subsets, int]]:
    """Draw subsets that cover two to four elements, and say how many elements."""
    rng = np.random.default_rng(0)
    for number in range(count):
        elements = 2 + number % 3
        drawn = [frozenset(np.flatnonzero(rng.random(elements) < 0.6).tolist()) for _ in "abc"]
        drawn.append(frozenset(range(elements)) - drawn[0])
        found = [subset or frozenset({0}) for subset in drawn]
        found.append(frozenset(range(elements)) - frozenset().union(*found) or found[0])
        yield found, elements


def cover_number(subsets: Subsets, elements: int) -> int:
    """Fewest subsets that cover all elements.

    Raises
    ------
    ValueError
        All of them cover too little.

    >>> cover_number([frozenset({0, 1}), frozenset({1, 2}), frozenset({0, 2})], 3)
    2
    """
    for size in range(1, len(subsets) + 1):
        for some in itertools.combinations(subsets, size):
            if len(frozenset().union(*some)) == elements:
                return size
    raise ValueError("the subsets cover too little")


def block(form: LinearForm, name: str) -> Ints:
    """Columns of a decision of the one job, shape (slots, sites)."""
    found = form.column_block(name)
    return np.arange(found.start, found.stop).reshape(found.shape)


def entry_pays(form: LinearForm, slot: int, site: int) -> float:
    """Least of the deployments to a site until a slot, less its presence then, exactly.

    The rows (8h) of the site until then, added up.
    """
    cost, rows = np.zeros(form.num_columns), np.zeros(form.num_rows)
    started = block(form, "started")
    cost[started[: slot + 1, site]] = 1.0
    cost[block(form, "deployed")[slot, site]] = -1.0
    families = [form.row_block(name) for name in ("started_at_arrival", "started_when_new")]
    of_entries = np.concatenate([np.arange(b.start, b.stop) for b in families])
    rows[of_entries.reshape(started.shape)[: slot + 1, site]] = 1.0
    return float(prove_bound(form.replace(cost=cost), rows).value)


def cost_beside(form: LinearForm) -> float:
    """Least cost of everything but deployments, exactly: no column has a negative one."""
    cost: Floats = form.cost.copy()
    cost[block(form, "started").ravel()] -= 1.0
    return float(prove_bound(form.replace(cost=cost), np.zeros(form.num_rows)).value)


def cost_without(form: LinearForm, slot: int, sites: list[int]) -> float:
    """What a placement costs at least that is at none of some sites in a slot; proved exactly."""
    upper = form.upper.copy()
    upper[block(form, "deployed")[slot, sites]] = 0.0
    barred = form.replace(upper=upper, integer=np.zeros(form.num_columns, np.bool_))
    duals = optimum_by_any(barred, duals=True).row_duals
    return float(prove_bound(barred, duals).value)


@claim("mlbroker.np_hard", source="mlBroker Theorem 1")
def placement_contains_set_cover() -> Verdict:
    """(8) is NP-hard.

    The printed proof is void: it reduces to a problem with s and (8f) only, which is trivial.
    Valid: one site per subset and per element, element t's data at its own site in slot t, free
    to move to subsets that cover it.  Placed at k subsets that cover all, the job costs k and two
    units a slot.  Conversely a placement pays for every site that it ever enters, by (8h), and
    nothing else costs less than 0.  One that is in some slot at no site that covers the slot's
    element costs more than all subsets; any other is, in every slot, at one of them, so that these
    are a cover: the least cost, rounded down, is the least number of subsets.  What sites cost is
    proved in exact numbers on drawn covers, whose numbers are enumerated.
    """
    before, present, first, second = sp.symbols("v w a b", nonnegative=True)
    entries = (before + first) + (present - before + second)  # (8h) with its slacks
    require(a_site_is_paid_once_it_is_entered=sp.expand(entries - present).is_nonnegative)
    trials = Trials()
    for subsets, elements in covers(9):
        form = Offline(prices="two", presence="split").form(set_cover(subsets, elements))
        slots, sites = block(form, "deployed").shape
        whole = form.integer[block(form, "deployed")].all()
        trials.add(
            {"subsets": [sorted(subset) for subset in subsets], "elements": elements},
            Stated(bool(whole), ">", 0),
            *(
                Stated(entry_pays(form, slot, site), ">=", 0)
                for slot in range(slots)
                for site in range(sites)
            ),
            Stated(cost_beside(form), ">=", 0),
            *(
                Stated(cost_without(form, t, _covering(subsets, t)), ">", len(subsets) + 1)
                for t in range(elements)
            ),
            Stated(
                optimum(form), "==", cover_number(subsets, elements) + 2 * PRICE * elements,
                SOLVER_GAP,
            ),
        )  # fmt: skip
    return trials.proved("sites that a job enters are the subsets of a cover")


def _covering(subsets: Subsets, element: int) -> list[int]:
    return [site for site, subset in enumerate(subsets) if element in subset]
