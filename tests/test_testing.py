"""What every kind keeps: those that ship keep all of it, and each fault of a kind is named."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.certificates.eris import PricedAuction
from farkas.cli import call
from farkas.instances.files import own_kinds
from farkas.online import algorithms
from farkas.testing import checks, differences, runs
from tests.examples.installing import install

# programs are compared with Pyomo entry by entry in tests/conformance/test_programs.py
CHECKS = [c for kind in own_kinds() for c in checks(kind) if "Pyomo" not in c.name]


@pytest.mark.ids(30)
@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_a_kind_that_ships_keeps_what_all_keep(check) -> None:
    check()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: {"cost": f.cost * (1 + 1e-8)}, "objective"),
        (lambda f: {"offset": f.offset + 1e-6}, "objective"),
        (lambda f: {"sense": "max"}, "objective"),
        (lambda f: {"row_upper": f.row_upper + 1e-6}, "row "),
        (lambda f: {"row_lower": np.full(f.num_rows, -np.inf)}, "row "),
        (lambda f: {"upper": f.upper * 2}, "bounds or type of"),
        (lambda f: {"integer": ~f.integer}, "bounds or type of"),
    ],
)
def test_a_form_that_is_not_what_pyomo_reads_is_told(change, said, monkeypatch) -> None:
    program, market = programs.build("mlbroker.offline"), farkas.load("mlbroker/tiny")
    form = program.form(market)
    assert not differences(program, market)
    changed = dataclasses.replace(form, **change(form))
    monkeypatch.setattr(type(program), "form", lambda self, data: changed)
    assert any(said in one for one in differences(program, market))


#: A file of the kind of the templates, a text in it, what takes its place, and what is said.
FAULTS = [
    ("replay.py", '@replays.register("ration")', "", "no replay"),
    ("replay.py", "if not kept.within(", "if False and (", "environment and replay disagree"),
    ("replay.py", "Fraction(r.worth)", "2 * Fraction(r.worth)", "environment and replay"),
    ("online.py", "return Bound.of(solution.bound", "return Bound.of(solution.bound / 2", "bound"),
    ("online.py", "solution = farkas", "return None\n        solution = farkas", "no bound"),
    ("online.py", 'run_bounds.add("ration"', 'run_bounds.add("other"', "bound"),
    ("online.py", "r.worth} for", "r.worth + id(r) % 9} for", "value"),
    ("online.py", "return known", "seen = vars(farkas).setdefault('seen', [])\n"
     "        seen.append(known)\n        return known * (seen.count(known) == 1)",
     "two runs differ"),
    ("generate.py", "rng.integers", "type(rng)(type(rng.bit_generator)()).integers", "one seed"),
    ("generate.py", "rng.integers", "type(rng)(type(rng.bit_generator)(1)).integers", "two seed"),
    ("generate.py", "requests: Count", "requests: int", "requests=-1 ends as ValueError"),
    ("instance.py", "class Request(Record, frozen", "import msgspec\nclass Request(msgspec.Struct, "
     "frozen", "unknown field"),
    ("instance.py", "units: Positive\n    req", 'bookkeeping = Instance.bookkeeping | {"units"}\n'
     "    units: Positive\n    req", "hash does not"),
    ("program.py", '"""The stock suffices."""', '"""The stock suffices"""', "has no sentence"),
    ("library/tiny.json", '"kind": "ration"', '"kind": "ration", "sort": 1', "sort"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("file", "text", "instead", "said"), FAULTS)
def test_a_fault_of_a_kind_is_named(file, text, instead, said, tmp_path: Path) -> None:
    assert call(["new", "kind", "ration", "-o", str(tmp_path)]) == 0
    path = tmp_path / "ration" / file
    assert text in path.read_text()
    path.write_text(path.read_text().replace(text, instead))
    assert said in checked(tmp_path, "ration")


def test_prices_that_prove_too_little_are_told(monkeypatch) -> None:
    for name in algorithms.names("eris."):
        runs(name)  # with the bound that holds
    monkeypatch.setattr(PricedAuction, "rent", lambda self, prices: Fraction(0))
    (check,) = [c for c in CHECKS if c.name == "eris: other prices and cases bound runs"]
    with pytest.raises(AssertionError, match="rent and replies of the priced program are too sma"):
        check()


def checked(folder: Path, kind: str) -> str:
    """Install a kind and return what its checks say, without which they pass."""
    (folder / "site").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", f"import farkas.testing as t; t.check_kind({kind!r})"],
        env={**os.environ, "PYTHONPATH": install(folder, folder / "site")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode
    return done.stderr


def test_a_new_kind_and_the_examples_keep_everything(tmp_path: Path) -> None:
    assert call(["new", "kind", "parcels", "-o", str(tmp_path)]) == 0
    (tmp_path / "site").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_kind.py"],
        env={**os.environ, "PYTHONPATH": install(tmp_path, tmp_path / "site")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "13 passed" in done.stdout, done.stdout
