"""Claims about greedy scheduling in time: Lemma 5, the matroid, Theorem 6."""

import itertools
import math
from collections.abc import Iterator

import msgspec
import numpy as np

from farkas.exact.solver import optimum
from farkas.instances.gadget import Cluster
from farkas.instances.generate.gadget import Published
from farkas.instances.utilities import TableUtility
from farkas.models.gadget.counts import FeasibleCounts, greedy, offline_optimum
from farkas.models.gadget.curvature import concave_in_reach
from farkas.models.gadget.gvne import Gvne
from farkas.models.gadget.offline_printed import PrintedOffline
from farkas.portable_functions import uniform
from farkas.proofs.claim import Trials, claim, require, require_zero, sp
from farkas.proofs.gadget.relaxations import among, random_clusters, shipped
from farkas.proofs.verdict import (
    Among,
    Relation,
    Saying,
    Verdict,
    proved,
    refuted,
    said,
    verdict_on,
)
from farkas.tolerances import ROUNDING, SOLVER_GAP

ALPHAS = (1 / 3, 1 / 2, 1.0)

SLOTS = 3  #: Slots of the clusters on which an adversary picks.


@claim("gadget.concave_rewards_are_submodular", source="GADGET Lemma 5")
def concave_rewards_are_submodular() -> Verdict:
    """For concave μ the marginal reward of an allocation falls with what was received.

    Whatever μ is: with y = x + g and a gain of d, both x + d and y are mixtures of x and y + d,
    with shares (1 - s, s) and (s, 1 - s) for s = d / (g + d).  Concavity at both, added up, is
    μ(x + d) + μ(y) >= μ(x) + μ(y + d).
    """
    x = sp.symbols("x", nonnegative=True)
    further, more = sp.symbols("g d", positive=True)
    low, high = sp.symbols("mu_low mu_high", real=True)  # μ(x) and μ(y + d)
    share, last = more / (further + more), x + further + more
    rest = sp.factor(1 - share)
    require(share_is_one=share.is_nonnegative, rest_is_one=rest.is_nonnegative)
    require_zero(
        sooner=rest * x + share * last - (x + more),
        later=share * x + rest * last - (x + further),
        sum=(rest * low + share * high) + (share * low + rest * high) - (low + high),
    )
    return proved("μ(x + d) - μ(x) >= μ(y + d) - μ(y) for x <= y and every concave μ")


@claim(
    "gadget.published_utility_is_concave",
    source="GADGET VI-1, sigmoid utility",
    among=Among(preset="published", size={"jobs": 2, "servers": 2, "slots": 20}),
    by="gadget/late_sigmoid",
    note="the sixth worker-slot gains more than the fifth",
)
def published_utility_is_concave(cluster: Cluster) -> Saying:
    """The utility of the evaluation satisfies the assumption of Lemma 5 and Theorem 6."""
    # Two worker-slots of the first job, one after the other, where the gain rises most.
    most = max(6, cluster.horizon * int(cluster.max_workers[0]))
    gains = np.diff(cluster.reward(0, np.arange(most + 1)))
    at = int(np.diff(gains).argmax())
    return said(
        Relation(float(gains[at + 1]), "<=", float(gains[at])),
        fifth=float(gains[4]),
        sixth=float(gains[5]),
    )


@claim(
    "gadget.schedules_form_a_matroid",
    source="GADGET Theorem 6, proof",
    among=among(jobs=1),
    by="gadget/budget_of_two",
    note="two workers at once, or one in each slot: both maximal",
)
def schedules_form_a_matroid(cluster: Cluster) -> Saying | None:
    """Feasible schedules form a partition matroid, a 1-system.

    Budgets (3) couple the slots: all maximal schedules would have to have one size.
    """
    # Slots of the schedules of one job that spend its budget: nothing can be added to them.
    budget = float(cluster.most_slots[0])
    if cluster.num_jobs != 1 or not budget.is_integer() or cluster.horizon > SLOTS:
        return None
    feasible = FeasibleCounts.of(cluster)
    limits = [feasible.limit(slot, np.zeros(1)) for slot in range(cluster.horizon)]
    counts = [feasible.within(limit)[:, 0].tolist() for limit in limits]
    sizes = {
        sum(size > 0 for size in schedule)
        for schedule in itertools.product(*counts)
        if sum(schedule) == budget
    }
    if not sizes:
        return None
    return said(Relation(min(sizes), "==", max(sizes)), smallest=min(sizes), largest=max(sizes))


