"""Kernels: interpreted while short, compiled once for all layouts, and never on a clock."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import farkas.kernels
from farkas.certificates.arrays import copy_floats, copy_ints
from farkas.exact.node_bounds import Deadline
from farkas.kernels import (
    Floats1,
    Floats2,
    Ints1,
    Kernel,
    Out,
    clock,
    compiled,
)
from farkas.kernels.machine import borrows
from tests.tools.kernels_at_work import KINDS
from tests.tools.shared import ROOT


class Sizes(NamedTuple):
    weights: Floats2
    count: int
    scale: float


@compiled
def twice(x: float) -> float:
    """Twice x."""
    return x + x


@compiled(steps=lambda sizes, place, sums: sizes.weights.size)
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
def translated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of kernels in the order in which a fake compiles them; ten steps are interpreted."""
    names: list[str] = []

    def translate(kernel: Kernel[..., Any]) -> object:
        names.append(kernel.__name__)
        return kernel.interpret

    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", 10)
    monkeypatch.setattr("farkas.kernels.machine.translate", translate)
    return names


def last_of() -> Kernel[..., float]:
    @compiled(steps=len)
    def last(values: Floats1) -> float:
        return values[-1]

    return last


@pytest.mark.parametrize("steps", [-1, 1000], ids=["compiled", "interpreted"])
def test_one_version_takes_all_layouts(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # numba alone would compile anew for rows, columns, steps, read-only arrays and other types
    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", steps)
    square = np.array([[1.0, 2.0], [3.0, 4.0]])
    frozen = square.copy()
    frozen.setflags(write=False)
    wide = np.zeros((2, 4))
    wide[:, ::2] = square
    kernel = Kernel(weigh.function, weigh.steps)
    for weights in (
        square,
        np.asfortranarray(square),
        frozen,
        wide[:, ::2],
        square.astype(np.int32),
        [[1, 2], [3, 4]],
    ):
        # 2 * 3 * (1 + 2) = 18 at place 1, 2 * 3 * (3 + 4) = 42 at place 0
        sums = np.zeros(2)
        found = kernel(Sizes(weights, np.int32(7), 3), place=np.array([1, 0], np.int8), sums=sums)
        assert (found, sums.tolist()) == ((10.0, 7), [42.0, 18.0])
        assert [type(x) for x in found] == [float, int]
    if steps < 0:
        assert len(kernel.machine.overloads) == 1


@pytest.mark.parametrize("steps", [-1, 1000], ids=["compiled", "interpreted"])
def test_arrays_to_write_to_are_never_copied(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", steps)
    sizes = Sizes(np.ones((1, 1)), 1, 0.5)
    frozen = np.ones(2)
    frozen.setflags(write=False)
    for wrong in (frozen, np.ones(4)[::2], np.ones(2, int), [1.0, 1.0], np.ones((2, 1))):
        with pytest.raises(TypeError, match="weigh: sums takes a writable, contiguous array"):
            weigh(sizes, [0], wrong)


def test_no_digits_are_lost_on_the_way_in() -> None:
    with pytest.raises(TypeError, match="weigh: place takes an array of int64 with 1 axes"):
        weigh(Sizes(np.ones((1, 1)), 1, 1.0), [0.5], np.zeros(1))
    with pytest.raises(TypeError, match="float"):
        weigh(Sizes(np.ones((1, 1)), 1.5, 1.0), [0], np.zeros(1))


def test_short_work_is_interpreted_until_it_adds_up(translated: list[str]) -> None:
    last, other = last_of(), last_of()
    assert last(np.arange(5.0)) == last(np.arange(5.0)) == 4.0
    assert translated == []
    assert last(np.arange(1.0)) == 0.0  # 5 + 5 + 1 > 10
    last(np.arange(1.0))
    assert translated == ["last"]
    other(np.arange(10.0))  # each kernel counts its own steps
    assert translated == ["last"]


def test_a_kernel_is_compiled_for_what_is_to_come(translated: list[str]) -> None:
    last = last_of()
    last(np.arange(4.0))
    assert not last.prepare(6)
    assert translated == []
    assert last.prepare(7)  # 4 steps were interpreted
    assert last.prepare(0)
    assert translated == ["last"]


def test_a_kernel_without_steps_is_interpreted_from_python(translated: list[str]) -> None:
    assert (twice(x=2), twice.__name__, twice.__doc__) == (4.0, "twice", "Twice x.")
    assert translated == []


def test_clocks_stand_still_while_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def translate(kernel: Kernel[..., Any]) -> object:
        now[0] += 1000.0
        if kernel is outer:
            _ = inner.machine  # compiled by the way, and not to be taken off twice
        return kernel.interpret

    inner, outer = last_of(), last_of()
    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", -1)
    monkeypatch.setattr("farkas.kernels.machine.translate", translate)
    monkeypatch.setattr(farkas.kernels.time, "perf_counter", lambda: now[0])
    begin, deadline = clock(), Deadline(5.0)
    now[0] += 1.0
    assert outer([3.0]) == 3.0
    now[0] += 2.0
    assert (clock() - begin, now[0]) == (3.0, 2003.0)
    assert deadline.left == 2.0  # time limits are not used up by compiling


def at_work(steps: float, *kinds: str) -> list[str]:
    """What kernels return that are interpreted up to so many steps."""
    code = "from tests.tools import kernels_at_work; kernels_at_work.main()"
    return run(f"import sys; sys.argv[1:] = {[str(steps), *kinds]}; {code}").splitlines()


@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param((), marks=pytest.mark.slow, id="all"),
        pytest.param(("coded",), id="coded"),
    ],
)
def test_machine_code_and_interpreter_agree_to_the_last_bit(kinds: tuple[str, ...]) -> None:
    *by_machine, left_out = at_work(-1, *kinds)
    *plain, never_entered = at_work(1e12, *kinds)
    assert {line.split()[0] for line in plain} == set(kinds or KINDS)
    assert plain == by_machine
    assert never_entered == "[]" != left_out  # machine code enters no kernel from another


