"""Claims about dedicated workers: hardness, greedy algorithms, gaps and rounding."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from farkas.instances.coded import CodedComputing
from farkas.models.coded.completion_times import dedicated_plan
from farkas.models.coded.kernel import Pairs
from farkas.numbers import Floats
from farkas.online.coded.environment import surrogate_times
from farkas.online.coded.exhaustive import best_owner, every_owner
from farkas.online.coded.local_search import least_level
from farkas.online.coded.sca import iterates
from farkas.online.coded.simple_greedy import IteratedGreedy, greedy_owner, round_forest
from farkas.proofs.claim import Trials, claim, growth, require, require_zero, sp
from farkas.proofs.coded.surrogate import FULL_LOAD, WIDE, published, reciprocal
from farkas.proofs.verdict import Among, Relation, Saying, Verdict, not_applicable, proved, said
from farkas.relaxations.coded.sca import SharedPoint, solve_step
from farkas.relaxations.coded.sharing import best_sharing, shared_optimum
from farkas.tolerances import FINE_GAP, LOOSE_GAP, ROUNDING, SOLVER_GAP, TIE, close


@claim("coded.np_hard", source="Coded section III, remark after Proposition 1")
def partition_reduces_to_the_assignment() -> Verdict:
    """Partition reduces to P5: two equal masters, worker n as fast as number s_n for both.

    With shifts 1/u all pairs have u a = 1 and so one h: v = s_n/((1 + h) L).  Sums x and S − x of a
    partition give the level min(x, S − x) = S/2 − |x − S/2| over (1 + h) L, the linear bound S/2
    over it (prices 1, 1) exactly if the partition is perfect.  (The paper states the reduction
    backwards.)
    """
    half, whole, u, h, rows = sp.symbols("x S u h L", positive=True)
    level = sp.Min(half, whole - half).rewrite(sp.Abs)
    speed = u / (rows * (1 + h))
    require_zero(
        smaller_sum=level - whole / 2 + sp.Abs(half - whole / 2),
        proportional=speed - u * sp.diff(speed, u),
        one_product=u * (1 / u) - 1,
    )
    trials = Trials()
    for numbers in ([3, 1, 1, 2, 2, 1], [3, 3, 3, 5], [2, 4, 8, 16], [5, 5, 4, 3, 3]):
        data = reciprocal("partition", "", [[float(s) for s in numbers]] * 2, 10)
        speeds = Pairs.of(data).speed
        best = max(
            min(part, sum(numbers) - part)
            for size in range(len(numbers) + 1)
            for part in map(sum, itertools.combinations(numbers, size))
        )
        found = least_level(speeds, best_owner(speeds)) * FULL_LOAD * 10
        perfect = close(found, best_sharing(speeds).level * FULL_LOAD * 10, FINE_GAP)
        trials.add(
            {"numbers": numbers},
            Relation(found, "==", best, FINE_GAP),
            Relation(perfect, "==", 2 * best == sum(numbers)),
        )
    return trials.proved(
        "the level is S/2 − |x − S/2| over (1 + h) L for parts of sums x and S − x"
    )


@claim(
    "coded.iterated_greedy_is_finite",
    source="Coded Algorithm 1",
    among=WIDE.sized(masters=3),
    by="coded/stuck",
    note="with two masters empty no move raises the minimum; the lexicographic variant gets out",
)
def iterated_greedy_serves_everybody(data: CodedComputing) -> Saying:
    """Algorithm 1 ends with a finite completion time whenever there is one."""
    speed = Pairs.of(data).speed
    found = least_level(speed, IteratedGreedy().owner(speed, 0))
    repaired = least_level(speed, IteratedGreedy(variant="lexicographic").owner(speed, 0))
    return said(
        Relation(found, ">", 0, size=repaired),
        given=[Relation(repaired, ">", 0)],
        printed=found,
        lexicographic=repaired,
        optimum=least_level(speed, best_owner(speed)),
    )


@claim("coded.lexicographic_is_finite", source="not in the paper; repair of Algorithm 1")
def lexicographic_search_serves_everybody() -> Verdict:
    """The lexicographic variant ends with a finite time whenever N >= M and all pairs are allowed.

    While a master is empty, the other M − 1 at most have N >= M workers, so that one has two.
    Giving one of them to the empty master puts min(x, y) > 0 where 0 was, x its speed there and y
    that of the worker that stays, and lowers no other level to 0: the sorted levels rise, and a
    sweep that changes nothing has no empty master.  So at most M sweeps change their number.
    """
    masters, more = sp.symbols("M z", nonnegative=True, integer=True)
    given, stays, leaves = sp.symbols("x y w", positive=True)
    workers, level = masters + more, stays + leaves
    require(one_has_two=(workers - (masters - 1)).is_positive)
    require(rises=sp.Min(given, level - leaves).is_positive)
    trials = Trials()
    for seed in range(60):
        speed = Pairs.of(published(3 + seed % 3, 6, seed)).speed
        own = IteratedGreedy(variant="lexicographic", rounds=1).owner(speed, seed)
        trials.add({"seed": seed}, Relation(least_level(speed, own) / float(speed.max()), ">", 0))
    return trials.proved("an empty master takes a worker of one that has two")


def _largest_first(jobs: Mapping[str, Any]) -> Saying | None:
    size, masters = np.array(jobs["speed"], float), int(jobs["masters"])
    if len(size) < masters:
        return None
    speed = np.tile(size, (masters, 1))
    ratio = least_level(speed, every_owner(speed)) / least_level(speed, greedy_owner(speed))
    return said(Relation(ratio, "<=", (4 * masters - 2) / (3 * masters - 1), TIE))


def _sizes() -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(1)
    for index in range(20):
        size = rng.integers(1, 12, 4 + index % 5)
        yield {"speed": size.astype(float).tolist(), "masters": 2 + index % 2}


@claim(
    "coded.largest_first",
    source="Coded section III, remark on Algorithm 2",
    says=_largest_first,
    among=Among(samples=_sizes),
)
def largest_first_has_its_guarantee() -> Verdict:
    """For masters alike, optimum over Algorithm 2 is at most (4M − 2)/(3M − 1) <= 4/3.

    Algorithm 2 is then largest-first scheduling; the bound is attained by speeds 3, 3, 2, 2, 2.
    That it is one is a theorem of Csirik, Kellerer and Woeginger (1992), by an analysis of cases
    that is not repeated here.
    """
    trials, rng = Trials(), np.random.default_rng(0)
    sizes = [rng.integers(1, 12, rng.integers(4, 9)).astype(float) for _ in range(150)]
    for index, size in enumerate([np.array([3.0, 3, 2, 2, 2]), *sizes]):
        masters = 2 + index % 2
        example = {"speed": size.tolist(), "masters": masters}
        trials.hear(example, _largest_first(example))
    return trials.verdict("attained: coded/greedy_schedule")


SLOWER = (1, 10, 100)  #: By what the slowest pairs are slowed down.

#: Growth of a ratio, as a power of what is slowed down, up to which it may level off further on:
#: one that has levelled off grows at first, and one that is not bounded grows with power 1.
BOUNDED = 0.5


@claim(
    "coded.simple_greedy_is_good",
    source="Coded Algorithm 2",
    among=WIDE,
    by="coded/greedy_trap",
    note="power with which optimum over level grows as the slowest pairs slow down;"
    f" up to {BOUNDED:g} it may level off",
)
def simple_greedy_has_a_guarantee(data: CodedComputing) -> Saying:
    """Algorithm 2 stays within a constant factor of the optimum.

    It leaves a master nothing but the slowest pairs, which the optimum hardly needs: slowed down
    further, they take the level with them.
    """
    speed = Pairs.of(data).speed
    speeds = [np.where(speed == speed.min(), speed / times, speed) for times in SLOWER]
    found = [least_level(speed, greedy_owner(speed)) for speed in speeds]
    best = [least_level(speed, best_owner(speed)) for speed in speeds]
    ratios = [optimum / level for optimum, level in zip(best, found, strict=True)]
    return said(
        Relation(growth(SLOWER, ratios), "<=", BOUNDED),
        greedy_over_optimum=1 / ratios[0],
        at_a_hundredth_of_the_speed=1 / ratios[-1],
    )


@claim("coded.rounding_loses_one_worker", source="not in the paper; coded.round_lp")
def rounding_loses_at_most_one_worker() -> Verdict:
    """Rounding a vertex of the linear program leaves V >= V_LP − max v.

    Columns of a vertex are independent, so that E positive shares among m masters and n workers
    that are connected by them are at most m + n, a row each.  A worker in d parts is lost by d − 1
    masters: E − n <= m losses, one a master when trees are rooted at their cycles.  A master that
    loses a share k of speed v keeps V_LP − v k at least, and v k <= max v.
    """
    masters, workers, spare = sp.symbols("m n x", nonnegative=True, integer=True)
    speed, kept_share, slower = sp.symbols("v y z", nonnegative=True)
    shares = masters + workers - spare
    share, fastest = 1 - kept_share, speed + slower
    require_zero(losses=masters - (shares - workers) - spare)
    require(loss=sp.expand(fastest - speed * share).is_nonnegative)
    trials = Trials()
    for seed in range(60):
        speeds = Pairs.of(published(2 + seed % 4, 6 + seed % 9, seed)).speed
        sharing = best_sharing(speeds)
        kept = least_level(speeds, round_forest(sharing.share))
        largest = float(speeds.max())
        trials.add({"seed": seed}, Relation(kept / largest, ">=", sharing.level / largest - 1.0))
    return trials.proved("no more losses than masters, each of at most one worker's speed")


@claim("coded.complexity", source="Coded section III, remark on complexity")
def simple_greedy_looks_at_quadratically_many_entries() -> Verdict:
    """For a fixed number of masters, 1 <= M <= N, Algorithm 2 costs O(N²): (M + 3)/2 N² at most.

    Counted line by line: Σ_{r<M} (M−r)(N−r) pairs of the first loop, then in round j of the second
    M sums and N − j workers.  With as many masters as workers that is of order N³.
    """
    m, n, r, j, more, fewer = sp.symbols("M N r j x y", nonnegative=True, integer=True)
    pairs = sp.summation((m - r) * (n - r), (r, 0, m - 1))
    rest = sp.summation(m + n - j, (j, m, n - 1))
    left = (m + 3) / 2 * n**2 - pairs - rest
    # M = 1 + y and N = M + x: every coefficient is >= 0
    room = sp.expand(left.subs(n, m + more).subs(m, 1 + fewer))
    require(within_the_order=room.is_nonnegative)
    return proved(f"Algorithm 2 looks at {sp.factor(sp.expand(pairs + rest))} entries")


def _looked_at(speed: Floats, owner: list[int]) -> tuple[int, int, int]:
    """Entries that lines 7 to 15 and 16 to 22 of Algorithm 1 look at; sums stay, as printed.

    Returns the entries of both, and how many pairs of workers serve one master.
    """
    masters, workers = speed.shape
    total = [sum(speed[m, n] for n in range(workers) if owner[n] == m) for m in range(masters)]
    least, moves, swaps, same = min(total), masters, 0, 0
    for n in range(workers):
        giver = owner[n]
        others = [m for m in range(masters) if m != giver]
        taker = min(others, key=total.__getitem__)
        trial = list(total)
        trial[giver], trial[taker] = total[giver] - speed[giver, n], total[taker] + speed[taker, n]
        moves += 1 + len(others) + 4 + len(trial)
        owner[n] = taker if min(trial) > least else giver
    for one, two in itertools.product(range(workers), repeat=2):
        m, k, swaps = owner[one], owner[two], swaps + 2
        same += m == k
        if m != k:
            now, then = (speed[m, one], speed[k, two]), (speed[m, two], speed[k, one])
            kept = total[m] - now[0] + then[0], total[k] - now[1] + then[1]
            swaps += len(now) + len(then) + len(kept) + 1
            if sum(now) < sum(then) and min(kept) > least:
                owner[one], owner[two] = k, m
    return moves, swaps, same


@claim("coded.sweeps", source="Coded section III, remark on complexity of Algorithm 1")
def a_sweep_takes_as_many_steps_as_stated() -> Verdict:
    """One pass of insertions costs O(MN), one of interchanges O(N²).

    An insertion looks at the giver, the M − 1 other sums, 4 entries that change, and M new sums; M
    sums are looked at once.  Each of the N² pairs of an interchange is 2 owners, and 7 entries more
    where these differ.  Sums stay during a pass, as printed: where they are updated an interchange
    that is kept looks for the least sum again, in M steps.  Nothing bounds how many passes there
    are.  Both counts are compared with those of a transcription.
    """
    m, n, same = sp.symbols("x y s", nonnegative=True, integer=True)
    masters, workers = m + 2, n + 1
    insertions = masters + workers * (1 + (masters - 1) + 4 + masters)
    swapped = 2 * workers**2 + 7 * (workers**2 - same)
    require_zero(insertions=insertions - 2 * masters * workers - 4 * workers - masters)
    require(
        insertions=sp.expand(5 * masters * workers - insertions).is_nonnegative,
        interchanges=sp.expand(9 * workers**2 - swapped).is_nonnegative,
    )
    trials = Trials()
    for seed in range(30):
        speed = Pairs.of(published(2 + seed % 5, 5 + seed % 11, seed)).speed
        moves, swaps, alike = _looked_at(speed, speed.argmax(axis=0).tolist())
        size = {m: speed.shape[0] - 2, n: speed.shape[1] - 1, same: alike}
        trials.add(
            {"seed": seed},
            Relation(moves, "==", int(insertions.subs(size))),
            Relation(swaps, "==", int(swapped.subs(size))),
        )
    return trials.proved("2 M N + 4 N + M entries for insertions, 9 N² at most for interchanges")


@claim("coded.cited_factor", source="Coded section III, citing [14]")
def the_cited_approximation_factor() -> Verdict:
    """Max-min allocation has an algorithm with factor 1/(M log³ M) (as quoted from [14])."""
    return not_applicable(
        "it is a statement about another paper's algorithm, which is not built here; believed to be"
        " 1/(√M log³ M), and nothing here rests on it"
    )


STOP = SOLVER_GAP  #: Relative decrease of time at which Algorithm 3 stops.


@claim("coded.lemma2", source="Coded Lemma 2")
def the_convex_constraint_is_an_upper_bound() -> Verdict:
    """q̃ >= q with equality at the point, for k >= 0 and l > 0.

    g̃ − g = ½(Δk + Δl)²; ½ q² with q = l exp(−u t/l) is convex (both leading minors of its Hessian
    are >= 0), so its tangent lies below it; ½(k + q)² composes an increasing convex function with a
    convex one.
    """
    k, load, t, u, dk, dl = sp.symbols("k l t u dk dl", positive=True)
    g = -k * load
    tangent = (k + load) ** 2 / 2 + (k + load) * (dk + dl)
    above = ((k + dk) ** 2 + (load + dl) ** 2) / 2 - tangent - g.subs({k: k + dk, load: load + dl})
    half = (load * sp.exp(-u * t / load)) ** 2 / 2
    hessian = sp.hessian(half, (t, load))
    decay = sp.exp(-2 * u * t / load)
    minor = hessian[0, 0] - 2 * u**2 * decay
    determinant = sp.simplify(hessian.det() / decay**2)
    require_zero(gap=above - (dk + dl) ** 2 / 2, minor=minor, determinant=determinant - u**2)
    return proved("minors of the Hessian of ½q²: 2u²e^{−2ut/l} and u²e^{−4ut/l}")


@claim("coded.sca_monotone", source="Coded Algorithm 3")
def iterates_stay_feasible_and_never_get_later() -> Verdict:
    """Every iterate is feasible for P3 and no later than the one before, for any step size.

    In k r = ¼(√β k + r/√β)² − ¼(√β k − r/√β)² (split ``product``, r at most the concave yield) the
    tangent of the first square lies below it by ¼(√β Δk + Δr/√β)²: P(z) asks for no less than P3
    does, holds z itself, and is convex.  So with its optimum w it holds z + γ (w − z) for γ in
    [0, 1], whose time t + γ (t_w − t) is at most t.  The printed split has Lemma 2 for it.
    """
    k, r, beta = sp.symbols("k r beta", positive=True)
    dk, dr = sp.symbols("dk dr", real=True)
    root = sp.sqrt(beta)

    def square(sign: int, share: Any, results: Any) -> Any:
        return (root * share + sign * results / root) ** 2 / 4

    first = square(1, k, r)
    tangent = first + sp.diff(first, k) * dk + sp.diff(first, r) * dr
    gap = (k + dk) * (r + dr) - (tangent - square(-1, k + dk, r + dr))
    linear = sp.hessian(tangent, (dk, dr))
    lost = sp.hessian(square(-1, k + dk, r + dr), (dk, dr))
    require_zero(
        product=k * r - first + square(-1, k, r),
        gap=gap - square(1, dk, dr),
        tight=gap.subs({dk: 0, dr: 0}),
        linear=sum(abs(entry) for entry in linear),
        lost_determinant=lost.det(),
    )
    require(lost_is_convex=sp.factor(lost.trace()).is_positive)
    trials = Trials()
    for seed, alpha in ((0, 0.0), (0, 1e-3), (1, 0.1), (1, 0.5)):
        data = published(2, 6, seed, rows=100)
        point = SharedPoint.uniform(data)
        for after in iterates(data, point, "product", alpha, 6):
            late = float(surrogate_times(data, after.share, after.loads).max())
            trials.add(
                {"seed": seed, "alpha": alpha},
                Relation(after.time, "<=", point.time, STOP),
                Relation(late, "<=", after.time, LOOSE_GAP),
            )
            point = after
    return trials.proved("P(z) is convex, lies inside P3 and holds z; time is linear along a step")


@claim("coded.sca_hypotheses", source="Coded section IV, Theorem 2 of [17]")
def convergence_theorem_applies() -> Verdict:
    """The convergence theorem of [17] applies to Algorithm 3."""
    return not_applicable(
        "it needs a strongly convex objective of every subproblem; the objective t is linear"
    )


def _owned() -> Iterator[CodedComputing]:
    """Points at which every worker serves one master, whichever; other loads are near 0 or not."""
    for seed in range(20):
        data, rng = published(2, 2 + seed % 3, seed), np.random.default_rng(seed)
        owner = np.concatenate([[0, 1], rng.integers(0, 2, data.workers - 2)])
        share = np.zeros(data.rates.shape)
        share[owner, np.arange(data.workers)] = 1.0
        plan = dedicated_plan(data, owner)
        time = 1.0 / least_level(Pairs.of(data).speed, owner)
        loads = np.where(share > 0, plan.loads, (ROUNDING, 0.2)[seed % 2] * plan.loads.max(axis=0))
        point = {"probability": share.tolist(), "loads": loads.tolist(), "time": time}
        yield data.replace(sca_point=point)


POINTS = Among(samples=_owned)


def _feasible(data: CodedComputing, point: SharedPoint) -> Relation:
    """The point is one of P3."""
    late = float(surrogate_times(data, point.share, point.loads).max())
    return Relation(late, "<=", point.time, LOOSE_GAP)


@claim(
    "coded.stationary_is_near_optimal",
    source="Coded section IV, after Algorithm 3",
    among=POINTS,
    by="coded/wrong_diagonal",
    note="no split makes progress, at 3 times the optimum",
)
def stopping_points_are_good(data: CodedComputing) -> Saying:
    """Where Algorithm 3 stops, the time is near the optimum: at most twice it.

    Farther points are not looked for: nothing is said of larger factors.
    """
    point = SharedPoint.given(data)
    steps = [
        solve_step(data, split, point).point.time for split in ("product", "scaled", "printed")
    ]
    best = shared_optimum(data).time
    progress = max(1 - time / point.time for time in steps)
    return said(
        Relation(point.time, "<=", 2 * best),
        given=[Relation(progress, "<", STOP), _feasible(data, point)],
        stopped_at=point.time,
        optimum=best,
        relative_progress=progress,
    )


def _improved(data: CodedComputing, point: SharedPoint, size: float) -> float:
    """Best time within a relative distance ``size`` along one direction of help."""
    share, loads = point.share.copy(), point.loads.copy()
    share[:, 0] = [1 - size, size]
    loads[1, 0] = size * loads[0, 0]
    return float(surrogate_times(data, share, loads).max())


@claim(
    "coded.stationary_is_local_optimum",
    source="Coded section IV, Theorem 2 of [17]",
    among=POINTS,
    by="coded/idle_pairs",
    note="the step stops here, but moving a little of a slack worker and its load is better",
)
def stopping_points_are_local_optima(data: CodedComputing) -> Saying:
    """A stationary point of Algorithm 3 is a local optimum of P3."""
    point = SharedPoint.given(data)
    after = solve_step(data, "product", point).point
    best = min(_improved(data, point, size) for size in (1e-2, 1e-3, 1e-4))
    return said(
        Relation(best, ">=", point.time, FINE_GAP),
        given=[Relation(1 - after.time / point.time, "<", STOP), _feasible(data, point)],
        stopped_at=point.time,
        nearby=best,
        optimum=shared_optimum(data).time,
    )


@claim(
    "coded.zero_load_is_harmless",
    source='Coded section IV, "k = 0 and thus l = 0"',
    among=POINTS,
    by="coded/idle_pairs",
    note="with loads t/φ on unused pairs the same shares are left at once",
)
def unused_pairs_need_no_load(data: CodedComputing) -> Saying:
    """Setting the load of an unused pair to 0 does not change where Algorithm 3 goes."""
    empty = SharedPoint.given(data)
    full = SharedPoint(empty.share, np.full(empty.loads.shape, empty.loads.max()), empty.time)
    slow, quick = (solve_step(data, "product", start).point for start in (empty, full))
    return said(
        Relation(quick.time, "==", slow.time, LOOSE_GAP),
        given=[_feasible(data, empty), _feasible(data, full)],
        after_a_step_from_no_load=slow.time,
        after_a_step_from_full_load=quick.time,
        optimum=shared_optimum(data).time,
    )
