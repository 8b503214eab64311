"""Claims about (7) and (8): prices, constants, and what (8) charges."""

from __future__ import annotations

import itertools

import numpy as np
import sympy as sp

from farkas.duals.mlbroker.as_printed import DualAsPrinted
from farkas.instances import library
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.offline import Offline
from farkas.proofs.claim import Verdict, claim, held, proved, refuted
from farkas.proofs.mlbroker.runs import brokers
from farkas.proofs.mlbroker.set_cover import set_cover
from farkas.relaxations.mlbroker import Relaxed
from farkas.solvers import solve
from farkas.tolerances import SOLVER_GAP


def offline(instance: Brokerage, **variant: str) -> float:
    """Optimum of (8) in one of its variants, USD."""
    return solve(Offline(**variant).form(instance)).require_optimal().objective


def relaxed(instance: Brokerage, relax: str, semantics: str = "printed") -> float:
    """Optimum of the relaxation, USD."""
    form = Relaxed(relax=relax, semantics=semantics).form(instance)
    return solve(form).require_optimal().objective


@claim("mlbroker.price_with_switches", source="mlBroker (7), (8c)-(8e)")
def switches_with_valid_constants_charge_the_discounted_price() -> Verdict:
    """For whole u¹, u² and M >= M*, the least x is F(h) = min(a h, b h + e).

    Single constant, two constants and multiple choice then have one optimum.
    """
    differences = []
    for _, broker in itertools.islice(brokers(), 12):
        values = [
            offline(broker, prices=form, presence="split") for form in Offline.options()["prices"]
        ]
        differences.append((max(values) - min(values)) / max(values))
    worst = max(differences)
    if worst > SOLVER_GAP:
        return refuted("mlbroker/tiny", difference=worst)
    return held(len(differences), SOLVER_GAP - worst, "agreement to 1e-6 of three price forms")


@claim("mlbroker.relaxed_price", source="mlBroker (9)")
def one_constant_relaxes_the_price_to_almost_nothing() -> Verdict:
    """With one constant M and u in [0, 1], the least x is max(0, ((a+b) h + e − M)/2).

    So resources are free in (9) once M >= (a+b) H + e.  The optimum over u¹ is where (8c) and (8d)
    cross; the two differ from it by slopes −M and M.
    """
    a, b, e, h, big_m, u = sp.symbols("a b e h M u", positive=True)
    first, second = a * h - big_m * u, b * h + e - big_m * (1 - u)
    crossing = sp.solve(sp.Eq(first, second), u)[0]
    least = sp.simplify(first.subs(u, crossing) - ((a + b) * h + e - big_m) / 2)
    opposite = sp.diff(first, u) < 0, sp.diff(second, u) > 0
    if least != 0 or opposite != (sp.true, sp.true):
        return refuted({"formula": str(least)})
    return proved("the maximum of a falling and a rising line is least where they cross")


@claim("mlbroker.chord", source="mlBroker (9), two constants; added")
def two_constants_relax_the_price_to_its_chord() -> Verdict:
    """With (a−b)(H−l) in (8c) and e in (8d) the relaxed price is the chord h F(H)/H of F."""
    a, gap, threshold, above, share, u = sp.symbols("a g l x s u", positive=True)
    b, cap = a - gap, threshold + above  # H = l + x with x > 0
    e, h = gap * threshold, share * cap
    first, second = a * h - gap * above * u, b * h + e - e * (1 - u)
    crossing = sp.solve(sp.Eq(first, second), u)[0]
    chord = share * (b * cap + e)
    if sp.simplify(crossing - share) != 0 or sp.simplify(first.subs(u, share) - chord) != 0:
        return refuted({"crossing": str(crossing)})
    return proved("the lines cross at u = h/H, at the height of the chord")


