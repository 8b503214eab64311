"""Moments that work must not pass."""

from __future__ import annotations

import math

import pytest

import farkas.kernels
from farkas.errors import NoAnswer
from farkas.exact import bounding
from farkas.exact.bounding import Deadline, OutOfTime


def test_time_runs_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(bounding, "clock", lambda: now[0])
    clock = Deadline(2.0)
    clock.check()
    assert clock.left == 2.0
    now[0] = 101.5
    clock.check()
    assert clock.left == 0.5
    part = clock.part(0.5)
    now[0] = 101.7
    assert part.left == pytest.approx(0.05)
    now[0] = 103.0
    assert clock.left == 0.0
    with pytest.raises(OutOfTime):
        clock.check()


def test_without_seconds_there_is_no_end() -> None:
    assert Deadline().left == math.inf
    assert Deadline().part(0.5).left == math.inf
    Deadline().check()
    assert issubclass(OutOfTime, NoAnswer)


def test_whoever_is_asked_can_stop_the_clock_and_its_parts() -> None:
    pressed = []
    clock = Deadline(1000.0, lambda: bool(pressed))
    part = clock.part(0.5)
    assert 400 < part.left <= 500
    assert not clock.stopped
    pressed.append(True)
    assert part.stopped
    assert (clock.left, part.left) == (0.0, 0.0)
    with pytest.raises(OutOfTime):
        part.check()


def test_compiling_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(farkas.kernels.time, "perf_counter", lambda: now[0])
    limit = Deadline(2.0)

    def translate(kernel: farkas.kernels.Kernel) -> None:
        now[0] += 100.0

    monkeypatch.setattr("farkas.kernels.machine.translate", translate)
    _ = farkas.kernels.Kernel(len, None).machine
    now[0] += 0.5
    assert limit.left == 1.5
