"""What all instances share: strict building, shapes, hashes."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.errors import InvalidInstance
from farkas.instances import library
from farkas.instances.base import (
    frozen,
    plain_value,
    require_length,
    require_shape,
)


def test_minus_zero_is_zero():
    tiny = library.load("mlbroker/tiny")
    minus = tiny.replace(transfer_price=[[-0.0, 0.02], [0.015, -0.0]])
    assert minus == tiny
    assert minus.sha256 == tiny.sha256


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_building_from_python_refuses_what_json_cannot_hold(value):
    tiny = library.load("mlbroker/tiny")
    with pytest.raises(InvalidInstance, match=r"finite number.*\$\.base_price\[1\]\[0\]"):
        tiny.replace(base_price=np.array([[1.0], [value]]))


def test_building_from_python_is_as_strict_as_a_file():
    tiny = library.load("mlbroker/tiny")
    with pytest.raises(InvalidInstance, match=r"Expected a number, got text - at `\$\.epsilon`"):
        tiny.replace(epsilon="1")
    with pytest.raises(InvalidInstance, match=r"got complex - at `\$\.epsilon`"):
        tiny.replace(epsilon=1j)


def test_bookkeeping_changes_no_hash_and_data_do():
    tiny = library.load("mlbroker/tiny")
    for change in (
        {"name": "x"},
        {"note": "x"},
        {"public": False},
        {"expected": {"k": {"value": 1}}},
    ):
        assert tiny.replace(**change).sha256 == tiny.sha256
    for change in ({"epsilon": 2.0}, {"seed": 4}, {"jobs": []}):
        assert tiny.replace(**change).sha256 != tiny.sha256


def test_python_values_become_what_json_holds():
    given = {"a": (np.float64(1.5), np.int32(2)), 3: np.array([[True]]), "n": None}
    plain = plain_value(given, "$")
    assert plain == {"a": [1.5, 2], "3": [[True]], "n": None}
    assert [type(x) for x in plain["a"]] == [float, int]
    assert str(plain_value(-0.0, "$")) == "0.0"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([1.0, [float("nan")]], r"finite number, got nan - at `\$\[1\]\[0\]`"),
        ({"a": float("-inf")}, r"finite number, got -inf - at `\$\.a`"),
        ([b"raw"], r"a JSON value, got bytes - at `\$\[0\]`"),
        ([{1, 2}], r"a JSON value, got set - at `\$\[0\]`"),
    ],
)
def test_what_json_cannot_hold_is_refused_by_path(value, words):
    with pytest.raises(InvalidInstance, match=words):
        plain_value(value, "$")


def test_lengths_and_shapes_name_the_axis_that_is_wrong():
    require_shape([[1, 2], [3, 4]], (2, 2), "$.x", ("row", "column"))
    require_shape([], (0, 5), "$.x", ("row", "column"))
    with pytest.raises(InvalidInstance, match=r"1 entry \(one per row\), got 2 - at `\$\.x`"):
        require_length([1, 2], 1, "$.x", "row")
    with pytest.raises(InvalidInstance, match=r"2 entries \(one per column\), got 1 .*x\[1\]"):
        require_shape([[1, 2], [3]], (2, 2), "$.x", ("row", "column"))


def test_a_frozen_array_is_a_copy_that_cannot_be_written():
    given = np.array([1.0, 2.0])
    array = frozen(given)
    given[0] = 9.0
    assert array.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 3.0
    assert frozen([1.7], np.int64).tolist() == [1]


def test_an_instance_is_known_by_its_data():
    tiny = library.load("mlbroker/tiny")
    same = tiny.replace(name="other")
    assert hash(same) == hash(tiny)
    assert repr(same) == f"<mlbroker instance other, sha256 {tiny.sha256[:12]}>"
    # keys in order of the alphabet, whatever the order of the fields
    assert tiny.canonical().startswith(b'{"base_price":')
