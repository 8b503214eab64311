"""An instance is given by value, by path or by name."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from farkas.errors import FarkasError, InvalidOption
from farkas.instances import library, write
from farkas.solvers import solve
from farkas.verbs.inputs import Overlong, as_instance, limited, require_limit
from tests.generators.forms import small

TINY = library.load("mlbroker/tiny")


def test_a_name_and_a_path_are_read(tmp_path: Path) -> None:
    assert as_instance(TINY) is TINY
    path = tmp_path / "a.json"
    write(TINY, path)
    for given in ("mlbroker/tiny", str(path), path):
        assert as_instance(given).sha256 == TINY.sha256
    with pytest.raises(FarkasError, match="did you mean mlbroker/tiny"):
        as_instance("mlbroker/tinny")


@pytest.mark.parametrize("given", [None, 3, {"kind": "mlbroker"}, b"mlbroker/tiny"])
def test_anything_else_is_refused_with_its_type(given: object) -> None:
    with pytest.raises(InvalidOption, match=f"not {type(given).__name__}"):
        as_instance(given)  # type: ignore[arg-type]


def test_what_takes_too_long_ends_and_leaves_the_alarm_as_it_was() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(Overlong), limited(0.05):
        time.sleep(30.0)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_what_ends_in_time_is_left_alone() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with limited(60.0):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 50.0
    with limited(None):
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_alarm_that_is_lost_rings_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("farkas.verbs.inputs.AGAIN", 0.05)
    lost: list[Overlong] = []

    def forgetful() -> None:
        try:
            time.sleep(30.0)
        except Overlong as first:
            lost.append(first)
        time.sleep(30.0)

    with pytest.raises(Overlong), limited(0.05):
        forgetful()
    assert len(lost) == 1


def test_it_is_no_failure_of_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    def asleep(*_: object) -> None:
        time.sleep(30.0)

    monkeypatch.setattr("farkas.solvers.highs._run", asleep)
    form = small([[1.0, 1.0]], cost=[-1.0, -2.0], row_upper=[3.5], upper=[2.0, 2.0])
    with pytest.raises(Overlong), limited(0.05):
        solve(form)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("inf"), float("nan"), "60"])
def test_seconds_are_above_zero(seconds: Any) -> None:
    require_limit(None)
    with pytest.raises(InvalidOption, match="time_limit"):
        require_limit(seconds)


def test_other_threads_have_no_alarm() -> None:
    said: list[str] = []

    def ask() -> None:
        try:
            require_limit(5.0)
        except InvalidOption as error:
            said.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert said == ["a time limit needs the main thread of Linux or macOS; leave it out"]
