"""What data that change can move the units of a form by, against units measured anew."""

import numpy as np
import pytest

from farkas.forms.scale import units_of
from farkas.solvers.drift import FAR, UnitDrift
from tests.conformance.solvers.cases import INF, form

NAMES = ("cost", "row_lower", "row_upper", "lower", "upper")


def apart(left, right):
    """Largest difference of the units of rows and columns."""
    pairs = ((left.rows, right.rows), (left.columns, right.columns))
    return max(int(np.abs(a - b).max(initial=0)) for a, b in pairs)


def drawn(rng):
    """A form with sides and bounds of all sizes, some of them missing or 0."""
    rows, columns = rng.integers(1, 6, 2)

    def numbers(size, missing):
        values = np.ldexp(rng.uniform(0.5, 1, size), rng.integers(-40, 40, size))
        kind = rng.random(size)
        return np.where(kind < 0.2, 0.0, np.where(kind < 0.6, missing, values))

    dense = np.ldexp(1.0, rng.integers(-9, 9, (rows, columns))) * (
        rng.random((rows, columns)) < 0.6
    )
    return form(
        numbers(columns, 0.0),
        [(-low, line, high) for low, line, high in zip(
            numbers(rows, INF), dense, numbers(rows, INF), strict=True
        )],
        lower=-numbers(columns, 0.0),
        upper=numbers(columns, INF),
        integer=rng.random(columns) < 0.2,
    )  # fmt: skip


def test_units_never_move_by_more_than_the_exponent_that_moved_most():
    rng, moved, reached = np.random.default_rng(5), 0, 0
    for _ in range(3000):
        first = drawn(rng)
        drift, data = UnitDrift(first), {name: getattr(first, name).copy() for name in NAMES}
        for _ in range(3):
            name = str(rng.choice(NAMES))
            size = len(data[name])
            where = None if rng.random() < 0.3 else rng.integers(0, size, 2).astype(np.int32)
            at = slice(None) if where is None else where
            data[name][at] = data[name][at] * 2.0 ** rng.integers(-6, 7)
            drift.change(name, where, data[name][at])
            now = units_of(first.replace(**data))
            assert apart(now, drift.units) <= drift.most
            moved += apart(now, drift.units) > 0
            reached += apart(now, drift.units) == drift.most > 0
    assert moved > 200
    assert reached > 100  # the bound is no larger than it has to be


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("cost", 2.0, 0.0),
        ("cost", 0.0, 2.0),
        ("row_lower", 2.0, 0.0),
        ("row_lower", 0.0, 2.0),
        ("row_upper", 2.0, INF),
        ("row_upper", INF, 2.0),
        ("lower", 0.0, -INF),
        ("lower", 2.0, 0.0),
        ("upper", INF, 0.0),
        ("upper", 0.0, INF),
        ("upper", 2.0, 0.0),
    ],
)
def test_nothing_is_known_once_a_zero_or_an_absent_side_becomes_another_thing(name, old, new):
    sides = {"row_lower": 0.0, "row_upper": INF} | ({name: old} if name.startswith("row") else {})
    more = {name: np.array([old])} if name in ("lower", "upper") else {}
    one = form(
        [old if name == "cost" else 1.0],
        [(sides["row_lower"], [1.0], sides["row_upper"])],
        **more,
    )
    drift = UnitDrift(one)
    drift.change(name, None, np.array([new]))
    assert drift.most >= FAR


@pytest.mark.parametrize(("old", "new"), [(0.0, INF), (INF, 0.0)])
def test_a_side_that_measures_nothing_may_become_another_that_measures_nothing(old, new):
    drift = UnitDrift(form([1.0], [(-INF, [1.0], old)]))
    drift.change("row_upper", None, np.array([new]))
    assert drift.most == 0


def test_what_moved_once_counts_until_units_are_measured_again():
    drift = UnitDrift(form([1.0], [(1.0, [1.0], INF)]))
    for value, most in ((1.5, 0), (8.0, 3), (1.0, 3), (0.25, 3), (2.0**-5, 5)):
        drift.change("row_lower", np.array([0], np.int32), np.array([value]))
        assert drift.most == most
