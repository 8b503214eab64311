"""Claims about (7) and (8): prices, constants, and what (8) charges."""

import itertools
from collections.abc import Callable
from typing import Any

from farkas.duals.mlbroker.dual import DualAsPrinted
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.offline import Offline
from farkas.proofs.claim import Verdict, claim, proved
from farkas.proofs.mlbroker.runs import FEW, brokers
from farkas.proofs.said import Saying, Stated, said
from farkas.proofs.trials import Trials, optimum, refuted_by, require, require_zero, sp
from farkas.relaxations.mlbroker.relaxed import Relaxed
from farkas.tolerances import SOLVER_GAP


def offline(instance: Brokerage, **variant: str) -> float:
    """Optimum of (8) in one of its variants, USD."""
    return optimum(Offline(**variant).form(instance))


def relaxed(instance: Brokerage, relax: str, semantics: str = "printed") -> float:
    """Optimum of the relaxation, USD."""
    return optimum(Relaxed(relax=relax, semantics=semantics).form(instance))


@claim("mlbroker.price_with_switches", source="mlBroker (7), (8c)-(8e)")
def switches_with_valid_constants_charge_the_discounted_price() -> Verdict:
    """For whole u¹, u² and M >= M*, the least x is F(h) = min(a h, b h + e).

    u¹ = 0 leaves x >= a h, since b h + e − M <= a h where M >= e = (a − b) l; u¹ = 1 leaves
    x >= b h + e, since a h − M <= b h + e for h up to H where M >= (a − b)(H − l).  The cheaper of
    the two is F.  Single constant, two constants and multiple choice then have one optimum.
    """
    b, h, level, saving, spare, beyond = sp.symbols("b h l s z y", nonnegative=True)
    a, e = b + saving, saving * level
    most = h + beyond
    listed = a * h - (b * h + e - (e + spare))
    reduced = b * h + e - (a * h - (saving * (most - level) + spare))
    require(
        the_list_price_rules=sp.expand(listed).is_nonnegative,
        the_discount_rules=sp.expand(reduced).is_nonnegative,
    )
    trials = Trials()
    for example, broker in itertools.islice(brokers(), 12):
        values = [
            offline(broker, prices=form, presence="split") for form in Offline.options()["prices"]
        ]
        trials.add(example, Stated(min(values), "==", max(values), SOLVER_GAP))
    return trials.proved("three price forms have one optimum, F")


@claim("mlbroker.relaxed_price", source="mlBroker (9)")
def one_constant_relaxes_the_price_to_almost_nothing() -> Verdict:
    """With one constant M >= |(a−b) h − e| the least x is max(0, ((a+b) h + e − M)/2), u in [0, 1].

    So resources are free in (9) once M >= (a+b) H + e.  The optimum over u¹ is where (8c) and (8d)
    cross; the two differ from it by slopes −M and M.  They cross at a u¹ in [0, 1] only for such M,
    which (7) demands at every use h; for a smaller one the least x is at an end.
    """
    a, b, e, h, big_m, u = sp.symbols("a b e h M u", positive=True)
    first, second = a * h - big_m * u, b * h + e - big_m * (1 - u)
    crossing = sp.solve(sp.Eq(first, second), u)[0]
    require_zero(formula=first.subs(u, crossing) - ((a + b) * h + e - big_m) / 2)
    require(falling=sp.diff(first, u) < 0, rising=sp.diff(second, u) > 0)
    # the two prices differ by g, either way round, and M = g + s
    gap, spare = sp.symbols("g s", nonnegative=True)
    for difference in (gap, -gap):
        at = {e: (a - b) * h - difference, big_m: gap + spare}
        left, right = (
            sp.expand(sp.cancel(2 * big_m * share).subs(at)) for share in (crossing, 1 - crossing)
        )
        require(crossing_above_0=left.is_nonnegative, crossing_below_1=right.is_nonnegative)
    return proved("the maximum of a falling and a rising line is least where they cross")


@claim("mlbroker.chord", source="mlBroker (9), two constants; added")
def two_constants_relax_the_price_to_its_chord() -> Verdict:
    """With (a−b)(H−l) in (8c) and e in (8d) the relaxed price is the chord h F(H)/H of F.

    For 0 <= h <= H and a largest use H above the threshold l; below it the discount never counts.
    """
    a, gap, threshold, above, share, u = sp.symbols("a g l x s u", positive=True)
    b, cap = a - gap, threshold + above  # H = l + x with x > 0
    e, h = gap * threshold, share * cap
    first, second = a * h - gap * above * u, b * h + e - e * (1 - u)
    crossing = sp.solve(sp.Eq(first, second), u)[0]
    chord = share * (b * cap + e)
    require(falling=sp.diff(first, u).is_negative, rising=sp.diff(second, u).is_positive)
    require_zero(crossing=crossing - share, chord=first.subs(u, share) - chord)
    return proved("the lines cross at u = h/H, at the height of the chord")


