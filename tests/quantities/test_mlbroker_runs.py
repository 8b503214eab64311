"""Named quantities of runs, on the case files and on what they leave out."""

import json

import pytest

from farkas.instances import library, read
from farkas.instances.generate import generate
from farkas.quantities import evaluate, evaluate_all
from tests.tools.shared import case_files

RUNS = ("fractional", "central", "local", "oasis", "one_shot")


@pytest.mark.parametrize("path", case_files("mlbroker"), ids=lambda path: path.stem)
def test_runs_reproduce_the_case_files(path):
    expected = json.loads(path.read_text())["expected"]
    keys = [key for key in expected if key.startswith(tuple(f"mlbroker.{run}" for run in RUNS))]
    if "error" in expected:
        return  # refused on reading, see tests/instances
    values = evaluate(read(path), keys)
    for key in keys:
        assert values[key] == pytest.approx(expected[key]["value"], abs=expected[key]["tol"]), key


def test_myopic_baselines_are_absent_where_ties_decide():
    by_hand = {item.key: item for item in evaluate_all(library.load("mlbroker/tiny"))}
    assert "no seed" in str(by_hand["mlbroker.oasis"].error)
    free = generate("mlbroker", "small", seed=1, worker_demand=[[0, 0], [0, 0]])
    items = {item.key: item for item in evaluate_all(free, ["mlbroker.one_shot"])}
    assert "demand nothing" in str(items["mlbroker.one_shot"].error)


def test_expectation_over_too_many_choices_is_absent():
    many = generate("mlbroker", "small", seed=0, num_jobs=9)
    assert evaluate(many, ["mlbroker.local_expected"]) == {}
