"""Mended decisions keep every row of the program, whatever was decided."""

from __future__ import annotations

import copy
import itertools
import random
from fractions import Fraction as F
from typing import Any

import msgspec
import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.errors import NotACertificate
from farkas.forms import LinearForm
from farkas.instances.mlbroker import Brokerage
from farkas.online.run import prove_value
from farkas.replay import audit, is_as_decided, replay
from farkas.replay.mlbroker_mended import Asked, JobPoint
from farkas.replay.transport import cheapest
from tests.generators.mlbroker import single
from tests.replay.test_mlbroker_fractional import VARIANTS, decided

DIGITS = 40
ONE = 1 << DIGITS
SITES = 3
# 64 GB are two workers of 32 GB
VOLUMES = ([40.0, 23.5, 0.5], [64.0, 0.0, 0.0], [0.0, 2.0**-12, 0.0], [0.0, 0.0, 0.0])


def market(volume: list[float]) -> Brokerage:
    return single(
        [volume],
        worker_capacity=32.0,
        transfer_price=[[0, 1, 2], [1, 0, 4], [0.5, 1, 0]],
        base_price=[[3.0], [2.0], [1.0]],
    )


def asked(instance: Brokerage, relax: str, semantics: Any) -> Asked:
    most = instance.most_workers(semantics)
    return Asked(
        one=ONE,
        rate=int(instance.worker_capacity[0]) << DIGITS,
        volume=[int(F(x) * ONE) for x in instance.trained_volume[0].tolist()],
        needed=int(instance.workers_needed[0]),
        most=int(most[0]),
        presence=1 + int(most.max()) if relax == "printed" else 0,
        strict=semantics == "strict",
    )


def lanes(values: dict[tuple[int, int], int]) -> list[F]:
    return [F(values.get((o, r), 0), ONE) for o in range(SITES) for r in range(SITES)]


def broken(form: LinearForm, point: JobPoint) -> list[str]:
    """Rows and bounds of the program that the mended numbers miss, prices of resources apart."""
    shares = [[F(x, ONE) for x in part] for part in (point.workers, point.server, point.deployed)]
    parts = {
        "workers": shares[0], "server": shares[1], "deployed": shares[2], "started": shares[2],
        "moved": lanes(point.moved), "connected": lanes(point.connected),
    }  # fmt: skip
    x = [F(0)] * form.num_columns
    for name, values in parts.items():
        where = form.column_block(name).where
        x[where] = values
        low, high = form.lower[where].tolist(), form.upper[where].tolist()
        if not all(a <= value <= b for a, value, b in zip(low, values, high, strict=True)):
            return [name]
    found = []
    for block in form.rows:
        for i in range(block.start, block.stop):
            columns, entries = form.matrix.row(i)
            total = sum(
                (F(a) * x[j] for j, a in zip(columns.tolist(), entries.tolist(), strict=True)), F(0)
            )
            if not form.row_lower[i] <= total <= form.row_upper[i]:
                found.append(form.row_name(i))
    return [name for name in found if not name.startswith(("cost_", "one_branch"))]


def drawn(rng: random.Random) -> JobPoint:
    """Anything: beyond, below and beside what rows allow."""

    def number() -> int:
        size = rng.choice([ONE, ONE, 2 * ONE, 64 * ONE, 3, ONE + 7, -5])
        return 0 if rng.random() < 0.4 else rng.randint(min(size, 0), max(size, 0))

    def some() -> dict[tuple[int, int], int]:
        pairs = [(o, r) for o in range(SITES) for r in range(SITES)]
        return {pair: number() for pair in pairs if rng.random() < 0.5}

    shares = [[number() for _ in range(SITES)] for _ in range(3)]
    return JobPoint(
        workers=shares[0], server=shares[1], deployed=shares[2], moved=some(), connected=some()
    )


@pytest.mark.ids(2)
@pytest.mark.parametrize(("relax", "semantics"), VARIANTS)
@pytest.mark.parametrize("volume", VOLUMES)
def test_whatever_is_decided_the_mended_point_keeps_every_row(
    volume: list[float], relax: str, semantics: str
) -> None:
    instance, rng = market(volume), random.Random(1)
    form = programs.build("mlbroker.relaxed", relax=relax, semantics=semantics).form(instance)
    asks, unkept = asked(instance, relax, semantics), 0
    for _ in range(60):
        point = drawn(rng)
        unkept += bool(broken(form, point))
        point.mend(asks)
        assert not broken(form, point), point
        mended = copy.deepcopy(point)
        point.mend(asks)
        assert point == mended, "what is kept stays"
    assert unkept > 30


