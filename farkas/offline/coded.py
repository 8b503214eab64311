"""The fastest plans of kind coded: shared workers, dedicated ones, and those for P1."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from farkas.certificates.coded import MasterPrices, Payments, costs
from farkas.errors import NotApplicable
from farkas.exact.node_bounds import Deadline, OutOfTime
from farkas.instances.coded import CodedComputing
from farkas.models.coded.chance import soonest_plan
from farkas.models.coded.completion_times import shared_plan
from farkas.models.coded.kernel import Pairs, WorkerTypes
from farkas.numbers import Floats, Ints
from farkas.offline.methods import Candidate, OfflineSearch, SearchState, searches
from farkas.offline.search import policies
from farkas.online.coded.chance_plans import ChancePlanner, ChanceSearch, Grains, LoadSearch
from farkas.online.coded.environment import P1, certify, master_prices
from farkas.online.run import Bound
from farkas.relaxations.coded.sharing import shared_optimum
from farkas.tolerances import FINE_GAP

#: Entries of the tables by which plans are enumerated: hundredths of a second a time.
MOST_LISTED = 200_000


def every_load(instance: CodedComputing, state: SearchState) -> Iterator[Candidate]:
    """Find the best dedicated plan of few rows and workers."""
    try:
        plan = soonest_plan(instance, MOST_LISTED)
    except NotApplicable:
        return
    if plan is not None:
        yield Candidate("every owner and load", [plan], certify(instance, plan, P1))


def searched_loads(instance: CodedComputing, state: SearchState) -> Iterator[Candidate]:
    """Let coded.chance_search search on while there is time; what it has by then is its plan."""
    chosen = ChanceSearch()
    grains = Grains(instance, chosen.grains)
    grains.check = state.deadline.check
    search = LoadSearch(instance, grains)
    try:
        plan = search.plan(chosen.candidates, chosen.rounds)
    except OutOfTime:
        plan = grains.plan(search.owner, search.loads)
    yield Candidate("coded.chance_search", [plan], certify(instance, plan, P1))


def in_time(instance: CodedComputing, state: SearchState) -> Iterator[Candidate]:
    """Bound the quantiles of all plans; runs of dedicated workers bound those alone."""
    bound = certify(instance, program=P1)
    if bound is not None:
        yield Candidate(bound.method, bound=bound)


#: Cells of rows, the mean price of a worker, whether prices are changed.
STAGES = ((128, 8, False), (128, 8, True), (384, 16, False), (384, 16, True), (1024, 16, False))
LEAST_SUM = 256  #: Of all prices: those of few workers are finer.
MOST_TYPES = 12  #: Types of workers whose prices are changed one by one.
FIRST_STEP, LEAST_STEP = 0.25, 0.03  #: Shares by which prices of a master or a type change.
WORTH_IT = 1 / 16  #: Share of a step by which masters pay more after changes that are repeated.
NEAR = 2e-4  #: Share of a time by which the next one is earlier than expected, and later at least.
TIMES = 10  #: That are tried at prices.


class WorkerPrices:
    """Prices of workers that the masters of P1 cannot pay: of the highest bidder, by type."""

    def __init__(self, data: CodedComputing, deadline: Deadline) -> None:
        self.data, self.deadline, speed = data, deadline, Pairs.of(data).speed
        self.cells, self.mean, _ = STAGES[0]
        # only ratios count; in these units sums and quotients are numbers
        self.speed = np.ldexp(speed, -int(np.frexp(speed.max())[1]))
        self.types = WorkerTypes.given(self.speed).of
        kinds = int(self.types.max()) + 1
        self.moves = len(speed) + kinds * (kinds <= MOST_TYPES)
        self.likely = np.full(len(speed), 1.0 / len(speed))

    def whole(self, factors: Floats) -> Ints:
        """Return prices of workers for factors > 0 of masters and types; 0 of useless ones only."""
        m = len(self.speed)
        worth = (factors[:m, None] * self.speed).max(axis=0) * factors[m + self.types]
        count = int(np.count_nonzero(worth))
        scaled = worth * (max(self.mean, LEAST_SUM // count) * count / worth.sum())
        return np.where(worth > 0, np.maximum(np.rint(scaled), 1.0), 0.0).astype(np.int64)

    def paid(self, time: float, prices: Ints) -> float:
        """Return what masters pay at least as a share of all prices."""
        self.deadline.check()
        paid = costs(self.data, prices, time, self.cells, self.likely)
        return float(paid / int(prices.sum()))

    def latest(self, prices: Ints, low: float, high: float) -> float:
        """Return a time from ``low`` to ``high`` that the prices exclude; 0 where there is none.

        What is paid is about inverse to the time: a line between both ends says where it is all.
        """
        paid, less = self.paid(low, prices), 0.0
        for _ in range(TIMES if paid > 1.0 else 0):
            part = (1.0 - less) / (paid - less)
            time = low / (part + (1.0 - part) * (low / high if less else 0.0)) * (1.0 - NEAR)
            time = min(time, low * math.sqrt(high / low))
            if not low * (1.0 + NEAR) < time < high:
                break
            found = self.paid(time, prices)
            if found > 1.0:
                low, paid = time, found
            else:
                high, less = time, max(found, FINE_GAP)
        return low if paid > 1.0 else 0.0

    def improved(self, factors: Floats, time: float) -> Floats:
        """Change prices one way after the other while masters pay more at the time."""
        paid = functools.cache(lambda key: self.paid(time, np.frombuffer(key, np.int64)))
        best, step = paid(self.whole(factors).tobytes()), FIRST_STEP
        while step >= LEAST_STEP:
            before = best
            for move, way in itertools.product(range(self.moves), (1.0 + step, 1.0 / (1.0 + step))):
                tried = factors.copy()
                tried[move] *= way
                found = paid(self.whole(tried).tobytes())
                if found > best:
                    best, factors = found, tried
            if best < before * (1.0 + step * WORTH_IT):
                step /= 2
        return factors


def within_payments(instance: CodedComputing, state: SearchState) -> Iterator[Candidate]:
    """Exclude times at prices of the linear program, then at better ones, in finer cells."""
    markov = certify(instance, program=P1)
    if markov is None:
        return
    search, low = WorkerPrices(instance, state.deadline), float(markov.fraction)
    high = float(64 * low if state.value is None else state.value)
    alone = search.speed.sum(axis=1)
    # a master at no price gets a little one, so that it can rise
    starts = [
        np.append(np.maximum(prices / prices.max(), FINE_GAP), np.ones(len(instance.rate[0])))
        for prices in (master_prices(instance)[0], alone.max() / np.where(alone > 0, alone, 1.0))
    ]
    factors = max(starts, key=lambda one: search.paid(low, search.whole(one)))
    for search.cells, search.mean, changes in STAGES:
        factors = search.improved(factors, low) if changes else factors
        prices = search.whole(factors)
        found = search.latest(prices, low, high)
        if found:
            low, words = found, f"prices of workers, {search.cells} cells of rows"
            paid = Payments(time=low, cells=search.cells)
            made = MasterPrices.of(instance, P1, prices.astype(float), payments=paid)
            yield Candidate(words, bound=Bound.of(Fraction(low), words, made.plain()))


def sharing(instance: CodedComputing, state: SearchState) -> Iterator[Candidate]:
    """Share workers as the linear program says.  Coded (14), (18)."""
    found = shared_optimum(instance)
    plan = shared_plan(instance, found.share, found.time)
    yield Candidate("shares of coded.assignment_lp", [plan], certify(instance))


searches.add(
    "coded.optimum",
    OfflineSearch("coded.optimum", methods=(policies("coded.simple_greedy"), sharing)),
)

searches.add(
    "coded.chance_optimum",
    OfflineSearch(
        "coded.chance_optimum",
        methods=(
            in_time,
            policies("coded.simple_greedy"),
            every_load,
            searched_loads,
            within_payments,
        ),
        problem="coded.chance",
        judge=ChancePlanner,
    ),
)
