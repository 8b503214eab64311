"""Names belong to kinds, and kinds have what everything about them needs.

That every program, algorithm, quantity, claim and solver is exercised is the affair of
`tests/conformance` and of the ledger, which go through the registries.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from farkas.algebra import programs
from farkas.certificates.files import certificate_types
from farkas.instances import kinds
from farkas.instances.library import names as shipped_names
from farkas.online import algorithms, environments
from farkas.proofs import claims
from farkas.quantities import find, quantities
from farkas.registry import Registry, home_of
from tests.tools.shared import case_files

ROLES = {"program": programs, "algorithm": algorithms, "claim": claims}


@pytest.mark.parametrize("kind", kinds())
def test_every_kind_has_a_shipped_tiny_instance(kind: str) -> None:
    assert f"{kind}/tiny" in shipped_names(kind)


@pytest.mark.parametrize("role", ROLES)
def test_every_name_begins_with_a_kind(role: str) -> None:
    assert {name.partition(".")[0] for name in ROLES[role]} <= set(kinds())


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


@pytest.mark.parametrize(
    "registry", [programs, algorithms, certificate_types], ids=lambda r: r.role
)
def test_every_name_has_one_module_that_is_loaded_for_it(registry: Registry[Any]) -> None:
    for name in registry:
        module = getattr(registry[name], "make", registry[name]).__module__
        if module.startswith("farkas."):
            owner = re.split(r"[._:]", name)[0]
            assert module in {home_of(p, owner, name) for p in registry.packages}, name
