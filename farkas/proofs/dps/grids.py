"""Grid, exploration and whether prices can be learned, at small sizes and at the published one."""

import functools
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from farkas.instances.dps import Job, Learning, Market
from farkas.numbers import Floats
from farkas.online.dps.environment import Knowledge
from farkas.online.dps.learning import Dps, Sides, explored, geometric_grid, grid_steps
from farkas.portable_functions import uniform
from farkas.proofs.claim import Trials, claim, drawn, growth, instance_of, require, require_zero, sp
from farkas.proofs.verdict import Among, Relation, Saying, Verdict, proved, refuted, said

small = functools.partial(drawn, Market, "small")  #: Draw a market of a few servers and jobs.
#: Draw a market of the published size.
published = functools.partial(drawn, Market, "published", seed=1)
shipped = functools.partial(instance_of, Market)  #: Shipped instance of this kind.


def unit_users(
    jobs: int, seed: int, worker_types: int = 1, ps_types: int = 1, slots: int | None = None
) -> Market:
    """One unit of each a job for one slot, as many jobs in each slot, budgets uniform in [0, 2].

    Capacity never binds, T = N without ``slots``, and the best fixed price earns N/2: a job that is
    asked for p pays with probability 1 - p/2, and p (1 - p/2) is largest at p = 1.
    """
    horizon = slots or jobs
    units = max(2, -(-jobs // horizon))
    rng = np.random.default_rng(seed)
    kinds = rng.integers(worker_types, size=jobs), rng.integers(ps_types, size=jobs)
    drawn = zip(
        kinds[0].tolist(), kinds[1].tolist(), uniform(rng, 0.0, 2.0, jobs).tolist(), strict=True
    )
    # records are valid by construction; reading them back would take most of the time
    return Market(
        horizon=horizon,
        occupancy="half_open",
        server_workers=((units,) * worker_types,),
        server_ps=((units,) * ps_types,),
        worker_bandwidth=(None,) * worker_types,
        ps_bandwidth=(None,) * ps_types,
        jobs=tuple(
            Job(
                arrival=i * horizon // jobs, worker_type=worker, workers=1, ps_type=ps, ps=1,
                model_size=0.0, epochs=1.0, epoch_compute=0.5, budget=budget,
            )
            for i, (worker, ps, budget) in enumerate(drawn)
        ),
    )  # fmt: skip


def step_of(horizon: int, capacity: int, jobs: int) -> float:
    """Published step without its cap; δ = (T C)^(-1/3) (ln n)^(2/3)."""
    volume, logs = np.array([float(horizon * capacity)]), np.array([math.log(jobs)])
    return float(grid_steps(Learning(delta_max=1.0, delta_scale=1.0), volume, logs)[0])


@claim("dps.number_of_prices", source="DPS appendix A")
def number_of_prices() -> Verdict:
    """The grid δ (1 + δ)^z <= 1 has ⌈log_{1+δ} δ^{-1}⌉ prices.

    With z over all integers, as printed, it is infinite; with z >= 0 it has ⌊log_{1+δ} δ^{-1}⌋ + 1.
    """
    step = (math.sqrt(5.0) - 1.0) / 2.0  # δ (1 + δ) = 1, so the logarithm is exactly 1
    count = len(geometric_grid(step))
    statement = Relation(count, "==", round(math.log(1 / step) / math.log1p(step)))
    return refuted({"step": "(sqrt(5) - 1) / 2"}, statement, prices=count, printed=1)


@claim("dps.prices_at_most_log_over_step", source="DPS Theorem 1, appendix A")
def prices_at_most_log_over_step() -> Verdict:
    """The grid has at most δ^{-1} ln n prices."""
    horizon, capacity, jobs = 10**6, 10**4, 2
    step = step_of(horizon, capacity, jobs)
    count, printed = len(geometric_grid(step)), math.log(jobs) / step
    scale = len(geometric_grid(step_of(10_000, 750, 667)))
    return refuted(
        {"horizon": horizon, "capacity": capacity, "jobs": jobs},
        Relation(count, "<=", printed),
        "it holds at the published scale",
        prices=count,
        printed=printed,
        published_scale_prices=scale,
        published_scale_printed=math.log(667) / step_of(10_000, 750, 667),
    )


@claim("dps.prices_at_most", source="DPS Theorem 1, corrected")
def prices_at_most() -> Verdict:
    """The grid has at most 1 + (1 + δ) δ^{-1} ln(1/δ) prices, for every δ in (0, 1).

    The count is at most 1 + ln(1/δ) / ln(1 + δ), and ln(1 + δ) >= δ / (1 + δ): both vanish at 0,
    and the difference has the derivative δ / (1 + δ)².
    """
    step = sp.symbols("delta", positive=True)
    gap = sp.log(1 + step) - step / (1 + step)
    slope = sp.simplify(sp.diff(gap, step))
    require_zero(at_zero=sp.limit(gap, step, 0), slope=slope - step / (1 + step) ** 2)
    require(slope_is_positive=slope.is_positive)
    return proved("a lower bound on ln(1 + δ) with a positive derivative")


@claim("dps.time_of_a_decision", source="DPS Theorem 1")
def time_of_a_decision() -> Verdict:
    """A decision looks at O((T C ln n)^{1/3}) prices of each side.

    The number of prices is 1/δ times ln(1/δ), and ln(1/δ) outgrows ln n where T C grows and n does
    not.  Counted on grids for three jobs; dps.time_of_a_decision_many_jobs says when it holds.
    """
    volumes, jobs = (10**6, 10**8, 10**10), 3
    counts = [len(geometric_grid(step_of(volume, 1, jobs))) for volume in volumes]
    volume, logs = sp.symbols("V L", positive=True)
    step = volume ** sp.Rational(-1, 3) * logs ** sp.Rational(2, 3)
    ratio = sp.log(1 / step) / step / (volume * logs) ** sp.Rational(1, 3)
    require_zero(ratio_is_a_third_of_a_logarithm=ratio.subs(logs, 1) - sp.log(volume) / 3)
    return refuted(
        {"volumes": list(volumes), "jobs": jobs},
        [
            Relation(growth(volumes, counts), "<=", 1 / 3),
            Relation(float(sp.limit(ratio.subs(logs, 1), volume, sp.oo)), "<", math.inf),
        ],
        "growth over three sizes; ratio in the limit",
        **{f"prices_at_{volume:.0e}": count for volume, count in zip(volumes, counts, strict=True)},
    )


@claim("dps.time_of_a_decision_many_jobs", source="DPS Theorem 1, corrected")
def time_of_a_decision_many_jobs() -> Verdict:
    """A grid has at most 1 + (2 a / 3) (T C ln n)^{1/3} prices.  Given: T C <= n^a, δ <= 1 <= ln n.

    By dps.prices_at_most it has 1 + (1 + δ) δ^{-1} ln(1/δ); 1 + δ <= 2, and ln(1/δ) is
    ln(T C) / 3 - 2 ln ln n / 3 <= a ln n / 3.  Sorting S servers takes at most S (S - 1) / 2
    comparisons, so that the theorem's time follows.
    """
    power, more, lower, dear = sp.symbols("a x y z", nonnegative=True)
    logs = 1 + more  # ln n
    # T C = n^a e^{-y}, and δ = 1 / (1 + z)
    log_volume = power * logs - lower
    log_step = sp.Rational(2, 3) * sp.log(logs) - log_volume / 3
    room = sp.expand(power * logs / 3 + log_step)
    require_zero(room_of_the_logarithm=room - sp.Rational(2, 3) * sp.log(logs) - lower / 3)
    below_two = sp.factor(2 - (1 + 1 / (1 + dear)))
    require(logarithm=sp.log(logs).is_nonnegative, step=below_two.is_nonnegative)
    volume, size = sp.symbols("V L", positive=True)
    step = volume ** sp.Rational(-1, 3) * size ** sp.Rational(2, 3)
    most = 2 / step * power * size / 3
    bound = sp.Rational(2, 3) * power * (volume * size) ** sp.Rational(1, 3)
    require_zero(product=sp.powsimp(sp.expand_power_base(most - bound), force=True))
    return proved("ln(1/δ) <= a ln n / 3")


@claim("dps.step_below_one", source="DPS section IV, δ")
def step_below_one() -> Verdict:
    """δ = (T C)^{-1/3} (ln n)^{2/3} lies in (0, 1).

    It exceeds 1 iff T C < ln² n, and is 0 for n = 1: hence ``delta_max`` and ln max(n, 2).
    """
    horizon, capacity, jobs = 1, 1, 3
    raw = (horizon * capacity) ** (-1.0 / 3.0) * math.log(jobs) ** (2.0 / 3.0)
    example = {"horizon": horizon, "capacity": capacity, "jobs": jobs}
    return refuted(example, Relation(raw, "<", 1.0), step=raw, step_of_one_job=step_of(1, 1, 1))


@claim("dps.explored_share", source="DPS section IV, θ")
def explored_share() -> Verdict:
    """θ, the share of jobs that are explored, lies in (0, 1).

    θ n = (T C ln n)^{2/3} does not grow with n: at the published scale a type would need about
    203 000 jobs before its exploration ends.
    """
    horizon, capacity, jobs = 10_000, 750, 667
    volume, logs = np.array([float(horizon * capacity)]), np.array([math.log(jobs)])
    wanted = float(explored(Learning(), volume, logs, np.array([jobs]))[0])
    needed = jobs
    while (horizon * capacity * math.log(needed)) ** (2.0 / 3.0) > needed:
        needed += 1
    return refuted(
        {"horizon": horizon, "capacity": capacity, "jobs": jobs},
        Relation(wanted, "<", jobs),
        explored=wanted,
        share=wanted / jobs,
        jobs_needed=needed,
    )


@claim("dps.published_constants_earn", source="DPS section V")
def published_constants_earn() -> Verdict:
    """With the published constants DPS earns a profit at the published scale.

    All 10 000 jobs are served free of charge, or turned away, during exploration.  A figure of the
    paper ends exploration near slot 1120, which ``explore_cap`` 0.112 imitates.
    """
    market = published()
    printed = Dps().simulate(market)
    imitated = Dps().simulate(market.replace(dps={"explore_cap": 0.112}))
    return refuted(
        {"preset": "published", "seed": 1},
        Relation(printed.profit, ">", 0),
        profit=printed.profit,
        explored=int(printed.exploring.sum()),
        profit_with_explore_cap=imitated.profit,
    )


class _Roomy(Dps):
    """DPS that counts on a thousand times the capacity."""

    def sides(self, known: Knowledge) -> Sides:
        return Sides(*(one._replace(capacity=one.capacity * 1000) for one in super().sides(known)))


@claim("dps.capacity_limits_prices", source="DPS (13), (14)")
def capacity_limits_prices() -> Verdict:
    """The capacity term C μ of the index influences the prices.

    Prices of a run are the same with a thousand times the capacity in the index: the algorithm is
    a bandit for demand alone.  Also with five times the load.
    """
    changed, offers = 0, 0
    for epochs in (4000.0, 20_000.0):
        market = published(epochs_median=epochs).replace(dps={"explore_cap": 0.112})
        runs = [seller.simulate(market) for seller in (Dps(), _Roomy())]
        prices = [np.nan_to_num(np.stack([r.worker_price, r.ps_price])) for r in runs]
        changed += int((prices[0] != prices[1]).any(axis=0).sum())
        offers += int((prices[0][0] > 0).sum())
    example = {"preset": ["published", "heavy"], "seed": 1}
    given = Relation(offers, ">", 0)
    return refuted(example, Relation(changed, ">", 0), given=given, offers=offers, changed=changed)


@claim("dps.prices_are_tried", source="DPS section V")
def prices_are_tried() -> Verdict:
    """At the published scale every price of a type is offered often enough to be learned.

    An estimate within a factor needs of the order of η = ln n offers, 6.5 there.
    """
    market = published().replace(dps={"explore_cap": 0.112})
    done = Dps().simulate(market)
    rules = Dps().sides(Knowledge.of(market)).workers
    offers = int(np.isfinite(done.worker_price).sum())
    tries = offers / len(rules.price)
    return refuted(
        {"preset": "published", "seed": 1},
        Relation(tries, ">=", float(rules.eta.min())),
        tries_per_price=tries,
        eta=float(rules.eta.mean()),
        prices_per_type=len(rules.price) / market.num_worker_types,
    )


def theorem2_assumptions(market: Market) -> dict[str, tuple[float, float]]:
    """Both sides of the assumptions of Theorem 2: largest demand, and what it may be at most.

    d_max <= T^{-1/3} (C ln n)^{2/3}, by type; keys are ``worker 0``, ``ps 3`` and so on.
    """
    known, found = Knowledge.of(market), {}
    sides = (
        ("worker", known.most_workers, known.installed_workers, known.worker_jobs),
        ("ps", known.most_ps, known.installed_ps, known.ps_jobs),
    )
    for name, most, installed, jobs in sides:
        for kind in np.flatnonzero(jobs).tolist():
            logs = math.log(max(2, int(jobs[kind])))
            volume = float(installed[:, kind].sum()) * logs
            allowed = market.horizon ** (-1.0 / 3.0) * volume ** (2.0 / 3.0)
            found[f"{name} {kind}"] = float(most[kind]), allowed
    return found


@claim("dps.theorem2_assumptions", source="DPS appendix F")
def theorem2_assumption_holds() -> Verdict:
    """At the published scale d_max <= T^{-1/3} (C ln n)^{2/3}, as Theorem 2 assumes."""
    trials, broken = Trials(), 0
    for name, (most, allowed) in theorem2_assumptions(published()).items():
        trials.add({"preset": "published", "seed": 1, "type": name}, Relation(most, "<=", allowed))
        broken += most > allowed
    return trials.verdict(f"{broken} of {trials.runs} types have jobs that ask for more")


OFFERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5120)
MEANS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 0.999)


