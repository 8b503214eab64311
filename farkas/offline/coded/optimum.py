"""The fastest plans of kind coded: shared workers, dedicated ones, and those for P1."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.algebra.formulation import Formulation
from farkas.errors import NotApplicable
from farkas.exact.bounding import OutOfTime
from farkas.instances.coded import CodedComputing
from farkas.models.coded.chance import soonest_plan
from farkas.offline.climbing import bounded_by, policies
from farkas.offline.coded.budgets import within_budgets
from farkas.offline.coded.owners import DedicatedEnvironment, owners_tree
from farkas.offline.coded.pricing import sharing
from farkas.offline.ladder import Ascent, Ladder, Rung, ladders
from farkas.online.coded.chance_plans import ChancePlanner, certify
from farkas.online.coded.chance_search import ChanceSearch, LoadSearch

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
