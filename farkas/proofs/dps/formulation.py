"""What (2) and (3) are, and what they are not."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from farkas.exact.solver import optimum
from farkas.instances.dps import Job, Market
from farkas.models.dps.offline import Offline
from farkas.models.dps.placement import MinServers, Sequence
from farkas.numbers import Floats
from farkas.online.dps.cluster import placed
from farkas.online.dps.fixed_prices import best_exactly
from farkas.online.dps.seller import BestFit, FixedPrice, FreeOfCharge
from farkas.proofs.claim import Trials, claim, refuted_by, require_zero, sp
from farkas.proofs.dps.grids import shipped, small, unit_users
from farkas.proofs.knapsack import Knapsack, Reduced, contains_knapsacks, marked, multipliers
from farkas.proofs.verdict import Among, Relation, Saying, Verdict, refuted, said
from farkas.relaxations.dps.interval import corrected_bound, printed_bound
from farkas.tolerances import ROUNDING, SOLVER_GAP


def knapsack_market(knapsack: Knapsack) -> Market:
    """Market whose highest payments are the greatest worth that fits.

    One server with ``room`` workers; thing j is a job of the first slot that needs as many workers
    as j weighs, for that slot, and has j's worth as its budget.
    """
    things = tuple(zip(knapsack.weights, knapsack.worths, strict=True))
    return Market(
        horizon=2,
        occupancy="half_open",
        server_workers=((knapsack.room,),),
        server_ps=((len(things),),),
        worker_bandwidth=(None,),
        ps_bandwidth=(None,),
        jobs=tuple(
            Job(
                arrival=0, worker_type=0, workers=weight, ps_type=0, ps=1, model_size=0.0,
                epochs=1.0, epoch_compute=1.0, budget=float(worth),
            )
            for weight, worth in things
        ),
    )  # fmt: skip


def reduced(knapsack: Knapsack) -> Reduced:
    """Find a knapsack in (2): one job accepted whole; rows of workers, less where jobs stand."""
    form, things = Offline().form(knapsack_market(knapsack)), len(knapsack.weights)
    alone = marked(form, things, "whole").astype(float)
    derivation = multipliers(form, enough_workers=1.0, all_workers_placed=-1.0)
    return Reduced(form, alone, marked(form, things, "whole", "spread"), derivation, (form,))


@claim("dps.np_hard", source="DPS section I, hardness")
def payments_contain_knapsacks() -> Verdict:
    """(2) is NP-hard; the paper gives no proof.

    A knapsack is a market of one server and one slot, of the same size.  Things that fit are jobs
    that run on it together and pay their budgets.  Conversely an accepted job is there whole (u) or
    with all workers of a spread one (x = w h), and these fit into the server: the weights of the
    accepted jobs are at most the room.  Both ways are executed on knapsacks and on sums of weights,
    row by row in exact numbers; dynamic programming finds the same optimum.
    """
    weight, whole, spread = sp.symbols("w u h", nonnegative=True)
    placed = weight * spread  # x
    require_zero(
        accepted_jobs_need_their_weight=weight * whole + placed - weight * (whole + spread)
    )
    return contains_knapsacks(reduced, "things that fit are jobs that are served, row by row")


ONE_TYPE = {"worker_types": 1, "ps_types": 1, "servers": 1}


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
        Relation(half, "==", mean),
        "payments are products; index sets and idle resources also depend on decisions",
        mean_of_payments=mean,
        payment_half_way=half,
    )


def _all_at(market: Market, price: float) -> tuple[Floats, Floats]:
    """One price for all types of workers, and of parameter servers."""
    return np.full(market.num_worker_types, price), np.full(market.num_ps_types, price)


@claim(
    "dps.fixed_price_bound",
    source="DPS (3)",
    among=Among(ranges={"epoch_compute": (1.0, 100.0)}),
    by="dps/long_job",
)
def fixed_price_bound(market: Market) -> Saying:
    """A fixed price earns at most its capacity term p C (T - E τ).

    The term has the unit price x units x slots, but a job pays once: with runtimes near the
    horizon it vanishes.
    """
    prices = _all_at(market, 0.5)
    profit = FixedPrice(*prices).simulate(market).profit
    bound = printed_bound(market, *prices)
    return said(Relation(profit, "<=", bound, ROUNDING), profit=profit, printed_bound=bound)


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
            trials.add(market, Relation(profit, "<=", bound, ROUNDING))
    return trials.proved("sales of a unit counted; simulated prices besides")


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
        Relation(shares[0.25], "==", shares[0.75]),
        "so the two-sided split (16) of the profit does not exist",
        share_at_partner_price_0_25=shares[0.25],
        share_at_partner_price_0_75=shares[0.75],
    )


@claim(
    "dps.best_fixed_price_is_attained",
    source="DPS section IV, benchmark",
    among=Among(size={**ONE_TYPE, "jobs": 4, "slots": 10}, ranges={"model_size": (0.0, 0.0)}),
    by="dps/unattained",
)
def best_fixed_price_is_attained(market: Market) -> Saying | None:
    """Some fixed prices earn the supremum of the fixed-price profit."""
    if market.num_worker_types != 1 or market.num_ps_types != 1:
        return None
    best = best_exactly(market)
    at = np.array([float(best.worker)]), np.array([float(best.ps)])
    profit = FixedPrice(*at).simulate(market).profit
    supremum = float(best.profit)
    no_other = Relation(best.attained, "==", 0)  # exact search over all prices
    return said(
        Relation(profit, ">=", supremum, ROUNDING),
        given=[no_other],
        supremum=supremum,
        profit_at_the_limit=profit,
    )


@claim(
    "dps.lower_price_loses_little",
    source="DPS Lemma 3, appendix E",
    among=Among(size=ONE_TYPE),
    by="dps/lower_price_hurts",
)
def lower_price_loses_little(market: Market) -> Saying:
    """A(p / (1 + δ)) >= (1 - δ) A(p): the next lower grid price costs a share δ at most.

    It holds for demand alone, not for profit: a lower price admits jobs that block others.
    """
    step = 1.0 / 19.0
    # 0.95 is the grid neighbour 1 / (1 + 1/19); written out, since the quotient of doubles is above
    high, low = (
        FixedPrice(*_all_at(market, price)).simulate(market).profit for price in (1.0, 0.95)
    )
    return said(
        Relation(low, ">=", (1.0 - step) * high),
        profit=high,
        profit_one_step_lower=low,
        step=step,
    )


def _placed(state: Mapping[str, Any]) -> Saying:
    idle = [np.array(side) for side in state["idle"]]
    workers, ps = int(state["workers"]), int(state["ps"])
    units = placed("pa", idle[0], idle[1], workers, ps)
    fits = idle[0].sum() >= workers and idle[1].sum() >= ps
    possible = bool(((idle[0] >= workers) & (idle[1] >= ps)).any())
    whole = units is not None and np.count_nonzero(units[0] + units[1]) == 1
    return said(
        Relation(units is not None, "==", bool(fits)),
        Relation(whole, "==", bool(fits) and possible),
    )


def _arrivals(count: int = 20, seed: int = 1) -> Iterator[dict[str, Any]]:
    """States of up to six servers, and what a job asks for."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        servers = int(rng.integers(1, 7))
        idle = rng.integers(0, 6, servers), rng.integers(0, 6, servers)
        workers, ps = (int(x) for x in rng.integers(1, 7, 2))
        yield {"workers": workers, "ps": ps, "idle": [side.tolist() for side in idle]}


