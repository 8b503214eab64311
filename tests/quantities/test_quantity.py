"""Keys of quantities: which there are, which match, and what registration refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from farkas.quantities import Quantity, quantity

NUMBERED = Quantity(
    "toy.a[{mode},{i}]",
    lambda instance, mode, i: None,
    {"mode": ("x", "y.z"), "i": lambda instance: range(instance)},
    "A toy.",
)


def test_keys_are_every_choice_of_the_placeholders_in_order() -> None:
    assert NUMBERED.kind == "toy"
    assert list(NUMBERED.keys(2)) == ["toy.a[x,0]", "toy.a[x,1]", "toy.a[y.z,0]", "toy.a[y.z,1]"]
    assert NUMBERED.keys(2)["toy.a[y.z,1]"] == {"mode": "y.z", "i": 1}
    assert NUMBERED.keys(0) == {}


@pytest.mark.parametrize(
    ("key", "matches"),
    [
        ("toy.a[x,7]", True),  # whether 7 is admissible depends on the instance
        ("toy.a[y.z,0]", True),
        ("toy.a[yaz,0]", False),  # a point is a point
        ("toy.a[z,0]", False),
        ("toy.a[x]", False),
        ("toy.a[x,[0]]", False),
        ("toy.a[x,0]]", False),
        ("toy.c[x,0]", False),
    ],
)
def test_a_key_matches_when_it_has_the_shape_of_the_pattern(key: str, matches: bool) -> None:
    assert NUMBERED.matches(key) is matches


def test_placeholders_that_depend_on_each_other_share_their_values() -> None:
    pair = Quantity("toy[{i},{t}]", lambda i, t: None, {"i__t": [(0, 5), (1, 6)]}, "Pairs.")
    assert list(pair.keys(None)) == ["toy[0,5]", "toy[1,6]"]


def plain(instance: Any) -> int:
    """Do nothing."""
    return 0


def indexed(instance: Any, i: int) -> int:
    """Do nothing."""
    return i


@pytest.mark.parametrize(
    ("pattern", "domains", "function"),
    [
        ("mlbroker.x[{i}]", {}, indexed),  # no domain
        ("mlbroker.x[{i}]", {"i": [0]}, plain),  # the function does not take it
        ("mlbroker.x", {"i": [0]}, plain),  # no placeholder
    ],
)
def test_placeholders_domains_and_arguments_must_agree(
    pattern: str, domains: dict[str, Any], function: Callable[..., Any]
) -> None:
    with pytest.raises(ValueError, match="has placeholders"):
        quantity(pattern, **domains)(function)


def test_a_quantity_needs_words() -> None:
    with pytest.raises(ValueError, match="needs a docstring"):
        quantity("mlbroker.wordless")(lambda instance: 0)
