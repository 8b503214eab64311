"""A program is the same whether or not anything else has been imported before it was named."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from farkas.algebra import Program, programs
from farkas.instances import library
from farkas.instances.files import own_kinds
from tests.conformance.oracle import variants
from tests.tools.alone import hashed
from tests.tools.shared import ROOT


@pytest.mark.parametrize("kind", own_kinds())
def test_a_program_named_alone_is_the_one_that_all_know(kind: str) -> None:
    programs.load()
    found = [programs[name] for name in programs.names(f"{kind}.")]
    names = [v.full_name for p in found if issubclass(p, Program) for v in variants(p)]
    assert names
    child = subprocess.run(
        [sys.executable, "-m", "tests.tools.alone", f"{kind}/tiny", *names],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    data = library.load(f"{kind}/tiny")
    assert json.loads(child.stdout) == {name: hashed(name, data) for name in names}