@claim(
    "dps.pa_minimises_runtime",
    source="DPS section IV-A, (15)",
    says=_placed,
    among=Among(samples=_arrivals),
)
def pa_minimises_runtime() -> Verdict:
    """Algorithm 2 places an arrival with the shortest runtime.

    Runtimes take two values: the short one is possible iff one server has all units idle.
    """
    trials = Trials()
    for state in _arrivals(3000, seed=0):
        trials.hear(state, _placed(state))
    return trials.verdict("states of up to six servers")


@claim(
    "dps.pa_minimises_servers",
    source="DPS section IV-A",
    among=Among(size={"servers": 4, "jobs": 2}),
    by="dps/too_many_servers",
)
def pa_minimises_servers(market: Market) -> Saying | None:
    """Algorithm 2 uses as few servers as possible.

    The runtime (1) does not reward it either: it knows one server and several.
    """
    # Servers of the first job, which comes alone.
    market = market.replace(jobs=market.jobs[:1])
    job = market.jobs[0]
    idle = (
        market.installed_workers[:, job.worker_type],
        market.installed_ps[:, job.ps_type],
    )
    units = placed("pa", *idle, job.workers, job.ps)
    if units is None:
        return None
    used = int(np.count_nonzero(units[0] + units[1]))
    fewest = optimum(MinServers().form(market))
    return said(Relation(used, "<=", fewest, SOLVER_GAP), used=used, fewest=fewest)


def _sequence(market: Market) -> Saying:
    greedy, fit = FreeOfCharge().simulate(market), BestFit().simulate(market)
    served, all_served = int(greedy.served.sum()), int(fit.served.sum())
    return said(
        Relation(served, ">=", all_served),
        given=[Relation(all_served, "==", market.num_jobs)],
        served=served,
        served_by_best_fit=all_served,
        runtime_by_best_fit=float(fit.runtime.sum()),
    )


@claim("dps.pa_minimises_sequences", source="DPS section IV-A", says=_sequence)
def pa_minimises_sequences() -> Verdict:
    """Algorithm 2 minimises the total runtime of jobs that arrive one after the other.

    It takes the server with most idle units, which splits the large ones.
    """
    best = optimum(Sequence().form(shipped("fragmented")))
    return refuted_by(_sequence, "dps/fragmented", shortest=best)
