"""What of a broker's bound may be spread over workers: slots at tolls, jobs at prices."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

from farkas.certificates.mlbroker_charges import place_charged
from farkas.certificates.mlbroker_slots import MOST_SITES, MOST_STEPS, SiteBounds, SlotBounds
from farkas.certificates.mlbroker_workers import place_pairs
from farkas.executor import Executor, nothing
from farkas.instances.mlbroker import Brokerage
from farkas.kernels import Kernel
from farkas.numbers import Floats
from farkas.relaxations.mlbroker.lives import Lives, SiteLives, joined, lives_of, place_jobs
from farkas.relaxations.mlbroker.slot_trees import DiscountTree, grow

PART = 256  #: Jobs that are placed between two looks at the clock.
PAIR_STEPS = 3e3  #: Steps that a pair takes for every set of sites, at a guess.
#: Steps that a pair takes for every site where sets are not listed, at a guess.
CHARGED_STEPS = 1e5


def pair_steps(data: Brokerage) -> float:
    """Guess the steps of placing a pair."""
    sites = data.num_sites
    return CHARGED_STEPS * sites if sites > MOST_SITES else PAIR_STEPS * (1 << sites)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SlotToGrow:
    """A slot whose tree is to be grown; fields are arguments of `grow`."""

    slot: int
    extra: Floats
    near: float
    most: int


class SlotGrowth:
    """Grows trees of slots.

    Parameters
    ----------
    data
        The instance.
    check
        Called again and again; raises what ends the work.
    """

    kernels: ClassVar[tuple[Kernel[..., Any], ...]] = (place_pairs,)
    of: ClassVar[type[SlotBounds]] = SlotBounds

    def __init__(self, data: Brokerage, check: Callable[[], None] = nothing) -> None:
        self.bounds, self.check = self.of(data), check
        self.room = MOST_STEPS
        """Steps that the next tree may take."""

    def __call__(self, task: SlotToGrow) -> DiscountTree:
        """Grow a tree."""
        return grow(
            self.bounds, task.slot, task.extra, task.near, task.most, self.check,
            most_steps=self.room,
        )  # fmt: skip


class SiteGrowth(SlotGrowth):
    """Grows trees of slots at tolls of single sites."""

    kernels = (place_charged,)
    of = SiteBounds


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class JobsToPlace:
    """Jobs to be placed; fields are arguments of `lives_of`."""

    begin: int
    end: int
    slope: Floats
    tolls: bool


class JobPlacing:
    """Places jobs at prices."""

    kernels: ClassVar[tuple[Kernel[..., Any], ...]] = (place_jobs,)

    def __init__(self, data: Brokerage) -> None:
        self.data = data

    def __call__(self, task: JobsToPlace) -> Lives:
        """Place some jobs."""
        return lives_of(self.data, task.begin, task.end, task.slope, tolls=task.tolls)


class SitePlacing(JobPlacing):
    """Places jobs at prices, with many sites: as cheaply as is found."""

    kernels = (place_charged,)

    def __call__(self, task: JobsToPlace) -> Lives:
        """Place some jobs."""
        search = SiteLives(self.data, task.begin, task.end, task.slope)
        search.search()
        return search.lives()


def cheapest_lives(
    data: Brokerage,
    slope: Floats,
    check: Callable[[], None],
    executor: Executor | None = None,
    *,
    tolls: bool = True,
) -> Lives:
    """Place every job at prices of units, with more than `MOST_SITES` sites as well as is found.

    Parameters
    ----------
    slope
        Shape (slots, sites, resources), USD a unit, finite, >= 0.
    check
        Called again and again; raises what ends the work.
    executor
        Who places; this process if left out.
    tolls
        Whether they are wanted; else their array has no rows.
    """
    begins = range(0, data.num_jobs, PART)
    tasks = [JobsToPlace(k, min(k + PART, data.num_jobs), slope, tolls) for k in begins]
    pairs = (data.pair_start[task.end] - data.pair_start[task.begin] for task in tasks)
    steps = [pair_steps(data) * float(some) for some in pairs]
    many = data.num_sites > MOST_SITES
    work = SitePlacing(data) if many else JobPlacing(data)
    parts = list((executor or Executor()).each(work, data, tasks, steps, check))
    return joined(parts, data.num_sites if many else 1 << data.num_sites, data.num_sites)
