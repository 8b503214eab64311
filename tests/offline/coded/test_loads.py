"""Plans for P1 in the search for the optimum: all where they are few, and a search with a limit."""

from __future__ import annotations

from fractions import Fraction

import pytest

import farkas
from farkas.exact.bounding import Deadline, OutOfTime
from farkas.instances.coded import CodedComputing
from farkas.models.coded.chance import best_quantile
from farkas.offline import Ascent
from farkas.offline.coded.optimum import every_load, searched_loads
from farkas.online.coded.chance_plans import ChancePlanner
from tests.generators.coded import random_coded_computing


def ascent(deadline=None):
    return Ascent("min", deadline or Deadline(), Fraction(0))


def value(data, plan):
    return ChancePlanner().evaluate(data, [plan]).value


def two_workers():
    """The fast worker alone is enough, but sooner with one row on the slow one."""
    return CodedComputing.build(
        name="two", success_probability=0.8, masters=[{"rows": 4}], workers=2,
        rate=[[1.0, 5.0]], shift=[[1.0, 1.0]],
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_few_plans_are_all_looked_at(seed):
    data = random_coded_computing(seed, 1 + seed % 2, 3, 3 + seed % 3, forbid=0.2)
    best = best_quantile(data)
    found = list(every_load(data, ascent()))
    if best == float("inf"):
        assert found == []
        return
    (rung,) = found
    assert value(data, rung.decisions[0]) == pytest.approx(best, rel=1e-8)
    assert float(rung.bound.fraction) <= best * (1 + 1e-9)


def test_where_a_local_search_stops_the_optimum_goes_on():
    data = two_workers()
    (rung,) = every_load(data, ascent())
    assert rung.decisions[0].loads.tolist() == [[1.0, 3.0]]
    assert value(data, rung.decisions[0]) == pytest.approx(4.0922672, rel=1e-7)
    assert farkas.optimum(data, problem="coded.chance").gap < 0.003
    searched = farkas.run(data, "coded.chance_search")  # ends at equal loads, 24 % later
    assert searched.decisions[0]["loads"] == [[4.0, 4.0]]
    assert searched.value / 4.0922672 == pytest.approx(1.24, abs=0.005)


@pytest.mark.slow
def test_many_plans_are_left_to_the_search():
    data = random_coded_computing(1, 2, 8, 20)
    assert list(every_load(data, ascent())) == []
    (rung,) = searched_loads(data, ascent())
    run = farkas.run(data, "coded.chance_search")
    assert value(data, rung.decisions[0]) == run.value
    assert rung.bound.fraction == run.certificate.fraction


class Counted(Deadline):
    """Over after so many checks."""

    def __init__(self, checks):
        super().__init__()
        self.checks = checks

    def check(self):
        self.checks -= 1
        if self.checks < 0:
            raise OutOfTime("counted")


@pytest.mark.slow
def test_what_was_found_in_time_is_a_plan():
    # the search of this instance changes owners several times
    data = random_coded_computing(3, 3, 9, 30)
    every = Counted(10**9)
    (last,) = searched_loads(data, ascent(every))
    needed = 10**9 - every.checks
    seen = []
    for share in (0.3, 0.5, 0.7, 0.9):
        try:
            (rung,) = searched_loads(data, ascent(Counted(int(share * needed))))
        except OutOfTime:
            continue
        seen.append(value(data, rung.decisions[0]))
        assert seen[-1] >= value(data, last.decisions[0]) * (1 - 1e-9)
    assert seen == sorted(seen, reverse=True)
    assert seen
    with pytest.raises(OutOfTime):
        list(searched_loads(data, ascent(Counted(3))))
