"""Kinds of `examples`: installed by their project file, and used by commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from tests.tools.shared import ROOT


def install(example: Path, folder: Path) -> str:
    """Install what a project file says, as an installer would; a path for Python."""
    project = tomllib.loads((example / "pyproject.toml").read_text())["project"]
    info = folder / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = project["entry-points"]["farkas.kinds"]
    lines = "".join(f"{name} = {package}\n" for name, package in points.items())
    (info / "entry_points.txt").write_text(f"[farkas.kinds]\n{lines}")
    return os.pathsep.join([str(ROOT), str(folder), str(example)])


def ran(path: str, *words: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def farkas(path: str, *words: str) -> dict[str, Any]:
    return json.loads(ran(path, "-m", "farkas", *words, "--json"))
