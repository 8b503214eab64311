"""What decisions and instances of every kind look like, by hand."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

import farkas
from farkas.errors import InvalidOption, NoAnswer
from farkas.experiments import explanation
from farkas.experiments.pictures import Held, layouts
from farkas.experiments.pictures.coded import loads
from farkas.experiments.pictures.dps import occupancy
from farkas.experiments.pictures.eris import use_of_sites
from farkas.experiments.pictures.gadget import rings
from farkas.experiments.pictures.mlbroker import workers
from farkas.experiments.pictures.outline import (
    Bars,
    DrawnNetwork,
    Outline,
    drawn,
    outlines,
    places_of,
    together,
)
from farkas.instances import library
from farkas.instances.files import own_kinds


def outline(instance):
    return outlines[instance.kind](instance)


@pytest.mark.parametrize("kind", farkas.kinds())
def test_every_shipped_instance_has_an_outline_and_decisions_a_layout(kind):
    assert explanation(layouts[kind], kind)
    assert explanation(outlines[kind], kind)
    for name in farkas.library(kind):
        instance = farkas.load(name)
        made = outline(instance)
        assert all(0 <= start < end <= made.end for start, end in made.spans), name
        for bars in made.bars:
            assert bars.amounts
            assert all(len(each) == len(bars.places) for each in bars.amounts.values())
        if made.spans:
            assert len(made.spans) == len(instance.jobs)
            assert made.spanned


def test_bars_are_mean_times_and_shares() -> None:
    data = library.load("coded/tiny")
    share = [[0.0] * data.workers for _ in data.masters]
    rows = [[0.0] * data.workers for _ in data.masters]
    share[0][1], rows[0][1] = 0.25, 6.0
    rows[0][0] = 5.0  # no share: not computed
    layout = loads(data, [[{"share": share, "loads": rows}]])
    (block,) = layout.sides[0].blocks
    rate, shift = data.rate[0][1], data.shift[0][1]
    assert rate is not None
    assert shift is not None
    assert (block.lane, block.owner, block.start, block.amount) == (1, 0, 0.0, 0.25)
    assert abs(block.end - 6.0 * (shift + 1 / rate)) < 1e-12
    assert layout.end == block.end
    assert (
        layout.sides[0].remarks[0] == f"master 0 needs {data.masters[0].rows} rows: 6 of worker 1"
    )
    assert layout.sides[0].remarks[1].endswith(": none")


def test_a_row_of_coded_takes_its_shift_and_the_mean_of_its_delay():
    computing = farkas.load("coded/demo")
    (bars,) = outline(computing).bars
    for m, master in enumerate(computing.masters):
        for n, mean in enumerate(bars.amounts[master.name]):
            assert mean == pytest.approx(computing.shift[m][n] + 1 / computing.rate[m][n])
    assert computing.time_unit in bars.title


def test_pairs_that_are_forbidden_have_no_bar():
    computing = farkas.load("coded/forbidden_pairs")
    (bars,) = outline(computing).bars
    none = [[mean is None for mean in each] for each in bars.amounts.values()]
    assert none == (~computing.allowed).tolist()
    assert any(any(row) for row in none)


def sale(outcome: str, **changes: Any) -> dict[str, Any]:
    nothing = {"payment": 0.0, "worker_price": None, "ps_price": None, "servers": [],
               "workers": [], "ps": [], "exploring": False}  # fmt: skip
    return {"outcome": outcome, **nothing, **changes}


def test_a_sold_job_holds_its_units_until_its_last_slot_and_pays() -> None:
    market = library.load("dps/tiny")
    run = farkas.run(market, "dps.simple")
    layout = occupancy(market, [run.decisions])
    whole = market.last_held(market.colocated_end)
    spread = market.last_held(market.spread_end)
    served = [(k, d) for k, d in enumerate(run.decisions) if d["servers"]]
    assert served
    assert layout.begin == min(block.start for block in layout.sides[0].blocks)
    for number, decision in served:
        own = [b for b in layout.sides[0].blocks if b.owner == number]
        ends = whole if len(decision["servers"]) == 1 else spread
        assert {b.end for b in own} == {int(ends[number]) + 1}
        assert {b.start for b in own} == {market.jobs[number].arrival}
        job = market.jobs[number]
        assert sum(b.amount for b in own) == job.workers + job.ps
        assert any(f"job {number} pays" in remark for remark in layout.sides[0].remarks) == (
            decision["outcome"] == "sold"
        )


def test_lanes_are_what_somebody_holds_and_remarks_say_who_is_not_served() -> None:
    market = library.load("dps/tiny")
    others = [sale("declined", worker_price=9.0, ps_price=9.0)] * (market.num_jobs - 1)
    layout = occupancy(market, [[sale("full"), *others]])
    assert layout.lanes == []
    assert layout.begin == 0 < layout.end
    assert layout.sides[0].remarks[1] == "job 0: turned away"
    assert "declined the price" in layout.sides[0].remarks[0]


def test_a_job_of_dps_runs_as_long_as_where_it_runs_best():
    market = farkas.load("dps/demo")
    shown = outline(market)
    for number, (start, end) in enumerate(shown.spans):
        assert start == market.jobs[number].arrival
        slots = range(market.horizon)
        held = [t for t in slots if start <= t <= market.last_held(market.least_end)[number]]
        assert end == (held[-1] + 1 if held else start + 1)
    (bars,) = shown.bars
    assert bars.amounts["workers of type 1"] == [row[1] for row in market.server_workers]
    assert bars.amounts["parameter servers of type 0"] == [row[0] for row in market.server_ps]


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


def test_a_job_of_eris_is_worth_something_as_long_as_its_utility_says():
    auction = farkas.load("eris/demo")
    shown = outline(auction)
    for (start, end), job in zip(shown.spans, auction.jobs, strict=True):
        assert start == job.arrival
        assert end == min(auction.slots, job.arrival + len(job.utility))
    (bars,) = shown.bars
    for k, name in enumerate(auction.resource_names):
        assert bars.amounts[name] == [row[k] for row in auction.site_capacity]


def test_rings_hold_servers_and_links() -> None:
    cluster = library.load("gadget/tiny")
    hosts = [k for k, node in enumerate(cluster.nodes) if node.server]
    empty: list[list[object]] = [[] for _ in range(cluster.horizon)]
    ring = {"job": 0, "workers": [[hosts[0], 2]], "links": [[0, 3]]}
    layout = rings(cluster, [[[ring], *empty[1:]], empty])
    server, link = sorted(layout.sides[0].blocks, key=lambda block: block.lane)
    assert (server.lane, server.owner, server.start, server.end, server.amount) == (0, 0, 0, 1, 2)
    assert link.lane == len(hosts)
    assert link.amount == 3 * cluster.jobs[0].bandwidth
    assert layout.lanes[link.lane].startswith("link ")
    room = cluster.real_links[0].bandwidth
    assert layout.tops[link.lane] == max(room or 0.0, link.amount)
    assert layout.tops[0] == 2
    assert len(layout.lanes) == len(hosts) + 1, "links that no ring uses are left out"
    everybody = ", ".join(map(str, range(cluster.num_jobs)))
    assert layout.sides[1].remarks == [f"jobs {everybody}: never runs"] or cluster.num_jobs == 1


def test_a_cluster_of_gadget_shows_its_links_and_what_is_limited():
    cluster = farkas.load("gadget/demo")
    shown = outline(cluster)
    assert set(shown.network.links) == {(link.source, link.target) for link in cluster.links}
    for link in cluster.links:
        bandwidth = math.inf if link.bandwidth is None else link.bandwidth
        assert shown.network.links[link.source, link.target] == bandwidth
    (bars,) = shown.bars
    assert list(bars.amounts) == ["gpu"]  # nothing limits iterations
    assert [start for start, _ in shown.spans] == [job.arrival for job in cluster.jobs]


def test_what_is_limited_somewhere_is_shown_and_no_limit_is_no_zero():
    cluster = farkas.load("gadget/demo")
    link, *links = cluster.links
    place = next(k for k, node in enumerate(cluster.nodes) if node.server)
    nodes = list(cluster.nodes)
    nodes[place] = replace(nodes[place], capacity=(None, None))
    shown = outline(cluster.replace(links=[replace(link, bandwidth=None), *links], nodes=nodes))
    assert shown.network.links[link.source, link.target] == math.inf
    (bars,) = shown.bars
    assert list(bars.amounts) == ["gpu"]
    servers = [node for node in nodes if node.server]
    assert bars.amounts["gpu"] == [node.capacity[0] for node in servers]
    assert bars.amounts["gpu"].count(None) == 1


@pytest.mark.parametrize("name", ["mlbroker.local", "mlbroker.fractional"])
def test_blocks_are_the_workers_of_the_run(name: str) -> None:
    broker = library.load("mlbroker/tiny")
    run = farkas.run(broker, name)
    layout = workers(broker, [run.decisions])
    found = {(b.start, b.owner, b.lane): b.amount for b in layout.sides[0].blocks}
    wanted = {
        (slot, job, site): float(amount)
        for slot, decision in enumerate(run.decisions)
        for job, row in zip(decision["jobs"], decision["workers"], strict=True)
        for site, amount in enumerate(row)
        if amount > 0
    }
    assert found == wanted
    assert wanted
    most = max(
        sum(amount for (t, _, r), amount in found.items() if (t, r) == (slot, site))
        for slot, _, site in found
    )
    assert layout.tops == pytest.approx([most] * broker.num_sites)


def test_a_job_of_mlbroker_is_there_in_its_last_slot():
    market = farkas.load("mlbroker/tiny")
    shown = outline(market)
    for (start, end), job in zip(shown.spans, market.jobs, strict=True):
        assert (start, end) == (job.arrival, job.departure + 1)
        assert end - start == len(job.data)
    (bars,) = shown.bars
    assert bars.amounts["resource 0"] == [row[0] for row in market.base_price]


@pytest.mark.slow
@pytest.mark.parametrize("kind", farkas.kinds())
def test_instances_of_every_kind_are_drawn_the_same_twice(kind, tmp_path):
    instance = farkas.load(f"{kind}/demo")
    picture = instance.plot()
    assert picture._repr_svg_() == farkas.plot(f"{kind}/demo")._repr_svg_()
    assert repr(picture) == f"<picture: {kind} instance demo; save(PATH) writes it>"
    picture.save(tmp_path / "one.svg")
    assert (tmp_path / "one.svg").read_text() == picture._repr_svg_()
    assert picture.rows() == []
    with pytest.raises(InvalidOption, match="ends in"):
        picture.save(tmp_path / "one.txt")


@pytest.mark.slow
def test_a_published_cluster_is_drawn_without_a_warning():
    farkas.generate("gadget", "published", seed=1).plot()._repr_svg_()
    farkas.generate("dps", "published", seed=1, num_jobs=50).plot()._repr_svg_()


def test_a_tree_has_its_leaves_side_by_side_and_others_above_their_own():
    joined = [(0, 4), (1, 4), (2, 5), (3, 5), (4, 6), (5, 6)]
    network = DrawnNetwork(list("abcdefg"), [True] * 4 + [False] * 3, dict.fromkeys(joined, 1.0))
    places = places_of(network)
    assert [y for _, y in places] == [-2, -2, -2, -2, -1, -1, 0]
    assert sorted(x for x, _ in places[:4]) == [0, 1, 2, 3]
    for child, parent in joined:
        assert places[child][1] == places[parent][1] - 1
    assert places[4][0] == (places[0][0] + places[1][0]) / 2


@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_what_is_no_tree_stands_on_a_circle(count):
    pairs = dict.fromkeys(itertools.combinations(range(count), 2), math.inf)
    places = places_of(DrawnNetwork(["x"] * count, [True] * count, pairs if count > 2 else {}))
    assert len(set(places)) == count
    assert all(math.hypot(*place) == pytest.approx(1) for place in places)


def test_two_trees_are_no_tree():
    """As many links as a tree has, but in two pieces, one of them a ring."""
    links = dict.fromkeys([(0, 1), (1, 2), (2, 0)], 1.0)
    places = places_of(DrawnNetwork(list("abcd"), [True] * 4, links))
    assert all(math.hypot(*place) == pytest.approx(1) for place in places)


def test_units_that_differ_are_shares_of_the_largest_and_say_so():
    near = Bars("capacity", ["a", "b"], {"gpu": [1.0, 2.0], "cpu": [8.0, 4.0]})
    far = Bars("capacity", ["a", "b"], {"gpu": [1.0, 2.0], "memory": [8e9, 4e9]})
    heights = {}
    for name, bars in (("near", near), ("far", far)):
        (axes,) = drawn("t", Outline(bars=[bars])).axes
        heights[name] = [patch.get_height() for patch in axes.patches]
        words = [text.get_text() for text in axes.get_legend().get_texts()]
        assert ("memory (1 is 8e+09)" in words) == (name == "far")
        assert ("share of the largest" in axes.get_title(loc="left")) == (name == "far")
    assert heights == {"near": [1, 2, 8, 4], "far": [0.5, 1, 1, 0.5]}


def test_a_kind_without_an_outline_has_no_picture(monkeypatch):
    monkeypatch.setattr(type(outlines), "get", lambda self, name: None)
    with pytest.raises(NoAnswer, match="no picture"):
        farkas.load("dps/tiny").plot()


@pytest.mark.parametrize(("top", "alike"), [(20.0, True), (20.5, False)])
def test_bars_up_to_twenty_times_as_high_share_an_axis(top, alike):
    bars = Bars("capacity", ["a", "b"], {"gpu": [1.0, 0.5], "cpu": [top, 3.0]})
    (axes,) = drawn("t", Outline(bars=[bars])).axes
    assert ("share of the largest" not in axes.get_title(loc="left")) == alike


@pytest.mark.parametrize("series", [1, 2, 3])
def test_bars_stand_side_by_side_around_their_place(series):
    amounts = {f"r{k}": [1.0, None, 2.0] for k in range(series)}
    (axes,) = drawn("t", Outline(bars=[Bars("capacity", ["a", "b", "c"], amounts)])).axes
    drawn_bars = [patch for patch in axes.patches if patch.get_height() > 0]
    spans = sorted((patch.get_x(), patch.get_x() + patch.get_width()) for patch in drawn_bars)
    assert len(spans) == 2 * series
    for place, mine in ((0, spans[:series]), (2, spans[series:])):
        assert mine[0][0] + mine[-1][1] == pytest.approx(2 * place), "around their place"
        assert 0.7 < mine[-1][1] - mine[0][0] < 0.8
        assert all(end < begin for (_, end), (begin, _) in itertools.pairwise(mine))


@pytest.mark.ids(1)
@pytest.mark.parametrize("kind", own_kinds())
def test_names_may_hold_dollars_and_long_ones_are_wrapped(kind, tmp_path):
    name = r"cost $\frac{ & $x_1$ 100$ " + "and so on " * 16
    named = msgspec.structs.replace(farkas.load(f"{kind}/tiny"), name=name[:190])
    farkas.plot(named).save(tmp_path / "instance.svg")
    text = (tmp_path / "instance.svg").read_text()
    assert "$x_1$" in text
    assert name[:190] not in text


def test_jobs_are_counted_slot_by_slot():
    rng = random.Random(1)
    for _ in range(50):
        end = rng.randint(1, 9)
        spans = []
        for _ in range(rng.randint(0, 8)):
            start = rng.randrange(end)
            spans.append((float(start), float(rng.randint(start + 1, end))))
        by_hand = [sum(start <= slot < stop for start, stop in spans) for slot in range(end)]
        assert together(spans, float(end)) == by_hand


def test_jobs_that_last_beyond_the_end_are_there_until_then():
    assert together([(0.0, 5.0), (1.0, 9.0)], 3.0) == [1, 2, 2]
