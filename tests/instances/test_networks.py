"""Public networks and clusters made of them."""

from __future__ import annotations

import pytest

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces import import_trace
from farkas.instances.traces.networks import read_network
from tests.tools.shared import shared

GRAPHML = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d1" />
  <key attr.name="label" attr.type="string" for="node" id="d2" />
  <graph edgedefault="undirected">
    <node id="5"><data key="d2">Rome</data></node>
    <node id="7"><data key="d2">Rome</data></node>
    <node id="9" />
    <edge source="5" target="7"><data key="d1">2500000000.0</data></edge>
    <edge source="7" target="9" />
    <edge source="7" target="9" />
  </graph>
</graphml>
"""
SNDLIB = """?SNDlib native format; type: network; version: 1.0
# network small
NODES (
  A ( 1.0 2.0 )
  B ( 1.0 2.0 )
  C ( 1.0 2.0 )
)
LINKS (
  L1 ( A B ) 9920.00 0.00 0.00 0.00 ( 40000.00 133.00 )
  L2 ( B C ) 0.00 0.00 0.00 156.00 ( 155.00 156.00 622.00 468.00 )
  L3 ( A C ) 0.00 0.00 0.00 0.00 ( )
)
"""
PHILLY = """timestamp,duration,num_gpus,gpu_time,cluster
2017-10-09 08:00:00,5400.0,4,21600.0,alpha
2017-10-09 10:30:00,60.0,16,960.0,beta
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "net.graphml").write_text(GRAPHML)
    (tmp_path / "net.txt").write_text(SNDLIB)
    (tmp_path / "philly.csv").write_text(PHILLY)
    return tmp_path


def test_topology_zoo_keeps_parallel_edges_and_stated_speeds(folder):
    network = read_network(folder / "net.graphml")
    assert network.nodes == ("Rome", "Rome7", "9")
    assert network.cables == ((0, 1, 2.5), (1, 2, None), (1, 2, None))


def test_sndlib_takes_the_installed_capacity_else_the_smallest_module(folder):
    network = read_network(folder / "net.txt")
    assert network.nodes == ("A", "B", "C")
    assert network.cables == ((0, 1, 9.92), (1, 2, 0.155), (0, 2, None))
    assert read_network(folder / "net.txt", unit=1.0).cables[1][2] == 155.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "neither GraphML nor SNDlib"),
        ("<graphml><node", "is no XML"),
        ("<!DOCTYPE a><graphml/>", "document type"),
        ("<graphml><graph><node id='1'/><edge source='1' target='2'/></graph></graphml>", "'2'"),
        ("<graphml><graph/></graphml>", "holds no node"),
        ("?SNDlib native format\nNODES (\n A ( 1 2 )\n)\n", "no section LINKS"),
        (SNDLIB.replace("( A B )", "( A Z )"), "unknown node 'Z'"),
        (SNDLIB.replace("9920.00", "much"), "'much' is no number"),
    ],
)
def test_a_file_that_is_no_network_is_refused(tmp_path, text, words):
    path = tmp_path / "bad"
    path.write_text(text)
    with pytest.raises(FileProblem, match=words):
        read_network(path)


@pytest.mark.parametrize("name", ["net.graphml", "net.txt", ""])
def test_philly_jobs_run_on_any_network(folder, name):
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


def test_an_unknown_option_names_the_nearest(folder):
    with pytest.raises(InvalidOption, match="network"):
        import_trace("philly", folder / "philly.csv", "gadget", netwrok="x")


def test_every_public_network_is_read():
    files = [*shared("data/topologyzoo").glob("*.graphml"), *shared("data/sndlib").glob("*.txt")]
    for path in files:
        network = read_network(path)
        assert len(network.nodes) > 5
        assert len(network.cables) >= len(network.nodes) - 1
