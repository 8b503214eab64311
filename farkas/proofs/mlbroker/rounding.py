"""Claims about the dependent rounding: Lemmas 1 and 2, properties (P1) and (P2)."""

import itertools
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.errors import InvalidOption
from farkas.exact.solver import optimum
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.placement import Offline
from farkas.online import algorithms, environments
from farkas.online.loop import decide
from farkas.online.mlbroker.fractional import MlBroker
from farkas.portable_functions import uniform
from farkas.proofs.claim import Trials, claim, drawn, require, require_zero, sp
from farkas.proofs.mlbroker.runs import largest_lambda
from farkas.proofs.verdict import Among, Relation, Saying, Verdict, proved, refuted, said
from farkas.rounding.dependent import trade_once
from farkas.rounding.workers import round_sites, round_workers
from farkas.tolerances import ROUNDING, SOLVER_GAP

Outcomes = dict[tuple[int, ...], Fraction]


def outcomes(shares: Sequence[Fraction], weights: Sequence[int]) -> Outcomes:
    """Exact distribution of Algorithm 2's loop on open fractions, the last item going up."""
    open_items = [k for k, share in enumerate(shares) if 0 < share < 1]
    if len(open_items) <= 1:
        return {tuple(int(share > 0) for share in shares): Fraction(1)}
    found: Outcomes = {}
    pairs = [(a, b) for a in open_items for b in open_items if a != b]
    for first, second in pairs:
        heavy, other = Fraction(weights[first]), Fraction(weights[second])
        gain = min(1 - shares[first], other / heavy * shares[second])
        loss = min(shares[first], other / heavy * (1 - shares[second]))
        for step, chance in ((gain, loss / (gain + loss)), (-loss, gain / (gain + loss))):
            moved = list(shares)
            moved[first] += step
            moved[second] -= heavy / other * step
            for end, share in outcomes(moved, weights).items():
                found[end] = found.get(end, Fraction(0)) + share * chance / len(pairs)
    return found


def marginals(found: Outcomes) -> list[Fraction]:
    """Probability of each item to go up."""
    size = len(next(iter(found)))
    return [sum((p for end, p in found.items() if end[k]), Fraction(0)) for k in range(size)]


@claim("mlbroker.trade_settles", source="mlBroker Lemma 2")
def every_trade_settles_an_item() -> Verdict:
    """Each round of the loop settles an item, so a rounding takes O(|I_t| R) trades.

    The printed count of |Y|(|Y|−1)/2 rounds is quadratic and not needed.  The first entry gains the
    smaller of 1 − p₁ and ω₂ p₂/ω₁, or loses the smaller of p₁ and ω₂ (1 − p₂)/ω₁: the smaller puts
    an entry at 1 or 0, and what the other is larger by keeps the second entry inside.
    """
    w1, w2 = sp.symbols("w1 w2", positive=True)
    p1, p2 = sp.symbols("p1 p2", real=True)
    up, out = 1 - p1, w2 * p2 / w1
    down, into = p1, w2 * (1 - p2) / w1
    second = p2 - w1 * up / w2, p2 + w1 * down / w2
    require_zero(
        the_first_is_full=p1 + up - 1,
        the_second_is_empty=p2 - w1 * out / w2,
        the_first_is_empty=p1 - down,
        the_second_is_full=p2 + w1 * into / w2 - 1,
        a_gain_leaves_what_was_left=second[0] - (out - up) * w1 / w2,
        a_loss_leaves_what_was_left=1 - second[1] - (into - down) * w1 / w2,
    )
    rng, trials = np.random.default_rng(0), Trials()
    for _ in range(2000):
        share, weight = uniform(rng, 0.01, 0.99, 2), uniform(rng, 0.1, 5, 2)
        after = trade_once(share, weight, float(rng.random()))
        trials.add(
            {"share": share.tolist(), "weight": weight.tolist()},
            Relation(int(np.isin(after, (0.0, 1.0)).sum()), ">=", 1),
            Relation(float(after.min()), ">=", 0),
            Relation(float(after.max()), "<=", 1),
        )
    return trials.proved("every trade ends with an entry at 0 or 1, both inside [0, 1]")


def traded(w1: Any, w2: Any, p1: Any, p2: Any) -> Any:
    """Weighted sum of two entries after a trade, in symbols."""
    step = sp.symbols("step", real=True)
    return w1 * (p1 + step) + w2 * (p2 - step * w1 / w2)


