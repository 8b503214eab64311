"""A task becomes a result, whatever it does."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest

from farkas.experiments.sweeps import Task
from farkas.experiments.sweeps import task as module
from farkas.experiments.sweeps.task import Request, perform
from farkas.instances import library, to_bytes
from farkas.instances.generate import generate

TINY = library.load("mlbroker/tiny")


def asked(what: str, name: str, **more: object) -> Request:
    task = Task(what=what, name=name, kind="mlbroker", instance=TINY.sha256, **more)  # type: ignore[arg-type]
    return Request(task.key, task, to_bytes(TINY).decode())


def test_a_run_keeps_value_bound_and_ratio() -> None:
    # Local pays 19.4, the optimum of the tight relaxation is 16.8
    result = perform(asked("run", "mlbroker.local", recheck=True))
    assert (result.status, result.error, result.recheck) == ("done", "", "proved again")
    assert result.value == pytest.approx(19.4)
    assert float(Fraction(result.bound)) == pytest.approx(16.8)
    assert result.ratio == pytest.approx(19.4 / 16.8)


def test_only_tasks_of_the_sample_are_proved_again() -> None:
    assert perform(asked("run", "mlbroker.local")).recheck == ""


def test_a_solve_keeps_the_value_of_its_point_and_a_bound() -> None:
    options = {"solver": "highs", "relax": True}
    result = perform(asked("solve", "mlbroker.relaxed[tight]", options=options, recheck=True))
    assert (result.status, result.recheck) == ("done", "proved again")
    assert result.value == pytest.approx(16.8)
    assert result.ratio == pytest.approx(1.0)
    assert result.output is not None
    assert result.output["certificate"]["exact"] == result.bound


def test_the_value_of_a_solve_is_that_of_the_point_that_its_certificate_holds() -> None:
    # the solver's point misses rows by rounding; the one of the certificate is worth 3e-14 else
    market = generate("mlbroker", "small", seed=1)
    name, options = "mlbroker.offline[strict]", {"solver": "highs"}
    request = asked("solve", name, options=options, recheck=True)
    task = msgspec.structs.replace(request.task, instance=market.sha256)
    result = perform(Request(task.key, task, to_bytes(market).decode()))
    assert (result.status, result.recheck) == ("done", "proved again")
    assert result.output is not None
    assert result.value == pytest.approx(result.output["objective"], rel=1e-9)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (asked("run", "mlbroker.nobody"), "unknown algorithm"),
        (asked("run", "mlbroker.fractional", options={"epsilon": "x"}), "epsilon"),
        (msgspec.structs.replace(asked("run", "mlbroker.local"), instance="{}"), "instance"),
    ],
)
def test_what_goes_wrong_is_a_failed_result(request_: Request, words: str) -> None:
    result = perform(request_)
    assert (result.status, result.value, result.bound) == ("failed", None, "")
    assert words in result.error


def test_an_unexpected_error_is_named_with_its_type(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(task: Task, instance: object) -> dict[str, object]:
        raise SystemExit(3)

    monkeypatch.setitem(module._WORK, "run", leave)
    result = perform(asked("run", "mlbroker.local"))
    assert (result.status, result.error) == ("failed", "SystemExit: 3")
