"""Long lists hash as short ones: in the spelling that looks at every value."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest

import farkas
from farkas.errors import InvalidInstance
from farkas.instances import library
from farkas.instances.base import Record, plain_value
from farkas.instances.files import RecordColumns, plain


class Part(Record, frozen=True, kw_only=True):
    """A record of all that instances hold."""

    number: float
    count: int | None = 3
    name: str = "a"
    shares: dict[str, float] = {}


def spelt(function: Any, value: Any) -> bytes:
    return msgspec.json.encode({"x": function(value, "$.x")}, order="sorted")


@pytest.mark.parametrize(
    ("value", "at_once"),
    [
        ((Part(number=1.5), Part(number=2.0, shares={"b": 1.0, "a": 2.0})), True),
        ((Part(number=1e300, name='a "b" \\'),), True),
        ((Part(number=-0.0),), False),
        ((Part(number=0.0, shares={"a": -0.0}),), False),
        ((Part(number=-0.05),), False),
        ((Part(number=1.0, count=None),), False),
        ((Part(number=1.0, name="\N{GREEK SMALL LETTER ALPHA}"),), False),
        ((), False),
        ((1.0, -0.0), False),
        ("text", False),
    ],
    ids=str,
)
def test_whatever_is_in_a_list_its_text_is_the_same(value: Any, at_once: bool) -> None:
    assert spelt(plain, value) == spelt(plain_value, value)
    assert isinstance(plain(value, "$.x"), msgspec.Raw) is at_once


@pytest.mark.parametrize(
    ("part", "where"),
    [
        (Part(number=math.nan), r"\$\.x\[1\]\.number"),
        (Part(number=math.inf), r"\$\.x\[1\]\.number"),
        (Part(number=1.0, shares={"a": -math.inf}), r"\$\.x\[1\]\.shares\.a"),
    ],
)
def test_what_is_no_number_is_refused_where_it_stands(part: Part, where: str) -> None:
    with pytest.raises(InvalidInstance, match=where):
        plain((Part(number=1.0), part), "$.x")


def test_instances_of_many_jobs_have_the_hash_that_looks_at_every_value() -> None:
    for kind in ("dps", "mlbroker"):
        small = library.load(f"{kind}/tiny")
        large = small.replace(jobs=small.jobs[-1:] * 201)
        data = {
            name: plain_value(value, "$")
            for name, value in msgspec.structs.asdict(large).items()
            if name not in large.bookkeeping and not (name in large.later and value is None)
        }
        assert large.canonical() == msgspec.json.encode({"kind": kind, **data}, order="sorted")
        assert large.sha256 != small.replace(jobs=small.jobs[-1:] * 202).sha256
        assert farkas.load(f"{kind}/tiny").replace(jobs=large.jobs).sha256 == large.sha256


FIELDS = (
    "arrival", "worker_type", "workers", "ps_type", "ps", "model_size", "epochs", "epoch_compute",
    "budget",
)  # fmt: skip


def columns_of(market: Any) -> dict[str, Any]:
    """Every field of the jobs of a market as an array."""
    return {name: np.array([getattr(job, name) for job in market.jobs]) for name in FIELDS}


def built(columns: dict[str, Any]) -> Any:
    market = library.load("dps/demo")
    fields = {name: getattr(market, name) for name in market.__struct_fields__}
    return type(market).build(**(fields | {"jobs": RecordColumns(**columns)}))


def test_columns_stand_for_the_list_of_their_records() -> None:
    market = library.load("dps/demo")
    columns = columns_of(market)
    columns["model_size"][0] = -0.0
    found = built(columns)
    jobs = [msgspec.to_builtins(job) for job in market.jobs]
    jobs[0]["model_size"] = 0.0
    assert found == market.replace(jobs=jobs)
    assert found.sha256 == market.replace(jobs=jobs).sha256
    assert math.copysign(1.0, found.jobs[0].model_size) == 1.0
    assert type(found.jobs[0]) is type(market.jobs[0])


@pytest.mark.parametrize(
    ("field", "change", "message"),
    [
        ("budget", math.nan, r"Expected a finite number, got nan - at `\$\.jobs\[1\]\.budget`"),
        ("epochs", math.inf, r"Expected a finite number, got inf - at `\$\.jobs\[1\]\.epochs`"),
        ("budget", -1.0, r">= 0\.0 - at `\$\.jobs\[1\]\.budget`"),
        ("workers", 1.5, r"Expected a whole number, got .* - at `\$\.jobs\[0\]\.workers`"),
        ("workers", 0, r">= 1 - at `\$\.jobs\[1\]\.workers`"),
        ("worker_type", 99, r"Expected worker_type < .* got 99 - at `\$\.jobs\[1\]\.worker_type`"),
        ("ps_type", 99, r"Expected ps_type < .* got 99 - at `\$\.jobs\[1\]\.ps_type`"),
    ],
)
def test_columns_are_checked_as_their_list_is(field: str, change: float, message: str) -> None:
    columns = columns_of(library.load("dps/demo"))
    columns[field] = columns[field].astype(np.result_type(columns[field], type(change)))
    columns[field][1] = change
    with pytest.raises(InvalidInstance, match=message):
        built(columns)


def test_what_is_no_number_of_json_is_refused_in_words() -> None:
    class Plain:
        """As certificates have, and columns had."""

        def plain(self) -> dict[str, int]:
            return {}

    market = library.load("dps/demo")
    with pytest.raises(InvalidInstance, match=r"Expected a JSON value, got Plain - at `\$\.jobs`"):
        market.replace(jobs=Plain())


def test_columns_of_other_lengths_or_without_a_field_are_none() -> None:
    columns = columns_of(library.load("dps/demo"))
    with pytest.raises(ValueError, match="shorter"):
        built(columns | {"budget": columns["budget"][:-1]})
    del columns["budget"]
    with pytest.raises(InvalidInstance, match="budget"):
        built(columns)
