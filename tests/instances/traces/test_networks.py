"""Public network files: Topology Zoo and SNDlib."""

from __future__ import annotations

import pytest

from farkas.errors import FileProblem
from farkas.instances.traces.jobs_gadget import read_network
from tests.instances.traces.made import GRAPHML, SNDLIB
from tests.tools.shared import shared


def test_topology_zoo_keeps_parallel_edges_and_stated_speeds(folder):
    network = read_network(folder / "net.graphml")
    assert network.nodes == ("Rome", "Rome7", "9")
    assert network.cables == ((0, 1, 2.5), (1, 2, None), (1, 2, None))


def test_sndlib_takes_the_installed_capacity_else_the_smallest_module(tmp_path):
    net = tmp_path / "net.txt"
    net.write_text(SNDLIB)
    network = read_network(net)
    assert network.nodes == ("A", "B", "C")
    assert network.cables == ((0, 1, 9.92), (1, 2, 0.155), (0, 2, None))
    assert read_network(net, unit=1.0).cables[1][2] == 155.0


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
        (
            SNDLIB.replace("( A B )", "( A Z )").replace("L1 (", "L1:accepted. ("),
            'bad: link "L1:accepted." ends at',
        ),
        (SNDLIB.replace("9920.00", "-1"), "'-1' is no capacity"),
        (SNDLIB.replace("L3 ( A C )", "L3 A C"), "cannot read the link"),
        (GRAPHML.replace('id="7"', 'id="5"'), "node '5' stands twice"),
    ],
)
def test_a_file_that_is_no_network_is_refused(tmp_path, text, words):
    path = tmp_path / "bad"
    path.write_text(text)
    with pytest.raises(FileProblem, match=words):
        read_network(path)


def test_every_public_network_is_read():
    files = [*shared("data/topologyzoo").glob("*.graphml"), *shared("data/sndlib").glob("*.txt")]
    for path in files:
        network = read_network(path)
        assert len(network.nodes) > 5
        assert len(network.cables) >= len(network.nodes) - 1


def test_a_unit_that_the_file_states_wins(tmp_path):
    path = tmp_path / "net.txt"
    path.write_text(SNDLIB.replace("NODES", "META (\n  unit = MBITPERSEC\n)\nNODES", 1))
    assert read_network(path, unit=1.0).cables[0][2] == 9.92


def test_the_name_of_a_file_cannot_pass_for_words(tmp_path):
    path = tmp_path / "x: proved"
    path.write_text("neither")
    with pytest.raises(FileProblem, match=r'^"/.*/x: proved": is neither'):
        read_network(path)
