"""Attack the checkers for as long as asked: ``python -m tests.fuzz --cases 1e7``.

All attacks make as many cases.  A case is made from its name, the seed and its number alone, so
that a hole that was found is found again by ``--only NAME --seed SEED --first NUMBER --cases 1``,
whatever ran beside it.  Ctrl-C ends with what was seen, ``--minutes`` with the rounds that were
begun.
"""

from __future__ import annotations

import argparse
import collections
import math
import sys
import time

from tests.fuzz.run import ATTACKS, ROUND, SchedulerState, results

MOST_HOLES = 20


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=float, default=1e4, help="cases of all attacks together")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--first", type=int, default=0, help="first case of each attack")
    parser.add_argument("--only", choices=sorted(ATTACKS), action="append")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no round later")
    chosen = parser.parse_args()
    names = chosen.only or sorted(ATTACKS)
    last = chosen.first + math.ceil(chosen.cases / len(names))
    starts = range(chosen.first, last, ROUND)
    rounds = [(names, chosen.seed, start, min(start + ROUND, last)) for start in starts]
    seen: SchedulerState = collections.Counter()
    holes = 0
    begun = shown = time.monotonic()
    print(f"seed {chosen.seed}", flush=True)
    try:
        for number, (counted, found) in enumerate(results(rounds, chosen.jobs), start=1):
            seen += counted
            holes += len(found)
            print(*found, sep="\n", end="\n" if found else "", flush=True)
            if time.monotonic() - shown > 5:
                shown = time.monotonic()
                print(f"{number} of {len(rounds)} rounds: {said(seen, shown - begun)}", flush=True)
            if holes >= MOST_HOLES or time.monotonic() - begun > 60 * chosen.minutes:
                break
    except KeyboardInterrupt:
        print("stopped")
    for name in names:
        found_here = {how: count for (which, how), count in sorted(seen.items()) if which == name}
        print(f"{name}: {found_here}")
    print(said(seen, time.monotonic() - begun))
    return 1 if holes else 0


def said(seen: SchedulerState, seconds: float) -> str:
    """Total, outcomes and speed."""
    total: collections.Counter[str] = collections.Counter()
    for (_, how), count in seen.items():
        total[how] += count
    cases = total.total()
    return (
        f"{cases} cases: {dict(sorted(total.items()))}, {cases / max(seconds, 1e-9):.0f} a second"
    )


if __name__ == "__main__":
    sys.exit(main())
