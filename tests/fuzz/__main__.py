"""Attack the checkers for as long as asked: ``python -m tests.fuzz --cases 1e7``.

A case is made from its name, the seed and its number alone, so that a hole that was found is found
again by ``--only NAME --seed SEED --first NUMBER --cases 1``.  Ctrl-C ends with what was seen.
"""

from __future__ import annotations

import argparse
import collections
import sys
import time

from tests.fuzz.run import ATTACKS, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=float, default=1e4, help="cases of each attack")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", choices=sorted(ATTACKS), action="append")
    chosen = parser.parse_args()
    names = chosen.only or sorted(ATTACKS)
    total: collections.Counter[str] = collections.Counter()
    holes: list[str] = []
    last = time.monotonic()
    last_case = chosen.first + int(chosen.cases)
    print(f"seed {chosen.seed}", flush=True)
    try:
        for number in range(chosen.first, last_case):
            for name in names:
                outcome = run(name, chosen.seed, number)
                total[outcome.split("\n")[0] if outcome in ("accepted", "refused") else "hole"] += 1
                if outcome not in ("accepted", "refused"):
                    holes.append(outcome)
                    print(f"--only {name} --seed {chosen.seed} --first {number}\n{outcome}\n")
            if time.monotonic() - last > 5:
                last = time.monotonic()
                print(f"{number + 1} of {last_case}: {dict(total)}", flush=True)
            if len(holes) >= 20:
                break
    except KeyboardInterrupt:
        print("stopped")
    print(f"{sum(total.values())} cases: {dict(total)}")
    return 1 if holes else 0


if __name__ == "__main__":
    sys.exit(main())
