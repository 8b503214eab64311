"""What bounds every plan for P1, shared or dedicated: Markov's inequality."""

from __future__ import annotations

from collections.abc import Iterator

from farkas.instances.coded import CodedComputing
from farkas.offline.ladder import Ascent, Rung
from farkas.online.coded.chance_plans import certify


def in_time(instance: CodedComputing, ascent: Ascent) -> Iterator[Rung]:
    """Bound the quantiles of all plans; runs of dedicated workers bound those alone."""
    bound = certify(instance)
    if bound is not None:
        yield Rung(bound.method, bound=bound)
