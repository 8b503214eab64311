"""Runs of kind mlbroker as quantities: where they are absent."""

from __future__ import annotations

import math

import msgspec
import pytest

from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.instances.generate import generate
from farkas.quantities import coded as module
from farkas.quantities import evaluate, evaluate_all
from farkas.quantities.coded import finite
from tests.generators.mlbroker import single


def test_myopic_baselines_are_absent_where_ties_decide():
    by_hand = {item.key: item for item in evaluate_all(library.load("mlbroker/tiny"))}
    assert "no seed" in str(by_hand["mlbroker.oasis"].error)
    broker = generate("mlbroker", "small", seed=1)
    first, *others = broker.jobs  # one such job is enough
    free = broker.replace(jobs=[msgspec.structs.replace(first, worker_demand=(0.0, 0.0)), *others])
    items = {item.key: item for item in evaluate_all(free, ["mlbroker.one_shot"])}
    assert "demand nothing" in str(items["mlbroker.one_shot"].error)


def test_expectation_over_too_many_choices_is_absent():
    many = generate("mlbroker", "small", seed=0, num_jobs=9)
    assert evaluate(many, ["mlbroker.local_expected"]) == {}


def test_the_ratio_that_theorem_3_claims():
    broker = library.load("mlbroker/tiny")
    key = "mlbroker.ratio_bound_printed"
    for epsilon, ratio in ((0.5, 2 + 1.5 * math.log(3)), (3.0, 2 + 4 * math.log(4 / 3))):
        assert math.isclose(evaluate(broker.replace(epsilon=epsilon), [key])[key], ratio)


def test_central_and_what_of_it_are_deployments():
    # data at site 0, then 1: staying would move 5 GB at 1 USD each
    broker = single([[5.0, 0.0], [0.0, 5.0]], deploy_cost=0.25)
    found = evaluate(broker, ["mlbroker.central", "mlbroker.central.deploy"])
    # a worker and a server at 1 USD each in either slot, and two deployments
    assert found == {"mlbroker.central": 4.5, "mlbroker.central.deploy": 0.5}


TINY = library.load("coded/tiny")


def value(key: str) -> float:
    return float(evaluate(TINY, [key])[key])


def test_times_are_inverse_levels() -> None:
    assert value("coded.expected") * value("coded.assignment_lp") == pytest.approx(1.0)
    assert value("coded.expected.dedicated") * value("coded.assignment") == pytest.approx(1.0)


@pytest.mark.parametrize("end", ["", ".dedicated"])
def test_whole_loads_take_no_less_time(end: str) -> None:
    assert value(f"coded.expected_integer{end}") >= value(f"coded.expected{end}")


def test_the_last_master_decides_a_uniform_plan() -> None:
    found = evaluate(
        TINY, ["coded.uniform", "coded.uniform.by_master", "coded.uniform.integer_loads"]
    )
    slowest = max(found["coded.uniform.by_master"])
    assert found["coded.uniform"] == pytest.approx(slowest, rel=1e-12)
    assert found["coded.uniform.integer_loads"] >= found["coded.uniform"]


def test_a_time_that_does_not_exist_is_null() -> None:
    assert finite(math.inf) is None
    assert finite(math.nan) is None
    assert finite(2.0) == 2.0


def test_without_a_point_there_is_no_step() -> None:
    (outcome,) = evaluate_all(TINY.replace(sca_point=None), ["coded.sca.step"])
    assert isinstance(outcome.error, NotApplicable)


def test_a_level_of_nothing_is_never_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "coded.expected.dedicated"
    for level, time in ((0.0, None), (0.5, 2.0)):
        monkeypatch.setattr(module, "least_level", lambda *_, level=level: level)
        assert evaluate(TINY, [key]) == {key: time}