@pytest.mark.parametrize(("relax", "semantics"), VARIANTS)
def test_what_keeps_every_row_stays(relax: str, semantics: str) -> None:
    instance = market([40.0, 24.0, 0.0])
    half = ONE // 2
    point = JobPoint(
        workers=[2 * ONE, 0, 0],
        server=[half, half, 0],
        deployed=[ONE, half, 0],
        moved={(0, 0): 40 * ONE, (1, 0): 24 * ONE},
        connected={(0, 0): ONE, (0, 1): ONE},
    )
    before = copy.deepcopy(point)
    point.mend(asked(instance, relax, semantics))
    assert point == before


# Site 1 holds half a millionth of the data, and whatever takes them costs as much as 1e9 workers.
DEAR: dict[str, Any] = {
    "worker_capacity": 20.0,
    "transfer_price": [[0.0, 1e9], [1e9, 0.0]],
    "base_price": [[3.0], [1e9]],
    "discount_price": None,
    "discount_threshold": None,
    "big_m": None,
}


@pytest.mark.parametrize(("relax", "semantics"), VARIANTS)
def test_a_missed_millionth_at_a_dear_site_is_charged(relax: str, semantics: str) -> None:
    instance = single([[10.0, 5e-6]], **DEAR)
    run = farkas.run(instance, "mlbroker.fractional", relax=relax, semantics=semantics)
    assert run.certificate is not None
    best = run.certificate.fraction
    cheap = {
        "jobs": [0],
        "workers": [[1.0, 0.0]],
        "server": [[1.0, 0.0]],
        "deployed": [[1.0, 0.0]],
        "moved": {"job": [0], "origin": [0], "target": [0], "amount": [10.0]},
        "connected": {"job": [0], "origin": [0], "target": [0], "amount": [1.0]},
    }
    found = replay(decided(run, [cheap]), instance)
    assert found is not None
    assert not found.broken, "it is kept within a millionth"
    assert 0 < found.excess < F(1, 10**6)
    decided_cost = F(6) + F(instance.jobs[0].deploy_cost)
    assert best > 10 * decided_cost, "which would be a tenth of the optimum at most"
    assert found.low >= best
    # the honest run is the optimum, and stays it
    assert run.ratio is not None
    assert run.ratio < 1 + 1e-6


def test_a_fresh_run_states_what_its_mended_point_costs(monkeypatch):
    """A solver that leaves a billionth leaves a run that says what making it good costs."""
    broker = farkas.load("mlbroker/tiny")
    honest = farkas.run(broker, "mlbroker.fractional[tight]")
    leaving = copy.deepcopy(honest.decisions)
    leaving[0]["moved"]["amount"][0] *= 1 - 1e-7
    found = replay(msgspec.structs.replace(honest, decisions=leaving), broker)
    assert found.decided < found.proved("min")
    stated = msgspec.structs.replace(honest, decisions=leaving, value=float(found.decided))
    assert is_as_decided(stated, found)
    with pytest.raises(NotACertificate, match="claims the value"):
        audit(stated, broker)  # a file may not: its value is that of the mended point
    prove_value(stated, broker)
    assert stated.value == float(found.proved("min")) > float(found.decided)
    cheaper = msgspec.structs.replace(stated, value=0.9 * stated.value)
    with pytest.raises(NotACertificate, match="claims the value"):
        prove_value(cheaper, broker)


def enumerated(volume: list[int], room: list[int], price: list[list[int]]) -> int:
    """Least cost over every assignment of single units."""
    units = [origin for origin, amount in enumerate(volume) for _ in range(amount)]
    best = None
    for places in itertools.product(range(len(room)), repeat=len(units)):
        if all(places.count(target) <= most for target, most in enumerate(room)):
            cost = sum(price[o][r] for o, r in zip(units, places, strict=True))
            best = cost if best is None else min(best, cost)
    assert best is not None
    return best


@pytest.mark.parametrize("seed", range(150))
def test_no_assignment_of_units_is_cheaper(seed: int) -> None:
    rng = np.random.default_rng(seed)
    origins, targets = rng.integers(1, 4, 2)
    volume = rng.integers(0, 3, origins).tolist()
    room = rng.integers(0, 4, targets).tolist()
    room[0] += max(0, sum(volume) - sum(room))
    price = rng.integers(0, 6, (origins, targets)).tolist()
    assert cheapest(volume, room, price) == enumerated(volume, room, price)


def test_what_is_too_much_moves_on_along_a_chain() -> None:
    # Both origins are nearest to target 0, which holds one unit.  Origin 0 would pay 10 to leave it
    # for 1, origin 1 only 1; 1 is full of origin 2, which moves on to 2 for 1: 0 + 1 + 1.
    price = [[0, 10, 20], [0, 1, 20], [9, 0, 1]]
    assert cheapest([1, 1, 1], [1, 1, 1], price) == 2


def test_nothing_to_move_costs_nothing() -> None:
    assert cheapest([0, 0], [0, 0], [[0, 5], [5, 0]]) == 0
    assert cheapest([], [], []) == 0


def test_whole_numbers_of_any_size_are_exact() -> None:
    large = 10**40
    assert cheapest([large + 1], [large, 1], [[1, 3]]) == large + 3
