"""Everything registered for a kind, measured on an instance."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from farkas.algebra import ConvexProgram, Program, programs
from farkas.api.solution import Solution
from farkas.api.solve import solve, solve_form
from farkas.errors import NotACertificate, NotApplicable
from farkas.instances import Instance
from farkas.online import algorithms
from farkas.online.driver import plain
from farkas.quantities import evaluate_all, quantities
from farkas.testing import variants
from farkas.tolerances import ULP

Values = dict[str, Any]
"""Named results: numbers, fractions, lists of numbers, words, None."""


@dataclasses.dataclass(frozen=True)
class Measured:
    """An object of a registry."""

    sort: str
    name: str

    @property
    def kind(self) -> str:
        return self.name.partition(".")[0]

    def __str__(self) -> str:
        return f"{self.sort} {self.name}"

    def path(self, key: str) -> str:
        """Name of one result among those of all objects."""
        return key if key.startswith(f"{self.kind}.") else f"{self.name}.{key}"

    def on(self, instance: Instance) -> Values:
        """Return its results on an instance; what is not applicable has none."""
        try:
            return _MEASURES[self.sort](self.name, instance)
        except NotApplicable:
            return {}


def _quantity(name: str, instance: Any) -> Values:
    found: Values = {}
    keys = list(quantities[name].keys(instance)) if name in quantities else [name]
    for outcome in evaluate_all(instance, keys):
        if outcome.error is None:
            found[outcome.key] = outcome.value
        elif not isinstance(outcome.error, NotApplicable):
            raise outcome.error
    return found


def _algorithm(name: str, instance: Any) -> Values:
    run = algorithms[name].run(instance, 1)
    return {
        "value": run.value,
        "exact value": None if run.value_exact is None else Fraction(run.value_exact),
        "bound": None if run.certificate is None else run.certificate.fraction,
        "ratio": run.ratio,
        "violations": len(run.violations),
        "decisions": plain(run.decisions),
    }


def _program(name: str, instance: Any) -> Values:
    try:  # without a search, whose bound would depend on how busy the machine is
        found = solve_form(programs.build(name).form(instance), certify=True)
    except NotACertificate:
        found = solve(instance, name)
        if found.answer.has_point:
            return {"claim": str(found.answer.claim), "optimum": found.answer.objective}
        return {"claim": str(found.answer.claim)}
    if not found.answer.has_point:
        return {"claim": str(found.answer.claim)}
    return {
        "claim": str(found.answer.claim),
        "optimum": _settled(found),
        "bound": found.bound,
    }


def _settled(found: Solution) -> float:
    """Return the optimum, or 0 where it is what rounding leaves of terms that cancel."""
    terms = np.abs(found.form.cost * found.answer.point)
    rounding = ULP * np.count_nonzero(terms) * terms.sum()
    return 0.0 if abs(found.answer.objective) <= rounding else found.answer.objective


def _convex(name: str, instance: Any) -> Values:
    found = solve(instance, name).answer
    return {"claim": str(found.claim), "optimum": found.objective}


_MEASURES = {
    "quantity": _quantity,
    "algorithm": _algorithm,
    "program": _program,
    "convex": _convex,
}


def objects() -> Iterator[Measured]:
    """Every quantity, algorithm and program that a solver can be asked about."""
    for name in quantities.names():
        yield Measured("quantity", name)
    for name in algorithms.names():
        yield Measured("algorithm", name)
    for name in programs.names():
        if issubclass(programs[name], Program):
            for variant in variants(programs[name]):
                yield Measured("program", variant.full_name)
        elif issubclass(programs[name], ConvexProgram):
            for variant in variants(programs[name]):
                yield Measured("convex", variant.full_name)
