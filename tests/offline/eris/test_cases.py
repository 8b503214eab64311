"""Cases of when jobs complete: bounds above the optimum, where prices alone stop short of it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import farkas
from farkas.errors import NoAnswer, NotACertificate
from farkas.exact.bounding import Deadline
from farkas.offline import Ascent, Ladder, climb
from farkas.offline.eris import cases as module
from farkas.offline.eris.cases import (
    cases,
    pays,
    priced_case,
    spread,
    worth_again,
)
from farkas.offline.eris.optimum import priced
from farkas.relaxations.eris.priced_jobs import JobPricer, finishes
from tests.certificates.test_eris_cases import two_large
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum
from tests.tools.quick import some


@pytest.fixture(autouse=True)
def no_spans(monkeypatch):
    """Prices alone leave more to cases."""
    monkeypatch.setattr("farkas.offline.eris.optimum.spanned", lambda *given: iter(()))


def searched(auction, climbers=(priced, cases), gap=0.0, seconds=60.0):
    ladder = Ladder("eris.optimum", climbers)
    return climb(auction, ladder, gap=Fraction(gap), time_limit=seconds)


def close(bound, wanted):
    return wanted <= bound <= wanted * (1 + Fraction(1, 10**9))


def ascent_of(seconds=60.0, stopped=lambda: False):
    return Ascent("max", Deadline(seconds, stopped), Fraction(0))


def test_two_jobs_half_of_which_complete_early_are_told_apart():
    # prices prove 17, and 10 + 4 is the optimum (tests/certificates/test_eris_cases.py)
    alone = searched(two_large(), (priced,))
    assert alone.value == 14
    assert close(alone.bound, 17)
    found = searched(two_large(), gap=1e-9)
    assert found.complete
    assert close(found.bound, 14)
    certificate = found.run.certificate.certificate
    assert certificate["certificate"] == "eris_cases"
    first, *_, last = certificate["tree"]
    assert first[1] == 0
    assert last is None
    assert farkas.check(found.run, two_large()).proof.bound == found.bound


@pytest.mark.ids(2)
@pytest.mark.parametrize("seed", range(16))
def test_value_and_bound_lie_on_their_sides_of_the_optimum(seed):
    auction = random_auction(seed, most_chunks=some(3, 5), most_slots=some(3, 5), jobs=some(3, 7))
    best = optimum("eris.offline", auction)
    before, found = searched(auction, (priced,)), searched(auction)
    tiny = 1e-6 * max(best, 1.0)
    assert float(found.value) <= best + tiny
    assert float(found.bound) >= best - tiny
    assert found.bound <= before.bound
    assert found.value >= before.value
    assert farkas.check(found.run, auction).proof.bound == found.bound


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 8])
def test_what_only_prices_leave_open_is_closed(seed):
    auction = random_auction(seed, most_chunks=5, most_slots=5, jobs=7)
    before, found = searched(auction, (priced,)), searched(auction)
    assert before.gap > 0.01
    assert found.gap < 1e-9
    assert found.run.certificate.certificate["certificate"] == "eris_cases"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [57, 96])
def test_what_spans_leave_open_is_closed(seed, monkeypatch):
    monkeypatch.undo()
    auction = random_auction(seed, most_chunks=5, most_slots=5, jobs=7)
    before, found = searched(auction, (priced,)), searched(auction)
    assert before.gap > 0.007
    assert found.gap < 1e-9
    assert found.run.certificate.certificate["certificate"] == "eris_cases"


def test_no_case_is_looked_at_without_a_value_or_time():
    assert list(cases(two_large(), ascent_of())) == []
    known = searched(two_large(), (priced,)).run
    for ascent in (ascent_of(stopped=lambda: True), ascent_of(1e-9)):
        ascent.run = known
        assert list(cases(two_large(), ascent)) == []


@pytest.mark.parametrize(("gap", "goes_on"), [("1/5", False), ("1/6", True)])
def test_cases_near_enough_to_the_value_are_not_split(gap, goes_on):
    # 14 is reached and 17 proved: 3/17 of the bound are open, and 14 / (1 - 1/5) is 17.5
    ascent = Ascent("max", Deadline(), Fraction(gap))
    ascent.run = searched(two_large(), (priced,)).run
    assert ascent.value == 14
    assert bool(list(cases(two_large(), ascent))) is goes_on


def test_what_has_no_proof_ends_the_search_in_words(monkeypatch):
    ascent = ascent_of()
    ascent.run = searched(two_large(), (priced,)).run

    def refused(*given):
        raise NotACertificate("utility: inf is out of range")

    monkeypatch.setattr(module, "prove_case", refused)
    with pytest.raises(NoAnswer, match="cases of when jobs complete: utility: inf"):
        list(cases(two_large(), ascent))


def test_a_tree_goes_on_while_it_would_end_in_time(monkeypatch):
    monkeypatch.setattr(module, "MOST_LEAVES", 40)
    # 10 cases of 40 have to bring a quarter of the way from 100 to 80
    assert pays(10, Fraction(100), Fraction(95), Fraction(80))
    assert not pays(10, Fraction(100), Fraction(96), Fraction(80))
    assert pays(7, Fraction(100), Fraction(100), Fraction(80))
    assert not pays(8, Fraction(100), Fraction(100), Fraction(80))


def test_thresholds_lie_where_shares_and_worths_differ_the_most():
    # half at delay 0, half at 2: 1/2 (9 - 1) at either threshold, the first one is taken
    worth = np.array([9.0, 5.0, 1.0, 1.0])
    assert spread(np.array([0.5, 0.0, 0.5, 0.0]), worth, 0, 3) == (4.0, 0)
    # a quarter at 0 and at 1, half at 2: 1/4 (9 - 7/3) after 0, 1/2 (7 - 1) after 1
    assert spread(np.array([0.25, 0.25, 0.5, 0.0]), worth, 0, 3) == (3.0, 1)
    # what does not complete counts as later, and is worth nothing
    assert spread(np.array([0.5, 0.0, 0.0, 0.0]), worth, 0, 3) == (4.5, 0)
    # nothing is spread, or no threshold is left
    assert spread(np.array([1.0, 0.0, 0.0, 0.0]), worth, 0, 3)[0] == 0.0
    assert spread(np.array([0.5, 0.0]), worth[:2], 1, 1) == (0.0, 1)
    # thresholds of the case alone
    assert spread(np.array([0.0, 0.0, 0.5, 0.5]), worth, 2, 3)[1] == 2


def test_schedules_of_a_case_are_worth_what_its_parts_say():
    # for nothing both jobs complete at once
    auction = one_resource({"utility": [9.0, 5.0, 2.0]}, {"arrival": 1, "utility": [7.0, 3.0]})
    whole = priced_case(auction, {}, None, ascent_of())
    assert close(whole.bound, 16)
    assert finishes(whole.columns, auction).tolist() == [0, 0]
    late = priced_case(auction, {0: (1, 2)}, whole, ascent_of())
    assert close(late.bound, 12)
    again = worth_again(whole.columns, late.pricer)
    assert again.worth.tolist() == [5, 7]
    early = priced_case(auction, {0: (0, 0)}, whole, ascent_of())
    assert close(early.bound, 16)
    # one that completes too late is no schedule of the case
    third = np.arange(5) == 2
    column = JobPricer(auction).columns_of(
        np.array([2, -1]), third[:, None] * np.array([[1, 0]]), np.where(third, 0, -1), 0 * third
    )
    assert finishes(column, auction).tolist() == [2]
    assert len(worth_again(column, early.pricer).job) == 0
    assert worth_again(column, late.pricer).worth.tolist() == [2]
