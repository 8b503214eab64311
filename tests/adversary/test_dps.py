"""Markets mended, completed and made smaller."""

from __future__ import annotations

from farkas.adversary.kinds import complete_dps, mend_dps, smaller_dps
from farkas.adversary.shape import InstanceBox


def test_jobs_are_put_in_order() -> None:
    data = {"jobs": [{"arrival": 3}, {"arrival": 1}]}
    mend_dps(data)
    assert [job["arrival"] for job in data["jobs"]] == [1, 3]


def test_prices_are_fixed_where_none_are() -> None:
    data = {
        "fixed_prices": None,
        "price_cap": 2.0,
        "worker_bandwidth": [1.0, 1.0],
        "ps_bandwidth": [1.0],
    }
    complete_dps(data, 0.25)
    assert data["fixed_prices"] == {"worker": [0.5, 0.5], "ps": [0.5]}
    complete_dps(data, 0.5)
    assert data["fixed_prices"] == {"worker": [0.5, 0.5], "ps": [0.5]}


def test_one_server_stays() -> None:
    box = InstanceBox.drawn("dps")
    counts = {len(one["server_workers"]) for one in smaller_dps(box.starts[0])}
    assert counts == {1, 2}
    alone = next(one for one in smaller_dps(box.starts[0]) if len(one["server_workers"]) == 1)
    assert all(len(one["server_workers"]) == 1 for one in smaller_dps(alone))


def test_prices_of_a_grid_are_drawn_for_who_reads_them() -> None:
    plain, gridded = InstanceBox.drawn("dps"), InstanceBox.drawn("dps", algorithm="dps.bfp_grid")
    assert "price_grid[]" not in plain.ranges
    assert gridded.ranges["price_grid[]"].open
    assert 0 < gridded.ranges["price_grid[]"].low < gridded.ranges["price_grid[]"].high <= 1
    one, two, three = gridded.starts[0]["price_grid"]
    assert one < two < three
