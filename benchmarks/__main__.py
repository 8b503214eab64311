"""Run benchmarks: ``python -m benchmarks [NAME ...]``, without names all that take minutes."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks

#: Those that take hours, or need files; they run when they are named.
LONG = ("optimum", "proofs", "workers", "worst")


def main() -> None:
    found = [m.name for m in pkgutil.iter_modules(benchmarks.__path__)]
    names = [name.removeprefix("bench_") for name in found if name.startswith("bench_")]
    chosen = sys.argv[1:] or [name for name in names if name not in LONG]
    unknown = sorted(set(chosen) - set(names))
    if unknown:
        sys.exit(f"unknown benchmark {unknown[0]!r}; known: {', '.join(names)}")
    for name in chosen:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.bench_{name}").main()


if __name__ == "__main__":
    main()
