"""Markets mended and made smaller."""

from __future__ import annotations

import pytest

from farkas.adversary.kinds import (
    complete_dps,
    implied_coded,
    mend_coded,
    mend_dps,
    mend_eris,
    mend_mlbroker,
    smaller_coded,
    smaller_dps,
    smaller_eris,
    smaller_gadget,
    smaller_mlbroker,
)
from farkas.adversary.shape import InstanceBox, plain_of
from farkas.instances import library
from farkas.instances.files import kind_class


def test_windows_data_and_prices_are_mended() -> None:
    job = {"arrival": 2, "departure": 1, "data": [[1.0], [2.0]]}
    late = {"arrival": 1, "departure": 9, "data": [[3.0]]}
    data = {
        "num_slots": 4, "jobs": [job, late], "transfer_price": [[7.0, 1.0], [2.0, 8.0]],
        "base_price": [[1.0, 2.0]], "discount_price": [[3.0, None]],
    }  # fmt: skip
    mend_mlbroker(data)
    assert job == {"arrival": 2, "departure": 2, "data": [[1.0]]}
    assert late == {"arrival": 1, "departure": 3, "data": [[3.0], [3.0], [3.0]]}
    assert data["transfer_price"] == [[0.0, 1.0], [2.0, 0.0]]
    assert data["discount_price"] == [[1.0, None]]
    data["discount_price"] = None
    mend_mlbroker(data)


def test_sites_and_resources_go_from_all_lists() -> None:
    box = InstanceBox.drawn("mlbroker")
    found = [one for one in map(box.built, smaller_mlbroker(box.starts[0])) if one is not None]
    assert {2, 3} == {one.num_sites for one in found}  # type: ignore[attr-defined]
    assert {1, 2} == {one.num_resources for one in found}  # type: ignore[attr-defined]
    assert {2, 3} == {one.num_jobs for one in found}  # type: ignore[attr-defined]


def test_pairs_go_with_their_master_or_worker() -> None:
    data = {
        "masters": ["a", "b"], "workers": 3, "rate": [[1, 2, 0], [3, 4, 0]],
        "shift": [[5, 6, 0], [7, 8, 0]],
    }  # fmt: skip
    one, two, three, four, _ = smaller_coded(data)
    assert (one["rate"], two["rate"]) == ([[3, 4, 0]], [[1, 2, 0]])
    assert (three["rate"], four["rate"]) == ([[2, 0], [4, 0]], [[1, 0], [3, 0]])
    assert (one["shift"], three["shift"]) == ([[7, 8, 0]], [[6, 0], [8, 0]])
    assert (one["workers"], three["workers"]) == (3, 2)
    assert [less["workers"] for less in smaller_coded(three)] == [2, 2]  # a master each, no worker


def test_what_was_to_be_evaluated_goes_first() -> None:
    data = {"masters": ["a"], "workers": 1, "plans": [1], "sca_point": None}
    assert list(smaller_coded(data)) == [data | {"plans": None}]


def test_shifts_follow_rates() -> None:
    assert implied_coded({"rate[][]": (2.0, 8.0)}) == {"shift[][]": (0.125, 0.5)}
    assert implied_coded({"shift[][]": (2.0, 8.0)}) == implied_coded({"rate[][]": (0.0, 8.0)}) == {}
    box = InstanceBox.drawn("coded", ranges={"rate": (2, 8)})
    assert (box.ranges["shift[][]"].low, box.ranges["shift[][]"].high) == (0.125, 0.5)
    box = InstanceBox.drawn("coded", ranges={"rate": (2, 8), "shift": (1, 3)})
    assert (box.ranges["shift[][]"].low, box.ranges["shift[][]"].high) == (1, 3)
    for start in box.starts:
        for row in start["shift"]:
            assert row == pytest.approx([1.0] * len(row))


def test_a_pair_without_rate_has_no_shift() -> None:
    data = {"rate": [[0.0, 4.0], [None, 2.0]], "shift": [[1.0, 5.0], [3.0, 7.0]]}
    mend_coded(data)
    assert data == {"rate": [[None, 4.0], [None, 2.0]], "shift": [[None, 5.0], [None, 7.0]]}


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


def test_links_follow_the_nodes_that_they_name() -> None:
    data = {
        "horizon": 1,
        "jobs": [],
        "nodes": ["a", "b", "c"],
        "links": [{"from": 0, "to": 2, "bandwidth": 1.0}, {"from": 1, "to": 2, "bandwidth": 2.0}],
    }
    found = list(smaller_gadget(data))
    first, second, third, *links = found
    assert first["nodes"] == ["b", "c"]
    assert first["links"] == [{"from": 0, "to": 1, "bandwidth": 2.0}]
    assert second["links"] == [{"from": 0, "to": 1, "bandwidth": 1.0}]
    assert third["links"] == []
    assert [len(one["links"]) for one in links] == [1, 1]


def test_worths_fall_and_reach_to_the_last_slot() -> None:
    data = plain_of(library.load("eris/tiny"))
    slots, job = data["slots"], data["jobs"][-1]
    job["arrival"], job["utility"] = 0, [1.0, 3.0]
    mend_eris(data)
    assert job is data["jobs"][0] or data["jobs"][0]["arrival"] == 0
    assert job["utility"] == [3.0, 1.0, *[1.0] * (slots - 2)][:slots]
    kind_class("eris").build(**data)


def test_sites_and_resources_of_auctions_go_from_all_lists() -> None:
    box = InstanceBox.drawn("eris", size={"sites": 2})
    data = box.starts[0]
    found = [one for one in map(box.built, smaller_eris(data)) if one is not None]
    assert {1, 2} == {one.sites for one in found}  # type: ignore[attr-defined]
    assert {2, 3} == {one.num_resources for one in found}  # type: ignore[attr-defined]
    last = [one for one in found if one.sites == 1]  # type: ignore[attr-defined]
    assert [one.jobs[0].data for one in last] == [  # type: ignore[attr-defined]
        (data["jobs"][0]["data"][1],), (data["jobs"][0]["data"][0],),
    ]  # fmt: skip


def test_auctions_that_begin_occupied_lose_that_and_its_entries_with_sites() -> None:
    data = plain_of(library.load("eris/not_truthful"))
    found = list(smaller_eris(data))
    assert [one["occupied"] for one in found].count(None) == 1
    fewer = [one for one in found if one["sites"] == data["sites"] - 1]
    assert len(fewer) == data["sites"]
    for one in fewer:
        assert len(one["occupied"]["resources"]) == one["sites"]
        kind_class("eris").build(**one)
