"""Units of servers over time and what is paid, by hand."""

from __future__ import annotations

from typing import Any

import farkas
from farkas.experiments.worst_cases.dps import occupancy
from farkas.instances import library


def sale(outcome: str, **changes: Any) -> dict[str, Any]:
    nothing = {"payment": 0.0, "worker_price": None, "ps_price": None, "servers": [],
               "workers": [], "ps": [], "exploring": False}  # fmt: skip
    return {"outcome": outcome, **nothing, **changes}


def test_a_sold_job_holds_its_units_until_its_last_slot_and_pays() -> None:
    market = library.load("dps/tiny")
    run = farkas.run(market, "dps.simple")
    layout = occupancy(market, [run.decisions])
    whole = market.last_held(market.colocated_end)
    spread = market.last_held(market.spread_end)
    served = [(k, d) for k, d in enumerate(run.decisions) if d["servers"]]
    assert served
    assert layout.begin == min(block.start for block in layout.sides[0].blocks)
    for number, decision in served:
        own = [b for b in layout.sides[0].blocks if b.owner == number]
        ends = whole if len(decision["servers"]) == 1 else spread
        assert {b.end for b in own} == {int(ends[number]) + 1}
        assert {b.start for b in own} == {market.jobs[number].arrival}
        job = market.jobs[number]
        assert sum(b.amount for b in own) == job.workers + job.ps
        assert any(f"job {number} pays" in remark for remark in layout.sides[0].remarks) == (
            decision["outcome"] == "sold"
        )


def test_lanes_are_what_somebody_holds_and_remarks_say_who_is_not_served() -> None:
    market = library.load("dps/tiny")
    others = [sale("declined", worker_price=9.0, ps_price=9.0)] * (market.num_jobs - 1)
    layout = occupancy(market, [[sale("full"), *others]])
    assert layout.lanes == []
    assert layout.begin == 0 < layout.end
    assert layout.sides[0].remarks[1] == "job 0: turned away"
    assert "declined the price" in layout.sides[0].remarks[0]
