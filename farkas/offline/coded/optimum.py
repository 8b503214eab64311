"""The fastest plans of kind coded: shared workers, dedicated ones, and those for P1."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from farkas.algebra.formulation import Formulation
from farkas.certificates.coded_budgets import BudgetPrices, chance_by_budget, shared_cost
from farkas.certificates.coded_owners import Types
from farkas.errors import NotApplicable
from farkas.exact.bounding import Deadline, OutOfTime
from farkas.instances.coded import CodedComputing
from farkas.models.coded.chance import soonest_plan
from farkas.models.coded.kernel import Pairs
from farkas.numbers import Floats, Ints
from farkas.offline.climbing import bounded_by, policies
from farkas.offline.coded.owners import DedicatedEnvironment, owners_tree, sharing
from farkas.offline.ladder import Ascent, Ladder, Rung, ladders
from farkas.online.coded.chance_plans import ChancePlanner, ChanceSearch, LoadSearch, certify
from farkas.online.coded.environment import master_prices
from farkas.online.run import Bound
from farkas.tolerances import FINE_GAP

LEAST_SUM = 256  #: Of all prices: those of few workers are finer.
STAGES = ((128, 8), (384, 16), (1024, 16))  #: Cells of rows, and the mean price of a worker.
CHANGED = 2  #: Stages in which prices are changed.
#: Shares by which prices of a master or a type are raised, or lowered.
FIRST_STEP, LEAST_STEP = 0.25, 0.03
WHOLE_SUM = 300  #: Of all prices, up to which every master may buy all workers.
LATEST = 64.0  #: Times the least time, after which no plan is expected.
TIMES = 10  #: That are tried at prices.
NEAR = 2e-4  #: Share of a time by which the next one is earlier than expected, and later at least.
#: Share of a step by which masters pay more after a round of changes that is repeated.
WORTH_IT = 1 / 16
MOST_TYPES = 12  #: Types whose prices are changed one by one.
SURE = 1 / 16  #: Part of 1 − ρ that a budget may leave.


class BudgetSearch:
    """What masters pay at prices and times.

    Parameters
    ----------
    cells
        Of the rows of a master at most.
    deadline
        No master is looked at after it; there is none by default.
    """

    def __init__(self, data: CodedComputing, cells: int, deadline: Deadline | None = None) -> None:
        self.data, self.cells, self.deadline = data, cells, deadline or Deadline()
        self.target = Fraction(data.success_probability)
        self._likely = np.zeros(data.num_masters)

    def paid(self, time: float, prices: Ints) -> tuple[float, Ints]:
        """Return what all masters pay at least as a share of all prices, and their budgets.

        Raises `OutOfTime`: the deadline came.
        """
        owned = int(prices.sum())
        total, budgets = Fraction(0), np.zeros(self.data.num_masters, np.int64)
        for m in range(self.data.num_masters):
            self.deadline.check()
            cost, budgets[m] = self._master(m, time, prices, owned)
            self._likely[m] = budgets[m] / owned
            total += 2 * owned if cost is None else cost
            if total > 2 * owned:
                break
        return float(total / owned), budgets

    def _master(self, m: int, time: float, prices: Ints, owned: int) -> tuple[Fraction | None, int]:
        """Find what one master pays at least, and a budget that leaves next to nothing."""
        budget = math.ceil((self._likely[m] or 1.0 / self.data.num_masters) * owned)
        while True:
            budget = owned if owned <= WHOLE_SUM else min(budget, owned)
            found, _ = chance_by_budget(self.data, m, prices, time, self.cells, budget)
            sure = np.flatnonzero(1.0 - found <= SURE * (1.0 - self.data.success_probability))
            if budget == owned:
                return shared_cost(found, self.target, beyond=False), owned
            if len(sure):
                least = int(sure[0])
                return shared_cost(found[: least + 1], self.target, beyond=True), least
            budget = math.ceil(1.3 * budget) + 1

    def latest(self, prices: Ints, low: float, high: float) -> float:
        """Return a time from ``low`` to ``high`` that the prices exclude; 0 where there is none.

        What is paid is about inverse to the time: the next one is where a line between both ends
        says that it is all.
        """
        paid = self.paid(low, prices)[0]
        if paid <= 1.0:
            return 0.0
        less = 0.0
        for _ in range(TIMES):
            part = (1.0 - less) / (paid - less)
            time = low / (part + (1.0 - part) * (low / high if less else 0.0)) * (1.0 - NEAR)
            time = min(time, low * math.sqrt(high / low))
            if not low * (1.0 + NEAR) < time < high:
                break
            found = self.paid(time, prices)[0]
            if found > 1.0:
                low, paid = time, found
            else:
                high, less = time, max(found, FINE_GAP)
        return low


def whole_prices(relative: Floats, mean: int) -> Ints:
    """Prices in whole units whose mean is about ``mean``, 1 at least where they are positive."""
    scaled = relative * (mean * np.count_nonzero(relative) / relative.sum())
    return np.where(relative > 0, np.maximum(np.rint(scaled), 1.0), 0.0).astype(np.int64)


class WorkerPrices:
    """Prices of workers, and how they are changed: by master and by type.

    A worker costs what it is worth to the master that would pay most, times a factor of its type.
    """

    def __init__(self, data: CodedComputing) -> None:
        speed = Pairs.of(data).speed
        # only their ratios count; in these units sums and quotients of them are numbers
        self.speed = np.ldexp(speed, -int(np.frexp(speed.max())[1]))
        self.types = Types(self.speed)
        few = len(self.types.size) <= MOST_TYPES
        self.factors = data.num_masters + (len(self.types.size) if few else 0)

    def starts(self, data: CodedComputing) -> list[Floats]:
        """Return factors of prices of the linear program, and of what masters need alone."""
        paid, alone = master_prices(data)[0], self.speed.sum(axis=1)
        alone = alone.max() / np.where(alone > 0, alone, alone.max())
        found = []
        for prices in (paid, alone):
            # a master at no price gets a little one, so that it can rise
            first = np.maximum(prices / prices.max(), FINE_GAP)
            found.append(np.append(first, np.ones(self.factors - len(first))))
        return found

    def at(self, factors: Floats, mean: int) -> Ints:
        """Return whole prices, shape (workers,), for factors > 0, shape (factors,)."""
        masters = len(self.speed)
        worth = (factors[:masters, None] * self.speed).max(axis=0)
        if len(factors) > masters:
            worth = worth * factors[masters:][self.types.of]
        return whole_prices(worth, max(mean, LEAST_SUM // int(np.count_nonzero(worth))))


def within_budgets(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Exclude times at prices of the linear program, then at better ones, in finer cells."""
    markov = certify(instance)
    if markov is None:
        return
    prices, low = WorkerPrices(instance), float(markov.fraction)
    high = LATEST * low if ascent.value is None else float(ascent.value)
    search, mean = BudgetSearch(instance, STAGES[0][0], ascent.deadline), STAGES[0][1]
    moved = max(prices.starts(instance), key=lambda one: search.paid(low, prices.at(one, mean))[0])
    for turn, (cells, mean) in enumerate(STAGES):
        search = BudgetSearch(instance, cells, ascent.deadline)
        for changes in (False, True) if turn < CHANGED else (False,):
            if changes:
                moved = improved(search, prices, moved, mean, low, ascent.deadline)
            ascent.deadline.check()
            whole = prices.at(moved, mean)
            found = search.latest(whole, low, high)
            if not found:
                continue
            low = found
            words, budgets = f"prices of workers, {cells} cells of rows", search.paid(low, whole)[1]
            made = BudgetPrices.excluding(instance, low, whole, budgets, cells)
            yield Rung(words, bound=Bound.of(Fraction(made.bound), words, made.plain()))


