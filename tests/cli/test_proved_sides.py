"""Whatever is printed of a proved number claims no more than the number."""

from __future__ import annotations

import dataclasses
import json
import re
import textwrap
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import farkas
from farkas.certificates.proof import rounded
from farkas.cli import call
from farkas.instances.files import own_kinds
from farkas.instances.library import path as shipped
from farkas.online import demos
from farkas.tolerances import OPTIMAL
from tests.tools.cells import pairs, rows

Capture = pytest.CaptureFixture[str]


def printed(capsys: Capture, *words: str) -> tuple[str, dict[str, Any]]:
    """What a command prints as text, and as JSON."""
    assert call(list(words)) == 0
    text = capsys.readouterr().out
    assert call([*words, "--json"]) == 0
    return text, json.loads(capsys.readouterr().out)


def read(said: str | float | Fraction) -> Fraction:
    """The number that a text promises: ``1.25``, ``1 + 2E-7``, ``optimal``, ``2E-13, optimal``."""
    if said == "optimal":
        return 1 + Fraction(OPTIMAL)
    return sum(map(Fraction, str(said).removesuffix(", optimal").split(" + ")), Fraction())


def holds(
    said: str | float | Fraction, exact: str | float | Fraction, *, up: bool, digits: int = 6
) -> None:
    """Assert that a text or double is on the proved side of a number, and close to it."""
    shown, number = read(said), Fraction(exact)
    assert shown >= number if up else shown <= number, (said, exact)
    assert abs(shown - number) <= abs(number) / 10 ** (digits - 1), (said, exact)


def tells(said: str, exact: str | float, *, up: bool, optimal: bool) -> None:
    """Assert `holds`; where a value is optimal it and the bound have the same nearest digits."""
    if optimal:
        assert said == rounded(Fraction(exact), up=None)
    else:
        holds(said, exact, up=up)


KINDS = own_kinds()


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_prints_bound_and_ratio_on_their_proved_side(kind: str, capsys: Capture) -> None:
    text, data = printed(capsys, "run", str(shipped(f"{kind}/demo")), "-a", demos[kind].algorithm)
    said = pairs(text)
    optimal, least = said["certified ratio"] == "optimal", data["sense"] == "min"
    tells(said["value"], data["value"], up=least, optimal=optimal)
    tells(said["proved bound"], data["certificate"]["exact"], up=not least, optimal=optimal)
    holds(said["certified ratio"], data["ratio"], up=True)
    value, bound = Fraction(data["value_exact"]), Fraction(data["certificate"]["exact"])
    holds(data["ratio"], max(Fraction(1), value / bound if least else bound / value), up=True)


@pytest.mark.parametrize("kind", [pytest.param("coded", marks=pytest.mark.slow), "dps", "mlbroker"])
def test_a_comparison_prints_bound_and_ratios_on_their_proved_side(
    kind: str, capsys: Capture
) -> None:
    text, data = printed(capsys, "compare", str(shipped(f"{kind}/tiny")))
    up, bound = data["sense"] == "max", data["bound"]
    found = re.search(r"proved bound (\S+)", text)
    assert found is not None
    ratios = {row[0]: row[2] for row in rows(text)}
    tells(found.group(1), bound["exact"], up=up, optimal="optimal" in ratios.values())
    holds(bound["value"], bound["exact"], up=up)
    for entry in data["algorithms"]:
        if entry["ratio"] is None:
            assert ratios[entry["algorithm"]] == "-"
        else:
            holds(ratios[entry["algorithm"]], entry["ratio"], up=True)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs on five instances."""
    folder = tmp_path_factory.mktemp("sweep")
    path = folder / "small.toml"
    path.write_text(
        textwrap.dedent("""
        name = "small"
        [[instances]]
        kind = "mlbroker"
        preset = "small"
        seeds = "0..4"
        settings = { num_slots = 2 }
        [[algorithms]]
        name = "mlbroker.local"
        [[algorithms]]
        name = "mlbroker.fractional"
        """)
    )
    assert call(["sweep", str(path), "--workers", "1"]) == 0
    return folder / "small.sqlite"


def test_a_report_prints_its_ratios_on_their_proved_side(
    store: Path, tmp_path: Path, capsys: Capture
) -> None:
    page = tmp_path / "page.html"
    assert call(["sweep", str(store), "--report", str(page)]) == 0
    capsys.readouterr()
    assert call(["sweep", str(store), "--json", "--ratios"]) == 0
    data = json.loads(capsys.readouterr().out)
    text = page.read_text()
    table = text.partition('<table id="summary">')[2].partition("<tbody>")[2]
    lines = re.findall(r"<tr>.*?</tr>", table.partition("</tbody>")[0], flags=re.DOTALL)
    for row, item in zip(lines, data["ratios"], strict=True):
        numbers = re.findall(r'<td class="numeric[^>]*>([^<]*)</td>', row)
        holds(numbers[2], item["mean"], up=True)
        low, high = numbers[3].split(" – ")
        holds(low, item["interval"][0], up=False)
        holds(high, item["interval"][1], up=True)
        holds(numbers[4], item["quantiles"]["50"], up=True)
        holds(numbers[5], item["quantiles"]["100"], up=True)
    for item in data["ratios"]:
        spoken = re.search(rf"{re.escape(item['name'])}[^:;]*: median (\S+), mean (\S+), largest "
                           r"([\d.]+)", text)  # fmt: skip
        assert spoken is not None
        levels = (item["quantiles"]["50"], item["mean"], item["quantiles"]["100"])
        for said, exact in zip(spoken.groups(), levels, strict=True):
            holds(said, exact, up=True)


def test_the_bound_has_the_digits_of_a_value_only_where_it_is_optimal_to_this_bound() -> None:
    found = farkas.compare("mlbroker/tiny", ["mlbroker.central", "mlbroker.fractional"])
    assert found.bound is not None
    assert found.proved == "16.8"
    central = found["mlbroker.central"]
    # one that is optimal to a bound of its own, which is another number
    other = dataclasses.replace(central, value=14.0, run=None)
    worse = dataclasses.replace(central, ratio=1.1)
    for entry in (other, worse):
        assert dataclasses.replace(found, entries=(entry,)).proved == "16.7999999"
