"""Slots by cases: the best rings, and bounds that certificates prove, against brute force."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.gadget_slot_tree import SlotBox, SlotTree, certify_slot_tree
from farkas.instances.generate import generate
from farkas.models.gadget.column import ColumnLP, Columns
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget import slot_tree
from farkas.online.gadget.columns import best_slot_certificate, by_cases, slot_certificate, worth
from farkas.online.gadget.slot_tree import (
    SlotSearch,
    branch_of,
    dive,
    repaired,
    settled,
    still_fits,
    whole_mix,
    without,
)
from farkas.relaxations.gadget.generation import Generated, generate_columns, no_prices
from farkas.relaxations.gadget.ring_pricing import LabelBudget
from farkas.solvers import solve
from tests.generators.gadget import any_networks, job, small, star, table
from tests.tools.rings import schedule_broken


def halves(jobs=2):
    """Jobs that earn 10 with two workers and nothing with one, on three servers of one GPU."""
    two = {"max_workers": 2, **table(0, 0, 10)}
    return small([1, 1, 1], [(0, 1, 9), (1, 2, 9), (2, 0, 9)], *[two] * jobs)


def searched(cluster, gap=1e-5, known=None):
    slot = snapshot(cluster)
    rings = Rings.none(cluster) if known is None else known
    return slot, by_cases(slot, rings, gap, generate_columns(slot).prices)


@pytest.mark.slow
def test_cases_end_at_the_best_rings_and_prove_it_on_every_shape_of_network():
    better = 0
    for cluster in any_networks(25, 77):
        slot, found = searched(cluster)
        best = FeasibleCounts.of(cluster).best(0, np.zeros(cluster.num_jobs))[0]
        value = worth(slot, found.rings)
        assert value == pytest.approx(best, rel=1e-9)
        assert schedule_broken(cluster, [found.rings]) == []
        assert best * (1 - 1e-9) <= found.bound <= best * (1 + 2e-5) + 1e-9
        none = np.zeros(cluster.num_jobs, int)
        made = certify_slot_tree(cluster, 0, none, found.level, *found.written())
        proved = check(made, instance=cluster).bound
        assert Fraction(best) * (1 - Fraction(1, 10**9)) <= proved
        assert proved <= Fraction(found.bound) * (1 + Fraction(1, 10**5)) + Fraction(1, 10**9)
        if len(slot.jobs):
            relaxed = solve(ColumnLP().form(cluster)).require_optimal().objective
            better += proved < Fraction(relaxed) * Fraction(999, 1000)
    assert better > 1


def test_where_no_case_is_split_the_bound_is_that_of_the_relaxation(monkeypatch):
    slot, found = searched(halves())
    assert worth(slot, found.rings) == 10
    assert found.bound == pytest.approx(10, rel=1e-4)
    assert found.root.parts is not None
    monkeypatch.setattr(slot_tree, "MOST_BOXES", 1)
    slot, found = searched(halves())
    assert found.bound == pytest.approx(15, rel=1e-4)
    made = certify_slot_tree(slot.cluster, 0, [0, 0], found.level, *found.written())
    assert Fraction(made.bound) == pytest.approx(15, rel=1e-4)


def test_a_wide_gap_closes_the_first_case():
    known = searched(halves())[1].rings
    assert len(known) == 1
    slot, found = searched(halves(), gap=0.51, known=known)
    assert found.root.parts is None
    assert found.level == found.bound == pytest.approx(15.1, rel=1e-5)
    assert worth(slot, found.rings) == 10


def test_rings_are_never_worse_than_those_that_are_known():
    cluster = halves()
    known = searched(cluster)[1].rings

    def nothing(relaxed, thorough):
        return Rings.none(cluster)

    slot = snapshot(cluster)
    search = SlotSearch(slot, known, 1e-5, nothing, LabelBudget())
    found = search.run(generate_columns(slot).prices)
    assert worth(slot, found.rings) == 10
    assert found.bound == pytest.approx(10, rel=1e-4)


def test_a_search_ends_with_its_labels_after_its_first_case():
    cluster = halves(5)
    slot, asked = snapshot(cluster), []

    def note(relaxed, thorough):
        asked.append(thorough)
        return Rings.none(cluster)

    labels = LabelBudget(1)
    found = SlotSearch(slot, Rings.none(cluster), 1e-5, note, labels).run(
        generate_columns(slot).prices
    )
    assert (len(asked), labels.left) == (1, 0)
    best = searched(cluster)[1]
    assert worth(slot, best.rings) <= best.bound <= found.bound < np.inf


def test_some_cases_are_searched_for_whole_rings_with_more_effort(monkeypatch):
    cluster = halves(5)
    slot, asked = snapshot(cluster), []

    def note(relaxed, thorough):
        asked.append(thorough)
        return Rings.none(cluster)

    monkeypatch.setattr(slot_tree, "THOROUGH", 2)
    SlotSearch(slot, Rings.none(cluster), 1e-5, note, LabelBudget()).run(
        generate_columns(slot).prices
    )
    assert len(asked) > 4
    assert asked == [at % 2 == 0 for at in range(len(asked))]


@pytest.mark.slow
def test_slots_are_proved_by_cases_where_prices_are_further_above_than_the_gap():
    cases = 0
    for cluster in any_networks(25, 77):
        none = np.zeros(cluster.num_jobs, int)
        best = Fraction(FeasibleCounts.of(cluster).best(0, none)[0])
        made, plain = best_slot_certificate(cluster, 0, none), slot_certificate(cluster, 0, none)
        assert best * (1 - Fraction(1, 10**9)) <= Fraction(made.bound) <= Fraction(plain.bound)
        assert Fraction(made.bound) <= best * Fraction(10011, 10000) + Fraction(1, 10**9)
        cases += isinstance(made, SlotTree)
        if Fraction(plain.bound) <= best * Fraction(10009, 10000):
            assert made == plain
    assert cases > 0


def pair():
    """Servers of 3 and 2 GPUs behind links of 7, two jobs of up to four workers."""
    return star(3, 2, bandwidth=7, jobs=[job(max_workers=4), job(max_workers=4)])


def test_limits_are_those_that_can_fill_up():
    columns = generate_columns(snapshot(pair())).columns
    mix = whole_mix(columns)
    # servers, not the hub, then every link
    assert mix.room.tolist() == [3, 2, 7, 7, 7, 7]
    assert mix.load[:, :2].sum(axis=1).tolist() == columns.rings.size.tolist()


def test_rings_in_place_leave_less_room_and_no_job():
    slot = snapshot(pair())
    workers, flow = np.array([[2, 1, 0]]), np.array([[1, 1, 1, 1]])
    left = without(slot, Rings(np.array([0]), np.array([3]), workers, flow))
    assert left.jobs.tolist() == [1]
    assert left.cluster.capacity[:2, 0].tolist() == [1, 1]
    assert left.cluster.link_bandwidth.tolist() == [6, 6, 6, 6]
    assert left.cap.tolist() == [[1, 1, 0]]
    both = Rings(np.array([0, 1]), np.array([3, 3]), workers.repeat(2, 0), flow.repeat(2, 0))
    assert still_fits(left, both).tolist() == [False, False]  # gone, and two do not fit
    single = Rings(np.array([1]), np.array([2]), np.array([[1, 1, 0]]), flow)
    assert still_fits(left, single).tolist() == [True]
    wide = Rings(np.array([1]), np.array([2]), np.array([[1, 1, 0]]), 7 * flow)
    assert still_fits(left, wide).tolist() == [False]


def test_what_is_unlimited_stays_unlimited():
    slot = snapshot(small([None, 1], [(0, 1, None)]))
    left = without(slot, Rings(slot.jobs, np.array([2]), np.array([[1, 1]]), np.array([[1, 1]])))
    assert left.cluster.capacity[:, 0].tolist() == [np.inf, 0]
    assert np.isinf(left.cluster.link_bandwidth).all()


def test_whole_rings_are_settled_and_some_of_the_others():
    cluster = star(9, jobs=[job(), job(), job(), job()])
    slot = snapshot(cluster)
    alone = np.array([[1, 0]]).repeat(4, 0)
    rings = Rings(np.arange(4), np.ones(4, int), alone, np.zeros((4, 2), int))
    generated = Generated(
        Columns(slot, rings), np.array([0.5, 1.0, 0.6, 0.0]), 0.0, 0.0, no_prices(cluster), 0
    )
    assert settled(generated, 2).job.tolist() == [1, 2]  # one of the two that have a share
    assert sorted(settled(generated, 1).job.tolist()) == [0, 1, 2]


def test_a_dive_ends_near_the_bound_and_keeps_all_capacities():
    for seed in (1, 2):
        settings = {"num_servers": 12, "num_jobs": 30, "gpus": [1, 2], "utility": "sqrt"}
        cluster = generate("gadget", "scarce_links", seed, arrivals="start", **settings)
        slot = snapshot(cluster)
        generated = generate_columns(slot)
        rings = dive(slot, generated, 8)
        gain = Columns(slot, rings).gains.sum()
        assert generated.bound * 0.99 <= gain <= generated.bound * (1 + 1e-9)


def test_a_dive_of_a_whole_solution_takes_it():
    for cluster in any_networks(20, 6):
        slot = snapshot(cluster)
        generated = generate_columns(slot)
        whole = (np.abs(generated.share - 0.5) > 0.5 - 1e-6).all()
        gain = Columns(slot, dive(slot, generated, 8)).gains.sum()
        if whole:
            assert gain == pytest.approx(generated.value)
        assert gain <= generated.bound * (1 + 1e-9)


def test_a_repair_keeps_two_thirds_of_the_rings_and_all_capacities():
    settings = {"num_servers": 12, "num_jobs": 30, "gpus": [1, 2], "utility": "sqrt"}
    cluster = generate("gadget", "scarce_links", 3, arrivals="start", **settings)
    slot, rng = snapshot(cluster), np.random.default_rng(1)
    generated = generate_columns(slot)
    rings = dive(slot, generated, 8)
    rows = {row.tobytes() for row in np.column_stack([rings.job, rings.workers, rings.flow])}
    for _ in range(3):
        other = repaired(generated, rings, 1e-5, rng)
        same = [
            row.tobytes() in rows for row in np.column_stack([other.job, other.workers, other.flow])
        ]
        assert sum(same) >= len(rings) - len(rings) // 3
        assert len(set(other.job.tolist())) == len(other)
        assert Columns(slot, other).gains.sum() <= generated.bound * (1 + 1e-9)
        assert (other.node_load(cluster).sum(axis=0) <= cluster.capacity + 1e-9).all()
        assert (other.link_load(cluster).sum(axis=0) <= cluster.link_bandwidth + 1e-9).all()


def test_of_an_odd_number_of_unsettled_jobs_the_larger_half_is_settled():
    slot = snapshot(star(9, jobs=[job(), job(), job()]))
    alone = np.array([[1, 0]]).repeat(3, 0)
    rings = Rings(np.arange(3), np.ones(3, int), alone, np.zeros((3, 2), int))
    share = np.array([0.5, 0.4, 0.6])
    generated = Generated(Columns(slot, rings), share, 0.0, 0.0, no_prices(slot.cluster), 0)
    assert sorted(settled(generated, 2).job.tolist()) == [0, 2]
    assert settled(generated, 3).job.tolist() == [2]


def test_room_that_rounding_overfills_is_empty_and_not_below():
    # three times 0.1 is more than 0.3
    slot = snapshot(small([0.3, 1], [(0, 1, 0.3)], {"demand": [0.1], "bandwidth": 0.1}))
    three = Rings(slot.jobs, np.array([3]), np.array([[3, 0]]), np.array([[3, 3]]))
    left = without(slot, three)
    assert left.cluster.capacity[:, 0].tolist() == [0.0, 1.0]
    assert left.cluster.link_bandwidth.tolist() == [0.0, 0.0]


def described(cluster, found, share, box=None):
    """Job, kind, place and count of the branch; rings are (job, workers, uses of links)."""
    if box is None:
        box = SlotBox.whole(cluster, cluster.ring_limit())
    rings = Rings.of(cluster, found)
    chosen = branch_of(box, rings, np.array(share))
    return None if chosen is None else (chosen.of, chosen.job, chosen.place, chosen.count)


def two_hubs(gpus=(2, 2, 2), **changes):
    """Servers 0, 1, 2 around a hub; link 2 u leads there and 2 u + 1 back."""
    return star(*gpus, bandwidth=3, jobs=[job(max_workers=4, bandwidth=2, **changes)] * 3)


def ring(cluster, i, workers):
    """A ring of a job on a star, with workers by server."""
    flow = np.zeros(cluster.num_links, int)
    hosts = [u for u, n in enumerate(workers) if n]
    if len(hosts) > 1:
        flow[[2 * u for u in hosts] + [2 * u + 1 for u in hosts]] = 1
    return i, [*workers, 0], flow


def test_sizes_are_split_first_where_they_are_furthest_from_whole():
    cluster = two_hubs()
    found = [ring(cluster, 0, (1, 1, 0)), ring(cluster, 0, (2, 0, 0)), ring(cluster, 1, (0, 0, 1)),
             ring(cluster, 2, (0, 0, 1)), ring(cluster, 2, (0, 1, 1))]  # fmt: skip
    # job 0 has size 2 for sure; job 1 none with 0.3, job 2 at most 1 with 0.6
    assert described(cluster, found, [0.5, 0.5, 0.7, 0.6, 0.4]) == ("size", 2, 0, 1)
    assert described(cluster, found, [0.5, 0.5, 0.55, 0.8, 0.2]) == ("size", 1, 0, 0)


def test_a_link_is_split_between_jobs_that_do_not_fit_beside_each_other():
    cluster = two_hubs()
    # links of 3 hold one use of 2: both jobs share the links of server 0
    found = [ring(cluster, 0, (1, 1, 0)), ring(cluster, 0, (0, 1, 1)),
             ring(cluster, 1, (1, 1, 0)), ring(cluster, 1, (2, 0, 0))]  # fmt: skip
    assert described(cluster, found, [0.6, 0.4, 0.5, 0.5]) == ("uses", 0, 2, 0)
    assert described(cluster, found, [0.4, 0.6, 0.5, 0.5]) == ("uses", 0, 2, 0)
    # where all rings are whole nothing is left
    assert described(cluster, found, [0.0, 1.0, 0.0, 1.0]) is None


def test_workers_on_a_node_are_split_where_links_fit():
    cluster = star(2, 2, 2, bandwidth=9, jobs=[job(max_workers=4, bandwidth=2)] * 3)
    # a whole ring has one GPU of server 0, and half a ring of two workers wants both
    found = [ring(cluster, 0, (1, 1, 0)), ring(cluster, 1, (2, 0, 0)), ring(cluster, 1, (0, 0, 2))]
    assert described(cluster, found, [1.0, 0.5, 0.5]) == ("workers", 0, 0, 0)
    # nobody is cut off by another job on one server
    lone = [ring(cluster, 0, (1, 0, 0)), *found[1:]]
    assert described(cluster, lone, [1.0, 0.5, 0.5]) is None


def test_what_has_been_granted_is_not_asked_again():
    cluster = star(2, 2, 2, bandwidth=9, jobs=[job(max_workers=4, bandwidth=2)] * 3)
    found = [ring(cluster, 0, (1, 1, 0)), ring(cluster, 1, (2, 0, 0)), ring(cluster, 1, (0, 0, 2))]
    box = SlotBox.whole(cluster, cluster.ring_limit())
    box.least_workers[0, 0] = 1
    assert described(cluster, found, [1.0, 0.5, 0.5], box) is None


def test_two_workers_on_a_node_are_asked_for_where_one_would_cut_nothing_off():
    cluster = star(3, 2, 2, bandwidth=9, jobs=[job(max_workers=4, bandwidth=2)] * 3)
    # beside one of three GPUs a ring of two still fits, beside two it does not
    found = [ring(cluster, 0, (2, 1, 0)), ring(cluster, 1, (2, 0, 0)), ring(cluster, 1, (0, 0, 2))]
    assert described(cluster, found, [1.0, 0.5, 0.5]) == ("workers", 0, 0, 1)