@claim("mlbroker.np_hard", source="mlBroker Theorem 1")
def placement_contains_set_cover() -> Verdict:
    """(8) is NP-hard.

    The printed proof is void: it reduces to a problem with s and (8f) only, which is trivial.
    Valid: one site per subset and per element, element t's data at its own site in slot t, free
    to move to subsets that cover it; the optimum is the cover number plus 2·10⁻⁴ a slot.
    """
    rng = np.random.default_rng(0)
    worst, cases = 0.0, 0
    for elements in (2, 3, 4):
        for _ in range(3):
            subsets = [
                frozenset(np.flatnonzero(rng.random(elements) < 0.6).tolist()) for _ in "abc"
            ]
            subsets.append(frozenset(range(elements)) - subsets[0] or frozenset({0}))
            chosen = [subset or frozenset({0}) for subset in subsets]
            chosen.append(frozenset(range(elements)) - frozenset().union(*chosen) or chosen[0])
            value = offline(set_cover(chosen, elements), prices="two", presence="split")
            worst = max(worst, abs(value - _cover(chosen, elements) - 2e-4 * elements))
            cases += 1
    if worst > SOLVER_GAP:
        return refuted("mlbroker/set_cover", difference=worst)
    return held(cases, SOLVER_GAP - worst, "set covers by enumeration")


def _cover(subsets: list[frozenset[int]], elements: int) -> int:
    for size in range(1, len(subsets) + 1):
        for some in itertools.combinations(subsets, size):
            if len(frozenset().union(*some)) == elements:
                return size
    raise ValueError("the subsets cover too little")


@claim("mlbroker.reentry_is_charged", source="mlBroker section 3.2, (8g), (8h)")
def every_entry_of_a_site_is_charged() -> Verdict:
    """(8) charges deployment whenever a job appears at a site, as the text says.

    Nothing in (8) makes v fall, so each (job, site) is paid once a life.
    """
    broker = _load("return_trip")
    sizes = {name: offline(broker, semantics=name) for name in ("printed", "strict")}
    return refuted("mlbroker/return_trip", "(8) lacks v <= y + s", **sizes)


@claim("mlbroker.workers_pay_for_the_server", source="mlBroker section 3.2, (8j)")
def every_worker_pays_for_its_server() -> Verdict:
    """(8) charges traffic between each worker and the server's site, as the text says.

    (8j) is a lower bound: workers beyond Y connect to a site without a server for nothing.
    """
    broker = _load("surplus_worker")
    sizes = {name: offline(broker, semantics=name) for name in ("printed", "strict")}
    return refuted("mlbroker/surplus_worker", "(8) lacks g <= Y s", **sizes)


@claim("mlbroker.relaxation_order", source="mlBroker (9); added")
def relaxations_are_ordered() -> Verdict:
    """Relaxed printed <= tight <= (8) printed <= (8) strict."""
    slack = []
    for _, broker in itertools.islice(brokers(), 14):
        chain = [relaxed(broker, "printed"), relaxed(broker, "tight")]
        chain += [
            offline(broker, semantics=name, prices="two", presence="split")
            for name in ("printed", "strict")
        ]
        slack.append(min(np.diff(chain)) / chain[-1])
    if min(slack) < -SOLVER_GAP:
        return refuted("mlbroker/tiny", slack=min(slack))
    return held(len(slack), max(0.0, min(slack)))


@claim("mlbroker.printed_dual", source="mlBroker (11)")
def the_printed_dual_bounds_the_relaxation() -> Verdict:
    """The optimum of (11) is the optimum of (9).

    The objective lacks Σ ξ, so that weak duality fails; sums over resources are missing too.
    """
    broker = _load("tiny")
    dual = solve(DualAsPrinted().form(broker)).require_optimal().objective
    return refuted(
        "mlbroker/tiny",
        "a dual of a minimum lies above the integer optimum",
        dual=dual,
        relaxed=relaxed(broker, "printed"),
        offline=offline(broker),
    )


def _load(name: str) -> Brokerage:
    broker = library.load(f"mlbroker/{name}")
    assert isinstance(broker, Brokerage)
    return broker
