"""What (2) and (3) are, and what they are not."""

from collections.abc import Iterator

import numpy as np

from farkas.instances.dps import Market
from farkas.models.dps.offline import Offline, OfflineLP
from farkas.numbers import Floats
from farkas.online.dps.best_fixed import best_exactly
from farkas.online.dps.posted import FixedPrice, run_seller
from farkas.proofs.claim import Standing, Verdict, claim, proved, refuted
from farkas.proofs.dps.hardness import best_by_search
from farkas.proofs.dps.horizon import small, unit_users
from farkas.proofs.said import Among, Saying, Stated, said
from farkas.proofs.trials import Trials, optimum, refuted_by, require_zero, sp
from farkas.relaxations.dps.fixed_price import corrected_bound, printed_bound
from farkas.relaxations.dps.interval import IntervalIP, IntervalLP
from farkas.tolerances import ROUNDING, SOLVER_GAP

ONE_TYPE = {"worker_types": 1, "ps_types": 1, "servers": 1}
TINY = {"num_jobs": 4, "num_servers": 2, "horizon": 12, "workers": [1, 3], "ps": [1, 2]}


@claim("dps.offline_is_a_milp", source="DPS (2)")
def offline_is_a_milp() -> Verdict:
    """(2) is a mixed-integer linear program.

    As printed it multiplies a price with a decision.  A linear function takes the mean of its end
    values half way between two points; the printed payment p f does not.
    """
    price, accepted = sp.symbols("p f", nonnegative=True)
    payment = price * accepted  # of one unit in the objective of (2)
    low, high, middle = (
        payment.subs({price: at, accepted: at}) for at in (0, 1, sp.Rational(1, 2))
    )
    mean, half = float((low + high) / 2), float(middle)
    return refuted(
        {"points": [{"price": at, "accepted": at} for at in (0.0, 1.0)]},
        Stated(half, "==", mean),
        "payments are products; index sets and idle resources also depend on decisions",
        mean_of_payments=mean,
        payment_half_way=half,
    )


def _tiny() -> Iterator[Market]:
    return (small(100 + seed, **TINY) for seed in range(20))


def _searched(market: Market) -> Saying:
    value, best = optimum(Offline().form(market)), best_by_search(market, market.budget)
    return said(Stated(value, "==", best, SOLVER_GAP))


@claim(
    "dps.linearisation_is_exact",
    source="DPS (2), made linear",
    says=_searched,
    among=Among(samples=_tiny),
)
def linearisation_is_exact() -> Verdict:
    """dps.offline has the value of a complete search over acceptance and placement."""
    trials = Trials()
    for seed in range(25):
        market = small(seed, **TINY)
        trials.hear(market, _searched(market))
    return trials.verdict()


def _ordered(market: Market) -> Saying:
    exact, by_server, whole, loose = (
        optimum(program.form(market))
        for program in (Offline(), OfflineLP(), IntervalIP(), IntervalLP())
    )
    order = ((exact, by_server), (by_server, loose), (exact, whole), (whole, loose))
    return said(*(Stated(a, "<=", b, SOLVER_GAP, size=loose) for a, b in order))


@claim("dps.bounds_are_ordered", source="DPS (2), relaxed", says=_ordered)
def bounds_are_ordered() -> Verdict:
    """Offline optimum <= relaxation by server <= interval relaxation, and optimum <= interval."""
    trials = Trials()
    for seed in range(20):
        market = small(seed, num_jobs=10)
        trials.hear(market, _ordered(market))
    return trials.verdict("all strict on dps/aggregate_gap")


def _all_at(market: Market, price: float) -> tuple[Floats, Floats]:
    """One price for all types of workers, and of parameter servers."""
    return np.full(market.num_worker_types, price), np.full(market.num_ps_types, price)


def _at_half(market: Market) -> Saying:
    prices = _all_at(market, 0.5)
    profit = FixedPrice(*prices).simulate(market).profit
    bound = printed_bound(market, *prices)
    return said(Stated(profit, "<=", bound, ROUNDING), profit=profit, printed_bound=bound)


@claim(
    "dps.fixed_price_bound",
    source="DPS (3)",
    says=_at_half,
    among=Among(ranges={"epoch_compute": (1.0, 100.0)}),
)
def fixed_price_bound() -> Verdict:
    """A fixed price earns at most its capacity term p C (T - E τ).

    The term has the unit price x units x slots, but a job pays once: with runtimes near the
    horizon it vanishes.
    """
    return refuted_by(_at_half, "dps/long_job")


