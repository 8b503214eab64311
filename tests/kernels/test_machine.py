"""Machine code is kept where it can be, and never answers for other sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernels.test_kernels import run

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
