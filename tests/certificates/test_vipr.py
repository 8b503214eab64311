"""VIPR files: what we write, what our own checker believes."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from farkas.certificates import exact_bound
from farkas.certificates.vipr import write_vipr, write_vipr_infeasible
from farkas.certificates.vipr_check import check_vipr
from farkas.errors import NotACertificate, UnsupportedForm
from farkas.forms.form import Block
from tests.certificates.test_bound import magnitudes
from tests.generators.forms import INF, random_form, small


def diet():
    """min x + 2y + 1/2 with x + y >= 3, x - y <= 1, 0 <= x <= 5, y >= 0; optimum (2, 1)."""
    return small(
        [[1, 1], [1, -1]],
        cost=[1, 2],
        row_lower=[3, -INF],
        row_upper=[INF, 1],
        upper=[5, INF],
        offset=0.5,
    )


def test_the_constants_variable_shares_no_name(tmp_path):
    path = tmp_path / "diet.vipr"
    names = ("constant", "constant#2")
    form = diet().replace(columns=tuple(Block(name, "", k) for k, name in enumerate(names)))
    assert write_vipr(form, np.array([1.5, -0.5]), path) == F(9, 2)
    assert "VAR 3\nconstant\nconstant#2\nconstant#3\nINT" in path.read_text()
    assert check_vipr(path).lower == F(9, 2)
    # a bound that nothing but the constant gives
    free = diet().replace(cost=np.zeros(2), sense="max")
    assert write_vipr(free, np.zeros(2), path, point=np.array([2.0, 1.0])) == F(1, 2)
    proof = check_vipr(path)
    assert (proof.lower, proof.upper) == (F(1, 2), F(1, 2))


@pytest.mark.ids(2)
@pytest.mark.parametrize("exponent", [None, 2, 300])
def test_written_files_are_believed_for_every_shape(exponent, tmp_path):
    rng = np.random.default_rng(31)
    number = None if exponent is None else magnitudes(rng, exponent)
    path = tmp_path / "form.vipr"
    written = 0
    for _ in range(250):
        form = random_form(rng, number=number)
        form = form.replace(integer=rng.random(form.num_columns) < 0.3)
        if rng.random() < 0.2:
            form = form.replace(implied_upper=np.full(form.num_columns, 7.0))
        y = number(form.num_rows) if number else rng.integers(-9, 9, form.num_rows) / 4
        try:
            bound = exact_bound(form, y)
        except NotACertificate:
            continue
        written += 1
        assert write_vipr(form, y, path) == bound
        proof = check_vipr(path)
        proved = proof.lower if form.sense == "min" else proof.upper
        assert proved == bound
    assert written > 40


def test_infeasibility_is_written_and_believed(tmp_path):
    form = small([[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0])
    path = tmp_path / "empty.vipr"
    for one in (form, form.replace(sense="max", offset=3.0)):
        assert write_vipr_infeasible(one, np.array([1.0, -1.0]), path) == 2
        assert check_vipr(path).infeasible


def test_nothing_is_written_without_a_proof(tmp_path):
    for write_file, y in ((write_vipr, [1.5, 0.5]), (write_vipr_infeasible, [1.0, 0.0])):
        form = diet().replace(upper=np.array([INF, INF]), cost=np.array([1.0, -1.0]))
        with pytest.raises(NotACertificate):
            write_file(form, np.array(y), tmp_path / "none.vipr")
    with pytest.raises(NotACertificate, match=r"row\[i=0\]"):
        write_vipr(diet(), np.array([1.5, -0.5]), tmp_path / "none.vipr", point=np.zeros(2))
    assert not list(tmp_path.iterdir())


def test_both_sides_of_a_maximum_are_claimed(tmp_path):
    form = diet().replace(cost=np.array([-1.0, -2.0]), sense="max", offset=-0.5)
    path = tmp_path / "largest.vipr"
    bound = write_vipr(form, np.array([-1.5, 0.5]), path, point=np.array([2.0, 1.0]))
    assert bound == F(-9, 2)
    assert "RTP range -9/2 -9/2\n" in path.read_text()
    assert "implied" not in path.read_text()
    proof = check_vipr(path)
    assert (proof.sense, proof.lower, proof.upper) == ("max", F(-9, 2), F(-9, 2))


@pytest.mark.parametrize("part", ["cost", "offset"])
def test_forms_with_infinite_numbers_are_not_written(part, tmp_path):
    value = np.array([1.0, INF]) if part == "cost" else INF
    with pytest.raises((NotACertificate, UnsupportedForm), match=part):
        write_vipr(diet().replace(**{part: value}), np.zeros(2), tmp_path / "none.vipr")
    ray = small([[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0])
    broken = ray.replace(**{part: np.array([INF]) if part == "cost" else INF})
    with pytest.raises(UnsupportedForm, match=f"the {part} is not finite"):
        write_vipr_infeasible(broken, np.array([1.0, -1.0]), tmp_path / "none.vipr")


@pytest.mark.parametrize("bad", [INF, -INF])
def test_one_cost_that_is_infinite_is_refused_beside_one_that_is_not(tmp_path, bad):
    # a file states the objective also where only its emptiness is proved
    form = small([[1.0, 1.0]], cost=[1.0, bad], row_lower=[5.0], lower=[0, 0], upper=[1, 1])
    with pytest.raises(UnsupportedForm, match="the cost is not finite"):
        write_vipr_infeasible(form, np.ones(1), tmp_path / "f.vipr")
