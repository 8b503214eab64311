"""Shares of sites and of transfer, by hand."""

from __future__ import annotations

from farkas.experiments.worst_cases.eris import use_of_sites
from farkas.experiments.worst_cases.schedule import Held
from farkas.instances import library


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


def test_without_transfer_there_is_no_lane_of_it() -> None:
    auction = library.load("eris/tiny")
    layout = use_of_sites(auction, [decided(accepted=False)])
    assert len(layout.lanes) == auction.sites
