"""What a replay lets pass is a point of the kind's offline program, at no better value.

Decisions fix columns of the program; a solver completes what they leave open (moves, walks, costs).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.errors import FarkasError, NotACertificate
from farkas.forms import LinearForm
from farkas.instances import Instance, library
from farkas.instances.generate import generate
from farkas.instances.mlbroker import FRACTIONAL
from farkas.numbers import Array
from farkas.online import algorithms
from farkas.replay import replay
from farkas.solvers import solve
from tests.tools.edits import edits
from tests.tools.quick import some

Columns = dict[str, Array]

PROGRAMS = {
    "dps": "dps.offline[free]",
    "eris": "eris.offline",
    "gadget": "gadget.offline",
    "mlbroker": "mlbroker.offline",
}


def blank(form: LinearForm, *names: str) -> Columns:
    """Columns of these variables, all 0."""
    return {name: np.zeros(form.column_block(name).shape) for name in names}


def places(form: LinearForm, name: str) -> dict[tuple[int, ...], int]:
    """Places of the members of a variable's first set."""
    members = form.column_block(name).axes[0].members.tolist()
    return {tuple(member): place for place, member in enumerate(members)}


def of_dps(form: LinearForm, market: Any, decisions: list[Any]) -> Columns:
    """Jobs on one server with all their units, and others."""
    found = blank(form, "whole", "spread", "spread_workers", "spread_ps")
    for job, sale in enumerate(decisions):
        units = ([market.workers[job]], [market.ps[job]])
        if (sale["workers"], sale["ps"]) == units:
            found["whole"][job, sale["servers"][0]] = 1
        elif sale["servers"]:
            found["spread"][job] = 1
            found["spread_workers"][job, sale["servers"]] = sale["workers"]
            found["spread_ps"][job, sale["servers"]] = sale["ps"]
    return found


def of_eris(form: LinearForm, auction: Any, decisions: list[Any]) -> Columns:
    """Servers, workers and completion of accepted jobs."""
    found = blank(form, "server", "workers", "finished")
    pair, finish = places(form, "server"), places(form, "finished")
    awards = [award for slot in decisions for award in slot["awards"] if award["accepted"]]
    for award in awards:
        found["finished"][finish[award["job"], award["completed"]]] = 1
    accepted = {award["job"] for award in awards}
    for piece in (piece for slot in decisions for piece in slot["pieces"]):
        if piece["job"] in accepted:
            place = pair[piece["job"], piece["slot"]]
            found["server"][place, piece["server"]] += 1
            for site, count in piece["workers"]:
                found["workers"][place, site] += count
    return found


def of_gadget(form: LinearForm, cluster: Any, decisions: list[Any]) -> Columns:
    """Workers of rings, and how often those between servers use links."""
    found, pair = blank(form, "workers", "uses"), places(form, "workers")
    for slot, rings in enumerate(decisions):
        for ring in rings:
            place, hosts = pair[ring["job"], slot], {u for u, count in ring["workers"] if count}
            for node, count in ring["workers"]:
                found["workers"][place, node] += count
            for link, times in ring["links"] if len(hosts) > 1 else ():
                found["uses"][place, link] += times
    return found


def of_mlbroker(form: LinearForm, instance: Any, decisions: list[Any]) -> Columns:
    """Workers, servers, and where both are."""
    found, pair = blank(form, "workers", "server", "deployed"), places(form, "workers")
    for slot, placed in enumerate(decisions):
        rows = zip(placed["jobs"], placed["workers"], placed["server"], strict=True)
        for job, workers, server in rows:
            place = pair[job, slot]
            found["workers"][place] = workers
            found["server"][place, server] = 1
            found["deployed"][place] = np.array(workers) > 0
            found["deployed"][place, server] = 1
    return found


#: Kinds whose programs hold no workers that serve nobody; runs may.
SURPLUS = ("eris", "mlbroker")
COLUMNS = {"dps": of_dps, "eris": of_eris, "gadget": of_gadget, "mlbroker": of_mlbroker}


def best(form: LinearForm, columns: Columns, surplus: str = "") -> float | None:
    """Value of the best point with these columns, of one of them at most; None without a point."""
    lower, upper = form.lower.copy(), form.upper.copy()
    for name, values in columns.items():
        where = form.column_block(name).where
        upper[where] = values.ravel()
        lower[where] = 0 if name == surplus else upper[where]
    answer = solve(form.replace(lower=lower, upper=upper))
    return None if answer.raw_point is None else answer.objective


def runs(kind: str) -> Iterator[tuple[Instance, Any]]:
    """Whole runs of all algorithms that are quick: on shipped instances and drawn ones, in turn."""
    left_out = {*FRACTIONAL, "mlbroker.opt", "gadget.greedy_exact"}
    names = [name for name in algorithms.names(f"{kind}.") if name not in left_out]
    shipped = [farkas.load(name) for name in library.names(kind)]
    drawn = [generate(kind, "small", seed) for seed in range(some(10, len(names)))]
    for instance, name in zip([*shipped, *drawn], itertools.cycle(names), strict=False):
        try:
            yield instance, algorithms[name].run(instance)
        except FarkasError:
            continue  # the instance lacks what the algorithm asks for


@pytest.mark.ids(4)
@pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=[pytest.mark.slow] * (k == "mlbroker")) for k in sorted(PROGRAMS)],
)
def test_what_passes_is_a_point_of_the_program_at_no_better_value(kind: str) -> None:
    program, passed, refused = programs.build(PROGRAMS[kind]), 0, 0
    rng = np.random.default_rng(7)
    for instance, run in runs(kind):
        form = program.form(instance)
        plain = msgspec.json.decode(msgspec.json.encode(run.decisions))
        changed = [one for _, one in edits(plain)]
        several = 12 if form.num_columns < 20_000 else 2
        few = rng.permutation(len(changed))[:several].tolist()
        for decisions in [plain, *(changed[place] for place in few)]:
            try:
                found = replay(msgspec.structs.replace(run, decisions=decisions), instance)
            except NotACertificate:
                refused += 1
                continue
            assert found is not None
            if found.broken:
                refused += 1
                continue
            passed += 1
            columns = COLUMNS[kind](form, instance, decisions)
            value = best(form, columns, "workers" if kind in SURPLUS else "")
            assert value is not None, (instance.name, run.algorithm)
            room = 1e-6 * abs(value) + 1e-9
            # dps's program is paid whole budgets, mlbroker's (8) pays for a site once
            assert float(found.low) <= value + room or kind == "mlbroker"
            assert float(found.high) >= value - room or kind == "dps"
    assert passed > 50
    assert refused > 20
