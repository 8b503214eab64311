"""Claims about Algorithm 2: Theorems 8, 9 and 10."""

import math

import numpy as np

from farkas.exact.solver import optimum
from farkas.instances.gadget import Cluster
from farkas.models.gadget.counts import FeasibleCounts, offline_optimum
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import SlotView, snapshot
from farkas.numbers import Rng
from farkas.online.gadget.gadget import (
    only_lone,
    rounding_problem,
    select_sizes,
)
from farkas.proofs.claim import (
    Trials,
    claim,
    drawn,
    growth,
    interval,
    require,
    require_zero,
    sp,
)
from farkas.proofs.gadget.relaxations import among, random_clusters
from farkas.proofs.verdict import Relation, Saying, Verdict, proved, said, verdict_on
from farkas.relaxations.gadget.embedding import AugmentedRelaxation, GvneLP
from farkas.relaxations.gadget.mixture import Mixture, decompose
from farkas.solvers import solve
from farkas.tolerances import ROUNDING, TIE


@claim("gadget.rounding_tail", source="GADGET Theorem 8, violation probabilities")
def rounding_tail() -> Verdict:
    """P(load >= β g) <= |V|^-4 with β = 1 + ε sqrt(2 Δ ln |V|).

    Hoeffding: a load with independent terms in [0, C_i] exceeds its mean by t with probability at
    most exp(-2 t² / Σ C_i²).  With t = ε g sqrt(2 Δ ln V), C_i = κ_i d_max, Δ = Σ κ_i² and
    ε = d_max / g, the exponent is -4 ln V.  The text leaves ε, d_max and the base of the
    logarithm undefined; these readings make it true.
    """
    d, g, delta, v = sp.symbols("d g Delta V", positive=True)
    t = d / g * g * sp.sqrt(2 * delta * sp.log(v))
    require_zero(exponent=-2 * t**2 / (d**2 * delta) + 4 * sp.log(v))
    return proved("the exponent is -4 ln |V|")


@claim("gadget.rounding_value", source="GADGET Theorem 8, value, with sizes that fit alone")
def rounding_value() -> Verdict:
    """A round is worth at least 1/3 of the augmented relaxation with probability >= 1 - e^(-2/9).

    Every job must be able to run alone, so that no gain exceeds the relaxation: the share of it
    that a round is worth is a sum Y of independent Y_i in [0, 1], of mean 1, by the decomposition.
    e^(-s y) <= 1 - (1 - e^(-s)) y for y in [0, 1] and 1 - z <= e^(-z), so that the mean of e^(-s Y)
    is at most e^(e^(-s) - 1), and P(Y <= 1/3) <= e^(e^(-s) - 1 + s/3) by Markov.  At s = ln 3 that
    is e^((ln 3 - 2)/3), below e^(-2/9) since ln 3 < 4/3.  Draws are held to it besides.
    """
    s, share, x = sp.symbols("s y x", positive=True)
    power, chord = sp.exp(-s * share), 1 - (1 - sp.exp(-s)) * share
    gap = x - 1 - sp.log(x)  # at x = e^(-z): e^(-z) - (1 - z)
    exponent = (sp.exp(-s) - 1 + s / 3).subs(s, sp.log(3))
    require_zero(
        chord_at_none=(power - chord).subs(share, 0),
        chord_at_all=(power - chord).subs(share, 1),
        least_gap=gap.subs(x, 1),
        at_log_three=exponent - (sp.log(3) - 2) / 3,
    )
    require(
        power_is_convex=sp.diff(power, share, 2).is_positive,
        gap_is_least_at_one=sp.solve(sp.diff(gap, x), x) == [1],
        gap_is_convex=sp.diff(gap, x, 2).is_positive,
        below=exponent < -sp.Rational(2, 9),
    )
    level, trials = 1 - math.exp(-2 / 9), Trials()
    rng = np.random.default_rng(3)
    for cluster in random_clusters(15, 71, network="any", servers=4, jobs=5):
        slot = select_sizes(only_lone(snapshot(cluster)))
        if not len(slot.jobs):
            continue
        form = AugmentedRelaxation().form(slot)
        answer = solve(form).require_optimal()
        mix, _ = rounding_problem(slot, decompose(slot, form, answer.point))
        draws = [float(mix.gain[mix.draw(rng)].sum()) for _ in range(400)]
        good = np.mean([gain >= answer.objective / 3 * (1 - ROUNDING) for gain in draws])
        trials.add(cluster, Relation(float(good), ">=", level))
    return trials.proved("Chernoff's bound at s = ln 3", probability=level)


