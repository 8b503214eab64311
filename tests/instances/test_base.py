"""What all instances share: strict building, shapes, hashes."""

from __future__ import annotations

import copy
import functools
import json
import operator
import types
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from farkas import instances
from farkas.errors import InvalidInstance, InvalidOption, UnknownName
from farkas.instances import library
from farkas.instances.base import (
    column,
    frozen,
    is_plain,
    plain_value,
    require_length,
    require_shape,
    table,
)
from farkas.instances.files import own_kinds, read_bytes
from farkas.instances.generate import generate
from farkas.instances.options import Range, Settings, WholeRange, require_option
from farkas.instances.rounding import fitted, guarded_ceil


def test_minus_zero_is_zero():
    tiny = library.load("mlbroker/tiny")
    minus = tiny.replace(transfer_price=[[-0.0, 0.02], [0.015, -0.0]])
    assert minus == tiny
    assert minus.sha256 == tiny.sha256


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


HELD_BY_ITSELF: list[object] = []
HELD_BY_ITSELF.append(HELD_BY_ITSELF)


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ([], True),
        ([{"a": 1, "b": 2.5}, {"c": True}], True),
        ([[1, 2.0], [-3.0, 0.0]], True),
        ([{"a": [1]}, {"a": [2.0, 10**400]}], True),
        ([{"a": 1.0}, {"a": float("nan")}], False),
        ([[1.0, float("inf")]], False),
        ([{"a": -0.0}], False),
        ([{1: 2}], False),
        ([1.0, None], False),
        ([np.float64(1.0)], False),
        ([(1, 2)], False),
        ((1, 2), False),
        (HELD_BY_ITSELF, False),
        ([{"a": b"raw"}], False),
        ("text", False),
    ],
    ids=str,
)
def test_lists_are_taken_as_they_are_where_nothing_changes(value, plain):
    assert is_plain(value) == plain
    if plain:
        assert repr(plain_value(value, "$")) == repr(value)


def test_what_was_never_made_plain_is_hashed_as_if_it_were():
    tiny = library.load("mlbroker/tiny")
    fields = {name: getattr(tiny, name) for name in tiny.__struct_fields__}
    minus = [[-0.0, 0.02], [0.015, -0.0]]
    made = type(tiny)(**fields | {"transfer_price": np.array(minus)})
    assert made.sha256 == tiny.sha256
    tree = json.loads(library.path("mlbroker/tiny").read_bytes())
    read = read_bytes(json.dumps(tree | {"transfer_price": minus}).encode())
    assert read.sha256 == tiny.sha256
    market = library.load("dps/tiny")
    fields = {name: getattr(market, name) for name in market.__struct_fields__}
    with pytest.raises(InvalidInstance, match=r"finite number, got inf - at `\$\.slot_seconds`"):
        type(market)(**fields | {"slot_seconds": float("inf")}).canonical()


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


def integers(tree, path=()):
    """Paths of the whole numbers in plain data, the first two entries of every list."""
    if isinstance(tree, dict):
        items = list(tree.items())
    elif isinstance(tree, list):
        items = list(enumerate(tree[:2]))
    else:
        return [path] if type(tree) is int else []
    return [found for key, item in items for found in integers(item, (*path, key))]


def outcome(content):
    """Why an instance is refused; empty where it is read and hashed."""
    try:
        return read_bytes(content).sha256[:0]
    except InvalidInstance as error:
        return str(error)


@pytest.mark.parametrize("kind", own_kinds())
@pytest.mark.parametrize("huge", [2**63, 2**64, 10**308, -(2**63) - 1], ids=range(4))
def test_whole_numbers_beyond_64_bits_are_refused_in_one_line(kind, huge):
    tree = json.loads(library.path(f"{kind}/tiny").read_bytes())
    paths = [path for path in integers(tree) if path not in (("seed",), ("farkas",))]
    assert paths or kind == "coded"
    refused = set()
    for *way, last in paths:
        changed = copy.deepcopy(tree)
        record = functools.reduce(operator.getitem, way, changed)
        record[last] = huge
        said = outcome(json.dumps(changed).encode())
        assert said.isprintable()
        refused |= {last} if said else set()
    assert refused >= {"gadget": {"arrival", "from", "to", "horizon"}}.get(kind, set())


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


