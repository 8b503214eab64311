"""What starting costs: a name of one kind beside every kind, and the commands users wait for."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measure import Figures

LOOK_UP = """
from farkas.online import algorithms
{everything}
algorithms['mlbroker.fractional']
"""

#: Until names loaded their own kind only, every look-up loaded every kind.
WORKS = {
    "one kind": LOOK_UP.format(everything=""),
    "every kind": LOOK_UP.format(everything="algorithms.load()"),
}

FLOORS = {"check": 0.35, "solve": 0.6, "run": 0.8}  #: CPU seconds of a whole process.

COMMANDS = {
    "help": ["--help"],
    "check": ["check", "{bound}"],
    "check --instance": ["check", "{bound}", "--instance", "mlbroker/tiny"],
    "solve": ["solve", "mlbroker/tiny", "-p", "mlbroker.relaxed"],
    "run": ["run", "mlbroker/tiny", "-a", "mlbroker.fractional"],
    "show": ["show", "mlbroker.fractional"],
}

REPORT = """
import json, sys, time
print("\\n" + json.dumps([
    time.process_time(),
    sum(name.startswith("farkas") for name in sys.modules),
    [p for p in ("numpy", "scipy", "numba", "pyomo", "cvxpy", "highspy") if p in sys.modules],
]))
"""

CALL = "import sys\nfrom farkas.cli import call\ncall(sys.argv[1:])\n"


def started(code: str, words: list[str], repeats: int) -> dict[str, Any]:
    """Median CPU seconds of processes of their own, and what they load."""
    found = []
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, "-c", code + REPORT, *words],
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return {
        "seconds": median(one[0] for one in found),
        "modules": found[0][1],
        "packages": found[0][2],
    }


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args(arguments or []).repeats
    figures = Figures("startup")
    one, every = (started(code, [], repeats) for code in WORKS.values())
    for name, found in zip(WORKS, (one, every), strict=True):
        figures.add(f"a name of {name}, {found['modules']} modules", found["seconds"])
    figures.add("every kind over one kind", every["seconds"] / one["seconds"], "x", least=1.0)
    with tempfile.TemporaryDirectory() as folder:
        bound = str(Path(folder) / "bound.json")
        started(CALL, ["solve", "mlbroker/tiny", "-p", "mlbroker.relaxed", "--write", bound], 1)
        for name, words in COMMANDS.items():
            found = started(CALL, [word.format(bound=bound) for word in words], repeats)
            figures.add(f"farkas {name}", found["seconds"], most=FLOORS.get(name))
            print(f"    {found['modules']} modules; {', '.join(found['packages'])}")
    print(figures.keep())


if __name__ == "__main__":
    main(sys.argv[1:])
