"""The kind of `examples/vector_bin_packing`: installed by its pyproject, worst cases proved."""

from __future__ import annotations

import itertools
import json

import pytest

from tests.examples.installing import farkas, install, ran
from tests.tools.shared import ROOT

EXAMPLE = ROOT / "examples" / "vector_bin_packing"
TINY = json.loads((EXAMPLE / "binpacking" / "library" / "tiny.json").read_text())


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> str:
    return install(EXAMPLE, tmp_path_factory.mktemp("site"))


def needed(items: list[list[int]], capacity: list[int]) -> int:
    """Fewest bins, by every assignment."""
    for count in range(1, len(items) + 1):
        for places in itertools.product(range(count), repeat=len(items)):
            held = [[0] * len(capacity) for _ in range(count)]
            for place, item in zip(places, items, strict=True):
                held[place] = [a + b for a, b in zip(held[place], item, strict=True)]
            if all(a <= c for bin_ in held for a, c in zip(bin_, capacity, strict=True)):
                return count
    raise AssertionError


@pytest.mark.slow
def test_the_shipped_items_fit_into_two_bins_and_first_fit_opens_four(installed):
    items = [item["size"] for item in TINY["items"]]
    assert needed(items, TINY["capacity"]) == 2
    sums = [sum(item) for item in items]
    assert sums == sorted(sums, reverse=True)
    found = farkas(installed, "compare", "binpacking/tiny")["algorithms"]
    values = {entry["algorithm"]: entry["value"] for entry in found}
    assert values == {
        "binpacking.fewest": 2.0,
        "binpacking.first_fit": 4.0,
        "binpacking.first_fit_decreasing": 4.0,
    }
    solved = farkas(installed, "solve", "binpacking/tiny", "-p", "binpacking.assignment")
    assert solved["objective"] == pytest.approx(2.0)


@pytest.mark.slow
@pytest.mark.parametrize("weight", ["sum", "max", "product"])
def test_weights_sort_items_otherwise(installed, tmp_path, weight):
    # sums 12, 11, 10; largest 6, 9, 10; products 36, 18, 0
    items = [[6, 6], [9, 2], [10, 0]]
    data = TINY | {"capacity": [10, 10], "items": [{"size": size} for size in items]}
    file = tmp_path / "three.json"
    file.write_text(json.dumps(data))
    name = "binpacking.first_fit_decreasing"
    out = tmp_path / "run.json"
    farkas(installed, "run", str(file), "-a", name, "--set", f"weight={weight}", "-o", str(out))
    decisions = json.loads(out.read_text())["decisions"]
    assert decisions == {"sum": [0, 1, 2], "max": [2, 1, 0], "product": [0, 1, 2]}[weight]


@pytest.mark.slow
def test_the_program_of_the_worst_case_finds_four_for_two_and_it_is_proved(installed, tmp_path):
    file = tmp_path / "gap.json"
    ran(installed, str(EXAMPLE / "worst_case.py"), "6", str(file))
    proved = farkas(installed, "check", str(file))
    assert proved["ratio_exact"] == "2"
    assert (proved["value"], proved["witness"]) == (4.0, 2.0)
    gap = json.loads(file.read_text())
    items = [item["size"] for item in gap["instance"]["items"]]
    assert needed(items, gap["instance"]["capacity"]) == 2
    # what the file claims beyond that, or decides against the rules, is refused
    for change in (
        {"ratio": "3"},
        {"witness": gap["witness"] | {"decisions": [0] * 6}},
        {"witness": gap["witness"] | {"decisions": [0] * 5}},
        {"reached": gap["reached"] | {"decisions": [0, 1, 2, 3, 4, -1]}},
    ):
        file.write_text(json.dumps(gap | change))
        assert "farkas: " in ran(installed, "-m", "farkas", "check", str(file), code=1)


@pytest.mark.slow
def test_the_search_finds_a_bin_too_many_and_it_is_proved(installed, tmp_path):
    out = str(tmp_path / "gap.json")
    words = ["worst", "binpacking.first_fit_decreasing", "--size", "capacity=10", "--evaluations"]
    found = farkas(installed, *words, "3000", "--write", out)
    assert found["ratio_at_least"] >= 1.5
    assert farkas(installed, "check", out)["ratio_exact"] == found["ratio_exact"]


def test_items_that_do_not_fit_are_refused(installed, tmp_path):
    file = tmp_path / "large.json"
    file.write_text(json.dumps(TINY | {"items": [{"size": [21, 0]}]}))
    said = ran(installed, "-m", "farkas", "run", str(file), "-a", "binpacking.first_fit", code=2)
    assert "items[0] is larger than a bin" in said
