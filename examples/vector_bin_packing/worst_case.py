"""Find the worst items for first fit decreasing, and prove how bad they are.

``python worst_case.py 6 gap.json``: six items, two dimensions; then ``farkas check gap.json``.
"""

from __future__ import annotations

import sys

import numpy as np
from binpacking.instance import Packing
from binpacking.worst import UNITS, WorstDecreasing

import farkas
from farkas.adversary.gap import Decisions, Gap
from farkas.adversary.shape import plain_of
from farkas.online import algorithms
from farkas.solvers import solve


def worst_items(count, *, time_limit=60.0):
    """Solve the program for ``count`` items in two dimensions; return an instance."""
    blank = Packing.build(
        capacity=[UNITS, UNITS], items=[{"size": [0, 0]} for _ in range(count)]
    )  # fmt: skip
    form = WorstDecreasing().form(blank)
    answer = solve(form, time_limit=time_limit)
    sizes = np.round(form.values(answer.point, "size")).reshape(count, 2)
    items = [{"size": row} for row in sizes.astype(int).tolist()]
    return Packing.build(name="worst case", capacity=[UNITS] * 2, items=items)


def gap_of(instance):
    """State how far first fit decreasing is from the fewest bins; nothing here is believed."""
    sides = []
    for name in ("binpacking.first_fit_decreasing", "binpacking.fewest"):
        chosen = algorithms[name]
        sides.append(
            Decisions(
                algorithm=name,
                kind="binpacking",
                options=chosen.settle({}),
                decisions=chosen.policy().decide(instance, 0),
            )
        )
    reached, witness = sides
    ratio = f"{len(set(reached.decisions))}/{len(set(witness.decisions))}"
    plain = {"farkas": 1, "kind": "binpacking", "name": instance.name}
    return Gap(
        instance=plain | plain_of(instance), seed=0, reached=reached, witness=witness, ratio=ratio
    )


if __name__ == "__main__":
    number, file = int(sys.argv[1]), sys.argv[2]
    gap_of(worst_items(number)).write(file)
    print(farkas.check(file).statement)
