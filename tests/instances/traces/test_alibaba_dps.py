"""Pods as users of a market: what comes from the trace, what is drawn, what is refused."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces import import_trace
from farkas.instances.traces.alibaba_dps import AlibabaMarket, Pod, _types, read_nodes
from farkas.instances.traces.importer import Account
from farkas.instances.traces.jobs_gadget import read_network
from farkas.instances.traces.market import RANGES, GpuPrice, MarketWindow, read_prices
from farkas.instances.variates import normal
from farkas.portable_functions import exp, uniform
from tests.instances.traces.made import GRAPHML, NODES, PODS, PRICES, SNDLIB
from tests.tools.shared import shared


def test_pods_become_jobs_on_nodes_with_gpus(folder):
    imported = import_trace("alibaba", folder / "pods.csv", "dps")
    market = imported.instance
    assert imported.dropped == {"without a GPU": 1, "without an end": 1}
    # Types P100, T4 and CPU classes 64, 96; 64/8 = 8 and 96/8 = 12 parameter servers.
    assert market.server_workers == ((2, 0), (0, 4), (0, 8))
    assert market.server_ps == ((8, 0), (0, 12), (0, 12))
    assert market.arrival.tolist() == [0, 1, 4]
    assert market.workers.tolist() == [1, 2, 3]
    assert market.ps.tolist() == [1, 1, 1]
    # 600 s are 2 slots of 300 s, 1 s is 1, 3600 s are 12.
    assert market.colocated_runtime.tolist() == [2.0, 1.0, 12.0]
    assert market.worker_type[[0, 2]].tolist() == [0, 1]


def test_nodes_are_picked_evenly_and_lists_without_gpus_refused(folder):
    two = import_trace("alibaba", folder / "pods.csv", "dps", servers=2).instance
    assert two.server_workers == ((2, 0), (0, 8))
    (folder / "openb_node_list_gpu_node.csv").write_text(NODES.splitlines()[0] + "\n")
    with pytest.raises(InvalidOption, match="no node with a GPU"):
        import_trace("alibaba", folder / "pods.csv", "dps")
    with pytest.raises(FileProblem, match="no such file"):
        import_trace("alibaba", folder / "pods.csv", "dps", nodes=str(folder / "none.csv"))


def test_the_public_pods_make_a_market():
    pods = shared("data", "alibaba", "openb_pod_list_default.csv")
    imported = import_trace("alibaba", pods, "dps", slots=50_000, servers=60, seed=1)
    assert imported.kept > 5000
    assert imported.instance.num_servers == 60
    assert imported.kept + imported.dropped.total() == 8152


def test_nodes_have_whole_cores_and_pods_their_models(folder):
    nodes = read_nodes(folder / "openb_node_list_gpu_node.csv")
    assert [(n.cores, n.gpus, n.model) for n in nodes] == [
        (64, 2, "P100"), (96, 4, "T4"), (96, 0, ""), (96, 8, "T4"),
    ]  # fmt: skip
    dropped = Account()
    pods = AlibabaMarket().read(folder / "pods.csv", dropped)
    assert [(p.submitted, p.duration, p.num_gpus, p.models) for p in pods] == [
        (0.0, 600.0, 1, ("P100",)), (300.0, 1.0, 2, ()), (1200.0, 3600.0, 3, ("T4", "V100M16")),
    ]  # fmt: skip
    assert dropped == {"without a GPU": 1, "without an end": 1}


@pytest.mark.parametrize("servers", [None, 3, 4, 99])
def test_no_node_is_taken_twice(folder, servers):
    market = import_trace("alibaba", folder / "pods.csv", "dps", servers=servers).instance
    assert market.server_workers == ((2, 0), (0, 4), (0, 8))


def test_a_pod_that_ends_as_it_begins_is_kept_and_one_that_ends_before_is_not(folder):
    pods = ["x,1,1,1,1000,T4,LS,Running,7,7,0", "y,1,1,1,1000,T4,LS,Running,7,6,0"]
    (folder / "two.csv").write_text(PODS.splitlines()[0] + "\n" + "\n".join(pods) + "\n")
    dropped = Account()
    kept = AlibabaMarket().read(folder / "two.csv", dropped)
    assert [pod.duration for pod in kept] == [0.0]
    assert dropped == {"ends before it comes": 1}


def test_parts_of_a_gpu_count_as_whole_ones_and_are_told(folder):
    shared = ["x,1,1,1,460,,LS,Succeeded,0,9,0", "y,1,1,1,540,,LS,Succeeded,0,9,0"]
    whole = "z,1,1,1,1000,,LS,Succeeded,0,9,0"
    (folder / "some.csv").write_text("\n".join([PODS.splitlines()[0], *shared, whole]))
    account = Account()
    assert [pod.num_gpus for pod in AlibabaMarket().read(folder / "some.csv", account)] == [1, 1, 1]
    assert account.told == {"parts of a GPU": "2 jobs, counted as whole GPUs"}


def test_pods_that_run_at_the_end_of_the_trace_are_told_as_cut_off(folder):
    # the trace ends at 90: b ended then, c was deleted before, e has no GPU
    phases = [("a", 1, "Running", 90), ("b", 1, "Succeeded", 90), ("c", 1, "Running", 80),
              ("d", 1, "Running", 90), ("e", 0, "Running", 90)]  # fmt: skip
    rows = [f"{name},1,1,{gpus},1000,,LS,{phase},5,{end},5" for name, gpus, phase, end in phases]
    header = PODS.splitlines()[0]
    (folder / "some.csv").write_text("\n".join([header, *rows]))
    account = Account()
    AlibabaMarket().read(folder / "some.csv", account)
    told = "2 jobs, still running at the end of the trace, 90 s"
    assert account.told == {"cut off": told}
    # a pod that came later shows that the trace went on
    (folder / "some.csv").write_text("\n".join([header, *rows, "f,1,1,1,1000,,LS,Pending,91,,"]))
    later = Account()
    AlibabaMarket().read(folder / "some.csv", later)
    assert later.told == {}


def test_pods_that_lack_a_cell_are_refused_or_left_out(folder):
    (folder / "some.csv").write_text(PODS.replace("Running,300,301", "Running,,301"))
    with pytest.raises(FileProblem, match="line 3: creation_time is empty; incomplete=leave_out"):
        import_trace("alibaba", folder / "some.csv", "dps")
    found = import_trace("alibaba", folder / "some.csv", "dps", incomplete="leave_out")
    assert found.dropped == {"incomplete": 1, "without a GPU": 1, "without an end": 1}


def test_types_that_a_pod_does_not_name_are_drawn_by_installed_units():
    models, workers = ["A", "B", "C"], np.array([[1, 0, 0], [0, 6, 0], [0, 0, 3]])
    ps = np.array([[5, 0], [0, 2], [0, 1]])
    named = [(), ("B", "C"), ("A", "C"), ("C",), ("Z",)] * 40
    found = _types([Pod(0.0, 1.0, 1, m) for m in named], models, workers, ps,
                   np.random.default_rng(3))  # fmt: skip
    rng = np.random.default_rng(3)

    def drawn(units: dict[int, int]) -> int:
        place, total = rng.random() * sum(units.values()), 0
        for kind, count in units.items():
            total += count
            if place < total:
                return kind
        raise AssertionError

    wanted = []
    for named_models in named:
        able = [k for k in range(3) if models[k] in named_models] or [0, 1, 2]
        wanted.append((drawn({k: (1, 6, 3)[k] for k in able}), drawn({0: 5, 1: 3})))
    assert found == wanted


def test_a_job_keeps_its_gpus_and_its_runtime_and_draws_the_rest_in_order():
    trace = [(3, SimpleNamespace(duration=900.0, num_gpus=9))]
    prices = np.array([0.25, 0.5]), np.array([0.125])
    window = MarketWindow(slot_seconds=300.0, gpus_per_ps=4)
    (job,) = window.jobs_of(trace, [(1, 0)], prices, np.random.default_rng(5))
    rng = np.random.default_rng(5)
    assert job["model_size"] == uniform(rng, 0.1, 2.0)
    assert job["epochs"] == max(1.0, 4000.0 * exp(0.6 * normal(rng, 1)[0]))
    # 9 GPUs at 0.5 and ceil(9 / 4) = 3 servers at 0.125, times the noise drawn last
    assert job["budget"] == (0.5 * 9 + 0.125 * 3) * exp(0.5 * normal(rng, 1)[0])
    assert (job["arrival"], job["worker_type"], job["workers"]) == (3, 1, 9)
    assert (job["ps_type"], job["ps"]) == (0, 3)
    # 900 s are three slots, whatever the number of epochs
    assert job["epoch_compute"] == 3.0 / job["epochs"]


def test_a_job_of_no_length_runs_a_second():
    trace = [(0, SimpleNamespace(duration=0.0, num_gpus=1))]
    unit = np.ones(1), np.ones(1)
    window = MarketWindow(slot_seconds=10.0)
    (job,) = window.jobs_of(trace, [(0, 0)], unit, np.random.default_rng(0))
    assert job["epochs"] * job["epoch_compute"] == 0.1


def test_bandwidths_of_workers_are_drawn_before_those_of_servers():
    fields = MarketWindow(slots=7).shared_fields(np.random.default_rng(1), 2, 3)
    rng = np.random.default_rng(1)
    assert np.array_equal(fields["worker_bandwidth"], uniform(rng, *RANGES.worker_bandwidth, 2))
    assert np.array_equal(fields["ps_bandwidth"], uniform(rng, *RANGES.ps_bandwidth, 3))
    assert (fields["horizon"], fields["slot_seconds"]) == (7, 300.0)


def test_the_price_cap_brings_the_unit_of_money():
    trace = [(3, SimpleNamespace(duration=900.0, num_gpus=9))]
    prices = np.array([0.25]), np.array([0.125])
    plain, dear = MarketWindow(), MarketWindow(price_cap=8.0)
    (one,), (other,) = (
        window.jobs_of(trace, [(0, 0)], prices, np.random.default_rng(5))
        for window in (plain, dear)
    )
    assert other["budget"] == 8.0 * one["budget"]
    caps = [w.shared_fields(np.random.default_rng(1), 1, 1)["price_cap"] for w in (plain, dear)]
    assert caps == [1.0, 8.0]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("8.0,4.0", "8.0,9.0", "prices.csv: line 2: expected GPUs >= 1 and 0 <= reserved"),
        ("g4.big,T4,4", "g4.big,T4,0", "line 2: expected GPUs >= 1"),
        ("east,6.0", "west,6.0", "line 3: g4.big in west stands twice"),
        (",east,", ",,", "line [0-9]: region is empty"),
    ],
)
def test_a_damaged_price_table_is_refused(folder, before, after, message):
    (folder / "prices.csv").write_text(PRICES.replace(before, after, 1))
    with pytest.raises(FileProblem, match=message):
        read_prices(folder / "prices.csv", "g4.big")


def test_no_region_with_both_prices_is_refused(folder):
    (folder / "prices.csv").write_text(PRICES.replace("8.0,4.0", "8.0,").replace("6.0,5.0", ",5.0"))
    with pytest.raises(InvalidOption, match="no region quotes both prices"):
        read_prices(folder / "prices.csv", "g4.big")


def test_prices_are_per_gpu_by_name_of_the_region_that_quotes_both(folder):
    # four GPUs each: east 6 and 5, west 8 and 4 USD per hour; north quotes no reserved price
    assert read_prices(folder / "prices.csv", "g4.big") == [
        GpuPrice("east", 1.5, 1.25),
        GpuPrice("west", 2.0, 1.0),
    ]


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
