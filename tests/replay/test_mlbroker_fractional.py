"""Fractional runs of a broker: by hand, as the algorithm prices them, refused when changed."""

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
from farkas.online import Run
from farkas.online.run import prove_value
from farkas.replay import Replay, audit, is_as_decided, replay
from farkas.replay.mlbroker_fractional import JobPoint, RowDemand
from farkas.replay.transport import cheapest
from tests.generators.mlbroker import single

VARIANTS = [(r, s) for r in ("tight", "printed") for s in ("printed", "strict")]
NONE: dict[str, list[Any]] = {"job": [], "origin": [], "target": [], "amount": []}


def decided(run: Run, decisions: list[Any], **options: Any) -> Run:
    options = {**run.options, **options}
    return msgspec.structs.replace(run, decisions=decisions, value_exact=None, options=options)


def replayed(instance: Brokerage, slot: dict[str, Any], **options: Any) -> Replay:
    """Replay of one slot written by hand."""
    run = farkas.run("mlbroker/tiny", "mlbroker.fractional[tight]")
    found = replay(decided(run, [slot], **options), instance)
    assert found is not None
    return found


def lane(origin: int, target: int, amount: float) -> dict[str, list[Any]]:
    return {"job": [0], "origin": [origin], "target": [target], "amount": [amount]}


# 10 GB at site 0 are half a worker of 20 GB; the server is at site 1 and the worker at site 0.
MARKET: dict[str, Any] = {
    "worker_capacity": 20.0,
    "transfer_price": [[0, 0.5], [0.25, 0]],
    "base_price": [[3.0], [3.0]],
    "discount_price": [[1.0], [1.0]],
    "discount_threshold": [[1.0], [1.0]],
    "big_m": 8.0,
}
SLOT: dict[str, Any] = {
    "jobs": [0],
    "workers": [[1.0, 0.0]],
    "server": [[0.0, 1.0]],
    "deployed": [[1.0, 1.0]],
    "moved": lane(0, 0, 10.0),
    "connected": lane(0, 1, 1.0),
}


def test_the_chord_by_hand() -> None:
    # One worker and one server can be used, so H = 2 and F(H) / H = (2 + 2) / 2 = 2 a unit.
    # Two units for 2 each, two sites entered, one worker talks to site 1: 2 GB for 0.5.
    instance = single([[10.0, 0.0]], **MARKET)
    found = replayed(instance, SLOT)
    assert found.low == found.high == 4 + 2 * F(instance.jobs[0].deploy_cost) + 1
    assert (found.excess, found.broken) == (0, ())
    assert found.note == "Decisions are fractional: points of mlbroker.relaxed[tight,printed]."


def test_the_big_constant_by_hand() -> None:
    # At one unit a site: 3 at list price, 1 + 2 at the reduced one; each branch half off leaves
    # (3 + 3 - 8) / 2 < 0, so that resources cost nothing.
    instance = single([[10.0, 0.0]], **MARKET)
    deploy = 2 * F(instance.jobs[0].deploy_cost)
    assert replayed(instance, SLOT, relax="printed").low == deploy + 1
    # with the smallest constant, 2: (3 + 3 - 2) / 2 = 2 a site
    tighter = instance.replace(big_m=None)
    assert replayed(tighter, SLOT, relax="printed").low == 4 + deploy + 1
    # ten workers: 30 and 10 + 2, where no share beyond all of the first branch helps: 30 - 2, not
    # (30 + 12 - 2) / 2; the server's unit costs 2 as before
    many = {**SLOT, "workers": [[10.0, 0.0]], "deployed": [[5.0, 1.0]]}
    many["connected"] = lane(0, 1, 10.0)
    assert replayed(tighter, many, relax="printed").low == 28 + 2 + 3 * deploy + 10


