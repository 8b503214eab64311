"""What compiling costs: the demo and the first long run, with an empty and with a filled cache.

Every measurement is a fresh process; CPU seconds of it, start-up included.  ``first`` has an empty
cache of machine code, ``next`` the one that it left.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

from benchmarks.measure import keep

DEMO = "from farkas.cli import call; call(['demo'])"
RUN = """
from farkas.instances.generate import generate
from farkas.online import algorithms
algorithms["{algorithm}"].run(generate("{kind}", seed=1, **{settings}))
"""
WORKS = {
    "demo": DEMO,
    "eris.eris, 20 jobs": RUN.format(algorithm="eris.eris", kind="eris", settings={"num_jobs": 20}),
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
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    results: dict[str, dict[str, float]] = {}
    for name, code in WORKS.items():
        with tempfile.TemporaryDirectory() as cache:
            found = results[name] = {
                "first": seconds(code, cache),
                "next": min(seconds(code, cache) for _ in range(3)),
            }
        ratio = found["first"] / found["next"]
        print(
            f"  {name:26} first {found['first']:6.2f} s, next {found['next']:5.2f} s, {ratio:4.1f}"
        )
    keep("kernels", results)


if __name__ == "__main__":
    main()
