"""Long lists hash as short ones: in the spelling that looks at every value."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest

import farkas
from farkas.errors import InvalidInstance
from farkas.instances import library
from farkas.instances.base import Record, plain_value
from farkas.instances.long_lists import plain


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
