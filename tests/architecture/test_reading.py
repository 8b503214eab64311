"""How much there is to read of one run: files that it executes, and the lines of the loop."""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path
from types import FrameType

import pytest

import farkas
from farkas.instances.files import own_kinds
from tests.tools.shared import ROOT

PRODUCT = ROOT / "farkas"
#: Of every kind: the algorithm that is followed in the fewest files, and in how many at most,
#: without what bounds it.
FEWEST = {
    "coded": ("coded.uniform", 9),
    "dps": ("dps.best_fit", 9),
    "eris": ("eris.tiresias", 9),
    "gadget": ("gadget.fifo", 8),
    "mlbroker": ("mlbroker.local", 9),
}
#: The same of what the papers print.
PRINTED = {
    "coded": ("coded.sca", 11),
    "dps": ("dps.dps", 10),
    "eris": ("eris.eris", 12),
    "gadget": ("gadget.gadget", 17),
    "mlbroker": ("mlbroker.mlbroker", 13),
}
#: Functions of an environment and a policy that bound a run, and those of its slots.
BOUNDING = {"bound", "bounds_so_far", "certify", "theorem", "holds_for"}


def is_of(path: Path, kind: str) -> bool:
    """Whether a file is the driver's, or one of the kind."""
    folder, *rest = path.with_suffix("").parts
    if folder == "online" and len(rest) == 1:
        return True
    return any(part == kind or part.startswith(f"{kind}_") for part in rest)


@functools.cache
def followed(algorithm: str) -> list[str]:
    """Files of the kind and of the driver whose functions one run executes before it is bounded."""
    kind = algorithm.partition(".")[0]
    found: set[Path] = set()
    within: list[FrameType] = []  # what bounds

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "return" and within and within[-1] is frame:
            within.pop()
        if event != "call" or within or not code.co_filename.startswith(f"{PRODUCT}/"):
            return
        path = Path(code.co_filename).relative_to(PRODUCT)
        if code.co_name in BOUNDING and path.parts[0] == "online":
            within.append(frame)
        elif code.co_flags & 2 and code.co_name != "<module>":  # neither a class nor a module
            found.add(path)

    # of names of their own, since what bounds all runs of an instance is remembered
    first, second = (farkas.load(f"{kind}/tiny").replace(name=f"{algorithm} {n}") for n in "12")
    farkas.run(first, algorithm)  # decorators are executed once, at import
    sys.setprofile(note)
    try:
        farkas.run(second, algorithm)
    finally:
        sys.setprofile(None)
    return sorted(f"farkas/{path}" for path in found if is_of(path, kind))


@pytest.mark.parametrize("kind", own_kinds())
def test_a_run_is_followed_in_few_files(kind: str) -> None:
    for algorithm, most in (FEWEST[kind], PRINTED[kind]):
        files = followed(algorithm)
        assert {"farkas/online/loop.py", f"farkas/replay/{kind}.py"} <= set(files)
        assert len(files) <= most, files


@pytest.mark.parametrize("kind", own_kinds())
def test_the_page_lists_the_files_of_a_run(kind: str) -> None:
    page = (ROOT / "docs" / "design.md").read_text()
    _, _, part = page.partition("## One run, file by file")
    algorithm, _ = FEWEST[kind]
    (row,) = re.findall(rf"^\| `{re.escape(algorithm)}` \| (.*) \|$", part, re.MULTILINE)
    own = [file.removeprefix("farkas/") for file in followed(algorithm)]
    driver = [file for file in own if file.startswith("online/") and file.count("/") == 1]
    assert sorted(re.findall(r"`([^`]*\.py)`", row)) == sorted(set(own) - set(driver))
    assert sorted(re.findall(r"`farkas/(online/\w+\.py)`", part)) == driver


def test_the_loop_is_read_at_once() -> None:
    lines = (PRODUCT / "online" / "loop.py").read_text().count("\n")
    assert lines <= 200