def radius(eta: float, mean: Floats, offers: float) -> Floats:
    """η / (1 + N) + √(η X / (1 + N))."""
    wide: Floats = eta / (1.0 + offers) + np.sqrt(eta * mean / (1.0 + offers))
    return wide


def failure(eta: float, offers: int, mean: float) -> float:
    """Probability that the mean of N coin flips is further from its expectation than its radius."""
    seen = np.arange(offers + 1) / offers
    outside = np.abs(seen - mean) > radius(eta, seen, offers)
    return float(chances(offers, mean)[outside].sum())


def chances(offers: int, mean: float) -> Floats:
    """Probability of each number of successes, shape (offers + 1,)."""
    from scipy import stats

    found: Floats = stats.binom.pmf(np.arange(offers + 1), offers, mean)
    return found


def worst_failure(eta: float) -> tuple[float, int, float]:
    """Largest failure probability over numbers of offers and means, with where it occurs."""
    return max((failure(eta, n, q), n, q) for n in OFFERS for q in MEANS)


@claim("dps.confidence_radius", source="DPS (13), (14), η = ln n")
def confidence_radius() -> Verdict:
    """With η = ln n the radius fails with probability n^{-2} at most.

    Exact tails decay like e^{-c η} with c below 1, falling towards 1/2 for large η.
    """
    jobs = 1000
    worst, offers, mean = worst_failure(math.log(jobs))
    return refuted(
        {"jobs": jobs, "offers": offers, "mean": mean},
        Relation(worst, "<=", jobs**-2.0),
        failure=worst,
        promised=jobs**-2.0,
        exponent=-math.log(worst) / math.log(jobs),
    )


