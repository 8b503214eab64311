"""Real codes: any rows decode."""

import numpy as np
import pytest

from farkas.errors import InvalidOption, NoAnswer
from farkas.online.coded.code import GENERATORS, MdsCode, decoding_error


@pytest.mark.parametrize("rows", [1, 5, 40])
def test_any_rows_decode(rows):
    rng = np.random.default_rng(rows)
    code = MdsCode.gaussian(rows, 2 * rows, rng)
    matrix, vector = rng.standard_normal((rows, 7)), rng.standard_normal(7)
    coded = code.encode(matrix)
    for _ in range(5):
        where = rng.permutation(2 * rows)[:rows]
        found = code.decode(where, coded[where] @ vector)
        assert found == pytest.approx(matrix @ vector, rel=1e-9, abs=1e-9)
    assert code.coded == 2 * rows


def test_too_few_rows_decode_nothing():
    code = MdsCode.gaussian(3, 5, np.random.default_rng(0))
    with pytest.raises(NoAnswer, match="2 coded rows received, 3 are needed"):
        code.decode(np.array([0, 4, 4]), np.zeros(3))
    with pytest.raises(InvalidOption, match="2 coded rows cannot recover 3"):
        MdsCode.gaussian(3, 2, np.random.default_rng(0))


def test_gaussian_codes_stay_usable_where_deterministic_ones_break_down():
    errors = {name: decoding_error(name, 100, np.random.default_rng(0))[1] for name in GENERATORS}
    assert errors["systematic Gaussian"] < 1e-10
    assert errors["orthonormal columns"] < 1e-10
    for name in ("DFT rows", "Chebyshev-Vandermonde", "monomial Vandermonde"):
        assert errors[name] > 1e-3
        assert decoding_error(name, 10, np.random.default_rng(0))[1] < 1e-9


def test_plain_rows_are_taken_as_they_are():
    code = MdsCode.gaussian(3, 6, np.random.default_rng(1))
    values = np.array([0.1, 1 / 3, 2e-300])
    assert code.decode(np.array([2, 0, 1]), values[[2, 0, 1]]).tolist() == values.tolist()
    assert code.encode(np.eye(3))[:3].tolist() == np.eye(3).tolist()


def test_generators_are_what_their_names_say():
    rng = np.random.default_rng(0)
    made = {name: make(3, 5, rng) for name, make in GENERATORS.items()}
    assert all(matrix.shape == (5, 3) for matrix in made.values())
    assert made["systematic Gaussian"][:3].tolist() == np.eye(3).tolist()
    for name in ("orthonormal columns", "DFT rows"):
        gram = made[name].conj().T @ made[name]
        assert gram == pytest.approx(np.eye(3), abs=1e-12)
    # cos((2 i + 1) pi / 10), and T2(x) = 2 x^2 - 1
    x = np.cos((2 * np.arange(5) + 1) * np.pi / 10)
    wanted = np.stack([np.ones(5), x, 2 * x**2 - 1], axis=1)
    assert made["Chebyshev-Vandermonde"] == pytest.approx(wanted, abs=1e-12)
    assert made["monomial Vandermonde"][1].tolist() == [1.0, -0.5, 0.25]