@claim("gadget.truncation_repairs_budgets", source="GADGET Theorem 6, repaired")
def truncation_repairs_budgets() -> Verdict:
    """Replacing μ(ζ z) by μ(ζ min(z, Z)) and dropping (3) changes neither optimum nor concavity.

    Feasible counts are closed downwards: of a schedule beyond a budget the excess is taken away,
    which leaves min(z, Z) and its value, and within budgets both are the same.  min(z, Z) is z less
    the excess, the least of two linear functions; a concave μ that never falls keeps it concave.
    """
    total, budget = sp.symbols("z Z", nonnegative=True)
    excess = sp.Max(total - budget, 0)
    require_zero(
        trimmed=(sp.Min(total, budget) - total + excess).rewrite(sp.Piecewise),
        kept=sp.Min(total, budget).subs(budget, total) - total,
    )
    trials = Trials()
    for cluster in random_clusters(40, 11, network="any"):
        with_budgets = offline_optimum(FeasibleCounts.of(cluster))[0]
        free = truncated(cluster)
        without = offline_optimum(FeasibleCounts.of(free))[0]
        concave = all(concave_in_reach(free, i) for i in range(free.num_jobs))
        same = Relation(with_budgets, "==", without, ROUNDING)
        trials.add(cluster, same, Relation(concave, ">", 0))
    return trials.proved("what exceeds a budget is trimmed, and min(z, Z) is concave in z")


def truncated(cluster: Cluster) -> Cluster:
    """Budgets moved into the utilities of table jobs."""
    jobs = []
    for i, job in enumerate(cluster.jobs):
        worth = cluster.reward(i, np.arange(int(min(cluster.most_slots[i], 100)) + 1))
        utility = TableUtility(values=tuple(worth.tolist()))
        budget = (None,) * cluster.num_resources
        jobs.append(msgspec.structs.replace(job, budget=budget, efficiency=1.0, utility=utility))
    return cluster.replace(jobs=jobs)


def worst_run(feasible: FeasibleCounts, alpha: float, *, marginal: bool) -> float:
    """Least reward of Algorithm 1 when an adversary picks any α-approximate allocation.

    α refers to the ``marginal`` reward (12) or, as printed, to the value of (10).
    """
    cluster = feasible.cluster
    states: dict[tuple[int, ...], None] = {(0,) * cluster.num_jobs: None}
    for slot in range(cluster.horizon):
        after: dict[tuple[int, ...], None] = {}
        for state in states:
            received = np.array(state)
            vectors = feasible.within(feasible.limit(slot, received))
            gain = np.array([cluster.total_reward(received + v) for v in vectors])
            base = cluster.total_reward(received) if marginal else 0.0
            good = gain - base >= alpha * (gain.max() - base) - ROUNDING * gain.max()
            for vector in vectors[good]:
                after[tuple((received + vector).tolist())] = None
        states = after
    return min(cluster.total_reward(state) for state in states)


def adversarial_runs(
    trials: Trials, alpha: float, bound: float, count: int, seed: int, *, at_once: bool
) -> float:
    """Try a bound on the ratio to the optimum on random instances; return the least ratio."""
    least = math.inf
    settings = {"servers": 2, "jobs": 2, "horizon": SLOTS, "at_once": at_once, "network": "any"}
    for cluster in random_clusters(count, seed, **settings):
        feasible = FeasibleCounts.of(cluster)
        best = offline_optimum(feasible)[0]
        if best > 0:
            ratio = worst_run(feasible, alpha, marginal=True) / best
            trials.add(cluster, Relation(ratio, ">=", bound, ROUNDING))
            least = min(least, ratio)
    return least


@claim("gadget.greedy_ratio", source="GADGET Theorem 6, α of the marginal reward")
def greedy_ratio() -> Verdict:
    """If every slot reaches α of the best marginal reward (12), the run reaches α/(1+α).

    Concave utilities that never fall and are not negative.  With G the run and O_t the optimum's
    slots, Lemma 5 adds up to f(O) <= f(G + O) <= f(G) + Σ (f(G_t + O_t) - f(G_t)), G_t what the run
    had before slot t; each term is at most 1/α of the run's own gain there, and these add up to
    f(G) - f(0).  With budgets: by gadget.truncation_repairs_budgets.  In the trials an adversary
    picks among all α-approximate allocations.
    """
    alpha = sp.symbols("alpha", positive=True)
    value, nothing, less = sp.symbols("f n s", nonnegative=True)  # s: by how much it is less
    optimum = value + (value - nothing) / alpha - less
    require_zero(above=value * (1 + alpha) - alpha * optimum - nothing - alpha * less)
    trials = Trials()
    numbers = {
        f"least_at_{alpha:.2f}": adversarial_runs(
            trials, alpha, alpha / (1 + alpha), 40, 5, at_once=False
        )
        for alpha in ALPHAS
    }
    note = "slot by slot (Lemma 5): what is missing is at most what was gained, divided by α"
    return trials.proved(note, **numbers)


