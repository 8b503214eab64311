"""Auctions mended and made smaller."""

from __future__ import annotations

from farkas.adversary.kinds import mend_eris, smaller_eris
from farkas.adversary.shape import InstanceBox, plain_of
from farkas.instances import library
from farkas.instances.files import kind_class


def test_worths_fall_and_reach_to_the_last_slot() -> None:
    data = plain_of(library.load("eris/tiny"))
    slots, job = data["slots"], data["jobs"][-1]
    job["arrival"], job["utility"] = 0, [1.0, 3.0]
    mend_eris(data)
    assert job is data["jobs"][0] or data["jobs"][0]["arrival"] == 0
    assert job["utility"] == [3.0, 1.0, *[1.0] * (slots - 2)][:slots]
    kind_class("eris").build(**data)


def test_sites_and_resources_go_from_all_lists() -> None:
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
