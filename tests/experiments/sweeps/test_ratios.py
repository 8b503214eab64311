"""Ratios count only what is proved."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from farkas.experiments.sweeps import Result, Task, ratios
from farkas.experiments.sweeps.ratios import interval
from tests.experiments.sweeps.made import INSTANCES, result


def test_the_distribution_is_over_certified_runs_only(stored):
    store = stored(
        result(at=0, ratio=1.0),
        result(at=1, ratio=1.5),
        result(at=2, ratio=3.5),
        result(at=3, status="failed", value=None, bound="", ratio=None, output=None),
        result(at=4, ratio=9.0, recheck="rejected: row 3"),
        result(at=5, ratio=9.0, violations=["site 0 holds too much"]),
        result(at=0, seed=1, bound="", ratio=None),
        result(at=0, seed=2, bound="0", ratio=None),
    )
    (found,) = ratios(store)
    assert (found.tasks, sorted(found.values)) == (8, [1.0, 1.5, 3.5])
    assert found.mean == pytest.approx(2.0)  # (1 + 1.5 + 3.5) / 3
    assert found.quantiles["50"] == 1.5
    assert found.interval is None, "three instances are too few for an interval"
    assert found.left_out == {
        "failed": 1, "certificate rejected": 1, "breaks a requirement": 1, "no bound proved": 1,
        "bound of zero": 1,
    }  # fmt: skip
    assert found.worst.instance == INSTANCES[2].sha256


def test_options_make_two_distributions(stored):
    first, second = result(), result()
    task = Task(name="mlbroker.one", kind="mlbroker", instance=INSTANCES[0].sha256,
                options={"epsilon": 2.0})  # fmt: skip
    second = Result(key=task.key, task=task, status="done", value=3.0, bound="1", ratio=3.0,
                    output={"sense": "min"})  # fmt: skip
    found = ratios(stored(first, second))
    assert sorted(item.label for item in found) == ["mlbroker.one", "mlbroker.one (epsilon=2.0)"]


@pytest.mark.parametrize("options", [{"epsilon": "abc"}, {"epsilon": -1.0}, {"unknown": 1}])
def test_options_that_the_algorithm_refuses_have_no_ratio(stored, options):
    one = result("mlbroker.fractional")
    task = msgspec.structs.replace(one.task, options=options)
    (found,) = ratios(stored(msgspec.structs.replace(one, task=task)))
    assert found.left_out == {"options that its algorithm refuses": 1}
    assert not found.promises


def again(one: Result, digit: int, **changes: Any) -> Result:
    """The same result under another address, with changes of itself or its options."""
    options = changes.pop("options", one.task.options)
    task = msgspec.structs.replace(one.task, options=options)
    return msgspec.structs.replace(one, key=f"{digit:064x}", task=task, **changes)


def test_of_a_task_the_newest_result_counts(stored):
    one, other = result(at=0, ratio=1.5), result(at=1, ratio=3.0)
    (found,) = ratios(stored(one, again(one, 1, ratio=2.0), other, again(one, 2, ratio=1.25)))
    assert sorted(found.values) == [1.25, 3.0]
    assert (found.tasks, found.left_out) == (2, {})
    failed = {"status": "failed", "value": None, "bound": "", "ratio": None, "output": None}
    (found,) = ratios(stored(again(one, 3, **failed)))
    assert found.left_out == {"failed": 1}


def test_a_reward_of_nothing_is_not_hidden_behind_the_bound(stored):
    output = {"sense": "max", "violations": []}
    store = stored(result(value=0.0, bound="3", ratio=None, output=output))
    assert ratios(store)[0].left_out == {"earned nothing": 1}


def test_the_interval_resamples_instances_not_runs():
    # 5 instances, one of them with 100 runs at 2, the others at 1: treating runs as independent
    # would give a tight interval around 1.96; whole instances may miss that one altogether
    groups = {str(i): [1.0] for i in range(4)} | {"many": [2.0] * 100}
    low, high = interval(groups)
    assert low == 1.0
    assert high > 1.9
    assert interval(groups) == interval(groups), "seeded"
    assert interval({"a": [1.0]}) is None


def test_ratios_to_bounds_on_some_plans_alone_say_so(stored):
    proof = {"kind": "coded", "certificate": "coded_prices"}
    every, some = "coded.expected[shared]", "coded.expected[dedicated]"
    for at, program, among in ((0, every, ""), (1, some, "plans that dedicate workers")):
        one = result(at=at)
        bound = {"exact": one.bound, "method": "", "certificate": {**proof, "program": program}}
        one = msgspec.structs.replace(one, output={**one.output, "certificate": bound})
        (found,) = ratios(stored(one))
        assert found.among == among
