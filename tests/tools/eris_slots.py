"""What baselines of Eris do slot by slot, and the same by the reference in lists."""

from __future__ import annotations

from typing import Any

import pytest

from farkas.instances.eris import Auction
from farkas.online import algorithms
from tests.generators.eris import random_auction
from tests.references import eris_baselines
from tests.tools.decisions import decisions


def pieces(auction: Auction, name: str, **options: object) -> list[dict[int, int]]:
    """Workers of every job that runs, slot by slot."""
    run = algorithms[name].run(auction, **options)
    assert run.violations == []
    return [
        {p["job"]: sum(count for _, count in p["workers"]) for p in d["pieces"]}
        for d in run.decisions
    ]


def hold_to_lists(name: str, reference: Any, **options: bool) -> None:
    """Require that whole runs on random auctions are those of a reference."""
    ran = 0
    for seed in range(60):
        auction = random_auction(seed, most_chunks=40, most_slots=10, jobs=7)
        told = eris_baselines.slots(auction, reference, **options)
        for slot, (awards, wanted) in zip(decisions(name, auction), told, strict=True):
            assert [(a.job, a.completed) for a in slot.awards] == [award[:2] for award in awards]
            paid = [award[2] for award in awards]
            assert [a.payment for a in slot.awards] == pytest.approx(paid, rel=1e-9, abs=1e-9)
            assert [(p.job, p.server, dict(p.workers), p.moved) for p in slot.pieces] == wanted
            ran += len(wanted)
    assert ran > 100