@claim(
    "gadget.greedy_ratio_as_printed",
    source="GADGET Theorem 6 as printed, α of (10)",
    among=among(servers=2, jobs=2),
    by="gadget/one_gpu",
    note="half of (10) in every slot",
)
def greedy_ratio_as_printed(cluster: Cluster) -> Saying | None:
    """If every slot reaches α of the optimum of (10), the run reaches α/(1+α).

    (10) counts rewards of the past: with a linear utility, half of it is met by idling from the
    second slot on.
    """
    if not all(concave_in_reach(cluster, job) for job in range(cluster.num_jobs)):
        return None
    feasible = FeasibleCounts.of(cluster)
    value = worst_run(feasible, 0.5, marginal=False)
    best = offline_optimum(feasible)[0]
    return said(Relation(value, ">=", best / 3), value=value, optimum=best, bound=1 / 3)


@claim("gadget.greedy_ratio_at_once", source="GADGET Theorem 6, sharpened (ours)")
def greedy_ratio_at_once() -> Verdict:
    """If all jobs arrive at once, the run reaches 1 - (1 - α/T)^T >= 1 - e^-α.

    All slots are then alike, so the best of T allocations is worth a T-th of what is missing: by
    Lemma 5 all T together bring f(O) - f(G_t).  A share α of it leaves 1 - α/T, T times in a row;
    and log(1 - x) <= -x, since -x - log(1 - x) is 0 at 0 and rises.  Utilities as in
    gadget.greedy_ratio.
    """
    alpha, left, slots = sp.symbols("alpha m T", positive=True)
    x, most = sp.symbols("x y", positive=True)
    inside = most / (1 + most)  # any number between 0 and 1
    gap = -x - sp.log(1 - x)
    require_zero(
        of_what_is_missing=left - alpha * left / slots - left * (1 - alpha / slots),
        begins_at_nothing=gap.subs(x, 0),
        slope=sp.diff(gap, x) - x / (1 - x),
    )
    require(rises=sp.simplify((x / (1 - x)).subs(x, inside)).is_positive)
    trials = Trials()
    for alpha in ALPHAS:
        bound = 1 - (1 - alpha / SLOTS) ** SLOTS
        adversarial_runs(trials, alpha, bound, 30, 6, at_once=True)
    return trials.proved("every slot closes α/T of the distance to the optimum")


@claim(
    "gadget.greedy_ratio_without_concavity",
    source="GADGET Theorem 6, sigmoid utilities",
    among=among(concave=False),
    by="gadget/step_greedy",
    note="unbounded in the prize",
)
def greedy_ratio_without_concavity(cluster: Cluster) -> Saying:
    """The ratio also holds for the utilities of the evaluation, which are not concave."""
    feasible = FeasibleCounts.of(cluster)
    value, best = cluster.total_reward(greedy(feasible)), offline_optimum(feasible)[0]
    return said(Relation(value, ">=", best / 2), value=value, optimum=best)


@claim("gadget.evaluated_budgets_bind", source="GADGET VI, (3) as specialised")
def evaluated_budgets_bind() -> Verdict:
    """Σ_t Σ_s y <= F limits a job, with F in [1000, 6000], N in [1, 5] and T = 200.

    y counts worker-slots and F iterations; a job has at most N T = 1000 worker-slots.
    """
    settings = Published()
    most, budget = settings.max_workers[1] * settings.horizon, settings.iterations[0]
    return verdict_on(
        {"T": settings.horizon, "N": settings.max_workers[1], "F": budget},
        Relation(budget, "<", most),
        "the smallest budget is the largest number of worker-slots",
        most_worker_slots=float(most),
        smallest_budget=float(budget),
    )


def _examples() -> Iterator[Cluster]:
    """Clusters whose first job has the utility of example 2, with any factors."""
    rng = np.random.default_rng(0)
    for cluster in random_clusters(20, 1000, network="any", jobs=2):
        first, *others = msgspec.to_builtins(cluster.jobs)
        quadratic, linear = uniform(rng, 0.0, 1.0, 2).tolist()
        first["utility"] = {"kind": "quadratic_cost", "quadratic": quadratic, "linear": linear}
        yield cluster.replace(jobs=[first, *others])