def _printed_as_strict(broker: Brokerage) -> Saying:
    """Optima of (8) as printed, and with what the text says."""
    printed, strict = (offline(broker, semantics=name) for name in ("printed", "strict"))
    return said(Stated(printed, "==", strict, SOLVER_GAP), printed=printed, strict=strict)


@claim(
    "mlbroker.reentry_is_charged",
    source="mlBroker section 3.2, (8g), (8h)",
    says=_printed_as_strict,
    among=FEW,
)
def every_entry_of_a_site_is_charged() -> Verdict:
    """(8) charges deployment whenever a job appears at a site, as the text says.

    Nothing in (8) makes v fall, so each (job, site) is paid once a life.
    """
    return refuted_by(_printed_as_strict, "mlbroker/return_trip", "(8) lacks v <= y + s")


def _in_one_slot(broker: Brokerage) -> Saying | None:
    """The same in one slot, where no site is entered again."""
    return _printed_as_strict(broker) if broker.num_slots == 1 else None


@claim(
    "mlbroker.workers_pay_for_the_server",
    source="mlBroker section 3.2, (8j)",
    says=_in_one_slot,
    among=FEW.sized(slots=1),
)
def every_worker_pays_for_its_server() -> Verdict:
    """(8) charges traffic between each worker and the server's site, as the text says.

    (8j) is a lower bound: workers beyond Y connect to a site without a server for nothing.
    """
    return refuted_by(_in_one_slot, "mlbroker/surplus_worker", "(8) lacks g <= Y s")


def _chord_is_below_the_price() -> None:
    """Raise unless F(h) >= h F(H) / H for all h <= H; F(H) is less than either branch by r."""
    a, b, e = sp.symbols("a b e", positive=True)
    below, full, over = sp.symbols("r H o", nonnegative=True)
    share = 1 / (1 + over)  # h / H
    discounted = b * share * full + e
    gaps = (
        a * share * full - share * (a * full - below),
        discounted - share * (b * full + e - below),
    )
    for gap in gaps:
        require(chord_is_below_the_price=sp.factor(gap).is_nonnegative)


@claim("mlbroker.relaxation_order", source="mlBroker (9); added")
def relaxations_are_ordered() -> Verdict:
    """Relaxed printed <= tight <= (8) printed <= (8) strict, for every valid M and U >= Ȳ + 1.

    A tight point is one of (9): the two rows of (8g*) add up to one above (8g), and between no
    usage and the full one, H, the chord is a mean of two points of (8c)-(8e) at which whole u cost
    no more than F, since M is valid. A placement of (8) with Y workers a site at most, which some
    optimum keeps, is a tight point: F(h) = min(a h, b h + e) is above its chord. (8) strict has the
    rows of (8) printed and two more; bounds on workers hold at some optimum of each.
    """
    _chord_is_below_the_price()
    a, b, e = sp.symbols("a b e", positive=True)
    x, u, big_m, h = sp.symbols("x u M H", nonnegative=True)
    share = 1 / (1 + sp.symbols("o", nonnegative=True))
    rows: tuple[Callable[[Any, Any, Any], Any], ...] = (
        lambda use, cost, off: cost - a * use + big_m * off,
        lambda use, cost, off: cost - b * use - e + big_m * (1 - off),
    )
    for row in rows:
        ends = share * row(h, x, u) + (1 - share) * row(0, 0, 0)
        require_zero(a_mean_keeps_the_rows=row(share * h, share * x, share * u) - ends)
    v, y, s, bound, most = sp.symbols("v y s U Ybar", nonnegative=True)
    slack = (bound - most - 1) * v + (most * v - y) + (v - s)
    require_zero(halves_give_the_whole=bound * v - y - s - slack)
    families = [
        {family.name for family in Offline(semantics=name).families()}
        for name in ("printed", "strict")
    ]
    added = {"absent_where_unused", "connect_to_server_only"}
    require(strict_adds_two=families[1] - families[0] == added and families[0] < families[1])
    return proved("points of each are points of the one before, at no more cost")


def _dual_below_offline(broker: Brokerage) -> Saying:
    dual, best = optimum(DualAsPrinted().form(broker)), offline(broker)
    return said(
        Stated(dual, "<=", best, SOLVER_GAP),
        dual=dual,
        relaxed=relaxed(broker, "printed"),
        offline=best,
    )


@claim("mlbroker.printed_dual", source="mlBroker (11)", says=_dual_below_offline, among=FEW)
def the_printed_dual_bounds_the_relaxation() -> Verdict:
    """The optimum of (11) is the optimum of (9).

    The objective lacks Σ ξ, so that weak duality fails; sums over resources are missing too.
    """
    note = "a dual of a minimum lies above the integer optimum"
    return refuted_by(_dual_below_offline, "mlbroker/tiny", note)