DRAWN = 4000  #: Draws of a rounding from which a probability is estimated.


@claim(
    "gadget.rounding_value_as_printed",
    source="GADGET Theorem 8, value as printed",
    among=among(servers=1, jobs=1, horizon=1).over(demand=(0.1, 10.0)),
    by="gadget/heavy_worker",
    note="a tenth of the ring is relaxed, and few draws run it",
)
def rounding_value_as_printed(cluster: Cluster) -> Saying | None:
    """A third of (12) is reached with probability >= 1 - e^(-2/9), whatever fits alone.

    One server with one GPU, ten GPUs per worker: relaxed without the filter, a tenth of the ring
    runs, and a draw reaches a third of that only when it runs the ring.  Compared with the upper
    end of the 95 % interval of the probability over 4000 draws.
    """
    # One job of one worker on one server, of which a share is relaxed without the filter.
    if cluster.num_jobs != 1 or cluster.num_nodes != 1 or not cluster.demand[0].all():
        return None
    share = min(1.0, float((cluster.capacity[0] / cluster.demand[0]).min()))
    one = np.array([1])
    slot = SlotView(
        cluster, 0, np.zeros(1), np.array([0]), cluster.reward(0, one)[None], np.ones((1, 1), bool)
    )
    flow = np.zeros((1, cluster.num_links), np.int64)
    rings = Rings(np.array([0]), one, one[None], flow)
    mix, _ = rounding_problem(slot, Mixture(rings, np.array([share]), 0))
    rng, third = np.random.default_rng(0), share * float(mix.gain[0]) / 3
    good = sum(float(mix.gain[mix.draw(rng)].sum()) >= third for _ in range(DRAWN))
    high, claimed = interval(good, DRAWN)[1], 1 - math.exp(-2 / 9)
    return said(
        Relation(high, ">=", claimed),
        given=[Relation(share * float(mix.gain[0]), ">", 0)],
        probability=good / DRAWN,
        probability_high=high,
        claimed=claimed,
        share_of_the_ring=share,
        value_of_filtered_slot=optimum(GvneLP().form(cluster)),
    )


@claim("gadget.relaxation_size", source="GADGET Theorem 9, proof")
def relaxation_size() -> Verdict:
    """The relaxation has at most |I| |V_s| |G_i| |G_s| variables: |V_s| copies for every job.

    G_i is the ring of κ workers and κ edges, G_s the substrate.  A copy of the augmented
    relaxation has 1 + (κ - 1)|V_s| + κ|E_s| variables, less than 2κ(|V_s| + |E_s|).  Counted on
    three substrates, 12 jobs on each.
    """
    trials = Trials()
    for servers in SIZES:
        slot = chosen_slot(servers)
        nodes, links = slot.cluster.num_nodes, slot.cluster.num_links
        bound = sum(2 * int(size) * nodes * (nodes + links) for size in slot.largest)
        variables = AugmentedRelaxation().form(slot).num_columns
        trials.add(slot.cluster, Relation(variables, "<=", bound))
    k, v, e = sp.symbols("kappa V E", positive=True)
    spare = 2 * k * (v + e) - 1 - (k - 1) * v - k * e
    require_zero(difference=spare - (k * (v + e) + v - 1))  # what is left is positive: v >= 1
    return trials.proved("a copy has 1 + (κ - 1)|V| + κ|E| variables")