@claim(
    "gadget.example_utilities_are_nondecreasing",
    source="GADGET IV-3, example 2 (energy)",
    among=Among(samples=_examples),
    by="gadget/energy",
    note="the job is never run",
)
def example_utilities_are_nondecreasing(cluster: Cluster) -> Saying:
    """The utilities of the examples are nondecreasing.

    The energy utility falls, and the best schedule idles the job.
    """
    # Of the first job.
    received = offline_optimum(FeasibleCounts.of(cluster))[1]
    rewards = cluster.reward(0, np.arange(3))
    return said(
        Relation(float(rewards[1]), ">=", float(rewards[0])),
        given=[Relation(float(received[0]), "==", 0)],
        worker_slots=float(received[0]),
        reward_of_one=float(rewards[1]),
    )


@claim("gadget.logarithm_is_a_reward", source="GADGET IV-3, example 3 (logarithm)")
def logarithm_is_a_reward() -> Verdict:
    """μ = log(k) is finite for every schedule: it is -inf for a job that never runs."""
    # the best schedule of this cluster idles its first job
    progress = float(offline_optimum(FeasibleCounts.of(shipped("energy")))[1][0])
    with np.errstate(divide="ignore"):
        printed = float(np.log(progress))
    note = "the reward of a job that never runs is -inf; log1p is used"
    return verdict_on({"progress": progress}, Relation(printed, ">", -np.inf), note)


@claim("gadget.fixed_rings_respect_sizes", source="GADGET VI-2, fixed workers in [1, 10]")
def fixed_rings_respect_sizes() -> Verdict:
    """The fixed ring sizes of FIFO and LAS obey (2).  N is at most 5, so they are capped."""
    settings = Published()
    drawn, most = settings.fixed_workers[1], settings.max_workers[1]
    return verdict_on(
        {"fixed_workers": list(settings.fixed_workers), "max_workers": list(settings.max_workers)},
        Relation(drawn, "<=", most),
        f"sizes up to {drawn} are drawn, rings have at most {most}",
        largest_fixed=float(drawn),
        largest_ring=float(most),
    )


def printed_optimum(cluster: Cluster) -> float:
    """Optimum of the printed program, (9) of the job's own servers."""
    return optimum(PrintedOffline(degree="own_servers").form(cluster))


@claim(
    "gadget.degree_two_admits_rings",
    source="GADGET (9)",
    among=among(jobs=2, horizon=2),
    by="gadget/two_ring_star",
    note="printed slots run one worker each",
)
def degree_two_admits_rings(cluster: Cluster) -> Saying:
    """(9) admits every ring: two servers joined by one path can carry a ring of two.

    Their degree is one, so the printed program forbids what fits.
    """
    printed = printed_optimum(cluster)
    best = offline_optimum(FeasibleCounts.of(cluster))[0]
    return said(Relation(printed, ">=", best, SOLVER_GAP), printed=printed, optimum=best)


@claim(
    "gadget.degree_two_means_one_ring",
    source="GADGET (9), text below it",
    among=among(servers=6, jobs=1, horizon=1),
    by="gadget/two_triangles",
    note="six workers on two separate triangles have degree two everywhere",
)
def degree_two_means_one_ring(cluster: Cluster) -> Saying | None:
    """(9) guarantees one big cycle instead of several small ones."""
    # One slot, in which (9) admits no more than rings.
    if cluster.horizon != 1:
        return None
    printed, best = printed_optimum(cluster), optimum(Gvne().form(cluster))
    return said(Relation(printed, "<=", best, SOLVER_GAP), printed=printed, optimum=best)


@claim("gadget.path_capacities_bound_links", source="GADGET (8)")
def path_capacities_bound_links() -> Verdict:
    """(8), the capacity of each path, keeps all links within bandwidth."""
    cluster = shipped("shared_link")
    # job 0 on servers 0 and 1, job 1 on servers 2 and 1: paths 0-3-1 and 2-3-1
    shared = int(np.flatnonzero((cluster.link_source == 3) & (cluster.link_target == 1))[0])
    each, room = float(cluster.bandwidth[0]), float(cluster.link_bandwidth[shared])
    return refuted(
        "gadget/shared_link",
        Relation(2 * each, "<=", room),
        f"each path holds {each:g} of {room:g}; together they put {2 * each:g} on the link",
        given=Relation(each, "<=", room),
        path=each,
        link=2 * each,
        bandwidth=room,
    )
