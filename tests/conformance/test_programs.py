"""Every program and variant, on every library instance: traced form = Pyomo's standard form."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest

from farkas.algebra import ConvexProgram, Program, PyomoProgram, programs
from farkas.api.solution import solve_convex
from farkas.errors import NotApplicable
from farkas.forms import LinearForm
from farkas.instances import Instance, library
from farkas.quantities import evaluate_all, quantities
from farkas.solvers import Conclusion
from farkas.testing import variants
from tests.conformance.oracle import differences
from tests.recorded import advice, golden

SMALL = 6_000  # entries that Pyomo builds in a blink

LINEAR = [name for name in programs if issubclass(programs[name], Program)]
VARIANTS = [variant for name in LINEAR for variant in variants(programs[name])]
PROVED_OTHERWISE = {
    "mlbroker.outer": "runs are certified by a closed-form dual point",
}
NONLINEAR = [name for name in programs if issubclass(programs[name], PyomoProgram)]
CONVEX = [name for name in programs if issubclass(programs[name], ConvexProgram)]
RULED = VARIANTS + [variant for name in NONLINEAR for variant in variants(programs[name])]
every_variant = pytest.mark.parametrize("program", VARIANTS, ids=lambda p: p.full_name)
every_rule = pytest.mark.parametrize("program", RULED, ids=lambda p: p.full_name)


def applicable(program: Program, names: list[str]) -> list[tuple[str, LinearForm]]:
    """Traced forms of those library instances that the program accepts."""
    found = []
    for name in names:
        try:
            found.append((name, program.form(_load(name))))
        except NotApplicable:
            continue
    return found


@functools.cache
def _load(name: str):
    return library.load(name)


def compare(program: Program, cases: list[tuple[str, LinearForm]]) -> None:
    for name, form in cases:
        wrong = list(differences(form, program.to_pyomo(_load(name))))
        assert not wrong, f"{program.full_name} on {name}: {wrong[:5]}"


def small(program: Program, names: list[str]) -> list[tuple[str, LinearForm]]:
    return [(n, form) for n, form in applicable(program, names) if form.num_entries <= SMALL]


@every_variant
def test_traced_rules_are_the_program_that_pyomo_reads(program):
    # A third of the instances for each variant, another third for the next one; the slow test below
    # compares all pairs.
    names = library.names(program.kind)
    cases = small(program, names[VARIANTS.index(program) % 3 :: 3])
    if not any(form.num_entries for _, form in cases):
        cases = small(program, names)
    assert any(form.num_entries for _, form in cases), "no library instance exercises it"
    compare(program, cases)


@pytest.mark.slow
@every_variant
def test_traced_rules_are_the_program_that_pyomo_reads_on_every_instance(program):
    compare(program, applicable(program, library.names(program.kind)))


@every_rule
def test_families_have_labels_and_words(program):
    for family in program.families():
        assert family.label, f"{family.name} has no equation label"
        assert family.doc.endswith("."), f"{family.name} has no sentence"


@every_rule
def test_a_program_says_itself_in_words_and_in_mathematics(program):
    words, formulas = program.describe(), program.latex()
    for family in program.families():
        assert f"({family.label}) {family.name}" in words
    numbered = [*program.families(), *(e for e in program.expressions() if e.label)]
    assert formulas.count(r"\tag") == len(numbered)


@pytest.mark.parametrize(
    "program",
    [variant for name in CONVEX for variant in variants(programs[name])],
    ids=lambda p: p.full_name,
)
def test_a_convex_program_is_solved_on_its_example(program):
    answer = solve_convex(program, program.example()).answer
    assert answer.claim is Conclusion.OPTIMAL
    assert answer.violation <= 1e-5  # of an interior point method


@pytest.mark.parametrize(
    "program",
    [variant for name in NONLINEAR for variant in variants(programs[name])],
    ids=lambda p: p.full_name,
)
def test_a_program_for_pyomo_has_every_family_of_its_words_on_its_example(program):
    model = program.to_pyomo(program.example())
    (goal,) = model.component_data_objects(pyo.Objective, active=True)
    assert goal.sense == (pyo.minimize if program.sense == "min" else pyo.maximize)
    for family in program.families():
        assert len(getattr(model, family.name)) > 0, family.name


def test_every_program_is_of_a_sort_that_is_tested_here():
    assert sorted([*LINEAR, *CONVEX, *NONLINEAR]) == programs.names()


@every_variant
def test_every_column_has_bounds_that_make_proofs_finite(program):
    form = program.form(program.example())
    ends = np.isfinite(form.safe_lower) & np.isfinite(form.safe_upper)
    open_ended = [form.column_name(int(j)) for j in np.flatnonzero(~ends)]
    if program.name in PROVED_OTHERWISE:
        assert open_ended, f"{program.name} has finite bounds now; take it off the list"
    else:
        assert not open_ended, f"no implied bound, so no proof: {open_ended[:3]}"


@pytest.mark.parametrize("name", golden.names())
def test_one_row_per_family_reads_as_it_did(name):
    assert golden.text(name) == golden.kept(name), advice(name)


def test_no_golden_text_is_about_a_program_that_is_gone():
    assert not golden.strays(), advice(*golden.strays())


@functools.cache
def instances(kind: str) -> list[Instance]:
    """Shipped instances, the smallest first."""
    names = sorted(library.names(kind), key=lambda name: library.path(name).stat().st_size)
    return [library.load(name) for name in names]


def written() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every pattern with every choice of the placeholders that no instance decides."""
    for pattern in quantities.names():
        fixed = {k: v for k, v in quantities[pattern].domains.items() if not callable(v)}
        for values in itertools.product(*fixed.values()):
            yield pattern, dict(zip(fixed, values, strict=True))


@pytest.mark.parametrize(("pattern", "chosen"), [*written()], ids=str)
def test_it_has_a_value_on_some_shipped_instance(pattern: str, chosen: dict[str, Any]) -> None:
    item = quantities[pattern]
    for instance in instances(item.kind):
        admitted = (found for found in item.arguments(instance) if chosen.items() <= found.items())
        first = [pattern.format(**found) for found in itertools.islice(admitted, 1)]
        for found in evaluate_all(instance, first):
            if found.error is None:
                return
            assert isinstance(found.error, NotApplicable), found
    pytest.fail("no shipped instance exercises it")