@claim("dps.fixed_price_bound_corrected", source="DPS (3), corrected")
def fixed_price_bound_corrected() -> Verdict:
    """A fixed price earns at most what can be afforded, and what each unit can sell.

    A unit starts a job at most once in as many arrival slots, o, as the shortest job holds it.  So
    n sales of a unit span (n - 1) o slots between the first arrival and the last, L later, and
    ⌊L / o⌋ + 2 sales would span more than L, since a share of o is below it.  Every unit sold pays
    its price once, whence Σ price x units x ⌊(L + o) / o⌋; simulated prices stay below it.
    """
    later, held_for = sp.symbols("L o", positive=True, integer=True)
    most = sp.floor(later / held_for) + 1
    beyond = (most * held_for - later) / held_for
    share = sp.frac(later / held_for)
    require_zero(
        as_computed=sp.floor((later + held_for) / held_for) - most,
        beyond_the_last=sp.expand(beyond) - (1 - share.rewrite(sp.floor)),
    )
    trials = Trials()
    for seed in range(60):
        market = small(seed, epoch_seconds=[150.0, 900.0 * (1 + seed % 4)])
        rng = np.random.default_rng(seed)
        for _ in range(10):
            prices = rng.random(market.num_worker_types), rng.random(market.num_ps_types)
            profit = FixedPrice(*prices).simulate(market).profit
            bound = corrected_bound(market, *prices)
            trials.add(market, Stated(profit, "<=", bound, ROUNDING))
    simulated = trials.verdict()
    if simulated.standing is not Standing.HELD:
        return simulated
    return proved("sales of a unit counted; simulated prices besides")


@claim("dps.sales_depend_on_own_price", source="DPS section IV, Q_k(p_k)")
def sales_depend_on_own_price() -> Verdict:
    """The share of jobs that buy a type of worker is a function of its own price.

    Users compare the payment for both sides with their budget: the partner's price counts as much.
    """
    market = unit_users(400, 0)
    shares = {}
    for partner in (0.25, 0.75):
        done = FixedPrice(np.array([0.5]), np.array([partner])).simulate(market)
        shares[partner] = float(done.sold.mean())
    return refuted(
        {"family": "unit_users", "jobs": 400, "seed": 0, "worker_price": 0.5},
        Stated(shares[0.25], "==", shares[0.75]),
        "so the two-sided split (16) of the profit does not exist",
        share_at_partner_price_0_25=shares[0.25],
        share_at_partner_price_0_75=shares[0.75],
    )


def _attained(market: Market) -> Saying | None:
    if market.num_worker_types != 1 or market.num_ps_types != 1:
        return None
    best = best_exactly(market)
    at = np.array([float(best.worker)]), np.array([float(best.ps)])
    profit = sum(d.payment for d in run_seller(FixedPrice(*at), market))
    supremum = float(best.profit)
    no_other = Stated(best.attained, "==", 0)  # exact search over all prices
    return said(
        Stated(profit, ">=", supremum, ROUNDING),
        given=[no_other],
        supremum=supremum,
        profit_at_the_limit=profit,
    )


@claim(
    "dps.best_fixed_price_is_attained",
    source="DPS section IV, benchmark",
    says=_attained,
    among=Among(size={**ONE_TYPE, "jobs": 4, "slots": 10}, ranges={"model_size": (0.0, 0.0)}),
)
def best_fixed_price_is_attained() -> Verdict:
    """Some fixed prices earn the supremum of the fixed-price profit."""
    return refuted_by(_attained, "dps/unattained")


def _one_step_lower(market: Market) -> Saying:
    step = 1.0 / 19.0
    # 0.95 is the grid neighbour 1 / (1 + 1/19); written out, since the quotient of doubles is above
    high, low = (
        FixedPrice(*_all_at(market, price)).simulate(market).profit for price in (1.0, 0.95)
    )
    return said(
        Stated(low, ">=", (1.0 - step) * high),
        profit=high,
        profit_one_step_lower=low,
        step=step,
    )


@claim(
    "dps.lower_price_loses_little",
    source="DPS Lemma 3, appendix E",
    says=_one_step_lower,
    among=Among(size=ONE_TYPE),
)
def lower_price_loses_little() -> Verdict:
    """A(p / (1 + δ)) >= (1 - δ) A(p): the next lower grid price costs a share δ at most.

    It holds for demand alone, not for profit: a lower price admits jobs that block others.
    """
    return refuted_by(_one_step_lower, "dps/lower_price_hurts")
