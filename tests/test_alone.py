"""What is registered is the same whether or not anything else was imported before it was named."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from farkas.algebra import Program, programs
from farkas.instances import library
from farkas.instances.files import own_kinds
from farkas.testing import variants
from tests.tools.alone import hashed
from tests.tools.shared import ROOT

REGISTRIES = (
    "farkas.adversary.shape:shapes",
    "farkas.certificates.files:certificate_types",
    "farkas.certificates.priced_tree:priced_programs",
    "farkas.certificates.run_bound:run_bounds",
    "farkas.duals.multipliers:restatements",
    "farkas.experiments.figures.exhibit:figures",
    "farkas.experiments.pictures.gantt:layouts",
    "farkas.instances.traces.importer:importers",
    "farkas.offline.methods:searches",
    "farkas.online.driver:algorithms",
    "farkas.online.driver:demos",
    "farkas.online.driver:environments",
    "farkas.proofs.claim:claims",
    "farkas.quantities.quantity:quantities",
    "farkas.replay.base:replays",
    "farkas.replay.base:unread",
    "farkas.solvers.base:backends",
    "farkas.solvers.subproblem:own_solvers",
)


def asked(*words: str) -> Any:
    child = subprocess.run(
        [sys.executable, "-m", "tests.tools.alone", *words],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(child.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("kind", own_kinds())
def test_a_program_named_alone_is_the_one_that_all_know(kind: str) -> None:
    programs.load()
    found = [programs[name] for name in programs.names(f"{kind}.")]
    names = [v.full_name for p in found if issubclass(p, Program) for v in variants(p)]
    assert names
    data = library.load(f"{kind}/tiny")
    assert asked(f"{kind}/tiny", *names) == {name: hashed(name, data) for name in names}


@pytest.mark.slow
@pytest.mark.parametrize("registry", REGISTRIES)
def test_what_is_named_alone_is_what_all_modules_together_register(registry: str) -> None:
    found = asked(registry, "12")
    assert found["alone"]
    assert found["alone"] == found["together"]


def test_every_registry_is_asked() -> None:
    says = re.compile(r"^(\w+)(?:: Registry\[| = AlgorithmRegistry\()", re.MULTILINE)
    folder = ROOT / "farkas"
    found = {
        f"{'.'.join(path.relative_to(ROOT).with_suffix('').parts)}:{name}"
        for path in folder.rglob("*.py")
        for name in says.findall(path.read_text(encoding="utf-8"))
    }
    assert found == set(REGISTRIES)
