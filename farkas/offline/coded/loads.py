"""Plans for P1: by enumeration where that is short, and by local search held to the time."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.errors import NotApplicable
from farkas.exact.deadline import OutOfTime
from farkas.instances.coded import CodedComputing
from farkas.models.coded.chance import soonest_plan
from farkas.offline.ladder import Ascent, Rung
from farkas.online.coded.chance_plans import certify
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