@pytest.mark.parametrize(
    "kind", ["eris", "dps", pytest.param("coded", marks=pytest.mark.slow), "gadget"]
)
def test_the_demo_does_not_load_the_compiler(kind: str) -> None:
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


@compiled
def behind_the_first(values: Floats1) -> Floats1:
    """All but the first."""
    return values[1:]


@compiled
def second(values: Floats1) -> float:
    """Second number."""
    return float(behind_the_first(values)[0])


def test_references_are_counted_by_who_returns_arrays_or_is_returned_some() -> None:
    assert borrows(copy_floats)
    assert borrows(twice)
    assert not borrows(behind_the_first)
    assert not borrows(second)


@pytest.mark.parametrize(("copy", "kind"), [(copy_floats, float), (copy_ints, np.int64)])
def test_copies_leave_what_is_behind_them(copy: Any, kind: Any) -> None:
    source, target = np.array([3, 1], kind), np.array([7, 7, 7], kind)
    copy(source, target)
    assert (target.tolist(), source.tolist()) == ([3, 1, 7], [3, 1])


CALLEE = """
from typing import Any, NamedTuple
from farkas.kernels import Floats1, compiled

SHARE = {share}

class Pair(NamedTuple):
    {first}: float
    {second}: float

@compiled
def part(x: float) -> float:
    return {body}
"""
CALLER = """
import contextlib, io
from callee import SHARE, Pair, part
from farkas.kernels import compiled

@compiled(steps=lambda pair: 1e9)
def whole(pair: Pair) -> float:
    return part(pair.a) + SHARE

told = io.StringIO()
with contextlib.redirect_stderr(told):
    print(whole(Pair(1.0, 10.0)))
print(sum(getattr(whole.machine, "stats").cache_hits.values()))
print(told.getvalue(), end="")
"""
COMPILED = "farkas: compiling loops, once where a folder can keep them: farkas show --compile"