class Some(Settings, frozen=True, kw_only=True):
    """Settings of every shape."""

    count: int = 3
    rate: Range = (0.0, 1.0)
    ranges: tuple[Range, ...] = ((1.0, 2.0),)
    grid: tuple[tuple[WholeRange, ...], ...] = ()
    triple: tuple[int, ...] = (3, 2, 1)
    word: str | None = None


def test_values_lie_on_top_of_the_defaults():
    assert Some.given("x", {}) == Some()
    assert Some.given("x", {"rate": [2, 2]}).rate == (2.0, 2.0)
    assert Some(word="a").text() == (
        '{"count":3,"rate":[0.0,1.0],"ranges":[[1.0,2.0]],"grid":[],"triple":[3,2,1],"word":"a"}'
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cuont": 1}, "x has no setting 'cuont'; did you mean count"),
        ({"count": 1.5}, r"x: count = 1\.5; expected a whole number, got a number with a point$"),
        (
            {"rate": [0.0, float("inf")]},
            r"x: rate = .*; expected a finite number, got inf - at `\$\.rate\[1",
        ),
        ({"rate": [1.0]}, r"x: rate = \[1\.0\]; expected a list of length 2, got 1$"),
        ({"rate": [2.0, 1.0]}, r"x: rate = \[2\.0, 1\.0\]; the lower end comes first"),
        ({"ranges": [[0, 1], [2, 1]]}, r"x: ranges\[1\] = \[2\.0, 1\.0\]; the lower end"),
        ({"grid": [[[0, 1]], [[1, 2], [3, 2]]]}, r"x: grid\[1\]\[1\] = \[3, 2\]; the lower end"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(given, message):
    with pytest.raises(InvalidOption, match=message):
        Some.given("x", given)


def test_a_condition_that_fails_is_an_option_that_is_wrong():
    require_option(True, "no")
    with pytest.raises(InvalidOption, match=r"^no$"):
        require_option(False, "no")


@pytest.mark.parametrize(
    ("count", "rounded"),
    [
        (2.0, 2.0), (2.0 + 1e-9, 2.0), (2.0 + 3e-9, 3.0), (2.0 - 1e-9, 2.0), (0.0, 0.0),
        (1e-10, 0.0), (1e-8, 1.0), (1e6 + 1e-4, 1e6), (1e6 + 1e-2, 1e6 + 1),
    ],
)  # fmt: skip
def test_counts_are_rounded_up_unless_the_rest_is_noise(count, rounded):
    # forgiven is 1e-9 of a count above 1, and 1e-9 itself below
    assert guarded_ceil(count) == rounded
    assert str(float(guarded_ceil(-1e-12))) == "0.0"


def test_rows_are_lowered_until_their_exact_sum_fits_and_no_further():
    # 0.1 + 0.2 = 0.3000000000000000166 exactly, and 3/10 is less
    volume = np.array([[0.1, 0.2], [0.1, 0.2], [5.0, 5.0], [0.0, 0.0]])
    room = [Fraction(3, 10), Fraction(1), Fraction(1), Fraction(0)]
    found = fitted(volume, room)
    sums = [sum(map(Fraction, row)) for row in found.tolist()]
    assert all(total <= most for total, most in zip(sums, room, strict=True))
    assert found[0] == pytest.approx([0.1, 0.2], rel=1e-14)
    assert found[1].tolist() == [0.1, 0.2]
    # in proportion: half of the room each
    assert found[2] == pytest.approx([0.5, 0.5], rel=1e-14)
    assert found[3].tolist() == [0.0, 0.0]
    assert volume[0].tolist() == [0.1, 0.2]


KINDS = instances.kinds()
HASHES = Path(__file__).with_name("shipped.json")


def test_shipped_instances_are_the_data_that_claims_and_pages_are_about():
    found = {name: library.load(name).sha256[:16] for name in library.names()}
    assert found == json.loads(HASHES.read_text())


@pytest.mark.parametrize("kind", KINDS)
def test_the_demo_of_each_kind_is_a_generated_instance(kind):
    demo = library.load(f"{kind}/demo")
    assert demo == generate(kind, "small", demo.seed, name="demo")


def test_every_file_has_the_name_it_is_loaded_by_and_a_description():
    for name in library.names():
        instance = library.load(name)
        assert name.startswith(f"{instance.kind}/")
        assert instance.description


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean mlbroker/tiny"):
        library.load("mlbroker/tny")
