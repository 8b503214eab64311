"""Claims about the dependent rounding: Lemmas 1 and 2, properties (P1) and (P2)."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import sympy as sp

from farkas.instances.mlbroker import Brokerage
from farkas.online import algorithms
from farkas.portable.draws import dirichlet, uniform
from farkas.proofs.claim import Verdict, claim, held, proved, refuted
from farkas.proofs.stated import Stated
from farkas.proofs.symbolic import require_zero
from farkas.proofs.trials import Trials, drawn
from farkas.rounding import round_jobs, round_sites, round_workers, trade_once
from farkas.tolerances import ROUNDING

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


@claim("mlbroker.trade_keeps_weight", source="mlBroker Lemma 1, proof")
def a_trade_keeps_the_weighted_sum_and_expectations() -> Verdict:
    """One trade keeps ω₁p₁ + ω₂p₂, and both expectations.  Assumes ω₁, ω₂ > 0.

    The expected step is s₁ s₂/(s₁+s₂) − s₂ s₁/(s₁+s₂) = 0.
    """
    w1, w2, s1, s2 = sp.symbols("w1 w2 s1 s2", positive=True)
    p1, p2, step = sp.symbols("p1 p2 step", real=True)
    change = sp.simplify(w1 * (p1 + step) + w2 * (p2 - step * w1 / w2) - w1 * p1 - w2 * p2)
    drift = sp.simplify(s1 * s2 / (s1 + s2) - s2 * s1 / (s1 + s2))
    require_zero(change=change, drift=drift)
    return proved()


@claim("mlbroker.trade_settles", source="mlBroker Lemma 2")
def every_trade_settles_an_item() -> Verdict:
    """Each round of the loop settles an item, so a rounding takes O(|I_t| R) trades.

    The printed count of |Y|(|Y|−1)/2 rounds is quadratic and not needed.
    """
    rng, trials = np.random.default_rng(0), Trials()
    for _ in range(2000):
        share, weight = uniform(rng, 0.01, 0.99, 2), uniform(rng, 0.1, 5, 2)
        after = trade_once(share, weight, float(rng.random()))
        trials.add(
            {"share": share.tolist(), "weight": weight.tolist()},
            Stated(int(np.isin(after, (0.0, 1.0)).sum()), ">=", 1),
            Stated(float(after.min()), ">=", 0),
            Stated(float(after.max()), "<=", 1),
        )
    return trials.verdict("every trade ends with an entry at 0 or 1, both inside [0, 1]")


@claim("mlbroker.lemma1", source="mlBroker Lemma 1")
def rounded_workers_train_all_data() -> Verdict:
    """The rounded solution is feasible: every job keeps at least Y workers.

    Round2 keeps the job's sum and rounds a last open item up; the sum is at least Y, an integer.
    """
    rng, trials = np.random.default_rng(1), Trials()
    for _ in range(150):
        jobs, sites = int(rng.integers(1, 5)), int(rng.integers(1, 6))
        workers = uniform(rng, 0, 3, (jobs, sites))
        needed = np.maximum(1, np.floor(workers.sum(axis=1)))
        workers *= (needed / workers.sum(axis=1))[:, None]
        demand = rng.integers(0, 4, (jobs, 2)).astype(float)
        for combine in ("max", "round2"):
            rounded = round_workers(workers, demand, rng, combine=combine)
            example = {"workers": workers.tolist(), "combine": combine}
            trials.add(example, Stated(float((rounded.sum(axis=1) - needed).min()), ">=", 0))
    return trials.verdict("in workers")


@claim("mlbroker.lemma1_round1", source="mlBroker Lemma 1, proof")
def round1_alone_trains_all_data() -> Verdict:
    """Round1 alone keeps enough workers for each job, as the proof's compensation suggests.

    Two jobs with half a worker at each of two sites: one of them may lose both.
    """
    workers, weight, rng = np.full((2, 2), 0.5), np.ones(2), np.random.default_rng(0)
    least = min(float(round_sites(workers, weight, rng).sum(axis=1).min()) for _ in range(100))
    example = {"workers": workers.tolist(), "weight": [1, 1]}
    return refuted(example, Stated(least, ">=", float(workers.sum(axis=1).min())))


@claim("mlbroker.p1", source="mlBroker Theorem 4, (P1)")
def probabilities_are_kept() -> Verdict:
    """Pr[item rounded up] = its fraction.  False: the last open item always goes up."""
    shares = [Fraction(3, 10), Fraction(4, 10)]
    equal, unequal = (marginals(outcomes(shares, weights)) for weights in ((1, 1), (1, 3)))
    sizes = {f"chance_{k}": float(chance) for k, chance in enumerate(equal)}
    sizes |= {f"chance_{k}_weighted": float(chance) for k, chance in enumerate(unequal)}
    example = {"fractions": [0.3, 0.4], "weights": [1, 1]}
    note = "with weights (1, 3) it is (0.3, 1)"
    statement = [
        Stated(chance, "==", share)
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
    statement = [Stated(end, "==", Fraction(3, 2)) for end in (ends[0], ends[-1])]
    return refuted(example, statement, "more than before", **sizes)


@claim("mlbroker.p2_corrected", source="mlBroker Theorem 4, (P2); corrected")
def weights_grow_by_less_than_one_item() -> Verdict:
    """Σ ω p never falls, and grows by less than the weight of one item."""
    rng, trials = np.random.default_rng(2), Trials()
    for _ in range(40):
        size = int(rng.integers(1, 5))
        shares = [Fraction(int(k), 10) for k in rng.integers(1, 10, size)]
        weights = [int(w) for w in rng.integers(1, 6, size)]
        before = sum((w * p for w, p in zip(weights, shares, strict=True)), Fraction(0))
        for end in outcomes(shares, weights):
            grown = sum(w * up for w, up in zip(weights, end, strict=True)) - before
            example = {"fractions": [float(p) for p in shares], "weights": weights}
            trials.add(example, Stated(grown, ">=", 0), Stated(grown, "<", max(weights)))
    return trials.verdict("every possible end of 40 roundings, exactly")


@claim("mlbroker.weightless_items", source="mlBroker Algorithm 3, lines 10-11")
def trades_are_defined_for_every_demand() -> Verdict:
    """Ψ₁ and Ψ₂ are defined for all jobs.  With n = 0 they divide by 0; GPU demands start at 0."""
    shares, weights = (Fraction(3, 10), Fraction(4, 10)), (0, 1)
    try:
        trades = len(outcomes(shares, weights))
    except ZeroDivisionError:
        trades = 0
    example = {"fractions": [0.3, 0.4], "weights": [0, 1]}
    return refuted(example, Stated(trades, ">", 0), "n = 0 is in the published range")


@claim("mlbroker.capacity_growth", source="mlBroker (14)")
def rounding_multiplies_a_jobs_capacity_by_at_most_one_plus_lambda() -> Verdict:
    """Σ P ȳ <= (1+λ) Σ P ỹ in total over sites, if every site has data.

    ȳ < ỹ + 1 at R sites, and P (R+1) = λ min D <= λ Σ P ỹ.  (The last printed lines mix up
    incoming and outgoing q.)
    """
    rng, trials = np.random.default_rng(3), Trials()
    for _ in range(200):
        sites, rate = int(rng.integers(1, 6)), uniform(rng, 1, 50)
        volume = uniform(rng, 0.1, 100, sites)
        needed = np.ceil(volume.sum() / rate)
        workers = dirichlet(rng, 1.0, (1, sites)) * needed
        rounded = round_workers(workers, np.ones((1, 2)), rng)
        bound = (1 + rate * (sites + 1) / volume.min()) * workers.sum()
        example = {"workers": workers.tolist(), "rate": rate}
        trials.add(example, Stated(float(rounded.sum()), "<=", float(bound)))
    return trials.verdict("in workers")


@claim("mlbroker.usage_growth", source="mlBroker below (14), (16b)")
def rounding_multiplies_a_sites_usage_by_at_most_one_plus_lambda() -> Verdict:
    """Σ n ȳ <= (1+λ) Σ n ỹ at each site, "through the same derivation process".

    With (0.01, 0.99) workers at the two sites of `surplus_worker` λ = 3 P / min D = 6; Round1 has
    one item a site and rounds both up, always.
    """
    fractional = np.array([[0.01, 0.99]])
    rounded = round_workers(fractional, np.ones((1, 1)), np.random.default_rng(0))
    allowed = (1 + 6) * float(fractional[0, 0])
    used = float(rounded[0, 0])
    note = "one item per site"
    statement = Stated(used, "<=", allowed)
    return refuted("mlbroker/surplus_worker", statement, note, used=used, allowed=allowed)


@claim("mlbroker.independent_rounding_fails", source="mlBroker section 5, introduction")
def independent_rounding_leaves_jobs_short() -> Verdict:
    """Rounding each number of workers by itself may leave a job with too few workers.

    It does in the instances counted here; A_round does in none of them.
    """
    short = total = 0
    for seed in range(6):
        broker = drawn(Brokerage, "small", seed, transfer_scale=40.0, num_sites=5)
        run = algorithms["mlbroker.ir"].run(broker, seed=seed)
        short, total = short + int(run.numbers["repaired"]), total + broker.num_pairs
    note = f"{short} of {total} job-slots short"
    return held([Stated(short, ">", 0)], note, runs=6, share=short / total)


@claim("mlbroker.round2_total", source="mlBroker Algorithm 2, line 4; added")
def round2_buys_less_than_one_worker() -> Verdict:
    """Round2 alone adds less than one worker to each job's total."""
    rng, trials = np.random.default_rng(4), Trials()
    for _ in range(200):
        workers = uniform(rng, 0, 3, (3, 4))
        added = round_jobs(workers, rng).sum(axis=1) - workers.sum(axis=1)
        trials.add(
            {"workers": workers.tolist()},
            Stated(float(added.min()), ">=", 0, ROUNDING, size=1),
            Stated(float(added.max()), "<", 1),
        )
    return trials.verdict()
