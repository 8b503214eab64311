"""What plans are worth under the surrogate, what they break and what it hides."""

import numpy as np
import pytest

from farkas.instances import library
from farkas.instances.generate import generate
from farkas.models.coded.plans import Allocation
from farkas.online import algorithms
from farkas.online.coded.environment import Environment, broken, certify, remarks_on
from farkas.relaxations.coded.assignment_lp import shared_optimum
from farkas.verbs.compare import compare
from tests.generators.coded import random_coded_computing

NAMES = [name for name in algorithms.names("coded.") if not algorithms[name].problem]


@pytest.mark.parametrize("name", [n for n in NAMES if n != "coded.uncoded"])
@pytest.mark.parametrize("seed", range(2))
def test_every_run_is_certified(name, seed):
    data = random_coded_computing(seed, masters=2, workers=6, rows=40, forbid=0.0)
    run = algorithms[name].run(data)
    assert not run.violations
    assert run.ratio >= 1 - 1e-9
    assert float(run.certificate) == pytest.approx(shared_optimum(data).time, rel=1e-10)
    assert 0 < run.numbers["recoverable"] <= 1


def test_a_master_without_workers_is_named():
    data = generate("coded", "small", num_masters=3, num_workers=2)
    for name in ("coded.simple_greedy", "coded.brute_force", "coded.round_lp", "coded.uniform"):
        assert "never expects its" in algorithms[name].run(data).violations[0]
    shared = algorithms["coded.expected"].run(data)
    assert shared.ratio == pytest.approx(1.0)
    assert shared.numbers["recoverable"] < 1


def test_what_a_plan_breaks_is_named():
    data = library.load("coded/forbidden_pairs")
    share, loads = np.full((2, 4), 0.6), np.full((2, 4), 2.0)
    words = broken(data, Allocation(share, loads))
    assert "worker 0 is shared out 1.2 times" in words
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
    assert certify(data, half).exact == certify(data).exact


def test_remarks_compare_with_what_is_wanted():
    assert remarks_on({"recoverable": 0.9, "recoverable_together": 0.8}, 0.8) == []
    assert remarks_on({"recoverable": 0.79}, 0.8) == [
        "all masters finish with probability 0.79 only, 0.8 is wanted"
    ]
    assert remarks_on({"recoverable": 0.9, "recoverable_together": 0.7}, 0.8) != []
