"""A seed names an instance bit for bit, and runs decide and earn the same, on every machine."""

from __future__ import annotations

import functools
import json
import math
import os
import platform
import subprocess
import sys
from typing import Any

import pytest

from farkas.instances.traces import importers
from farkas.online import algorithms
from tests.recorded import instances
from tests.tools import same_everywhere
from tests.tools.shared import ROOT

FEATURES = same_everywhere.features()
NEWEST = [name for name in FEATURES if name.startswith(("AVX512", "X86_V4"))]
OLD_LIBRARIES = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4",
    "PYTHONHASHSEED": "3",
}
MACHINES: dict[str, tuple[list[str], dict[str, str]]] = {
    **({"without AVX-512": (NEWEST, {})} if NEWEST else {}),
    "without AVX2": (FEATURES, {}),
    "with old code in BLAS and libm": ([], OLD_LIBRARIES),
}
"""What numpy has to do without, and what else is set; as far as it makes a difference here."""


@functools.cache
def here() -> dict[str, dict[str, Any]]:
    return same_everywhere.everything()


def elsewhere(without: list[str], settings: dict[str, str]) -> dict[str, Any]:
    """Let a child find the hashes as another machine would."""
    known = os.environ.get("NPY_DISABLE_CPU_FEATURES", "").split()
    disabled = {"NPY_DISABLE_CPU_FEATURES": " ".join(dict.fromkeys([*known, *without]))}
    child = subprocess.run(
        [sys.executable, "-m", "tests.tools.same_everywhere"],
        cwd=ROOT, env={**os.environ, **settings, **disabled}, capture_output=True, text=True,
    )  # fmt: skip
    assert child.returncode == 0, child.stderr
    return dict(json.loads(child.stdout))


def different(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [name for name in one.keys() | other.keys() if not near(one.get(name), other.get(name))]


def near(one: Any, other: Any) -> bool:
    """Whether two values are equal but for a billionth in their numbers."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(near(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(near, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return type(one) is type(other) and one == other


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_nothing_depends_on_the_machine(name):
    without, settings = MACHINES[name]
    found = elsewhere(without, settings)
    # it is another machine: what was switched off is off, and BLAS and libm do answer otherwise
    assert not set(without) & set(found["features"])
    if settings and "X86_V3" in FEATURES and platform.libc_ver()[0] == "glibc":
        assert found["machine"] != same_everywhere.machine()
    for what, named in here().items():
        assert different(named, found[what]) == [], what


@pytest.mark.slow
def test_a_seed_names_the_instance_that_it_named_when_this_was_written():
    changed = instances.differing(here()["instances"])
    assert changed == [], 'a new kind of machine, or on purpose: make record NAMES="instances"'


@pytest.mark.slow
def test_every_importer_and_every_algorithm_takes_part():
    assert set(same_everywhere.IMPORTS) == set(importers.names())
    ran = {name.split()[0] for name in here()["runs"]}
    by_machine = set(filter(same_everywhere.by_machine, algorithms.names()))
    assert by_machine >= same_everywhere.BY_MACHINE
    assert ran == set(algorithms.names()) - by_machine
