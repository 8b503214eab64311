"""Machine code is kept where it can be, and never answers for other sources."""

from __future__ import annotations

from pathlib import Path

import pytest

import farkas.machine_code
from tests.test_compiled import run

CALLEE = """
from typing import Any, NamedTuple
from farkas.compiled import Floats1, compiled

SHARE = {share}

class Pair(NamedTuple):
    {first}: float
    {second}: float

@compiled
def part(x: float) -> float:
    return {body}
"""
CALLER = """
from callee import SHARE, Pair, part
from farkas.compiled import compiled

@compiled
def whole(pair: Pair) -> float:
    return part(pair.a) + SHARE

print(whole(Pair(1.0, 10.0)), sum(whole.machine.stats.cache_hits.values()))
"""


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

    def result(self) -> list[str]:
        """Value, and how many kernels were loaded."""
        code = f"import sys; sys.path.insert(0, {str(self.folder)!r}); import caller"
        # -B: Python's own cache trusts seconds and sizes, which a quick edit does not change
        home = {"XDG_CACHE_HOME": str(self.home), "NUMBA_CACHE_DIR": ""}
        return run(code, "-B", **home).split()


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return Package(tmp_path)


def test_code_is_kept_beside_the_sources_and_no_old_version_with_it(package: Package) -> None:
    assert package.result() == ["2.5", "0"]
    assert package.result() == ["2.5", "1"]
    folders = {path.name.partition("-")[0] for path in package.folder.glob("__pycache__/*-*")}
    assert folders == {"caller.whole", "callee.part.inner"}
    package.write(body="3 * x")
    assert package.result() == ["3.5", "0"]
    assert len(list(package.folder.glob("__pycache__/*-*"))) == 2
    assert not list(package.home.iterdir())


@pytest.mark.parametrize(
    ("change", "value"),
    [({"body": "3 * x"}, "3.5"), ({"share": 0.25}, "2.25"), ({"order": "ba"}, "20.5")],
    ids=["a kernel", "a constant", "the order of fields"],
)
def test_a_change_in_another_file_is_never_answered_by_old_code(
    package: Package, change: dict, value: str
) -> None:
    # numba itself looks at the file of the calling kernel only, and would load 2.5 again
    assert package.result() == ["2.5", "0"]
    package.write(**change)
    assert package.result() == [value, "0"]


def test_code_of_a_file_that_changed_after_it_was_imported_is_not_kept_for_the_new_one(
    package: Package,
) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(package.folder)!r}); import callee\n"
        "from pathlib import Path; file = Path(callee.__file__)\n"
        "file.write_text(file.read_text().replace('2 * x', '3 * x')); import caller"
    )
    home = {"XDG_CACHE_HOME": str(package.home), "NUMBA_CACHE_DIR": ""}
    assert run(code, "-B", **home).split() == ["2.5", "0"]  # what it had imported
    assert package.result() == ["3.5", "0"]
    assert package.result() == ["3.5", "1"]


def test_an_install_that_cannot_be_written_keeps_code_at_home(package: Package) -> None:
    (package.folder / "__pycache__").write_text("")  # as unwritable as it gets, for root too
    assert package.result() == ["2.5", "0"]
    assert package.result() == ["2.5", "1"]
    assert list(package.home.glob("farkas/*/caller.whole-*"))


def test_kernels_run_where_nothing_at_all_can_be_written(package: Package) -> None:
    (package.folder / "__pycache__").write_text("")
    (package.home / "farkas").write_text("")
    assert package.result() == ["2.5", "0"]
    assert package.result() == ["2.5", "0"]


def test_the_folder_that_numba_is_told_to_use_is_used(package: Package, tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(package.folder)!r}); import caller"
    for hits in "01":
        assert run(code, "-B", NUMBA_CACHE_DIR=str(tmp_path / "mine")).split() == ["2.5", hits]
    assert list((tmp_path / "mine").glob("*/caller.whole-*"))
    assert not (package.folder / "__pycache__").exists()


def test_kernels_run_with_numba_switched_off(package: Package) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(package.folder)!r}); import callee\n"
        "print(callee.part(2.0))"
    )
    assert run(code, NUMBA_DISABLE_JIT="1") == "4.0\n"


def test_the_next_process_looks_for_code_where_the_last_one_left_it() -> None:
    # A constant whose text depends on addresses or hashes would have all compiled anew every time.
    code = """
import farkas.machine_code
from tests.tools.kernels_at_work import every_kernel
print({k.__qualname__: farkas.machine_code._version(k.__module__) for k in every_kernel()})
"""
    one, other = (run(code, PYTHONHASHSEED=seed) for seed in "12")
    assert one == other


def test_a_changed_constant_from_another_file_gives_other_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Machine code holds constants by value: a tolerance that changes must not meet old code.
    from farkas.online.eris import one_slot

    module = one_slot.__name__
    before = farkas.machine_code._version(module)
    monkeypatch.setattr(one_slot, "SIMPLEX", one_slot.SIMPLEX * 2)
    assert farkas.machine_code._version(module) != before


TOLD = """
import contextlib, io, sys
told = io.StringIO()
with contextlib.redirect_stderr(told):
    sys.path.insert(0, {folder!r})
    import caller
print(told.getvalue(), end="")
"""


def told(package: Package, before: str = "") -> list[str]:
    """What a process that uses two kernels says on stderr, line by line."""
    home = {"XDG_CACHE_HOME": str(package.home), "NUMBA_CACHE_DIR": ""}
    code = before + TOLD.format(folder=str(package.folder))
    return [line for line in run(code, "-B", **home).splitlines() if "farkas" in line]


def test_that_loops_are_compiled_is_said_once_and_not_again(package: Package) -> None:
    (line,) = told(package)
    assert line == (
        "farkas: compiling loops, once for this installation"
        " (farkas show --compile compiles all of them)"
    )
    assert told(package) == []
    package.write(body="3 * x")
    assert told(package) == [line]


def test_where_nothing_is_kept_it_says_what_to_do(package: Package) -> None:
    nowhere = "import farkas.machine_code as m; m._writable = lambda folder: False\n"
    for _ in range(2):
        (line,) = told(package, nowhere)
        assert line.endswith("once in every process: no folder keeps them, see farkas show install")
