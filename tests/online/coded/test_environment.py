"""What plans are worth under the surrogate, what they break and what it hides."""

from typing import Any

import numpy as np
import pytest

import farkas
from farkas import Policy
from farkas.api.compare import compare
from farkas.errors import PolicyProblem
from farkas.instances import library
from farkas.instances.coded import CodedComputing
from farkas.instances.generate import generate
from farkas.models.coded.completion_times import Allocation
from farkas.online import algorithms
from farkas.online.coded.environment import (
    Environment,
    broken,
    certify,
    is_dedicated,
    numbers,
    recursion_cells,
    remarks_on,
)
from farkas.online.coded.sca import ExpectedSharing
from tests.generators.coded import by_speed, random_coded_computing


def test_a_master_without_workers_is_named():
    data = generate("coded", "small", num_masters=3, num_workers=2)
    for name in ("coded.simple_greedy", "coded.brute_force", "coded.round_lp", "coded.uniform"):
        assert "never expects its" in algorithms[name].run(data).violations[0]
    shared = algorithms["coded.expected"].run(data)
    assert shared.ratio == pytest.approx(1.0)
    assert shared.numbers["recoverable"] < 1
    # of two masters on a worker each, one is sent a row too few: the worse of both is told
    loads = np.diag(data.rows[:2] - [0.0, 1.0])
    two = data.replace(masters=data.masters[:2], rate=data.rate[:2], shift=data.shift[:2])
    assert numbers(two, Allocation(np.eye(2), loads))["recoverable"] == 0.0


def test_what_a_plan_breaks_is_named():
    data = library.load("coded/forbidden_pairs")
    share, loads = np.full((2, 4), 0.6), np.full((2, 4), 2.0)
    words = broken(data, Allocation(share, loads))
    assert "worker 0 is shared out too often or too little: 0.6, 0.6" in words
    assert "master 0 may not use worker 1" in words
    assert broken(data, Allocation(-share, loads)) != []
    assert broken(data, Allocation(share[:1], loads[:1])) == ["shares and loads need shape (2, 4)"]
    assert np.isnan(Environment().evaluate(data, [Allocation(share, loads)]).total)


def test_a_split_worker_leaves_one_master_without_rows_and_is_remarked():
    # three equal workers, two masters: the shared one serves one of them, the other never finishes
    found = compare(library.load("coded/split_worker"), ["coded.expected", "coded.brute_force"])
    notes = {entry.algorithm: entry.note for entry in found.entries}
    assert "all masters finish with probability 0 only" in notes["coded.expected"]
    assert notes["coded.brute_force"] == ""


def test_a_share_slightly_above_one_is_rounding():
    data = random_coded_computing(0, forbid=0.0)
    loads = np.ones((2, 4))
    assert broken(data, Allocation(np.full((2, 4), 0.5 + 4e-10), loads)) == []
    assert len(broken(data, Allocation(np.full((2, 4), 0.5 + 6e-10), loads))) == 4
    assert broken(data, Allocation(np.full((2, 4), 0.5), -loads)) != []


def test_a_plan_is_worth_its_last_master_and_a_bound_stays_without_one():
    data = random_coded_computing(0, masters=2, workers=2, forbid=0.0)
    half = Allocation(np.eye(2), np.eye(2) * data.rows * 0.5)
    found = Environment().evaluate(data, [half])
    assert [words[:28] for words in found.violations] == [
        f"master {m} never expects its {data.rows[m]:g}"[:28] for m in range(2)
    ]
    assert np.isnan(found.total)
    # whatever its loads, its workers are dedicated, and so may its bound be
    assert certify(data, half).fraction >= certify(data).fraction


