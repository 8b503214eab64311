"""What decisions of every kind look like, by hand."""

from __future__ import annotations

from typing import Any

import pytest

import farkas
from farkas.experiments.pictures import Held
from farkas.experiments.pictures.coded import loads
from farkas.experiments.pictures.dps import occupancy
from farkas.experiments.pictures.eris import use_of_sites
from farkas.experiments.pictures.gadget import rings
from farkas.experiments.pictures.mlbroker import workers
from farkas.instances import library


def test_bars_are_mean_times_and_shares() -> None:
    data = library.load("coded/tiny")
    share = [[0.0] * data.workers for _ in data.masters]
    rows = [[0.0] * data.workers for _ in data.masters]
    share[0][1], rows[0][1] = 0.25, 6.0
    rows[0][0] = 5.0  # no share: not computed
    layout = loads(data, [[{"share": share, "loads": rows}]])
    (block,) = layout.sides[0].blocks
    rate, shift = data.rate[0][1], data.shift[0][1]
    assert rate is not None
    assert shift is not None
    assert (block.lane, block.owner, block.start, block.amount) == (1, 0, 0.0, 0.25)
    assert abs(block.end - 6.0 * (shift + 1 / rate)) < 1e-12
    assert layout.end == block.end
    assert (
        layout.sides[0].remarks[0] == f"master 0 needs {data.masters[0].rows} rows: 6 of worker 1"
    )
    assert layout.sides[0].remarks[1].endswith(": none")


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


def decided(*pieces: dict[str, object], accepted: bool = True) -> list[dict[str, object]]:
    award = {"job": 0, "accepted": accepted, "completed": 1 if accepted else None,
             "payment": 0.0, "payoff_bound": None}  # fmt: skip
    return [{"awards": [award], "pieces": list(pieces)}]


def test_shares_are_of_the_scarcest_resource_and_transfer_has_its_lane() -> None:
    auction = library.load("eris/tiny")
    job = auction.jobs[0]
    piece = {"job": 0, "slot": job.arrival, "server": 0, "workers": [[0, 1], [1, 2]], "moved": 1}
    nothing = decided(accepted=False)
    layout = use_of_sites(auction, [decided(piece), nothing])
    assert layout.lanes[-1] == "transfer"
    amounts = {block.lane: block for block in layout.sides[0].blocks}
    shares = [
        (server + worker) / capacity if capacity else 0.0
        for server, worker, capacity in zip(
            job.server_demand, job.worker_demand, auction.site_capacity[0], strict=True
        )
    ]
    assert abs(amounts[0].amount - max(shares)) < 1e-12
    names = auction.resource_names
    assert layout.lanes[0] == f"site 0, {names[shares.index(max(shares))]}"
    moved = auction.chunk_size + 2 * job.parameter_size  # one chunk, two workers at another site
    lane = auction.sites
    expected = Held(lane, 0, job.arrival, job.arrival + 1, moved / auction.transfer_budget)
    assert amounts[lane] == expected
    assert layout.sides[1].blocks == []
    assert "rejected" in layout.sides[1].remarks[-1]
    worth = job.utility[1 - job.arrival]
    assert layout.sides[0].remarks[0] == f"job 0 is worth {worth:g}"


def test_rings_hold_servers_and_links() -> None:
    cluster = library.load("gadget/tiny")
    hosts = [k for k, node in enumerate(cluster.nodes) if node.server]
    empty: list[list[object]] = [[] for _ in range(cluster.horizon)]
    ring = {"job": 0, "workers": [[hosts[0], 2]], "links": [[0, 3]]}
    layout = rings(cluster, [[[ring], *empty[1:]], empty])
    server, link = sorted(layout.sides[0].blocks, key=lambda block: block.lane)
    assert (server.lane, server.owner, server.start, server.end, server.amount) == (0, 0, 0, 1, 2)
    assert link.lane == len(hosts)
    assert link.amount == 3 * cluster.jobs[0].bandwidth
    assert layout.lanes[link.lane].startswith("link ")
    room = cluster.real_links[0].bandwidth
    assert layout.tops[link.lane] == max(room or 0.0, link.amount)
    assert layout.tops[0] == 2
    assert len(layout.lanes) == len(hosts) + 1, "links that no ring uses are left out"
    everybody = ", ".join(map(str, range(cluster.num_jobs)))
    assert layout.sides[1].remarks == [f"jobs {everybody}: never runs"] or cluster.num_jobs == 1


@pytest.mark.parametrize("name", ["mlbroker.local", "mlbroker.fractional"])
def test_blocks_are_the_workers_of_the_run(name: str) -> None:
    broker = library.load("mlbroker/tiny")
    run = farkas.run(broker, name)
    layout = workers(broker, [run.decisions])
    found = {(b.start, b.owner, b.lane): b.amount for b in layout.sides[0].blocks}
    wanted = {
        (slot, job, site): float(amount)
        for slot, decision in enumerate(run.decisions)
        for job, row in zip(decision["jobs"], decision["workers"], strict=True)
        for site, amount in enumerate(row)
        if amount > 0
    }
    assert found == wanted
    assert wanted
    most = max(
        sum(amount for (t, _, r), amount in found.items() if (t, r) == (slot, site))
        for slot, _, site in found
    )
    assert layout.tops == pytest.approx([most] * broker.num_sites)
