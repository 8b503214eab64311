"""What compiling costs: the demo and the first long run, with an empty and with a filled cache.

Every measurement is a fresh process; CPU seconds of it, start-up included.  ``first`` has an empty
cache of machine code, ``next`` the one that it left; their difference is what compiling takes, at
most 3 s a kind by the floor.  The dearest kernels of each work are named with what they take
themselves, without those that they call.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile

from benchmarks.measure import Figures

FLOOR = 3.0  #: CPU seconds that compiling may take.
DEAREST = 3  #: Kernels that are named.
NOTE = """
import json, sys, time
import farkas.kernels.machine as code
translate, inside, taken = code.translate, [], []
def noted(kernel):
    begin = time.process_time()
    inside.append(0.0)
    try:
        return translate(kernel)
    finally:
        whole = time.process_time() - begin
        taken.append((whole - inside.pop(), f"{kernel.__module__}.{kernel.__name__}"))
        if inside:
            inside[-1] += whole
code.translate = noted
"""
REPORT = """
print("\\n" + json.dumps(sorted(taken, reverse=True)))
"""
DEMO = "from farkas.cli import call; call(['demo'])"
RUN = """
from farkas.instances.generate import generate
from farkas.online import algorithms
algorithms["{algorithm}"].run(generate("{kind}", seed=1, **{settings}))
"""
WORKS = {
    "demo": DEMO,
    "eris.eris, published": RUN.format(algorithm="eris.eris", kind="eris", settings={}),
    "gadget.columns, published": RUN.format(algorithm="gadget.columns", kind="gadget", settings={}),
    "mlbroker.mlbroker, published": RUN.format(
        algorithm="mlbroker.mlbroker", kind="mlbroker", settings={}
    ),
    "mlbroker.one_shot, published": RUN.format(
        algorithm="mlbroker.one_shot", kind="mlbroker", settings={}
    ),
    "dps.dps, 50,000 jobs": RUN.format(
        algorithm="dps.dps", kind="dps", settings={"num_jobs": 50_000}
    ),
    "coded.brute_force, 3 x 30": RUN.format(
        algorithm="coded.brute_force", kind="coded", settings={"num_masters": 3, "num_workers": 30}
    ),
    "dps.bfp_coord, 1000 jobs": RUN.format(
        algorithm="dps.bfp_coord", kind="dps", settings={"num_jobs": 1000, "horizon": 1000}
    ),
}


def seconds(code: str, cache: str) -> float:
    """CPU seconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    finished(code, cache)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def finished(code: str, cache: str) -> str:
    """What a process prints."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def dearest(code: str) -> list[tuple[float, str]]:
    """Kernels by the CPU seconds that compiling each takes itself, the dearest first."""
    with tempfile.TemporaryDirectory() as cache:
        said = finished(NOTE + code + REPORT, cache)
    return [(own, name) for own, name in json.loads(said.splitlines()[-1])]


def main() -> None:
    figures = Figures("kernels")
    for name, code in WORKS.items():
        with tempfile.TemporaryDirectory() as cache:
            first = seconds(code, cache)
            then = min(seconds(code, cache) for _ in range(3))
        figures.add(f"{name}: with code on disk", then)
        figures.add(f"{name}: compiling", first - then, most=FLOOR)
        for own, kernel in dearest(code)[:DEAREST]:
            print(f"    {own:5.2f} s {kernel}")
    print(figures.keep())


if __name__ == "__main__":
    main()