def _misses(example: Mapping[str, Any]) -> Saying:
    jobs, offers, mean = example["jobs"], example["offers"], example["mean"]
    missed = failure(2.5 * math.log(jobs), offers, mean)
    return said(Relation(missed, "<=", jobs**-2.0))


def _threefold(example: Mapping[str, Any]) -> Saying:
    jobs, offers, mean = example["jobs"], example["offers"], example["mean"]
    eta, seen = math.log(jobs), np.arange(offers + 1) / offers
    wide = radius(eta, seen, offers) > 3.0 * radius(eta, np.array(mean), offers)
    tail = float(chances(offers, mean)[wide].sum())
    return said(Relation(tail, "<=", jobs**-2.0), tail=tail)


def _grid(sizes: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """Every number of jobs of a grid, with every number of offers and every mean."""
    for jobs, offers, mean in itertools.product(sizes, OFFERS, MEANS):
        yield {"jobs": jobs, "offers": offers, "mean": mean}


SPREAD = Among(  #: Some of a grid, with its ends.
    samples=lambda: itertools.islice(_grid((2, 1000)), 0, None, 16),
    ranges={"jobs": (2, 1000), "mean": (0.001, 0.999)},
)


@claim(
    "dps.confidence_radius_repaired",
    source="DPS (13), (14), η = 2.5 ln n",
    says=_misses,
    among=SPREAD,
)
def confidence_radius_repaired() -> Verdict:
    """With η = 2.5 ln n the radius fails with probability n^{-2} at most, for n up to 1000."""
    trials = Trials()
    for example in _grid((2, 5, 10, 50, 100, 300, 1000)):
        trials.hear(example, _misses(example))
    return trials.verdict("exact tails on a grid of offers and means")


@claim(
    "dps.radius_at_most_threefold",
    source="DPS appendix C, from [18]",
    says=_threefold,
    among=SPREAD,
)
def radius_at_most_threefold() -> Verdict:
    """The radius of the estimate is at most three times the radius of the expectation.

    Exact tails: the probability of more is below 1e-3 for η = 2 and below n^{-2} for η = ln n.
    """
    trials, largest = Trials(), 0.0
    for example in _grid((10, 100, 1000)):
        found = _threefold(example)
        trials.hear(example, found)
        largest = max(largest, found.numbers["tail"])
    return trials.verdict(largest_tail=largest)


DRAWN = 100  #: Offers of a run of random demands.


@claim("dps.radius_of_demands", source="DPS (13), (14), demands above 1")
def radius_of_demands() -> Verdict:
    """The same radii hold for the units sold per offer when jobs ask for more than one unit.

    A demand up to 60 spreads sixty times as wide as the coin flips the radius is made for.
    """
    jobs, runs, rng, missed = 700, 4000, np.random.default_rng(0), {}
    for most in (10, 30, 60):
        sold = rng.integers(1, most + 1, (runs, DRAWN)) * (rng.random((runs, DRAWN)) < 0.5)
        mean = sold.mean(axis=1)
        error = np.abs(mean - 0.25 * (most + 1))
        missed[most] = float((error > radius(math.log(jobs), mean, DRAWN)).mean())
    return refuted(
        {"jobs": jobs, "offers": DRAWN, "runs": runs, "seed": 0},
        Relation(missed[60], "<=", jobs**-2.0),
        "dps_scaled widens the radii to the range",
        missed_up_to_10=missed[10],
        missed_up_to_30=missed[30],
        missed_up_to_60=missed[60],
        promised=jobs**-2.0,
    )
