"""What a run records of itself, and its file."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
import scipy

import farkas
from farkas.online import read_run, write_run
from farkas.online.run import SOLVER_PACKAGES, installed, manifest, plain


def test_decisions_of_arrays_and_fractions_become_plain() -> None:
    kept = {1: np.arange(3), "x": (np.float64(0.5), Fraction(1, 3)), "y": MappingProxyType({})}
    assert plain(kept) == {"1": [0, 1, 2], "x": (0.5, "1/3"), "y": {}}
    with pytest.raises(TypeError, match="a decision holds a complex"):
        plain([1j])


def test_a_run_that_is_written_is_the_run_that_is_read(tmp_path: Path) -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.gr")
    write_run(run, tmp_path / "run.json")
    assert read_run(tmp_path / "run.json") == run


def test_a_manifest_says_what_a_run_depends_on() -> None:
    instance = farkas.load("mlbroker/tiny")
    found = manifest(instance, 7)
    assert (found.seed, found.instance_sha256) == (7, instance.sha256)
    assert (found.numpy, found.solvers) == (np.__version__, dict(installed()))
    there = {one for one in SOLVER_PACKAGES if importlib.util.find_spec(one) is not None}
    assert {"highspy", "numba", "scipy"} <= set(found.solvers) == there
    assert found.solvers["scipy"] == scipy.__version__
