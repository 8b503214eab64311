"""A sweep is at work as long as its process is, and its time has not run out."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import msgspec
import pytest

from farkas.experiments.sweeps.owner import Owner

LATER = time.time() + 3600


def test_a_sweep_of_this_process_is_at_work_until_its_time_has_run_out() -> None:
    owner = Owner.here()
    assert owner.pid == os.getpid()
    assert not owner.gone(LATER)
    assert owner.gone(time.time() - 1)


def test_two_sweeps_of_one_process_are_two() -> None:
    assert Owner.here().token != Owner.here().token


def test_a_process_that_has_ended_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    ended = msgspec.structs.replace(Owner.here(), pid=process.pid)
    assert ended.gone(LATER)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="this system has no /proc")
def test_a_process_that_was_given_the_same_number_is_another_one() -> None:
    owner = Owner.here()
    assert int(owner.born) > 0
    assert msgspec.structs.replace(owner, born="1").gone(LATER)


def test_where_the_system_does_not_say_when_it_was_born_the_number_decides() -> None:
    assert not msgspec.structs.replace(Owner.here(), born="").gone(LATER)


def test_a_process_of_another_machine_has_its_time() -> None:
    away = msgspec.structs.replace(Owner.here(), host="elsewhere", pid=2**40)
    assert not away.gone(LATER)
    assert away.gone(time.time() - 1)


@pytest.mark.parametrize("pid", [2**40, 2**70])
def test_a_number_that_no_process_has_is_gone(pid: int) -> None:
    assert msgspec.structs.replace(Owner.here(), pid=pid).gone(LATER)