def last_share(x: Any) -> Any:
    """Share of the last open item, in (0, 1), in symbols; going up adds 1 − share = x share > 0."""
    return 1 / (1 + x)


@claim("mlbroker.lemma1", source="mlBroker Lemma 1")
def rounded_workers_train_all_data() -> Verdict:
    """The rounded solution is feasible: every job keeps at least the workers it had, so at least Y.

    Trades of Round2, of weight 1, keep the job's sum, and a last open item goes up.  The largest of
    all roundings is no less.  Before rounding (8i), (8j) and (8f) give Σ ỹ = Σ g >= Y Σ s = Y.
    """
    p1, p2 = sp.symbols("p1 p2", real=True)
    x = sp.symbols("x", positive=True)
    last = last_share(x)
    require_zero(trades_keep_the_sum=traded(1, 1, p1, p2) - p1 - p2)
    require_zero(the_last_adds_to_it=1 - last - x * last)
    return proved("trades keep the sum, the last open item adds to it")


@claim("mlbroker.lemma1_round1", source="mlBroker Lemma 1, proof")
def round1_alone_trains_all_data() -> Verdict:
    """Round1 alone keeps enough workers for each job, as the proof's compensation suggests.

    Two jobs with half a worker at each of two sites: one of them may lose both.
    """
    workers, weight, rng = np.full((2, 2), 0.5), np.ones(2), np.random.default_rng(0)
    least = min(float(round_sites(workers, weight, rng).sum(axis=1).min()) for _ in range(100))
    example = {"workers": workers.tolist(), "weight": [1, 1]}
    return refuted(example, Relation(least, ">=", float(workers.sum(axis=1).min())))


@claim("mlbroker.p1", source="mlBroker Theorem 4, (P1)")
def probabilities_are_kept() -> Verdict:
    """Pr[item rounded up] = its fraction.  False: the last open item always goes up."""
    shares = [Fraction(3, 10), Fraction(4, 10)]
    equal, unequal = (marginals(outcomes(shares, weights)) for weights in ((1, 1), (1, 3)))
    sizes = {f"chance_{k}": float(chance) for k, chance in enumerate(equal)}
    sizes |= {f"chance_{k}_weighted": float(chance) for k, chance in enumerate(unequal)}
    example = {"fractions": [0.3, 0.4], "weights": [1, 1]}
    note = f"with weights (1, 3) it is ({float(unequal[0]):g}, {float(unequal[1]):g})"
    statement = [
        Relation(chance, "==", share)
        for found in (equal, unequal)
        for chance, share in zip(found, shares, strict=True)
        if chance != share
    ]
    return refuted(example, statement, note, **sizes)


@claim("mlbroker.p2", source="mlBroker Theorem 4, (P2)")
def weights_are_kept() -> Verdict:
    """Σ ω p is the same before and after.  False: the last open item adds its missing part."""
    found = outcomes([Fraction(3, 10), Fraction(4, 10)], (1, 3))
    ends = sorted({end[0] + 3 * end[1] for end in found})
    sizes = {"before": 1.5} | {f"after_{k}": float(end) for k, end in enumerate(ends)}
    example = {"fractions": [0.3, 0.4], "weights": [1, 3]}
    statement = [Relation(end, "==", Fraction(3, 2)) for end in (ends[0], ends[-1])]
    return refuted(example, statement, "more than before", **sizes)


@claim("mlbroker.p2_corrected", source="mlBroker Theorem 4, (P2); corrected")
def weights_grow_by_less_than_one_item() -> Verdict:
    """Σ ω p never falls, and grows by less than the weight of one item.  Assumes all ω > 0."""
    w1, w2, x = sp.symbols("w1 w2 x", positive=True)
    p1, p2 = sp.symbols("p1 p2", real=True)
    last = last_share(x)
    grown = w1 * (1 - last)
    require_zero(
        trades_keep_the_sum=traded(w1, w2, p1, p2) - w1 * p1 - w2 * p2,
        never_falls=grown - w1 * x * last,
    )
    require(less_than_an_item=sp.factor(w1 - grown).is_positive)
    return proved("trades keep the sum; the last open item adds ω (1 − p), with p in (0, 1)")