class Package:
    """Two modules in a folder, and a home to keep code in."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder / "package", folder / "home"
        self.folder.mkdir()
        self.home.mkdir()
        (self.folder / "caller.py").write_text(CALLER)
        self.write()

    def write(self, body: str = "2 * x", share: float = 0.5, order: str = "ab") -> None:
        text = CALLEE.format(body=body, share=share, first=order[0], second=order[1])
        (self.folder / "callee.py").write_text(text)

    def result(self, before: str = "", **environment: str) -> list[str]:
        """Value, how many kernels were loaded, and what was said on stderr."""
        code = f"import sys; sys.path.insert(0, {str(self.folder)!r}); {before}import caller"
        home = {"HOME": str(self.home), "XDG_CACHE_HOME": str(self.home), "NUMBA_CACHE_DIR": ""}
        # -B: Python's own cache trusts seconds and sizes, which a quick edit does not change
        return run(code, "-B", **{**home, **environment}).splitlines()


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return Package(tmp_path)


@pytest.mark.ids(2)
@pytest.mark.parametrize(
    ("change", "value"),
    [({"body": "3 * x"}, "3.5"), ({"share": 0.25}, "2.25"), ({"order": "ba"}, "20.5")],
    ids=["a kernel", "a constant", "the order of fields"],
)
def test_a_change_in_another_file_is_never_answered_by_old_code(
    package: Package, change: dict, value: str
) -> None:
    # numba itself looks at the file of the calling kernel only, and would load 2.5 again
    assert package.result() == ["2.5", "0", COMPILED]
    assert package.result() == ["2.5", "1"]
    package.write(**change)
    assert package.result() == [value, "0", COMPILED]


def test_code_of_a_file_that_changed_after_it_was_imported_is_not_kept_for_the_new_one(
    package: Package,
) -> None:
    edit = (
        "import callee; from pathlib import Path; file = Path(callee.__file__)\n"
        "file.write_text(file.read_text().replace('2 * x', '3 * x')); "
    )
    assert package.result(edit)[:2] == ["2.5", "0"]  # what it had imported
    assert package.result()[:2] == ["3.5", "0"]
    assert package.result()[:2] == ["3.5", "1"]


def test_an_install_that_cannot_be_written_keeps_code_at_home(package: Package) -> None:
    (package.folder / "__pycache__").write_text("")  # as unwritable as it gets, for root too
    assert package.result()[:2] == ["2.5", "0"]
    assert package.result()[:2] == ["2.5", "1"]
    assert list(package.home.rglob("*whole*.nbi"))


def test_kernels_run_where_nothing_at_all_can_be_written(package: Package) -> None:
    (package.folder / "__pycache__").write_text("")
    for _ in range(2):
        found = package.result(HOME="/dev/null", XDG_CACHE_HOME="/dev/null")
        assert found == ["2.5", "0", COMPILED]


@pytest.mark.parametrize("how", ["switched off", "absent"])
def test_kernels_run_without_numba(package: Package, how: str) -> None:
    (package.folder / "caller.py").write_text(
        CALLER.replace("stats", "__call__").split("print(sum")[0]
        + "\nprint(told.getvalue(), end='')"
    )
    if how == "switched off":
        assert package.result(NUMBA_DISABLE_JIT="1") == ["2.5"]
        return
    value, said = package.result("sys.modules['numba'] = None; ")
    assert value == "2.5"
    assert said.startswith("farkas: without numba these loops may take a hundred times as long")
    assert "farkas[kernels]" in said


def test_the_next_process_looks_for_code_where_the_last_one_left_it() -> None:
    # A constant whose text depends on addresses or hashes would have all compiled anew every time.
    code = """
import farkas.kernels.machine
from tests.tools.kernels_at_work import every_kernel
print({k.__qualname__: farkas.kernels.machine.version(k) for k in every_kernel()})
"""
    one, other = (run(code, PYTHONHASHSEED=seed) for seed in "12")
    assert one == other
