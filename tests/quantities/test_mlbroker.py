"""Runs of kind mlbroker as quantities: where they are absent."""

from farkas.instances import library
from farkas.instances.generate import generate
from farkas.quantities import evaluate, evaluate_all


def test_myopic_baselines_are_absent_where_ties_decide():
    by_hand = {item.key: item for item in evaluate_all(library.load("mlbroker/tiny"))}
    assert "no seed" in str(by_hand["mlbroker.oasis"].error)
    free = generate("mlbroker", "small", seed=1, worker_demand=[[0, 0], [0, 0]])
    items = {item.key: item for item in evaluate_all(free, ["mlbroker.one_shot"])}
    assert "demand nothing" in str(items["mlbroker.one_shot"].error)


def test_expectation_over_too_many_choices_is_absent():
    many = generate("mlbroker", "small", seed=0, num_jobs=9)
    assert evaluate(many, ["mlbroker.local_expected"]) == {}