@pytest.mark.parametrize(
    ("label", "changes"),
    [
        ("8a", {"workers": [[0.4, 0.0]], "connected": lane(0, 1, 0.4)}),
        ("8b", {"moved": lane(0, 0, 9.0)}),
        ("8b", {"moved": NONE}),
        ("8f", {"server": [[0.0, 0.9]]}),
        ("8g", {"deployed": [[0.9, 1.0]]}),
        ("8g", {"deployed": [[1.0, 0.9]]}),
        ("8i", {"workers": [[0.9, 0.0]]}),
        ("8i", {"workers": [[1.1, 0.0]], "deployed": [[1.1, 1.0]]}),
        ("8b", {"moved": lane(0, 0, 11.0)}),
        ("8f", {"server": [[0.0, 1.1]], "deployed": [[1.0, 1.1]]}),
        ("8j", {"connected": lane(0, 0, 1.0)}),
        ("not below 0", {"deployed": [[1.0, -0.1]]}),
        ("not below 0", {"moved": {**NONE, "job": [0, 0], "origin": [0, 0], "target": [0, 1],
                                   "amount": [11.0, -1.0]}}),
        ("not below 0", {"connected": {"job": [0, 0], "origin": [0, 0], "target": [1, 0],
                                       "amount": [1.5, -0.5]}}),
    ],
)  # fmt: skip
def test_every_row_of_the_relaxation_is_checked(label: str, changes: dict[str, Any]) -> None:
    found = replayed(single([[10.0, 0.0]], **MARKET), {**SLOT, **changes})
    assert any(f"({label}" in words for words in found.broken), found.broken


def test_few_data_are_measured_by_themselves_not_by_what_a_worker_could_train() -> None:
    # 1e-5 GB of which half are moved; a worker could train a million times as much
    few = {**SLOT, "moved": lane(0, 0, 5e-6)}
    found = replayed(single([[1e-5, 0.0]], **MARKET), few)
    assert found.broken == ("slot 0: (8b) is missed at 1 places",)


def test_printed_presence_has_one_constant_for_all() -> None:
    # U = 2: half of a deployment is enough for one worker or one server
    half = {**SLOT, "deployed": [[0.5, 0.5]]}
    instance = single([[10.0, 0.0]], **MARKET)
    assert not replayed(instance, half, relax="printed").broken
    together = {**half, "server": [[1.0, 0.0]], "connected": lane(0, 0, 1.0)}
    assert replayed(instance, together, relax="printed").broken == (
        "slot 0: (8g) is missed at 1 places",
    )
    less = {**SLOT, "deployed": [[0.49, 0.5]]}
    assert replayed(instance, less, relax="printed").broken == (
        "slot 0: (8g) is missed at 1 places",
    )


def test_strict_semantics_add_two_rows() -> None:
    instance = single([[10.0, 0.0]], **MARKET)
    strict = {"semantics": "strict"}
    idle = {**SLOT, "workers": [[1.0, 0.0]], "server": [[1.0, 0.0]], "connected": lane(0, 0, 1.0)}
    assert not replayed(instance, idle).broken
    assert "(8l)" in replayed(instance, idle, **strict).broken[0]
    astray = {
        **SLOT,
        "workers": [[1.0, 1.0]],
        "server": [[1.0, 0.0]],
        "connected": {"job": [0, 0], "origin": [0, 1], "target": [0, 1], "amount": [1.0, 1.0]},
    }
    assert not replayed(instance, astray).broken
    assert "(8m)" in replayed(instance, astray, **strict).broken[0]


NUMBERS = ("workers", "server", "deployed")


