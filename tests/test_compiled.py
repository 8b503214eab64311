"""Kernels: interpreted while that is cheap, compiled once, and never on a clock."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

import farkas.compiled
import farkas.machine_code
from farkas.compiled import Floats1, Floats2, Ints1, Kernel, Out, clock, compiled, dtype_of
from tests.tools.shared import ROOT


class Sizes(NamedTuple):
    weights: Floats2
    count: int
    scale: float


@compiled
def twice(x: float) -> float:
    """Twice x."""
    return x + x


@compiled
def weigh(sizes: Sizes, place: Ints1, sums: Out[Floats1]) -> tuple[float, int]:
    total = 0.0
    for r in range(sizes.weights.shape[0]):
        for c in range(sizes.weights.shape[1]):
            sums[place[r]] += twice(sizes.weights[r, c]) * sizes.scale
            total += sizes.weights[r, c]
    return total, sizes.count


def run(code: str, *arguments: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interpret ten steps of a kernel before it is compiled."""
    monkeypatch.setattr(farkas.compiled, "STEPS_INTERPRETED", 10)


@pytest.fixture
def translated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of kernels in the order in which they are compiled; the compiler is a fake."""
    names: list[str] = []

    def translate(kernel: Kernel, *, inner: bool) -> object:
        names.append(kernel.__name__)
        return kernel.interpret

    monkeypatch.setattr(farkas.machine_code, "translate", translate)
    return names


@pytest.mark.parametrize(
    "array", [np.ndarray[Any, np.dtype[np.int64]], list[np.int64], npt.NDArray[np.int64]]
)
def test_the_type_of_entries_is_found_in_any_numpy(array: Any) -> None:
    # NDArray[T] is ndarray[..., dtype[T]] before numpy 2.5, then an alias with the argument T
    assert dtype_of(array) == np.dtype(np.int64)


def test_kernels_call_kernels_and_take_named_tuples() -> None:
    # 2 * 3 * (1 + 2) = 18 at place 1, 2 * 3 * (3 + 4) = 42 at place 0
    sums = np.zeros(2)
    assert weigh(Sizes(np.array([[1.0, 2.0], [3.0, 4.0]]), 7, 3.0), [1, 0], sums) == (10.0, 7)
    assert sums.tolist() == [42.0, 18.0]


@compiled
def drawn(count: int) -> Floats1:
    return np.full(count, 0.5)


@compiled
def summed(count: int) -> float:
    return added(drawn(count), 1)


@compiled
def added(halves: Floats1, first: int) -> float:
    total = 0.0
    for x in halves[first:]:
        total += x
    return total


@compiled
def sorted_sum(numbers: Floats1) -> float:
    return added(np.sort(numbers), 2)


def test_references_are_counted_only_where_arrays_are_made_or_handed_over() -> None:
    making = {one.__name__ for one in (twice, weigh, drawn, summed, added, sorted_sum)
              if one.makes_arrays}  # fmt: skip
    # a tuple of numbers may as well hold arrays
    assert making == {"weigh", "drawn", "summed", "sorted_sum"}
    assert summed.machine(5) == summed.interpret(5) == 2.0
    assert sorted_sum.machine(np.array([3.0, 1.0, 2.0])) == 3.0
    numbers = np.arange(4.0)
    assert added.machine(numbers, 1) == 6.0
    count = sys.getrefcount(numbers)
    for _ in range(10):
        added.machine(numbers, 1)
    assert sys.getrefcount(numbers) == count
    assert len(drawn.machine(3)) == 3


@compiled
def arange(count: int) -> Ints1:
    """Kernel of the name of a function of numpy, which is another."""
    return np.arange(count)


def test_kernels_know_which_ones_they_call() -> None:
    assert weigh.calls == [twice]
    assert twice.calls == arange.calls == []


def test_what_a_kernel_calls_is_compiled_before_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))  # where no code is kept yet
    seen: list[tuple[str, bool]] = []

    @compiled
    def once_more(x: float) -> float:
        return twice(x) + x

    class Spied(Kernel[Any, Any]):
        @property
        def inner(self) -> Any:  # type: ignore[override]
            seen.append((self.function.__name__, gc.isenabled()))
            return Kernel(self.function, None).inner

    once_more.calls = [Spied(twice.function, None)]
    assert once_more.machine(2.0) == 6.0
    assert seen[0] == ("twice", True)
    assert gc.isenabled()


@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_is_as_it_was_after_compiling(collects: bool) -> None:
    if not collects:
        gc.disable()
    try:
        with contextlib.suppress(ValueError), farkas.machine_code._without_collecting():
            assert not gc.isenabled()
            raise ValueError
        assert gc.isenabled() == collects
    finally:
        gc.enable()


def test_a_kernel_keeps_name_and_docstring_and_takes_arguments_by_name() -> None:
    assert (twice.__name__, twice.__doc__) == ("twice", "Twice x.")
    assert twice(x=2) == 4.0


def test_one_version_is_compiled_for_all_layouts() -> None:
    # numba alone would compile anew for rows, columns, steps, read-only arrays and other types
    square = np.array([[1.0, 2.0], [3.0, 4.0]])
    frozen = square.copy()
    frozen.setflags(write=False)
    wide = np.zeros((2, 4))
    wide[:, ::2] = square
    whole = square.astype(np.int32)
    listed = [[1, 2], [3, 4]]
    for weights in (square, np.asfortranarray(square), frozen, wide[:, ::2], whole, listed):
        sums = np.zeros(2)
        weigh(Sizes(weights, np.int32(1), 1), np.array([0, 1], np.int8)[::1], sums)
        assert sums.tolist() == [6.0, 14.0]
    assert len(weigh.machine.overloads) == 1


@pytest.mark.parametrize("steps", [-1, 10], ids=["compiled", "interpreted"])
def test_arrays_to_write_to_are_never_copied(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(farkas.compiled, "STEPS_INTERPRETED", steps)

    @compiled(steps=lambda values: 1)
    def clear(values: Out[Floats1]) -> None:
        for i in range(len(values)):
            values[i] = 0.0

    frozen = np.ones(2)
    frozen.setflags(write=False)
    for wrong in (frozen, np.ones(4)[::2], np.ones(2, int), [1.0, 1.0], np.ones((2, 1))):
        with pytest.raises(TypeError, match="clear: values takes a writable, contiguous array"):
            clear(wrong)
    right = np.ones(2)
    clear(right)
    assert right.tolist() == [0.0, 0.0]


def test_no_digits_are_lost_on_the_way_in() -> None:
    with pytest.raises(TypeError, match="weigh: place takes an array of int64 with 1 axes"):
        weigh(Sizes(np.ones((1, 1)), 1, 1.0), [0.5], np.zeros(1))
    with pytest.raises(TypeError, match="float"):
        weigh(Sizes(np.ones((1, 1)), 1.5, 1.0), [0], np.zeros(1))


def test_short_work_is_interpreted_until_it_adds_up(budget: None) -> None:
    calls = []

    @compiled(steps=lambda x: 5)
    def thrice(x: float) -> float:
        calls.append(x)  # which the compiler would refuse
        return 3 * x

    @compiled(steps=lambda x: 5)
    def other(x: float) -> float:
        calls.append(x)
        return x

    for _ in range(2):
        assert thrice(2.0) == 6.0
    assert calls == [2.0, 2.0]
    # 5 + 5 + 5 > 10: compiled from here on, which this function does not survive
    with pytest.raises(Exception, match="calls"):
        thrice(2.0)
    assert other(2.0) == 2.0  # a kernel pays for its own compiling only


def test_a_long_call_is_compiled_at_once_and_short_ones_follow_it(
    budget: None, translated: list[str]
) -> None:
    @compiled(steps=len)
    def last(values: Floats1) -> float:
        return values[-1]

    assert last(np.arange(3.0)) == 2.0
    assert translated == []
    assert last(np.arange(11.0)) == 10.0
    assert last(np.arange(3.0)) == 2.0
    assert translated == ["last"]


def test_a_kernel_is_prepared_for_what_is_to_come(budget: None, translated: list[str]) -> None:
    @compiled(steps=len)
    def last(values: Floats1) -> float:
        return values[-1]

    last.prepare(10)
    assert translated == []
    last(np.arange(4.0))
    last.prepare(6)
    assert translated == []
    last.prepare(7)  # 4 steps were interpreted already
    last.prepare(7)
    assert translated == ["last"]


def test_the_interpreter_returns_what_machine_code_returns(budget: None) -> None:
    @compiled(steps=lambda values: 1)
    def first(values: Floats1) -> tuple[float, int, bool]:
        return values[0], np.argmax(values), values[0] > 1.0

    found = first(np.array([0.5, 2.0]))
    assert [type(x) for x in found] == [float, int, bool]


def test_clocks_stand_still_while_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def translate(kernel: Kernel, **_: bool) -> object:
        now[0] += 1000.0
        if kernel is outer:
            _ = inner.machine  # compiled by the way, and not to be taken off twice
        return kernel.interpret

    @compiled
    def inner(x: float) -> float:
        return x

    @compiled
    def outer(x: float) -> float:
        return inner(x)

    monkeypatch.setattr(farkas.machine_code, "translate", translate)
    monkeypatch.setattr(farkas.compiled.time, "perf_counter", lambda: now[0])
    begin = clock()
    now[0] += 1.0
    assert outer(3.0) == 3.0
    now[0] += 2.0
    assert clock() - begin == 3.0
    assert now[0] == 2003.0


def test_importing_a_module_with_kernels_does_not_load_the_compiler() -> None:
    modules = ["eris.scheduler_dp", "eris.scheduler_printed", "dps.simulation", "coded.exhaustive"]
    names = ", ".join(f"farkas.online.{name}" for name in modules)
    more = "farkas.relaxations.gadget.tree_pricing, farkas.models.coded.recovery"
    assert run(f"import sys, {names}, {more}; print('numba' in sys.modules)") == "False\n"


def test_a_kernel_is_ready_once_what_is_to_come_is_worth_it(
    budget: None, translated: list[str]
) -> None:
    @compiled(steps=lambda x: x)
    def loop(x: float) -> float:
        return x

    assert not loop.ready(10)
    assert translated == []
    assert loop.ready(11)
    assert loop.ready(0)
    assert translated == ["loop"]


AT_WORK = """
import sys
sys.argv[1:] = ["{steps}"]
from tests.tools import kernels_at_work
kernels_at_work.main()
"""


def test_machine_code_and_interpreter_agree_to_the_last_bit() -> None:
    machine, plain = (run(AT_WORK.format(steps=steps)) for steps in (-1, 1e12))
    assert len(plain.splitlines()) > 300
    assert plain.splitlines()[:-1] == machine.splitlines()[:-1]
    assert plain.splitlines()[-1] == "[]"  # kernels that the interpreter never entered
    assert machine.splitlines()[-1] != "[]"


@pytest.mark.parametrize("kind", ["eris", "dps", "coded", "gadget"])
def test_the_demo_does_not_wait_for_the_compiler(kind: str) -> None:
    code = f"""
import sys
from farkas.errors import NotApplicable
from farkas.instances import library
from farkas.online import algorithms
names = [name for name in algorithms.names() if name.startswith("{kind}.")]
for name in names:
    try:
        algorithms[name].run(library.load("{kind}/demo"))
    except NotApplicable:
        continue
print(len(names) > 3, "numba" in sys.modules)
"""
    assert run(code) == "True False\n"
