"""The kind of `examples/leases`: bounds, optimum and certificates from what it says of replies."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from fractions import Fraction

import pytest

from tests.examples.installing import farkas, install, ran
from tests.tools.shared import ROOT

EXAMPLE = ROOT / "examples" / "leases"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> str:
    return install(EXAMPLE, tmp_path_factory.mktemp("site"))


def best(data) -> int:
    """Greatest worth, by every choice of machines."""
    found, requests = 0, data["requests"]
    for places in itertools.product(range(-1, data["machines"]), repeat=len(requests)):
        held: Counter[tuple[int, int]] = Counter()
        for at, one in zip(places, requests, strict=True):
            for slot in range(one["slots"] if at >= 0 else 0):
                held[at, one["arrival"] + slot] += one["units"]
        if all(units <= data["capacity"] for units in held.values()):
            each = zip(places, requests, strict=True)
            found = max(found, sum(one["worth"] for at, one in each if at >= 0))
    return found


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_its_optimum_is_that_of_enumeration_and_is_proved(installed, tmp_path, seed):
    file, out = tmp_path / "leases.json", tmp_path / "best.json"
    words = ["--preset", "small", "--seed", str(seed), "-o", str(file)]
    farkas(installed, "generate", "lease", *words)
    exact = best(json.loads(file.read_text()))
    found = farkas(installed, "optimum", str(file), "--gap", "0.0001", "--out", str(out))
    assert found["value"] == exact <= Fraction(found["bound_exact"])
    assert farkas(installed, "check", str(out), "--instance", str(file))["bound"] >= exact
    run = farkas(installed, "run", str(file), "-a", "lease.first_fit")
    assert run["value"] <= exact <= Fraction(run["certificate"]["exact"])
    # a bound that its prices do not prove is refused
    text = out.read_text().replace(found["bound_exact"], str(exact - 1))
    out.write_text(text)
    said = ran(installed, "-m", "farkas", "check", str(out), "--instance", str(file), code=1)
    assert "claims the bound" in said


def test_its_published_size_is_searched_and_proved(installed, tmp_path):
    # too large for a choice of plans alone: requests are inserted where they fit
    file = tmp_path / "leases.json"
    farkas(installed, "generate", "lease", "--seed", "3", "-o", str(file))
    found = farkas(installed, "optimum", str(file), "--time-limit", "20")
    assert 0 < found["value"] <= Fraction(found["bound_exact"]) <= found["value"] * 1.01
