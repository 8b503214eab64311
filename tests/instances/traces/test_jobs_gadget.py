"""Philly jobs on a cluster: a public network or a drawn tree."""

from __future__ import annotations

import pytest

from farkas.errors import FileProblem
from farkas.instances.traces import import_trace
from farkas.instances.traces.csv_jobs import PhillyCluster
from tests.instances.traces.made import SNDLIB

PHILLY = """timestamp,duration,num_gpus,gpu_time,cluster
2017-10-09 08:00:00,5400.0,4,21600.0,alpha
2017-10-09 10:30:00,60.0,16,960.0,beta
"""


@pytest.mark.parametrize("name", ["net.graphml", "net.txt", ""])
def test_philly_jobs_run_on_any_network(folder, name):
    (folder / "net.txt").write_text(SNDLIB)
    (folder / "philly.csv").write_text(PHILLY)
    options = {"network": str(folder / name)} if name else {"servers": 4}
    imported = import_trace("philly", folder / "philly.csv", "gadget", 3, slots=4, **options)
    cluster = imported.instance
    assert imported.kept == 2
    # 1.5 slots of 4 GPUs, and less than a slot of 16: rings of at most 8
    assert cluster.most_slots.tolist() == [6, 16]
    assert cluster.max_workers.tolist() == [4, 8]
    assert cluster.arrival.tolist() == [0, 2]
    again = import_trace("philly", folder / "philly.csv", "gadget", 3, slots=4, **options)
    assert again.instance == cluster


def test_servers_take_their_gpus_from_a_node_list(folder):
    (folder / "nodes.csv").write_text("sn,gpu\na,3\nb,3\n")
    imported = import_trace(
        "philly", folder / "philly.csv", "gadget", node_list=str(folder / "nodes.csv"), servers=2
    )
    servers = imported.instance.capacity[imported.instance.is_server]
    assert servers.tolist() == [[3.0], [3.0]]


def test_links_of_a_public_network_go_both_ways_and_are_scaled(folder):
    options = {"network": str(folder / "net.graphml"), "link_scale": 2.0}
    cluster = import_trace("philly", folder / "philly.csv", "gadget", 1, **options).instance
    ends = [(k.source, k.target) for k in cluster.links]
    # one cable of 2.5 Gbps from Rome to Rome7, and two without a speed from Rome7 to 9
    assert ends == [(0, 1), (1, 0), (1, 2), (2, 1), (1, 2), (2, 1)]
    widths = [k.bandwidth for k in cluster.links]
    assert widths[:2] == [5.0, 5.0]
    assert widths[2] == widths[3]
    assert all(2 * 10 <= width <= 2 * 100 for width in widths[2:])
    assert cluster.is_server.all()


def test_a_node_list_without_nodes_is_refused(folder):
    (folder / "nodes.csv").write_text("sn,gpu\n")
    with pytest.raises(FileProblem, match=r"nodes\.csv: lists no node"):
        import_trace("philly", folder / "philly.csv", "gadget", node_list=str(folder / "nodes.csv"))


@pytest.mark.parametrize("count", ["1.5", "-1", "1e-300"])
def test_a_node_has_a_whole_number_of_gpus(folder, count):
    (folder / "nodes.csv").write_text(f"sn,gpu\na,2\nb,{count}\n")
    with pytest.raises(FileProblem, match=f"gpu = '{count}'; expected an integer >= 0"):
        import_trace("philly", folder / "philly.csv", "gadget", node_list=str(folder / "nodes.csv"))


def test_the_description_names_files_without_their_folder(folder):
    options = PhillyCluster(network=str(folder / "net.graphml"))
    told = options.run("gadget", folder / "philly.csv", 0).instance.description
    assert '"network":"net.graphml"' in told
    assert "Philly trace on a topology zoo network net.graphml" in told
    assert str(folder) not in told


def test_fixed_rings_are_drawn_from_the_published_range_ends_included(folder):
    line = "2017-10-09 08:00:00,60.0,1,60.0,alpha\n"
    (folder / "philly.csv").write_text(PHILLY.splitlines(keepends=True)[0] + line * 300)
    cluster = import_trace("philly", folder / "philly.csv", "gadget").instance
    assert set(cluster.fixed_workers.tolist()) == set(range(1, 11))
