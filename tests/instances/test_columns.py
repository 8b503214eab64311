"""Columns of records: type, shape, null, and that nobody can write into them."""

from __future__ import annotations

import types

import numpy as np
import pytest

from farkas.instances.base import column, table


class Fleet:
    """What `column` reads, without the checks of an instance."""

    wheels = 2
    grid = ((1, 2), (3, 4), (5, 6))
    speed = column("cars", "speed", np.float64)
    seats = column("cars", "seats", np.int64)
    loads = column("cars", "loads", np.float64, width="wheels")
    cells = table("grid", np.int64, width="wheels")

    def __init__(self, *cars: tuple[float | None, int, tuple[float | None, ...]]) -> None:
        names = ("speed", "seats", "loads")
        self.cars = [types.SimpleNamespace(**dict(zip(names, car, strict=True))) for car in cars]


FLEET = Fleet((1.5, 4, (0.0, None)), (None, 2, (3.0, 1.0)))


def test_null_is_infinite_in_numbers_and_rows() -> None:
    assert FLEET.speed.tolist() == [1.5, np.inf]
    assert FLEET.loads.tolist() == [[0.0, np.inf], [3.0, 1.0]]


def test_integers_stay_integers() -> None:
    assert FLEET.seats.dtype == np.int64
    assert FLEET.seats.tolist() == [4, 2]
    # a count beyond 2^53 would lose its last digit in a double
    assert Fleet((1.0, 2**53 + 1, (0.0, 0.0))).seats.tolist() == [2**53 + 1]


def test_a_table_is_a_field_of_the_instance() -> None:
    assert FLEET.cells.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_without_records_a_row_keeps_its_width() -> None:
    assert Fleet().speed.shape == (0,)
    assert Fleet().loads.shape == (0, 2)


@pytest.mark.parametrize("name", ["speed", "seats", "loads", "cells"])
def test_a_column_is_made_once_and_cannot_be_changed(name: str) -> None:
    array = getattr(FLEET, name)
    assert getattr(FLEET, name) is array
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 7
    # nor behind a view, whose base is the same memory
    assert array.base is None or not array.base.flags.writeable
