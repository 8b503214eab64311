"""What ``farkas doctor`` looks at: whether everything is here that farkas can use, and remedies."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

OLDEST_PYTHON = (3, 11)
_NOT_FOR_USERS = {"dev", "test", "docs", "mutants"}
_REQUIREMENT = re.compile(r"([\w.-]+)[^;]*(?:;.*extra\s*==\s*['\"]([\w-]+)['\"])?")


@dataclasses.dataclass(frozen=True, slots=True)
class Looked:
    """One thing that was looked at.

    Parameters
    ----------
    what
        The thing.
    state
        ``fine``, ``absent`` (nothing needs it) or ``broken``.
    detail
        What was found.
    remedy
        What to type, where something can be done.
    """

    what: str
    state: str
    detail: str
    remedy: str = ""


def findings() -> Iterator[Looked]:
    """Look at Python, packages, extras, solvers, kernels, and one proof from end to end."""
    yield _python()
    yield from _packages(importlib.metadata.requires("farkas") or [])
    yield from _solvers()
    yield _kernels()
    yield _proof()


def _python() -> Looked:
    here = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info >= OLDEST_PYTHON:
        return Looked("Python", "fine", f"{here}, {sys.executable}")
    wanted = ".".join(map(str, OLDEST_PYTHON))
    return Looked("Python", "broken", here, f"install Python {wanted} or newer")


def _packages(requirements: list[str]) -> Iterator[Looked]:
    """Look for the packages and extras that the metadata of farkas list."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for requirement in requirements:
        found = _REQUIREMENT.match(requirement)
        if found is not None and found[1] != "farkas":
            wanted[found[2] or ""].append(found[1])
    needed = wanted.pop("", [])
    missing = [name for name in needed if not _version(name)]
    here = ", ".join(f"{name} {_version(name)}" for name in needed if name not in missing)
    if missing:
        yield Looked("packages", "broken", f"missing: {', '.join(missing)}", "pip install .")
    else:
        yield Looked("packages", "fine", here)
    for extra, names in sorted(wanted.items()):
        if extra in _NOT_FOR_USERS:
            continue
        lacking = [name for name in names if not _version(name)]
        if lacking:
            detail = f"missing: {', '.join(lacking)}"
            yield Looked(f"extra {extra}", "absent", detail, f"pip install 'farkas[{extra}]'")
        else:
            yield Looked(f"extra {extra}", "fine", ", ".join(names))


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _solvers() -> Iterator[Looked]:
    from farkas.solvers import status
    from farkas.solvers.access import Access

    for line in status():
        standing, detail = line.availability.standing, line.availability.detail
        if standing is Access.FULL:
            yield Looked(f"solver {line.name}", "fine", f"{line.version}, no limit")
        elif standing is Access.LIMITED:
            remedy = "larger programs need a licence of your own"
            yield Looked(f"solver {line.name}", "fine", f"{line.version}, {detail}", remedy)
        else:
            yield Looked(f"solver {line.name}", "absent", str(standing), detail)


def _kernels() -> Looked:
    """Whether machine code is made, and kept for the next time."""
    if not _version("numba"):
        detail = "numba is missing: searches of eris and dps are interpreted, results are the same"
        return Looked("kernel cache", "absent", detail, "pip install 'farkas[kernels]'")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(chosen)] if chosen else [Path(__file__).parents[1]]
    for place in [*places, Path(home)]:
        if os.access(_nearest(place), os.W_OK):
            return Looked("kernel cache", "fine", f"kept below {place}")
    remedy = "set NUMBA_CACHE_DIR to a folder that you may write to"
    return Looked("kernel cache", "broken", "no folder to keep machine code in", remedy)


def _nearest(place: Path) -> Path:
    """Return the folder, or the nearest one above it that there is."""
    return next(folder for folder in [place, *place.absolute().parents] if folder.exists())


def _proof() -> Looked:
    """Solve, prove and check a shipped program."""
    from farkas.errors import FarkasError
    from farkas.verbs.solution import Solution
    from farkas.verbs.solve import solve

    try:
        solution = solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    except (FarkasError, ImportError) as error:
        return Looked("a proof", "broken", str(error), "pip install --force-reinstall farkas")
    if not isinstance(solution, Solution) or solution.bound is None:
        return Looked("a proof", "broken", "no bound was proved", "put this into the issue tracker")
    return Looked("a proof", "fine", "mlbroker/tiny was solved and its bound proved")