@claim("gadget.relaxation_time", source="GADGET Theorem 9")
def relaxation_time() -> Verdict:
    """Algorithm 2 takes O((|I| |G_s|)³ + u_b |I|) steps.

    One job on one server, so that the stated time is the same for every ring.  Its relaxation
    has κ variables, and every one has to be read: no time without κ holds.  The proof itself
    counts |V_s| |G_i| times as many variables as it raises to the third power.
    """
    variables = []
    for workers in WORKERS:
        one = {"name": "server", "capacity": [workers]}
        job = {
            "arrival": 0, "demand": [1], "budget": [None], "max_workers": workers,
            "fixed_workers": 1, "bandwidth": 1, "efficiency": 1,
            "utility": {"kind": "linear", "slope": 1},
        }  # fmt: skip
        fields = {"horizon": 1, "resources": ["gpu"], "nodes": [one], "links": [], "jobs": [job]}
        cluster = Cluster.build(**fields)
        slot = snapshot(cluster)
        variables.append(AugmentedRelaxation().form(slot.fixed(slot.largest)).num_columns)
    return verdict_on(
        {"servers": 1, "links": 0, "jobs": 1, "workers": list(WORKERS)},
        Relation(growth(WORKERS, variables), "<=", 0),
        f"{variables} variables for rings of {WORKERS} workers, where |I| |G_s| is 1",
        growth_measured=growth(WORKERS, variables),
    )


WORKERS = (8, 16, 32)  #: Workers of the ring whose relaxation is counted.
SIZES = (6, 12, 24)  #: Servers of the clusters whose relaxations are counted.


def chosen_slot(servers: int) -> SlotView:
    """First slot of a cluster with 12 jobs, every ring at its largest size."""
    slot = only_lone(snapshot(drawn(Cluster, "scarce_links", 1, num_servers=servers, num_jobs=12)))
    return slot.fixed(slot.largest)


DRAWS = 200  #: Draws here; the worst that qualifies is run.


def worst_qualified(slot: SlotView, rng: Rng) -> Rings | None:
    """Among :data:`DRAWS` draws, the least worth a third of the relaxation within β and γ.

    The augmented relaxation at the sizes of line 3 is drawn from.
    """
    slot = select_sizes(slot)
    form = AugmentedRelaxation().form(slot)
    answer = solve(form).require_optimal()
    mixture = decompose(slot, form, answer.point)
    mix, factor = rounding_problem(slot, mixture)
    draws = [mix.draw(rng) for _ in range(DRAWS)]
    good = [
        picked
        for picked in draws
        if mix.gain[picked].sum() >= answer.objective / 3 * (1 - TIE)
        and (mix.fullness(picked) <= factor).all()
    ]
    if not good:
        return None
    return mixture.rings.take(min(good, key=lambda picked: float(mix.gain[picked].sum())))


@claim("gadget.competitive_ratio", source="GADGET Theorem 10, concave, all slots qualify")
def competitive_ratio() -> Verdict:
    """Algorithm 1 with Algorithm 2 reaches 1/(3Γ + 1) of the optimum if every slot qualifies.

    Γ is the largest number of sizes of a job; only sizes that fit alone are relaxed.  The run may
    exceed capacities, the optimum may not.  A round is worth a third of the relaxation at the
    selected sizes, which keep a Γ-th (gadget.ring_selection_relaxed) of what no set of rings
    exceeds: α = 1/(3Γ) in gadget.greedy_ratio.  Runs on random clusters take the worst draw that
    qualifies in each slot.
    """
    sizes = sp.symbols("Gamma", positive=True)
    alpha = 1 / sizes / 3
    require_zero(ratio=alpha / (1 + alpha) - 1 / (3 * sizes + 1))
    rng = np.random.default_rng(101)
    trials, unqualified, least = Trials(), 0, math.inf
    for cluster in random_clusters(40, 101, network="any", servers=2, jobs=5):
        best = offline_optimum(FeasibleCounts.of(cluster))[0]
        received, gamma = np.zeros(cluster.num_jobs), 1
        qualified = True
        for at in range(cluster.horizon):
            slot = only_lone(snapshot(cluster, at, received))
            if not len(slot.jobs) or slot.gains.max() <= 0:
                continue
            gamma = max(gamma, slot.largest_size)
            worst = worst_qualified(slot, rng)
            qualified &= worst is not None
            if worst is not None:
                np.add.at(received, worst.job, worst.size)
        if best <= 0 or not qualified:
            unqualified += not qualified
            continue
        reached = cluster.total_reward(received) / best
        trials.add(cluster, Relation(reached, ">=", 1 / (3 * gamma + 1), ROUNDING))
        least = min(least, reached)
    note = "gadget.greedy_ratio with this α; capacities may be exceeded by β and γ"
    return trials.proved(note, least_ratio=least, runs_not_qualified=float(unqualified))
