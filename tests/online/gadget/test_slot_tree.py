"""Slots by cases: the best rings, and bounds that certificates prove, against brute force."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import check
from farkas.certificates.gadget_slot_tree import SlotTree, certify_slot_tree
from farkas.models.gadget.column import ColumnLP
from farkas.models.gadget.counts import FeasibleCounts
from farkas.models.gadget.rings import Rings
from farkas.models.gadget.slot import snapshot
from farkas.online.gadget import slot_tree
from farkas.online.gadget.columns import best_slot_certificate, by_cases, slot_certificate, worth
from farkas.online.gadget.slot_tree import SlotSearch
from farkas.relaxations.gadget.generation import generate_columns
from farkas.relaxations.gadget.ring_pricing import LabelBudget
from farkas.solvers import solve
from tests.generators.gadget import any_networks, small, table
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