@claim("mlbroker.weightless_items", source="mlBroker Algorithm 3, lines 10-11")
def trades_are_defined_for_every_demand() -> Verdict:
    """Ψ₁ and Ψ₂ are defined for all jobs.  With n = 0 they divide by 0; GPU demands start at 0."""
    shares, weights = (Fraction(3, 10), Fraction(4, 10)), (0, 1)
    try:
        trades = len(outcomes(shares, weights))
    except ZeroDivisionError:
        trades = 0
    example = {"fractions": [0.3, 0.4], "weights": [0, 1]}
    return refuted(example, Relation(trades, ">", 0), "n = 0 is in the published range")


@claim("mlbroker.capacity_growth", source="mlBroker (14)")
def rounding_multiplies_a_jobs_capacity_by_at_most_one_plus_lambda() -> Verdict:
    """Σ P ȳ <= (1+λ) Σ P ỹ in total over sites, if every site has data.

    ȳ < ỹ + 1 at R sites, and P (R+1) = λ min D <= λ Σ P ỹ, since all data are trained.  (The last
    printed lines mix up incoming and outgoing q.)
    """
    rate, sites, least = sp.symbols("P R D", positive=True)
    more = sp.symbols("x", nonnegative=True)
    trained = least + more  # Σ P ỹ, at least all data, so at least the least of a site
    growth = rate * (sites + 1) / least
    room = sp.expand((1 + growth) * trained - (trained + rate * sites))
    require(room=room.is_positive)
    return proved("P + P (R+1) x / min D is left, with Σ P ỹ = min D + x")


@claim(
    "mlbroker.usage_growth",
    source="mlBroker below (14), (16b)",
    among=Among(size={"jobs": 1, "sites": 2, "slots": 1}, ranges={"data": (1.0, 1000.0)}),
    by="mlbroker/surplus_worker",
    note="one item per site",
)
def rounding_multiplies_a_sites_usage_by_at_most_one_plus_lambda(
    broker: Brokerage,
) -> Saying | None:
    """Σ n ȳ <= (1+λ) Σ n ỹ at each site, "through the same derivation process".

    With (0.01, 0.99) workers at the two sites of `surplus_worker` λ = 3 P / min D = 6; Round1 has
    one item a site and rounds both up, always.
    """
    # One job in one slot, with a hundredth of a worker at the first site, the rest at the
    # next.
    if broker.num_pairs != 1 or broker.num_sites < 2:
        return None
    fractional = np.zeros((1, broker.num_sites))
    fractional[0, :2] = 0.01, max(1.0, float(broker.workers_needed[0])) - 0.01
    rounded = round_workers(fractional, broker.worker_demand, np.random.default_rng(0))
    demand = float(broker.worker_demand[0, 0])
    allowed = (1 + largest_lambda(broker)) * demand * float(fractional[0, 0])
    used = demand * float(rounded[0, 0])
    enough = Relation(float(fractional.sum()), ">=", float(broker.workers_needed[0]), ROUNDING)
    return said(Relation(used, "<=", allowed), given=[enough], used=used, allowed=allowed)


@claim("mlbroker.independent_rounding_fails", source="mlBroker section 5, introduction")
def independent_rounding_leaves_jobs_short() -> Verdict:
    """Rounding each number of workers by itself may leave a job with too few workers.

    A job that needs one worker and has 1/R of it at each of R sites gets none with probability
    (1 − 1/R)^R, a quarter for two sites; A_round's trades keep the sum and its last item goes up.
    It does in each of these six instances; A_round, run on the same, leaves no job short.
    """
    more = sp.symbols("z", nonnegative=True, integer=True)
    p1, p2 = sp.symbols("p1 p2", real=True)
    sites = more + 2
    share = 1 / sites
    none = (1 - share) ** sites
    require(one_job_may_get_none=sp.factor(1 - share).is_positive)
    require_zero(
        one_worker_is_wanted=sites * share - 1,
        a_quarter_for_two_sites=none.subs(more, 0) - sp.Rational(1, 4),
        trades_keep_the_sum=traded(1, 1, p1, p2) - p1 - p2,
    )
    short, total, trials = 0, 0, Trials()
    for seed in range(6):
        settings: dict[str, Any] = {
            "preset": "small",
            "seed": seed,
            "transfer_scale": 40.0,
            "num_sites": 5,
        }
        broker = drawn(Brokerage, **settings)
        alone = int(algorithms["mlbroker.ir[tight]"].run(broker, seed=seed).numbers["repaired"])
        trials.add(
            settings, Relation(alone, ">", 0), Relation(short_of_workers(broker, seed), "==", 0)
        )
        short, total = short + alone, total + broker.num_pairs
    return trials.proved(
        "none of R shares of 1/R goes up with probability (1 − 1/R)^R", share=short / total
    )


