"""Price tables: per GPU, regions by name, both prices or none."""

from __future__ import annotations

import pytest

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces.market import GpuPrice, read_prices
from tests.instances.traces.made import PRICES


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("8.0,4.0", "8.0,9.0", "prices.csv: line 2: expected GPUs >= 1 and 0 <= reserved"),
        ("g4.big,T4,4", "g4.big,T4,0", "line 2: expected GPUs >= 1"),
        ("east,6.0", "west,6.0", "line 3: g4.big in west stands twice"),
        (",east,", ",,", "line [0-9]: region is empty"),
    ],
)
def test_a_damaged_price_table_is_refused(folder, before, after, message):
    (folder / "prices.csv").write_text(PRICES.replace(before, after, 1))
    with pytest.raises(FileProblem, match=message):
        read_prices(folder / "prices.csv", "g4.big")


def test_words_of_a_price_table_are_quoted(folder):
    table = PRICES.replace("east", "all: accepted.").replace("west", "all: accepted.")
    (folder / "prices.csv").write_text(table)
    with pytest.raises(FileProblem, match=r'in "all: accepted\." stands twice'):
        read_prices(folder / "prices.csv", "g4.big")


def test_no_region_with_both_prices_is_refused(folder):
    (folder / "prices.csv").write_text(PRICES.replace("8.0,4.0", "8.0,").replace("6.0,5.0", ",5.0"))
    with pytest.raises(InvalidOption, match="no region quotes both prices"):
        read_prices(folder / "prices.csv", "g4.big")


def test_prices_are_per_gpu_by_name_of_the_region_that_quotes_both(folder):
    # four GPUs each: east 6 and 5, west 8 and 4 USD per hour; north quotes no reserved price
    assert read_prices(folder / "prices.csv", "g4.big") == [
        GpuPrice("east", 1.5, 1.25),
        GpuPrice("west", 2.0, 1.0),
    ]


def test_another_type_is_answered_with_the_nearest(folder):
    with pytest.raises(InvalidOption, match="no prices for instance 'g5-bg'; did you mean g5"):
        read_prices(folder / "prices.csv", "g5-bg")
