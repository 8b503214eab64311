"""Algorithm 2: what it drops, selects, decomposes and rounds."""

from types import SimpleNamespace

import numpy as np
import pytest

from farkas.instances import library
from farkas.models.gadget.column import Columns
from farkas.models.gadget.rings import Rings, enumerate_rings
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget.columns import baseline_rings, worth
from farkas.online.gadget.fixed_rings import DominantResourceFairness
from farkas.online.gadget.gadget import (
    embedding,
    only_lone,
    round_rings,
    rounding_problem,
    select_sizes,
    size_selection,
)
from farkas.proofs.gadget.relaxations import random_clusters
from farkas.relaxations.gadget.mixture import Mixture
from farkas.rounding.rings import round_printed
from farkas.solvers.session import optimum_by_any
from farkas.solvers.subproblem import solve_subproblem
from tests.generators.gadget import any_networks, job, over_time, star, table
from tests.references import gadget_rounding


def relaxation_of(slot):
    return size_selection(slot).formulation.form(slot)


def relaxed(slot):
    """Value of the augmented relaxation at the selected sizes, 0 without any."""
    chosen = select_sizes(only_lone(slot))
    return solve_subproblem(embedding(chosen)).value if len(chosen.jobs) else 0.0


def rounded(slot, rounding, rounds):
    """Rings of Algorithm 2."""
    chosen = select_sizes(only_lone(slot))
    if not len(chosen.jobs):
        return Rings.none(slot.cluster)
    answer = solve_subproblem(embedding(chosen))
    return round_rings(chosen, answer, rounding, rounds, np.random.default_rng(0))


def test_the_programs_of_algorithm_2_take_the_chosen_gains():
    # with printed gains a sigmoid from the published ranges is invisible to both relaxations
    cluster = library.load("gadget/late_sigmoid")
    printed, envelope = (snapshot(cluster, 0, gains=g) for g in ("printed", "envelope"))
    assert relaxation_of(printed).cost.max() < 1e-40
    assert relaxation_of(envelope).cost.max() == pytest.approx(envelope.gains[0, 0])
    assert relaxed(envelope) == pytest.approx(envelope.gains[0, 0])


def test_sizes_that_do_not_fit_alone_are_dropped():
    for cluster in random_clusters(12, 4, network="any", servers=3, jobs=2):
        slot = snapshot(cluster)
        if not len(slot.jobs):
            continue
        rings = enumerate_rings(cluster, cluster.ring_limit())
        fit = {(int(i), int(n)) for i, n in zip(rings.job, rings.size, strict=True)}
        allowed = [(int(slot.jobs[p]), s + 1) for p, s in np.argwhere(slot.allowed).tolist()]
        kept = only_lone(slot)
        left = [(int(kept.jobs[p]), s + 1) for p, s in np.argwhere(kept.allowed).tolist()]
        assert left == [pair for pair in allowed if pair in fit]


def test_rings_of_different_jobs_fit_together_and_are_at_most_the_relaxation():
    for cluster in random_clusters(8, 9, network="tree", servers=3, jobs=3):
        slot = snapshot(cluster)
        rings = rounded(slot, "repair", 20)
        assert len(set(rings.job.tolist())) == len(rings)
        assert (rings.node_load(cluster).sum(axis=0) <= cluster.capacity).all()
        assert (rings.link_load(cluster).sum(axis=0) <= cluster.link_bandwidth).all()
        if len(rings):
            assert Columns(slot, rings).gains.sum() <= relaxed(slot) * (1 + 1e-9) + 1e-9


def test_a_third_of_the_relaxation_is_the_least_of_a_printed_round(monkeypatch):
    asked = []

    def noted(mix, least, factor, rounds, rng):
        asked.append(least)
        return round_printed(mix, least, factor, rounds, rng)

    monkeypatch.setattr("farkas.online.gadget.gadget.round_printed", noted)
    slot = snapshot(star(2, jobs=[job(), job()]))
    rounded(slot, "printed", 3)
    assert asked == [pytest.approx(relaxed(slot) / 3)]


def slots_of_any_network(count, seed):
    """Last slots of clusters of every shape, with two resources."""
    for number, network in enumerate(any_networks(count, seed)):
        slot = snapshot(over_time(network, number), 3)
        if len(slot.jobs):
            yield slot


def test_on_every_network_loads_rooms_and_factors_are_those_of_the_rings():
    several = 0
    for number, slot in enumerate(slots_of_any_network(40, 12)):
        cluster = slot.cluster
        rings = baseline_rings(slot, DominantResourceFairness())
        share = np.random.default_rng(number).random(len(rings))
        mix, factor = rounding_problem(slot, Mixture(rings, share, 0))
        each = zip(rings.job.tolist(), rings.workers.tolist(), rings.flow.tolist(), strict=True)
        assert mix.load.tolist() == [gadget_rounding.load(cluster, *ring) for ring in each]
        assert mix.room.tolist() == gadget_rounding.room(cluster)
        assert (mix.job.tolist(), mix.share.tolist()) == (rings.job.tolist(), share.tolist())
        assert mix.gain.sum() == worth(slot, rings)
        largest = dict(zip(slot.jobs.tolist(), slot.largest.tolist(), strict=True))
        assert factor == pytest.approx(gadget_rounding.factors(cluster, largest), rel=1e-12)
        several += len(set(factor.tolist())) > 2
    assert several > 10


def test_on_every_network_sizes_are_selected_by_gain_times_share():
    mixed = 0
    for slot in map(only_lone, slots_of_any_network(40, 13)):
        if not len(slot.jobs):
            continue
        form = relaxation_of(slot)
        share = np.zeros(slot.gains.shape)
        share[slot.allowed] = form.values(optimum_by_any(form).point, "chosen")
        wanted = {}
        for place, of in enumerate(slot.jobs.tolist()):
            sizes = (np.flatnonzero(slot.allowed[place]) + 1).tolist()
            size = gadget_rounding.selected(slot.gains[place], share[place], sizes)
            wanted |= {of: size} if size else {}
            mixed += (share[place] > 0.01).sum() > 1
        chosen = select_sizes(slot)
        assert dict(zip(chosen.jobs.tolist(), chosen.largest.tolist(), strict=True)) == wanted
    assert mixed > 2


def test_of_sizes_worth_the_same_the_smallest_is_selected_and_of_no_share_none():
    # 1 x 0.5 and 2 x 0.25; no share of anything, though the second job loses by one worker
    jobs = [job(**table(0, 1, 2)), job(**table(0, -1, 5))]
    slot = snapshot(star(3, jobs=jobs))
    program = size_selection(slot)
    form = program.formulation.form(slot)
    point = np.zeros(form.num_columns)
    point[form.column_block("chosen").where] = [0.5, 0.25, 0.0, 0.0]
    chosen = program.read(form, SimpleNamespace(point=point))
    assert (chosen.jobs.tolist(), chosen.largest.tolist()) == ([0], [1])


def test_the_printed_relaxation_is_solved_up_to_its_size_and_then_its_equal(monkeypatch):
    # two servers and the hub, four links; a job with rings of one and two has 1 + 2 edges
    slot = snapshot(star(1, 1, jobs=[job()]))
    assert relaxation_of(slot).name == "gadget.gvne_lp"
    for most, program in ((3 * 7, "gadget.gvne_lp"), (3 * 7 - 1, "gadget.node_lp")):
        monkeypatch.setattr("farkas.online.gadget.gadget.SMALL_EMBEDDING", most)
        assert relaxation_of(slot).name == program