def short_of_workers(broker: Brokerage, seed: int) -> int:
    """Jobs that a run of A_round leaves with fewer workers than they need, over all slots."""
    short = 0
    made = decide(MlBroker("tight"), environments["mlbroker"], broker, seed)
    for slot, decision in enumerate(made.decisions):
        needed = broker.workers_needed[broker.pairs_at(slot)]
        short += int((decision.workers.sum(axis=1) < needed).sum())
    return short


PRICE = 1e-4  #: USD a unit at the site of a subset.


def set_cover(
    subsets: Sequence[Collection[int]], elements: int, *, forbidding: float = 1000.0
) -> Brokerage:
    """Set cover as a placement problem, see `placement_contains_set_cover`.

    ``forbidding`` is the price of everything that a cover does not do, USD.
    """
    sites = len(subsets) + elements
    transfer = np.full((sites, sites), forbidding)
    np.fill_diagonal(transfer, 0.0)
    for index, subset in enumerate(subsets):
        for element in subset:
            if not 0 <= element < elements:
                raise InvalidOption(f"subsets[{index}] holds {element}; elements are < {elements}")
            transfer[len(subsets) + element, index] = 0.0
    data = np.hstack([np.zeros((elements, len(subsets))), np.eye(elements)])
    prices = np.r_[np.full(len(subsets), PRICE), np.full(elements, forbidding)]
    return Brokerage.build(
        name="set_cover",
        description=f"{len(subsets)} subsets of {elements} elements as a placement problem.",
        num_sites=sites,
        num_slots=elements,
        num_resources=1,
        transfer_price=transfer,
        base_price=prices[:, None],
        epsilon=1.0,
        jobs=[
            {
                "name": "cover",
                "arrival": 0,
                "departure": elements - 1,
                "data": data,
                "worker_capacity": 1.0,
                "sync_volume": 0.0,
                "deploy_cost": 1.0,
                "worker_demand": [1.0],
                "server_demand": [1.0],
            }
        ],
    )


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

    >>> cover_number([frozenset({0, 1}), frozenset({1, 2}), frozenset({0, 2})], 3)
    2
    """
    for size in range(1, len(subsets) + 1):
        for some in itertools.combinations(subsets, size):
            if len(frozenset().union(*some)) == elements:
                return size
    raise ValueError("the subsets cover too little")


@claim("mlbroker.np_hard", source="mlBroker Theorem 1")
def placement_contains_set_cover() -> Verdict:
    """(8) is NP-hard.

    The printed proof is void: it reduces to a problem with s and (8f) only, which is trivial.
    Valid: one site per subset and per element, element t's data at its own site in slot t, free
    to move to subsets that cover it.  Placed at k subsets that cover all, the job costs k and two
    units a slot.  Conversely a placement pays for every site that it ever enters, by (8h), and
    nothing else costs less than 0.  One that is in some slot at no site that covers the slot's
    element costs more than all subsets; any other is, in every slot, at one of them, so that these
    are a cover: the least cost, rounded down, is the least number of subsets, which is enumerated
    on drawn covers.
    """
    before, present, first, second = sp.symbols("v w a b", nonnegative=True)
    entries = (before + first) + (present - before + second)  # (8h) with its slacks
    require(a_site_is_paid_once_it_is_entered=sp.expand(entries - present).is_nonnegative)
    trials = Trials()
    for subsets, elements in covers(9):
        least = optimum(Offline(prices="two", presence="split").form(set_cover(subsets, elements)))
        cost = cover_number(subsets, elements) + 2 * PRICE * elements
        example = {"subsets": [sorted(subset) for subset in subsets], "elements": elements}
        trials.add(example, Relation(least, "==", cost, SOLVER_GAP))
    return trials.proved("sites that a job enters are the subsets of a cover")
