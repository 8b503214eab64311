"""Optima that do depend on how an instance is written down, and why."""

from __future__ import annotations

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Exempt:
    """Results that a symmetry changes."""

    results: str  #: Pattern of sort, name and key.
    symmetries: str  #: Pattern of names of symmetries.
    why: str  #: The reason.

    def covers(self, path: str, symmetry: str) -> bool:
        """Whether it is about this result under this symmetry."""
        return bool(re.fullmatch(self.symmetries, symmetry) and re.fullmatch(self.results, path))


EXEMPT = (
    Exempt(
        r"program coded\.worst_simple_greedy.*",
        "worker without speed|twice",
        "of workers that every master may use only, whose smallest speed is an end of the box",
    ),
    Exempt(
        r"(convex|program) coded\.loads.*",
        "masters turned|workers turned|worker without speed|twice",
        "master m is given the m-th block of workers as they stand in the file",
    ),
    Exempt(
        r"convex coded\.sca\[printed\]\.optimum",
        "rows in pairs",
        "the printed step adds a square of rows to a square of time",
    ),
    Exempt(
        r"convex coded\.(expected_convex|sca.*)\.optimum",
        "twice",
        "time is measured by what all workers together would need: half of it",
    ),
    Exempt(
        r"convex coded\.sca\[(scaled|printed)\]\.claim",
        "twice",
        "Clarabel ends near its tolerance where it ended within it, or the other way round",
    ),
    Exempt(
        r"program dps\.offline(_lp)?\[forced\]\..*",
        "jobs turned",
        "of the jobs of one slot, whoever stands first in the file is served first",
    ),
    Exempt(
        r"program dps\.(min_servers|placement|placement_sequence)\..*",
        "penniless job",
        "places, or counts, every job, whatever it pays",
    ),
    Exempt(
        r"program dps\.fluid_bound\..*",
        "slots in front|slot at the end",
        "the first term of (3) sells a unit in every slot in which a job does not run",
    ),
    Exempt(
        r"program dps\.fluid_bound\..*",
        "penniless job",
        "(3) has the mean runtime of all jobs of a type, whether they buy or not",
    ),
    Exempt(
        r"program eris\.(best_schedule|one_shot|payoff_bound|lagrangian).*",
        "resource again",
        "prices (6) are posted for both",
    ),
    Exempt(
        r"program eris\.(best_schedule(_pairs)?\[residual\]|offline.*)\.bound",
        "slot at the end",
        "without whole schedules the last part of a job may use the slot",
    ),
    Exempt(
        r"program gadget\.worst_fifo.*",
        "empty server",
        "of a single server only",
    ),
    Exempt(
        r"program gadget\.worst_fifo.*",
        "jobs turned",
        "the jobs of one slot queue in the order of the file",
    ),
    Exempt(
        r"program gadget\.tree\..*",
        "dead link",
        "refuses what is no tree",
    ),
    Exempt(
        r"program mlbroker\.worst_local.*",
        "sites turned|dear site",
        "servers stand at drawn sites, and data may be collected at every one",
    ),
    Exempt(
        r"(program|convex) mlbroker\.(relaxed\[printed.*|regularized\[printed.*"
        r"|outer\[.*,printed\].*|dual\..*|(offline|one_shot).*single.*\.bound)",
        "dear site|resource in halves",
        "(8c) and (8d) have one constant for all: half of it is free at every site and of"
        " every resource",
    ),
    Exempt(
        r"program mlbroker\.dual_as_printed.*",
        "resource in halves",
        "so is that of the printed dual, which is none",
    ),
    Exempt(
        r"program mlbroker\.recourse.*",
        "sites turned|dear site",
        "transfer to that deployment: sites are filled in the order of the file",
    ),
    Exempt(
        r"convex mlbroker\.regularized\[tight,.*\]\.optimum"
        r"|program mlbroker\.outer\[.*,tight\]\.(optimum|bound)",
        "dear site",
        "deployment is spread over all sites by the entropy term",
    ),
)


def exempt(path: str, symmetry: str) -> bool:
    """Whether a result may change."""
    return any(each.covers(path, symmetry) for each in EXEMPT)