@pytest.mark.parametrize("semantics", ["printed", "strict"])
@pytest.mark.parametrize("step", [-0.01, 0.01])
def test_no_number_of_a_decision_can_be_changed(semantics: str, step: float) -> None:
    # under relax="printed" constants are so loose that a server may move and cost nothing
    instance = farkas.load("mlbroker/tiny")
    run = farkas.run(instance, "mlbroker.fractional[tight]", semantics=semantics)
    places: list[tuple[Any, ...]] = []
    for t, slot in enumerate(run.decisions):
        places += [
            (t, name, job, site)
            for name in NUMBERS
            for job, row in enumerate(slot[name])
            for site in range(len(row))
        ]
        for name in ("moved", "connected"):
            places += [(t, name, "amount", place) for place in range(len(slot[name]["amount"]))]
    assert len(places) > 18
    for *path, last in places:
        changed = copy.deepcopy(run.decisions)
        entry: Any = changed
        for key in path:
            entry = entry[key]
        entry[last] += step
        with pytest.raises(NotACertificate):
            audit(decided(run, changed), instance)


@pytest.mark.parametrize(
    "changes",
    [
        {"workers": [[1.0]]},
        {"deployed": []},
        {"moved": {**NONE, "job": [0]}},
        {"moved": lane(0, 2, 1.0)},
        {"moved": lane(-1, 0, 1.0)},
        {"moved": {**lane(0, 0, 1.0), "job": [1]}},
        {"moved": {key: 2 * column for key, column in lane(0, 0, 5.0).items()}},
        {"server": [[float("nan"), 1.0]]},
        {"workers": [[float("inf"), 1.0]]},
        {"gap": "none"},
        {"more": 1},
    ],
)
def test_decisions_of_another_shape_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(NotACertificate):
        replayed(single([[10.0, 0.0]], **MARKET), {**SLOT, **changes})


@pytest.mark.parametrize(
    "options", [{"relax": "sharp"}, {"semantics": "loose"}, {"relax": 3}, {"semantics": None}]
)
def test_no_relaxation_of_another_name(options: dict[str, Any]) -> None:
    with pytest.raises(NotACertificate, match="no relaxation of mlbroker"):
        replayed(single([[10.0, 0.0]], **MARKET), SLOT, **options)


def test_a_large_worker_does_not_excuse_data_that_stay() -> None:
    # 10 GB of a worker that could train 2e7: none of them moved is nearly nothing of its capacity
    instance = single([[10.0, 0.0]], **{**MARKET, "worker_capacity": 2e7})
    kept = replayed(instance, SLOT)
    assert not kept.broken
    left = replayed(instance, {**SLOT, "moved": NONE})
    assert any("8b" in words for words in left.broken)
    back = {
        **SLOT,
        "moved": {"job": [0, 0], "origin": [0, 1], "target": [0, 1], "amount": [10, -1]},
    }
    assert any("not below 0" in words for words in replayed(instance, back).broken)


def test_points_of_the_printed_relaxation_are_not_bounded_by_the_tight_one() -> None:
    instance = farkas.load("mlbroker/tiny")
    for semantics in ("printed", "strict"):
        printed, tight = (
            farkas.run(instance, "mlbroker.fractional[tight]", relax=relax, semantics=semantics)
            for relax in ("printed", "tight")
        )
        assert farkas.check(tight, instance=instance).ratio is not None
        forged = msgspec.structs.replace(
            printed, certificate=tight.certificate, ratio=None, value_exact=None
        )
        with pytest.raises(NotACertificate, match=r"does not bound runs of .* with these options"):
            farkas.check(forged, instance=instance)
        # whole decisions are points of both
        whole = farkas.run(instance, "mlbroker.opt", semantics=semantics)
        bounded = msgspec.structs.replace(
            whole, certificate=tight.certificate, ratio=None, value_exact=None
        )
        assert farkas.check(bounded, instance=instance).ratio is not None


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


def asked(instance: Brokerage, relax: str, semantics: Any) -> RowDemand:
    most = instance.most_workers(semantics)
    return RowDemand(
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
    assert found.decided == decided_cost
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


def test_whole_numbers_of_any_size_are_exact() -> None:
    large = 10**40
    assert cheapest([large + 1], [large, 1], [[1, 3]]) == large + 3
