"""Exact proofs and replays, as shares of the runs that they check, at the published scale.

Floors: for every algorithm the exact proof of the bound is at most 5 % of its run, which found the
bound's prices, and the replay at most 20 %; `farkas check RUN --instance FILE` of the run of a
paper's own algorithm takes at most a second, start-up included.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from benchmarks.measure import Figures, fastest
from farkas.certificates.files import from_json
from farkas.certificates.prices import PriceCertificate
from farkas.errors import FarkasError
from farkas.instances import Instance, write
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.driver import demos, write_run
from farkas.online.run import Run
from farkas.replay import audit

KINDS = ("coded", "dps", "eris", "gadget", "mlbroker")
#: Solved to the end, for hours at this scale; their decisions are replayed like all others.
OPTIMAL = ("mlbroker.opt", "gadget.greedy_exact")
REPEATS = 3


def shares(name: str, kind: str) -> tuple[Run, Instance, dict[str, float]]:
    """Run an algorithm; CPU seconds of the whole run, and what its exact parts took of them."""
    algorithms[name].run(generate(kind, "published", 1))  # compiles and loads
    # another name, so that nothing is remembered of it: no array and no bound
    instance = generate(kind, "published", 1, name=f"for {name}")
    start = time.process_time()
    run = algorithms[name].run(instance)
    whole = time.process_time() - start
    assert run.certificate is not None
    bound = from_json(msgspec.json.encode(run.certificate.certificate))
    assert isinstance(bound, PriceCertificate)
    parts = {
        "proof": fastest(lambda: bound.prove_bound(instance), REPEATS),
        "share": fastest(lambda: audit(run, instance), REPEATS),
    }
    return run, instance, {"seconds": whole, **{k: part / whole for k, part in parts.items()}}


def checked(run: Run, instance: Instance) -> float:
    """Least CPU time of ``farkas check`` in a process of its own, seconds."""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder, name)) for name in ("run.json", "instance.json")]
        write_run(run, files[0])
        write(instance, files[1])
        words = [sys.executable, "-m", "farkas", "check", files[0], "--instance", files[1]]
        best = float("inf")
        for _ in range(REPEATS):
            start = of_children()
            subprocess.run(words, check=True, capture_output=True)
            best = min(best, of_children() - start)
    return best


def of_children() -> float:
    """CPU seconds of all processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    figures = Figures("replay")
    for kind in KINDS:
        for name in algorithms.names(f"{kind}."):
            if name in OPTIMAL:
                continue
            try:
                run, instance, found = shares(name, kind)
            except FarkasError as error:  # asks for more than the published settings hold
                print(f"  {name}: {error}")
                continue
            figures.add(f"{name}: run", found["seconds"])
            figures.add(f"{name}: proof of its bound", 100 * found["proof"], "%", most=5)
            figures.add(f"{name}: replay", 100 * found["share"], "%", most=20)
            if name == demos[kind].algorithm:
                figures.add(f"{name}: farkas check of its run", checked(run, instance), most=1.0)
    print(figures.keep())


if __name__ == "__main__":
    main()
