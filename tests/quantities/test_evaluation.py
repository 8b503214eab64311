"""Named quantities: keys, absence, and blindness to expected values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from farkas.errors import NotApplicable, UnknownName
from farkas.instances import Instance
from farkas.instances.library import load
from farkas.quantities import evaluate, evaluate_all, find, quantities, quantity


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only these quantities, on the kind of the shipped tiny instance."""
    quantities.load()
    monkeypatch.setattr(quantities, "_items", {})

    @quantity("mlbroker.slots")
    def slots(instance: Any) -> Any:
        """Count slots."""
        return np.int64(instance.num_slots)

    @quantity("mlbroker.job[{i}]", i=lambda instance: range(len(instance.jobs)))
    def job(instance: Any, i: int) -> Any:
        """Arrival of job ``i``."""
        assert type(i) is int
        return instance.jobs[i].arrival

    @quantity(
        "mlbroker.pair[{i},{t}]",
        i__t=lambda instance: [(i, j.arrival) for i, j in enumerate(instance.jobs)],
    )
    def pair(instance: Any, i: int, t: int) -> Any:
        """Add up an index pair."""
        return i + t

    @quantity("mlbroker.never")
    def never(instance: Any) -> Any:
        """Never defined."""
        raise NotApplicable("too many states (10 > 4)")

    @quantity("mlbroker.expected_seen")
    def expected_seen(instance: Any) -> Any:
        """Whether expected values can be looked up."""
        return instance.expected is not None


@pytest.fixture
def instance() -> Instance:
    return load("mlbroker/tiny")  # job 0 arrives in slot 0, job 1 in slot 1


def test_every_defined_key_is_there_and_nothing_else(instance: Instance) -> None:
    blank = instance.replace(expected=None)
    assert evaluate(blank) == {
        "mlbroker.expected_seen": False,
        "mlbroker.job[0]": 0,
        "mlbroker.job[1]": 1,
        "mlbroker.pair[0,0]": 0,
        "mlbroker.pair[1,1]": 2,
        "mlbroker.slots": 2,
    }


def test_default_keys_are_those_the_file_expects(instance: Instance) -> None:
    asking = instance.replace(expected={"mlbroker.job[1]": {"value": 77, "tol": 0}})
    assert evaluate(asking) == {"mlbroker.job[1]": 1}


def test_expected_values_are_never_seen(instance: Instance) -> None:
    asking = instance.replace(expected={"mlbroker.expected_seen": {"value": True, "tol": 0}})
    assert evaluate(asking) == {"mlbroker.expected_seen": False}


def test_numpy_values_become_plain_numbers(instance: Instance) -> None:
    assert type(evaluate(instance, ["mlbroker.slots"])["mlbroker.slots"]) is int


@pytest.mark.parametrize("key", ["mlbroker.never", "mlbroker.job[2]", "mlbroker.pair[0,1]"])
def test_an_undefined_key_is_absent_and_says_why(instance: Instance, key: str) -> None:
    assert evaluate(instance, [key]) == {}
    (outcome,) = evaluate_all(instance, [key])
    assert isinstance(outcome.error, NotApplicable)
    assert key in str(outcome.error)


@pytest.mark.parametrize(
    "key", ["mlbroker.slot", "mlbroker.job", "mlbroker.job[0", "eris.slots", ""]
)
def test_a_key_of_no_quantity_is_an_error(instance: Instance, key: str) -> None:
    with pytest.raises(UnknownName, match="unknown mlbroker quantity"):
        evaluate(instance, [key])


def test_one_failing_key_does_not_take_the_others_along(instance: Instance) -> None:
    @quantity("mlbroker.broken")
    def broken(instance: Any) -> Any:
        """Divide by zero."""
        return 1 / 0

    outcomes = {o.key: o for o in evaluate_all(instance, ["mlbroker.broken", "mlbroker.slots"])}
    assert isinstance(outcomes["mlbroker.broken"].error, ZeroDivisionError)
    assert outcomes["mlbroker.slots"].value == 2


def test_the_nearest_quantity_is_named() -> None:
    with pytest.raises(UnknownName, match=r"did you mean mlbroker\.slots"):
        find("mlbroker.slotz", "mlbroker")


def test_it_is_told_whether_an_argument_or_all_of_a_quantity_is_undefined(
    instance: Instance,
) -> None:
    @quantity("mlbroker.nothing[{i}]", i=lambda instance: range(0))
    def nothing(instance: Any, i: int) -> Any:
        """Defined for no argument."""
        return i

    for key, reason in (
        ("mlbroker.nothing[0]", "not defined for this instance"),
        ("mlbroker.job[2]", "no such argument for this instance"),
    ):
        (outcome,) = evaluate_all(instance, [key])
        assert str(outcome.error) == f"{key}: {reason}"
