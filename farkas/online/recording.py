"""What makes a run's record and those of its slots, and writes its file.

`farkas.online.run` reads it again.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import os
import platform
from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib import metadata
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

import farkas
from farkas.certificates.ratio import ratio_at_most
from farkas.files.writing import write_bytes
from farkas.online.run import Manifest, Run, Slot

if TYPE_CHECKING:
    from farkas.online.driver import Environment
    from farkas.online.policy import Increments
    from farkas.solvers.subproblem import SubproblemAnswer

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


class Solved(NamedTuple):
    """What a step solved."""

    value: float = math.nan  #: Value of its program; NaN without one.
    dual: float = math.nan  #: Bound on that value which the solver claims.
    answers: Sequence[SubproblemAnswer] = ()  #: Of all its programs, in turn.


@dataclasses.dataclass(frozen=True, slots=True)
class DecisionsMade:
    """What a policy did."""

    decisions: Sequence[Any]  #: One per arrival.
    state: Any = None  #: The last one; None where there were no steps.
    solved: Sequence[Solved] = ()  #: One per step; empty without steps.
    #: seconds, longest: time in all, and that of the longest step, by `clock`.
    seconds: float = 0.0
    longest: float = 0.0


def slots_of(
    run: Run,
    world: Environment,
    instance: Any,
    solved: Sequence[Solved],
    theorem: Increments | None,
) -> list[Slot]:
    """Return the record of every slot: what was solved, decided and proved up to it."""
    found, so_far = [], Fraction(0)
    bounds = None if run.certificate is None else world.bounds_so_far(instance, run.certificate)
    programs = world.by_slot(instance, solved)
    if len(programs) != len(run.costs):  # a kind whose costs are those of something else
        programs = [Solved()] * len(run.costs)
    seen: tuple[Fraction, Fraction | None] | None = None
    words: str | None = None
    ratio: float | None = None
    for slot, costs in enumerate(run.costs):
        value = float(world.value_of(costs))
        known = math.isfinite(value)
        if known and value:
            so_far += Fraction(value)
        proved = None if bounds is None else bounds[slot]
        if (so_far, proved) != seen:  # many slots of a long horizon change neither
            seen, ratio = (so_far, proved), None
            words = None if proved is None else str(proved)
            if proved is not None and not run.violations:
                # rounded sums may be better than the bound by their rounding
                ratio = ratio_at_most(world.sense, so_far, proved, exact=False)
        each = programs[slot]
        found.append(
            Slot(
                value=value if known else None,
                value_so_far=float(so_far) if known else None,
                bound_so_far=words,
                ratio_so_far=ratio,
                program=each.answers[-1].program if each.answers else "",
                solver=each.answers[-1].solver if each.answers else "",
                programs=len(each.answers),
                fractional=each.value if math.isfinite(each.value) else None,
                dual=each.dual if math.isfinite(each.dual) else None,
                left=None if theorem is None else str(theorem.left[slot]),
                right=None if theorem is None else str(theorem.right[slot]),
                seconds=sum(answer.seconds for answer in each.answers),
            )
        )
    return found
