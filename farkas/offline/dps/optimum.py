"""The highest payments of kind dps when all budgets are known."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np

from farkas.algebra.formulation import Formulation, programs
from farkas.decomposition.protocol import Fit
from farkas.errors import NoAnswer, NotACertificate
from farkas.forms import LinearForm
from farkas.instances.dps import Market
from farkas.numbers import Floats, Ints
from farkas.offline.dps.repacking import placed_anew
from farkas.offline.methods import Candidate, OfflineSearch, SearchState, integer_program, searches
from farkas.offline.price_search import price_search
from farkas.offline.search import policies
from farkas.online.dps.environment import Decision
from farkas.relaxations.dps.pricing import Placed, ServerPricing
from farkas.solvers import solve

MOST_NODES = 200  #: Nodes of dps.offline where it is solved for its placements.
MOST_CELLS = 300  #: Jobs times servers beyond which dps.offline is too large to be proved soon.
MOST_ENTRIES = 3_000  #: Coefficients of so many cells.
#: Coefficients of a program that counts servers of a type as one, and its share of the time.
MOST_POOLED, POOLED_SHARE = 10_000, 0.3
#: Jobs times servers beyond which dps.offline is not even solved, nor that program proved.
MOST_PLACED = 3_000
#: Share of what is missing that a job may lose at the prices of the bound.
ROOM = 0.125
CROWDED = 10  #: Jobs per server from which a market of few servers is crowded.


def best_prices(market: Market) -> Floats:
    """Highest unit price, the same on both sides, at which each job pays; shape (jobs,)."""
    found = []
    for job in market.jobs:
        units = job.workers + job.ps
        price = job.budget / units
        if Fraction(price) * units > Fraction(job.budget):
            price = float(np.nextafter(price, 0.0))
        found.append(price if market.price_cap is None else min(price, market.price_cap))
    return np.array(found, dtype=float)


def decisions_of(market: Market, placed: Mapping[int, Placed]) -> list[Decision]:
    """Sell to the jobs that are placed, at their own prices; offer nothing to the others."""
    found = [Decision("declined")] * market.num_jobs
    prices = best_prices(market)
    for number, sides in placed.items():
        job, price = market.jobs[number], float(prices[number])
        units: list[Ints] = [np.zeros(market.num_servers, np.int64) for _ in sides]
        for held, (servers, many) in zip(units, sides, strict=True):
            held[servers] = many
        used = np.flatnonzero(units[0] + units[1])
        workers, ps = (tuple(held[used].tolist()) for held in units)
        payment = price * (job.workers + job.ps)
        found[number] = Decision(
            "sold", payment, price, price, tuple(used.tolist()), workers, ps
        )  # fmt: skip
    return found


class PlacementPricing(ServerPricing):
    """Jobs that are placed on servers."""

    def reoptimise(
        self, kept: Mapping[int, Fit | None], used: Floats, prices: Floats, missing: float,
        gap: float, seconds: float,
    ) -> Mapping[int, Fit]:  # fmt: skip
        """Place jobs anew, server by server."""
        return placed_anew(self, kept, used, prices, ROOM * missing, gap, seconds)

    def decisions(self, plans: Mapping[int, Fit]) -> list[Decision]:
        """Sell to the jobs that have plans."""
        return decisions_of(self.market, {job: fit.what for job, fit in plans.items()})


def placing(instance: Market) -> PlacementPricing:
    """State owners and limits; raises `NoAnswer` where there are too many ways to place jobs."""
    try:
        return PlacementPricing(instance)
    except NotACertificate as refusal:
        raise NoAnswer(str(refusal)) from None


def decisions_at(market: Market, form: LinearForm, point: Floats) -> list[Decision]:
    """Read placements off a point of dps.offline whose columns are whole.

    A spread job whose units are all on one server runs no longer than the program says.
    """
    whole, workers, ps = (
        form.values(point, name) for name in ("whole", "spread_workers", "spread_ps")
    )
    spread, placed = form.values(point, "spread"), dict[int, Placed]()
    for job in range(market.num_jobs):
        here = np.flatnonzero(whole[job] > 0)[:1]
        if len(here):
            units = market.workers[job : job + 1], market.ps[job : job + 1]
            placed[job] = [(here, each) for each in units]
        elif spread[job] > 0:
            placed[job] = [
                (np.flatnonzero(held), held[held > 0].astype(np.int64))
                for held in (workers[job], ps[job])
            ]
    return decisions_of(market, placed)


def offline_of(market: Market) -> Formulation:
    """Return (2) with payments below the cap, where there is one."""
    return programs.build(f"dps.offline[{'free' if market.price_cap is None else 'capped'}]")


def small(instance: Market, state: SearchState) -> Iterator[Candidate]:
    """Solve and prove dps.offline where that is small."""
    cells = instance.num_jobs * instance.num_servers
    if cells > MOST_CELLS:
        raise NoAnswer(f"dps.offline has {cells} cells of job and server, more than {MOST_CELLS}")
    name = offline_of(instance).full_name
    yield from integer_program(name, decisions_at, MOST_ENTRIES)(instance, state)


def crowded(instance: Market, state: SearchState) -> Iterator[Candidate]:
    """As `few_servers`, before prices, where parts of jobs on few servers bound badly."""
    if instance.num_jobs >= CROWDED * instance.num_servers:
        yield from few_servers(instance, state)


def uncrowded(instance: Market, state: SearchState) -> Iterator[Candidate]:
    """As `few_servers`, of all other markets."""
    if instance.num_jobs < CROWDED * instance.num_servers:
        yield from few_servers(instance, state)


def few_servers(instance: Market, state: SearchState) -> Iterator[Candidate]:
    """Solve dps.offline where it is not large, and prove it with all servers of a type as one.

    Where jobs take much of a server, whole jobs on all servers as one bound them closely, and
    parts of jobs do not, whatever the classes.
    """
    cells = instance.num_jobs * instance.num_servers
    if not MOST_CELLS < cells <= MOST_PLACED:
        return
    rewards = "budget" if instance.price_cap is None else "capped"
    pooled = integer_program(f"dps.interval_ip[{rewards}]", None, MOST_POOLED, POOLED_SHARE)
    with contextlib.suppress(NoAnswer):  # too many entries
        yield from pooled(instance, state)
    if not state.over():
        yield from placed(instance, state)


def placed(instance: Market, state: SearchState) -> Iterator[Candidate]:
    """Solve dps.offline, as far as nodes go, for its placements."""
    program = offline_of(instance)
    form = program.form(instance)
    answer = solve(
        form,
        time_limit=state.deadline.left,
        gap=float(state.gap) / 2,
        solver_options={"mip_max_nodes": MOST_NODES},
    )
    if answer.has_point:
        point = np.where(form.integer, np.rint(answer.point), answer.point)
        yield Candidate(
            f"{answer.solver} on {program.full_name}", decisions_at(instance, form, point)
        )


searches.add(
    "dps.optimum",
    OfflineSearch(
        "dps.optimum",
        methods=(
            policies("dps.simple"),
            crowded,
            price_search(placing, "prices of servers"),
            uncrowded,
            small,
        ),
    ),
)
