"""The fast reading of doubles as fractions, against the plain one."""

from __future__ import annotations

import dataclasses
from fractions import Fraction as F

import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.errors import UnsupportedForm
from farkas.exact.from_doubles import rational
from farkas.forms import LinearForm
from farkas.forms.rational import as_rational
from farkas.instances import library
from tests.generators.forms import INF, random_form, small

WIDE = [0.1, -0.3, 1.5, 6.0, -9.0, 2.0**-40, 3 * 2.0**20, 5e-324, 1e300, 1.0, 2.0**62]


def dense_of(form: LinearForm) -> np.ndarray:
    matrix = np.zeros(form.matrix.shape)
    rows = np.repeat(np.arange(form.num_rows), np.diff(form.matrix.starts))
    matrix[rows, form.matrix.columns] = form.matrix.values
    return matrix


def agree(form: LinearForm) -> None:
    found, plain = rational(form), as_rational(form)
    for field in dataclasses.fields(plain):
        here, there = getattr(found, field.name), getattr(plain, field.name)
        if isinstance(there, np.ndarray):
            assert here.dtype == there.dtype, field.name
            assert here.tolist() == there.tolist(), field.name
        else:
            assert here == there, field.name
    assert found.sha256 == plain.sha256
    here, there = found.linear, plain.linear
    assert (here.sense, here.offset) == (there.sense, there.offset)
    for name in ("cost", "row_lower", "row_upper", "lower", "upper", "integer"):
        np.testing.assert_array_equal(getattr(here, name), getattr(there, name))
    np.testing.assert_array_equal(dense_of(here), dense_of(there))
    assert here.implied_lower is here.implied_upper is None
    assert [here.row_name(i) for i in range(here.num_rows)] == list(found.row_names)


@pytest.mark.parametrize("seed", range(30))
def test_random_forms(seed: int) -> None:
    agree(random_form(np.random.default_rng(seed)))


@pytest.mark.parametrize("seed", range(60))
def test_numbers_of_every_size_signs_and_zeros(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = [*WIDE, 0.0, 0.0, -0.0] if seed % 2 else [0.0, 12.0, -18.0, 0.75, 2.0**-30, -30.0]
    dense = rng.choice(pool, size=(4, 3))
    sides = rng.choice([0.1, -3.0, INF, 12.0], size=4)
    agree(small(dense, cost=rng.choice(pool, size=3), row_upper=sides, offset=0.1))


def test_rows_without_entries_and_forms_without_rows() -> None:
    agree(small([[0, 0], [4, 6], [0, 0]], cost=[1, 2], row_lower=[-1, 2, 0]))
    agree(small(np.zeros((0, 2)), cost=[1, 2]))


def test_a_row_without_common_factor_is_made_whole() -> None:
    form = rational(small([[0.75, -1.5]], cost=[0, 0], row_upper=[3]))
    assert (form.row(0), form.factors, form.row_upper) == ([(0, 1), (1, -2)], (F(4, 3),), (4,))


@pytest.mark.parametrize("name", ["eris.offline", "mlbroker.relaxed", "gadget.circulation"])
def test_programs_of_kinds_with_their_names(name: str) -> None:
    kind = name.partition(".")[0]
    agree(programs.build(name).form(library.load(f"{kind}/tiny")))


@pytest.mark.parametrize(("numbers", "problem"), [
    ({"row_lower": [INF]}, "row_lower.* must be below infinity"),
    ({"row_upper": [-INF]}, "row_upper.* must be above -infinity"),
    ({"lower": [INF]}, "lower.* must be below infinity"),
    ({"upper": [-INF]}, "upper.* must be above -infinity"),
    ({"row_lower": [float("nan")]}, "row_lower.* must be below infinity"),
    ({"cost": [INF]}, "cost.* must be finite"),
    ({"offset": INF}, "constant is inf"),
    ({"matrix": [[INF]]}, "matrix value.* must be finite"),
])  # fmt: skip
def test_numbers_that_make_no_program_are_refused(numbers: dict, problem: str) -> None:
    given = {"cost": [1.0], **numbers}
    form = small(given.pop("matrix", [[1.0]]), **given)
    with pytest.raises(UnsupportedForm, match=problem):
        rational(form)
    with pytest.raises(UnsupportedForm, match=problem):
        farkas.prove(form)


@pytest.mark.parametrize("power", range(60, 67))
def test_entries_as_long_as_a_machine_word_are_kept_whole(power: int) -> None:
    # x + 2**-power y becomes 2**power x + y, which an int64 holds up to 2**62
    form = small([[1, 2.0**-power]], cost=[0, 0], row_upper=[1])
    agree(form)
    assert rational(form).row(0) == [(0, 2**power), (1, 1)]


def test_zeros_that_are_stored_are_no_entries() -> None:
    form = small([[4, 6, 2], [1, 0, 0]], cost=[1, 2, 3], row_upper=[2, 1])
    values = form.matrix.values.copy()
    values[[1, 3]] = 0.0, -0.0
    stored = form.replace(matrix=dataclasses.replace(form.matrix, values=values))
    found = rational(stored)
    assert (found.row(0), found.row(1)) == ([(0, 2), (2, 1)], [])
    agree(stored)