def improved(
    search: BudgetSearch,
    prices: WorkerPrices,
    moved: Floats,
    mean: int,
    time: float,
    deadline: Deadline,
) -> Floats:
    """Change prices one way after the other while masters pay more at the time.

    Changes after which whole prices are the same are looked up.
    """
    known: dict[bytes, float] = {}

    def paid(factors: Floats) -> float:
        whole = prices.at(factors, mean)
        if whole.tobytes() not in known:
            known[whole.tobytes()] = search.paid(time, whole)[0]
        return known[whole.tobytes()]

    best, step = paid(moved), FIRST_STEP
    while step >= LEAST_STEP:
        before = best
        for move in range(prices.factors):
            for factor in (1.0 + step, 1.0 / (1.0 + step)):
                if not deadline.left:
                    return moved
                tried = moved.copy()
                tried[move] *= factor
                found = paid(tried)
                if found > best:
                    best, moved = found, tried
                    break
        if best < before * (1.0 + step * WORTH_IT):
            step /= 2
    return moved


#: Entries of the tables by which plans are enumerated: hundredths of a second a time.
MOST_LISTED = 200_000


def every_load(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Find the best dedicated plan of few rows and workers."""
    try:
        plan = soonest_plan(instance, MOST_LISTED)
    except NotApplicable:
        return
    if plan is not None:
        yield Rung("every owner and load", [plan], certify(instance, plan))


def searched_loads(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Let coded.chance_search search on while there is time; what it has by then is its plan."""
    chosen = ChanceSearch()
    grains = chosen.judged(instance)
    grains.check = ascent.deadline.check
    search = LoadSearch(instance, grains)
    try:
        plan = search.plan(chosen.candidates, chosen.rounds)
    except OutOfTime:
        plan = grains.plan(search.owner, search.loads)
    yield Rung("coded.chance_search", [plan], certify(instance, plan))


def in_time(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Bound the quantiles of all plans; runs of dedicated workers bound those alone."""
    bound = certify(instance)
    if bound is not None:
        yield Rung(bound.method, bound=bound)


ladders.add(
    "coded.optimum",
    Ladder("coded.optimum", climbers=(policies("coded.simple_greedy"), sharing)),
)

ladders.add(
    "coded.dedicated_optimum",
    Ladder(
        "coded.dedicated_optimum",
        climbers=(policies("coded.simple_greedy"), owners_tree),
        problem="coded.assignment",
        judge=DedicatedEnvironment,
        restricted=True,
    ),
)

ladders.add(
    "coded.chance_optimum",
    Ladder(
        "coded.chance_optimum",
        climbers=(
            in_time,
            policies("coded.chance_stretch"),
            every_load,
            searched_loads,
            within_budgets,
        ),
        problem="coded.chance",
        judge=ChancePlanner,
    ),
)


@bounded_by.register("coded.assignment")
def assignment(program: Formulation) -> tuple[str, ...]:
    """Merge equal workers, which keeps the optimum."""
    return ("coded.assignment_by_type",)