def test_a_bound_says_of_which_plans_it_is_one():
    data = by_speed([[100.0, 1, 1]] * 2)
    share = np.array([[1.0, 0, 0], [0, 1, 1]])
    dedicated, shared = (
        certify(data, Allocation(part, np.full(part.shape, 5.0))) for part in (share, share / 2)
    )
    assert (is_dedicated(Allocation(share, share)), dedicated.method) == (
        True,
        "prices of the masters, for plans that dedicate workers only",
    )
    assert float(dedicated) == pytest.approx(1 / 2, rel=1e-10)
    # half a worker each for one master is as dedicated; half for each of two masters is not
    assert shared.exact == dedicated.exact
    both = certify(data, Allocation(np.full((2, 3), 0.5), np.full((2, 3), 5.0)))
    assert not is_dedicated(Allocation(np.full((2, 3), 0.5), np.full((2, 3), 5.0)))
    assert both.method == "prices of the masters, for every plan"
    assert float(both) == pytest.approx(2 / 102, rel=1e-10)


def test_no_plan_is_held_against_a_bound_on_other_plans():
    # shared workers reach 6.2, dedicated ones nothing before 157, and that is proved as well
    names = ["coded.expected", "coded.brute_force", "coded.uniform"]
    found = compare(library.load("coded/dominant"), names)
    assert float(found.bound) < 6.2
    entries = {entry.algorithm: entry for entry in found.entries}
    for name, ratio in zip(names, (1.0, 1.0, 2.0), strict=True):
        assert ratio <= entries[name].ratio < ratio + 1e-9
    for name in names[1:]:
        assert entries[name].note.startswith("ratio to 157.3")
        assert "dedicate workers only" in entries[name].note
    assert "ratio to" not in entries["coded.expected"].note


def test_remarks_compare_with_what_is_wanted():
    assert remarks_on({"recoverable": 0.9, "recoverable_together": 0.8}, 0.8) == []
    assert remarks_on({"recoverable": 0.79}, 0.8) == [
        "all masters finish with probability 0.79 only, 0.8 is wanted: value and ratio are about"
        " expected rows"
    ]
    assert remarks_on({"recoverable": 0.9, "recoverable_together": 0.7}, 0.8) != []


@pytest.mark.slow
def test_the_quantile_of_the_published_size_is_computed_and_that_of_a_larger_one_is_not_missed():
    data = generate("coded", num_masters=4, num_workers=50, rows=100_000, seed=0)
    run = algorithms["coded.simple_greedy"].run(data)
    assert run.numbers["quantile"] == pytest.approx(9206.110707, rel=1e-9)
    assert run.remarks == []
    # 4 x 20 workers, too many for sets: 4 masters x 20 workers x 400,000 rows
    large = generate("coded", num_masters=4, num_workers=80, rows=400_000, seed=0)
    late = algorithms["coded.uniform"].run(large)
    assert "quantile" not in late.numbers
    assert late.remarks == [
        "the quantile is not computed: it takes 3.2e+07 numbers, more than 3e+07"
    ]


def test_only_masters_with_many_workers_count_for_the_recursion():
    data = random_coded_computing(0, masters=2, workers=20, rows=12, forbid=0.0)
    share = np.zeros((2, 20))
    share[0, :15] = share[1, 15:] = 1.0
    assert recursion_cells(data, Allocation(share, share)) == 15 * data.rows[0]
    assert recursion_cells(data, Allocation(share, 0 * share)) == 0


class Single(Policy):
    """Shares as numbers of another type."""

    def __init__(self, kept: Any) -> None:
        self.kept = kept

    def step(self, state: Any, arrivals: CodedComputing) -> tuple[Any, Allocation]:
        plan = ExpectedSharing().plan(arrivals, 0)
        return state, Allocation(self.kept(plan.share), self.kept(plan.loads))


@pytest.mark.parametrize("kept", [np.float32, np.longdouble, np.ndarray.tolist])
def test_plans_of_other_numbers_are_plans_of_doubles(kept: Any) -> None:
    run = farkas.run("coded/tiny", Single(kept))
    assert run.ratio is not None
    assert farkas.check(run, "coded/tiny").ratio == run.ratio


def test_plans_that_are_no_numbers_are_refused_in_words() -> None:
    with pytest.raises(PolicyProblem, match="share holds complex128; give real numbers"):
        farkas.run("coded/tiny", Single(np.complex128))
