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

from benchmarks.measure import keep

LOOK_UP = """
from farkas.online import algorithms
{everything}
algorithms['mlbroker.fractional']
"""

WORKS = {
    "one kind": LOOK_UP.format(everything=""),
    "every kind": LOOK_UP.format(everything="algorithms.load()"),
}
"""Until names loaded their own kind only, every look-up loaded every kind."""

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
    results: dict[str, Any] = {name: started(code, [], repeats) for name, code in WORKS.items()}
    one, every = results["one kind"], results["every kind"]
    results["ratio"] = every["seconds"] / one["seconds"]
    for name in WORKS:
        print(f"{name:18} {results[name]['seconds']:.2f} CPU s, {results[name]['modules']} modules")
    print(f"{'':18} one kind starts {results['ratio']:.1f} times faster")
    with tempfile.TemporaryDirectory() as folder:
        bound = str(Path(folder) / "bound.json")
        started(CALL, ["solve", "mlbroker/tiny", "-p", "mlbroker.relaxed", "--write", bound], 1)
        for name, words in COMMANDS.items():
            found = started(CALL, [word.format(bound=bound) for word in words], repeats)
            results[name] = found
            loaded = ", ".join(found["packages"])
            print(f"{name:18} {found['seconds']:.2f} CPU s, {found['modules']} modules; {loaded}")
    keep("startup", results)


if __name__ == "__main__":
    main(sys.argv[1:])
