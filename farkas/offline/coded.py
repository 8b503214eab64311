"""The fastest plans of kind coded: shared workers, dedicated ones, and those for P1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from farkas.algebra.formulation import Formulation
from farkas.certificates.coded import speeds_above
from farkas.certificates.coded_counts import Counts, CountsTree
from farkas.certificates.tree import TreeCertificate
from farkas.errors import NoAnswer, NotApplicable
from farkas.exact.bounding import OutOfTime
from farkas.exact.from_doubles import rational
from farkas.exact.proving import prove_form
from farkas.instances.coded import CodedComputing
from farkas.models.coded.chance import soonest_plan
from farkas.models.coded.kernel import Pairs
from farkas.models.coded.law import Allocation, dedicated_plan, shared_plan
from farkas.offline.climbing import bounded_by, policies
from farkas.offline.ladder import Ascent, Ladder, Rung, ladders
from farkas.online.coded.chance_plans import ChancePlanner, ChanceSearch, LoadSearch
from farkas.online.coded.environment import P1, Environment, certify, is_dedicated
from farkas.online.coded.exhaustive import owners_at, solve_counts
from farkas.online.coded.local_search import climb, least_level
from farkas.online.coded.simple_greedy import greedy_owner
from farkas.online.run import Bound
from farkas.relaxations.coded.sharing import shared_optimum

#: Entries of the tables by which plans are enumerated: hundredths of a second a time.
MOST_LISTED = 200_000


def every_load(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Find the best dedicated plan of few rows and workers."""
    try:
        plan = soonest_plan(instance, MOST_LISTED)
    except NotApplicable:
        return
    if plan is not None:
        yield Rung("every owner and load", [plan], certify(instance, plan, P1))


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
    yield Rung("coded.chance_search", [plan], certify(instance, plan, P1))


def in_time(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Bound the quantiles of all plans; runs of dedicated workers bound those alone."""
    bound = certify(instance, program=P1)
    if bound is not None:
        yield Rung(bound.method, bound=bound)


def sharing(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Share workers as the linear program says.  Coded (14), (18)."""
    found = shared_optimum(instance)
    plan = shared_plan(instance, found.share, found.time)
    yield Rung("shares of coded.assignment_lp", [plan], certify(instance))


SOLVER_SHARE = 0.3  #: Of the time that is left, for good owners before the proof begins.
FIRST_GAP = 1e-3  #: Distance of value and bound at which the first proof ends.


class DedicatedEnvironment(Environment):
    """The environment of the kind, where no worker may serve several masters."""

    def unusable(self, instance: CodedComputing, decisions: Sequence[Allocation]) -> list[str]:
        """List the requirements that the plan breaks."""
        words = super().unusable(instance, decisions)
        return words or ([] if is_dedicated(decisions[0]) else ["a worker serves several masters"])


def counted(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Find the best counts of equal workers, and prove that none are better."""
    speed = Pairs.of(instance).speed
    owner = climb(speed, greedy_owner(speed), "lexicographic")
    yield Rung("moves and swaps", [dedicated_plan(instance, owner)])
    program, gap = Counts.of_speeds(speeds_above(instance)), float(ascent.gap)
    answer = solve_counts(program, speed, owner, ascent.deadline.left * SOLVER_SHARE, gap)
    if answer.has_point:
        owner = owners_at(speed, answer.point, owner)
    if not least_level(speed, owner) > 0:
        raise NoAnswer("no dedicated workers were found that serve every master")
    yield Rung(f"{answer.solver} on counts of equal workers", [dedicated_plan(instance, owner)])
    for near in (FIRST_GAP, gap) if gap < FIRST_GAP else (gap,):
        ascent.deadline.check()
        left = ascent.deadline.left
        found = prove_form(
            rational(program.form), answer=answer, time_limit=left, gap=near, embed=False
        )
        if isinstance(found.certificate, TreeCertificate):
            made = CountsTree.of(instance, found.certificate)
            words = f"branch and bound on counts of equal workers, {found.nodes} nodes"
            yield Rung(words, bound=Bound.of(Fraction(made.bound), words, made.plain()))
        if found.point is not None:
            owner = owners_at(speed, np.array(found.point, dtype=float), owner)
            yield Rung("branch and bound on counts", [dedicated_plan(instance, owner)])


ladders.add(
    "coded.optimum",
    Ladder("coded.optimum", climbers=(policies("coded.simple_greedy"), sharing)),
)

ladders.add(
    "coded.dedicated_optimum",
    Ladder(
        "coded.dedicated_optimum",
        climbers=(policies("coded.simple_greedy"), counted),
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
        ),
        problem="coded.chance",
        judge=ChancePlanner,
    ),
)


@bounded_by.register("coded.assignment")
def assignment(program: Formulation) -> tuple[str, ...]:
    """Merge equal workers, which keeps the optimum."""
    return ("coded.assignment_by_type",)
