"""Lemma 2 from what comes before it, and regret for longer horizons.  DPS appendix D, Theorem 2."""

import functools

import numpy as np

from farkas.instances.dps import Job, Market
from farkas.online.dps.learning import Dps, Simple
from farkas.portable import uniform
from farkas.proofs import trials
from farkas.proofs.claim import Verdict, claim, proved
from farkas.proofs.said import Stated
from farkas.proofs.trials import Trials, drawn, growth, require, require_zero, sp

small = functools.partial(drawn, Market, "small")  #: Draw a market of a few servers and jobs.
#: Draw a market of the published size.
published = functools.partial(drawn, Market, "published", seed=1)
shipped = functools.partial(trials.shipped, Market)  #: Shipped instance of this kind.


def unit_users(
    jobs: int, seed: int, worker_types: int = 1, ps_types: int = 1, *, units: int = 2
) -> Market:
    """One unit of each a job, one job a slot for one slot, budgets uniform in [0, 2].

    Capacity never binds, T = N, and the best fixed price earns N/2: a job that is asked for p pays
    with probability 1 - p/2, and p (1 - p/2) is largest at p = 1.
    """
    rng = np.random.default_rng(seed)
    kinds = rng.integers(worker_types, size=jobs), rng.integers(ps_types, size=jobs)
    drawn = zip(
        kinds[0].tolist(), kinds[1].tolist(), uniform(rng, 0.0, 2.0, jobs).tolist(), strict=True
    )
    # records are valid by construction; reading them back would take most of the time
    return Market(
        horizon=jobs,
        occupancy="half_open",
        server_workers=((units,) * worker_types,),
        server_ps=((units,) * ps_types,),
        worker_bandwidth=(None,) * worker_types,
        ps_bandwidth=(None,) * ps_types,
        jobs=tuple(
            Job(
                arrival=i, worker_type=worker, workers=1, ps_type=ps, ps=1, model_size=0.0,
                epochs=1.0, epoch_compute=0.5, budget=budget,
            )
            for i, (worker, ps, budget) in enumerate(drawn)
        ),
    )  # fmt: skip


@claim("dps.lemma2_follows", source="DPS Lemma 2, appendix D, (31)")
def lemma2_follows() -> Verdict:
    """Lemma 2 follows from Lemma 1, (30) with a root, and Claim 1.2, where A <= C μ.

    (31): where μ (C - d) units are sold at A / (C (μ + 2 r)) or more, payments are at least
    A (1 - 2 r / (μ + 2 r) - d / C).  The loss against A is the larger of what is lost then, with
    θ n, and of what is lost where nothing runs out: Lemma 1's bound, which has θ n in it, and the
    root.  Lemma 2 adds both.  Premise A <= C μ is the capacity term of (3), see
    dps.fixed_price_bound.
    """
    mean, radius_, capacity, largest, less, explored = sp.symbols("μ r C d x e", nonnegative=True)
    best, root, rest = sp.symbols("A s q", nonnegative=True)
    dear = mean + 2 * radius_
    share = 2 * radius_ / dear + largest / capacity
    sold = best / (capacity * dear) * mean * (capacity - largest)
    # sold - A (1 - share) = A (2 r / (μ + 2 r)) (d / C)
    left = sp.factor(sold - best * (1 - share))
    require_zero(step_31=left - best * 2 * radius_ / dear * largest / capacity)
    require(above_31=left.subs(mean, 1 + mean).subs(capacity, 1 + capacity).is_nonnegative)
    # Lemma 1: e + q with e = θ n; A = C μ - x with x >= 0 is the premise
    lemma2 = explored + rest + root + capacity * mean * share
    short = (best * share + explored).subs(best, capacity * mean - less)
    over_short = sp.expand(sp.expand(lemma2 - short) - rest - root - less * share)
    require_zero(when_short=sp.simplify(over_short))
    require_zero(when_enough=lemma2 - (explored + rest + root) - capacity * mean * share)
    return proved("both losses are below their sum; O(.) hides constants as in the paper")


@claim("dps.regret_in_time", source="DPS Theorem 2, growth in T")
def regret_in_time() -> Verdict:
    """With the jobs fixed, regret grows no faster than T^{2/3}.

    Slopes of log regret over log T, for T = N, 4 N and 16 N, of Algorithm 1 with and without its
    exploration.  Regret cannot exceed what the best fixed price earns, N/2 here, whatever T: the
    exploration reaches it at 4 N, since θ grows with T and no job pays any more.
    """
    trials = Trials()
    numbers: dict[str, float] = {}
    for name, seller in (("dps", Dps()), ("simple", Simple())):
        for seed in range(3):
            lost = [_regret_of(seller, times, seed) for times in LONGER]
            trials.add(
                {"family": "unit_users", "jobs": FIXED, "seed": seed, "seller": name},
                Stated(growth(LONGER, lost), "<=", 2 / 3),
            )
            if seed == 0:
                numbers |= {f"{name}_at_{n}_N": x for n, x in zip(LONGER, lost, strict=True)}
    return trials.verdict(f"N = {FIXED}, and the best fixed price earns {FIXED // 2}", **numbers)


#: Jobs, and horizons in their unit, of the runs whose regret is followed in T.
FIXED, LONGER = 2**12, (1, 4, 16)


def _regret_of(seller: Dps | Simple, times: int, seed: int) -> float:
    market = unit_users(FIXED, seed).replace(horizon=times * FIXED)
    return FIXED / 2 - seller.simulate(market).profit
