"""The plan of the linear program, which is the fastest one where workers may be shared."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.instances.coded import CodedComputing
from farkas.models.coded.law import shared_plan
from farkas.offline.ladder import Ascent, Rung
from farkas.online.coded.environment import certify
from farkas.relaxations.coded.sharing import shared_optimum


def sharing(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Share workers as the linear program says.  Coded (14), (18)."""
    found = shared_optimum(instance)
    plan = shared_plan(instance, found.share, found.time)
    yield Rung("shares of coded.assignment_lp", [plan], certify(instance))
