"""Every program and variant, on every library instance: traced form = Pyomo's standard form."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from farkas.algebra import Program, PyomoProgram, programs
from farkas.errors import NotApplicable
from farkas.forms import LinearForm
from farkas.instances import library
from tests.conformance.oracle import differences, golden_lines, variants

GOLDEN = Path(__file__).resolve().parents[1] / "models" / "golden"
SMALL = 6_000  # entries that Pyomo builds in a blink

LINEAR = [name for name in programs if issubclass(programs[name], Program)]
VARIANTS = [variant for name in LINEAR for variant in variants(programs[name])]
PROVED_OTHERWISE = {
    "mlbroker.outer": "runs are certified by a closed-form dual point",
    "mlbroker.outer_job": "runs are certified by a closed-form dual point",
}
NONLINEAR = [name for name in programs if issubclass(programs[name], PyomoProgram)]
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


@every_variant
def test_every_column_has_bounds_that_make_proofs_finite(program):
    form = program.form(program.example())
    ends = np.isfinite(form.safe_lower) & np.isfinite(form.safe_upper)
    open_ended = [form.column_name(int(j)) for j in np.flatnonzero(~ends)]
    if program.name in PROVED_OTHERWISE:
        assert open_ended, f"{program.name} has finite bounds now; take it off the list"
    else:
        assert not open_ended, f"no implied bound, so no proof: {open_ended[:3]}"


@pytest.mark.parametrize("name", LINEAR)
def test_one_row_per_family_reads_as_it_did(name, request):
    """Golden text; rewrite it on purpose with ``pytest --rewrite-golden``."""
    lines: list[str] = []
    for variant in variants(programs[name]):
        fresh = [
            line for line in golden_lines(variant.form(variant.example())) if line not in lines
        ]
        lines += [f"# {variant.full_name}", *fresh] if fresh else []
    path = GOLDEN / f"{name}.txt"
    text = "\n".join(lines) + "\n"
    if request.config.getoption("--rewrite-golden"):
        path.write_text(text)
    assert path.exists(), f"{path.name} is missing; run pytest with --rewrite-golden"
    assert text == path.read_text()
