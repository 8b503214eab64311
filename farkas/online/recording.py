"""What makes a run's record, and writes its file; `farkas.online.run` reads it again."""

from __future__ import annotations

import functools
import os
import platform
from collections.abc import Mapping
from fractions import Fraction
from importlib import metadata
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

import farkas
from farkas.files.writing import write_bytes
from farkas.online.run import Manifest, Run

SOLVER_PACKAGES = (
    "clarabel", "cvxpy", "gurobipy", "highspy", "mosek", "numba", "pyscipopt", "scipy",
)  # fmt: skip


def manifest(instance: Any, seed: int) -> Manifest:
    """Record versions and hashes."""
    return Manifest(
        farkas=farkas.__version__,
        python=platform.python_version(),
        numpy=np.__version__,
        solvers=dict(installed()),
        seed=seed,
        instance_sha256=instance.sha256,
    )


@functools.cache
def installed() -> Mapping[str, str]:
    """Versions of the solver packages on this machine, by package."""
    found: dict[str, str] = {}
    for package in SOLVER_PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return MappingProxyType(found)


def plain(value: Any) -> Any:
    """Plain data of a decision: arrays, numpy scalars, fractions and structs become JSON values."""
    if hasattr(value, "plain"):  # columns that know their records
        return value.plain()
    return msgspec.to_builtins(value, enc_hook=_plain_object, str_keys=True)


def _plain_object(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        return value.tolist()
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"a decision holds a {type(value).__name__}, which JSON cannot")


def to_bytes(run: Run) -> bytes:
    """File content of a run."""
    return msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n"


def write_run(run: Run, path: str | os.PathLike[str]) -> None:
    """Write a run file in one step; raises `FileProblem`."""
    write_bytes(path, to_bytes(run))
