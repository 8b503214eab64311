"""Clusters made smaller."""

from __future__ import annotations

from farkas.adversary.kinds import smaller_gadget


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
