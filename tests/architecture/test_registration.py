"""A registered object that nobody tests or explains is forgotten: these tests name it."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import pytest

from farkas.algebra import programs
from farkas.instances import kinds
from farkas.instances.library import names as shipped_names
from farkas.online import algorithms, environments
from farkas.proofs import claims
from farkas.quantities import find, quantities
from farkas.solvers import backends
from tests.tools.shared import ROOT, case_files

SET_ASIDE = {
    Path(__file__).resolve().parent,
    *(ROOT / "docs" / built for built in ("generated", "_build")),
}


@functools.cache
def texts(folder: str, pattern: str) -> str:
    """All files of a folder in one text, without those of this folder and those built from code."""
    files = [f for f in sorted((ROOT / folder).rglob(pattern)) if not SET_ASIDE & {*f.parents}]
    return "\n".join(f.read_text() for f in files)


def named_in(text: str, name: str) -> bool:
    """Whether ``name`` stands in ``text`` as a whole word."""
    return name in dotted_words(text)


@functools.cache
def dotted_words(text: str) -> frozenset[str]:
    """Words of a text, with the dots inside them."""
    return frozenset(re.findall(r"(?<![\w.])\w+(?:\.\w+)*", text))


ROLES = {
    "program": programs.names,
    "algorithm": algorithms.names,
    "claim": claims.names,
    "solver": backends.names,
}
every_role = pytest.mark.parametrize("role", ROLES)


@every_role
def test_every_registered_object_has_a_test(role: str) -> None:
    written = texts("tests", "*.py")
    forgotten = [name for name in ROLES[role]() if not named_in(written, name)]
    assert not forgotten, f"no file below tests/ names {forgotten}"


@every_role
def test_every_registered_object_has_a_docs_entry(role: str) -> None:
    # claims stand in the ledger, from which their pages are generated
    written = texts("docs", "*.json" if role == "claim" else "*.md")
    forgotten = [name for name in ROLES[role]() if not named_in(written, name)]
    assert not forgotten, f"no file below docs/ names {forgotten}"


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_has_a_shipped_tiny_instance(kind: str) -> None:
    assert f"{kind}/tiny" in shipped_names(kind)


@pytest.mark.parametrize("role", ["program", "algorithm", "claim"])
def test_every_name_begins_with_a_kind(role: str) -> None:
    assert {name.partition(".")[0] for name in ROLES[role]()} <= set(kinds())


def test_every_kind_with_algorithms_has_an_environment() -> None:
    assert {algorithms[name].kind for name in algorithms} == set(environments)


def test_every_quantity_belongs_to_a_kind() -> None:
    assert {quantities[name].kind for name in quantities} <= set(kinds())


KINDS_WITH_QUANTITIES = sorted({quantities[name].kind for name in quantities})
CASES = [path for kind in KINDS_WITH_QUANTITIES for path in case_files(kind)]


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_key_a_case_file_expects_belongs_to_a_quantity(path: Path) -> None:
    case = json.loads(path.read_text())
    for key in set(case["expected"]) - {"error"}:
        assert find(key, case["kind"]).kind == case["kind"]


def test_a_name_inside_a_longer_name_does_not_count_as_named() -> None:
    assert named_in("run mlbroker.opt now", "mlbroker.opt")
    assert named_in("`mlbroker.opt`.", "mlbroker.opt")
    assert named_in("mlbroker.relaxed[tight]", "mlbroker.relaxed")
    assert not named_in("mlbroker.optimum", "mlbroker.opt")
    assert not named_in("mlbroker.opt.cost", "mlbroker.opt")
    assert not named_in("old.mlbroker.opt", "mlbroker.opt")
