"""All public case files of kind gadget, key by key, and the rules of absent keys."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library, read
from farkas.quantities import evaluate, evaluate_all
from tests.tools.shared import case_files


@pytest.mark.parametrize("path", case_files("gadget"), ids=lambda p: p.stem)
def test_case_file(path):
    instance = read(path)
    values = evaluate(instance)
    for key, expected in instance.expected.items():
        assert np.shape(values[key]) == np.shape(expected["value"]), key
        assert np.allclose(values[key], expected["value"], rtol=0, atol=expected["tol"]), key


def test_undefined_keys_are_absent():
    late = library.load("gadget/late_sigmoid")
    values = evaluate(late, ["gadget.worker_relaxation", "gadget.iteration_time", "gadget.gvne"])
    assert set(values) == {"gadget.gvne"}
    errors = [o.error for o in evaluate_all(late, ["gadget.worker_relaxation"])]
    assert isinstance(errors[0], NotApplicable)


EVERYTHING = (
    "gadget.slot", "gadget.slot_counts", "gadget.slot_gain", "gadget.gvne", "gadget.column_ip",
    "gadget.greedy_exact", "gadget.fifo", "gadget.drf", "gadget.las", "gadget.offline",
    "gadget.offline_rounded", "gadget.offline_bound", "gadget.offline_column_bound",
    "gadget.augmented", "gadget.gvne_lp", "gadget.gvne_lp_fixed", "gadget.node_lp",
    "gadget.node_lp_fixed", "gadget.local_node_lp", "gadget.column_lp", "gadget.worker_relaxation",
)  # fmt: skip


def test_every_key_of_the_kind_has_a_value_on_an_instance_with_everything():
    values = evaluate(library.load("gadget/tiny"), EVERYTHING)
    assert list(values) == list(EVERYTHING)
    assert values["gadget.offline"] <= values["gadget.offline_column_bound"] + 1e-6
    assert values["gadget.greedy_exact"] <= values["gadget.offline"] + 1e-9


@pytest.mark.parametrize("jobs", [0, 1])
def test_an_empty_cluster_is_worth_nothing(jobs):
    cluster = library.load("gadget/heavy_worker")
    values = evaluate(cluster if jobs else cluster.replace(jobs=[]), EVERYTHING)
    numbers = {key: v for key, v in values.items() if key != "gadget.slot_counts"}
    assert set(numbers.values()) == {0.0}
    assert values["gadget.slot_counts"] == [0] * jobs
    assert "gadget.worker_relaxation" not in values
