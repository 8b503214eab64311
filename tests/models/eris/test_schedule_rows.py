"""What every schedule obeys, read off optima of (2) on auctions by hand."""

from __future__ import annotations

import pytest

from farkas.algebra import programs
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.eris import Auction
from tests.generators.eris import one_resource
from tests.tools.optimum import optimum


def test_jobs_without_data_complete_on_arrival_and_use_nothing() -> None:
    tiny = library.load("eris/tiny")
    job = tiny.jobs[0]
    idle = Auction.build(
        **{name: getattr(tiny, name) for name in tiny.__struct_fields__ if name != "jobs"},
        jobs=[{**{n: getattr(job, n) for n in job.__struct_fields__}, "data": (0, 0)}],
    )
    for name in ("eris.offline", "eris.offline[explicit]", "eris.schedule_ilp", "eris.dual"):
        assert optimum(name, idle) == pytest.approx(35.0)


def test_an_auction_without_jobs_is_worth_nothing() -> None:
    empty = library.load("eris/tiny").replace(jobs=())
    for name in ("eris.offline", "eris.offline[explicit]", "eris.schedule_lp", "eris.dual"):
        assert optimum(name, empty) == 0.0
    with pytest.raises(NotApplicable):
        programs.build("eris.one_shot").form(empty)


BOTH = pytest.mark.parametrize("name", ["eris.offline", "eris.offline[explicit]"])


@BOTH
@pytest.mark.parametrize(
    ("job", "changes", "worth"),
    [
        # (2i): worth counts once, although there is time to run twice
        ({"utility": [10.0, 10.0, 10.0]}, {}, 10.0),
        # (2a): both chunks must be processed; one worker makes one pass a slot, so in two slots
        ({"data": [2, 0], "utility": [10.0, 7.0, 1.0]}, {"site_capacity": [[1.0], [0.0]]}, 7.0),
        # (2b): three passes a chunk with two workers of two passes: one slot; of one pass: two
        ({"epochs": 3, "worker_rate": 2, "utility": [10.0, 7.0, 1.0]}, {}, 10.0),
        ({"epochs": 3, "utility": [10.0, 7.0, 1.0]}, {}, 0.0),
        # (2c): no server fits beside a worker, or only where the worker's data have to go
        ({"server_demand": [2.0]}, {"site_capacity": [[2.0], [0.0]]}, 0.0),
        ({"server_demand": [2.0]}, {"site_capacity": [[2.0], [2.0]]}, 10.0),
        # (2d): a worker away from the server exchanges λ = 1 MB
        ({"server_demand": [2.0]}, {"transfer_budget": 0.9}, 0.0),
        # (2g): from slot 1 on there are two slots, too few for three chunks
        ({"arrival": 1, "data": [3, 0]}, {"site_capacity": [[1.0], [0.0]]}, 0.0),
        ({"arrival": 1, "data": [2, 0]}, {"site_capacity": [[1.0], [0.0]]}, 10.0),
    ],
)
def test_schedules_by_hand(name: str, job: dict, changes: dict, worth: float) -> None:
    assert optimum(name, one_resource(dict(job), **changes)) == pytest.approx(worth, abs=1e-6)
