"""Coding for real: any L of the coded rows of a matrix give its product with a vector.

Deterministic real MDS constructions are numerically unusable beyond L = 20 to 40; Gaussian parity
is MDS with probability 1 and its decoding matrices stay well conditioned.
"""

import dataclasses
from collections.abc import Callable
from typing import Self

import numpy as np
import numpy.typing as npt

from farkas.errors import InvalidOption, NoAnswer
from farkas.numbers import Floats, Ints


def systematic(rows: int, coded: int, rng: np.random.Generator) -> Floats:
    """Identity above Gaussian parity N(0, 1/L), shape (coded, rows); G."""
    parity = rng.standard_normal((coded - rows, rows)) / np.sqrt(rows)
    return np.vstack([np.eye(rows), parity])


def orthonormal(rows: int, coded: int, rng: np.random.Generator) -> Floats:
    """Gaussian matrix with orthonormal columns, shape (coded, rows)."""
    return np.asarray(np.linalg.qr(rng.standard_normal((coded, rows)))[0])


def dft_rows(rows: int, coded: int, rng: np.random.Generator) -> npt.NDArray[np.complex128]:
    """First columns of the discrete Fourier matrix, shape (coded, rows)."""
    turn = 2.0 * np.pi * np.outer(np.arange(coded), np.arange(rows)) / coded
    return np.asarray(np.exp(-1j * turn) / np.sqrt(coded))


def chebyshev_vandermonde(rows: int, coded: int, rng: np.random.Generator) -> Floats:
    """Chebyshev polynomials at Chebyshev points, shape (coded, rows)."""
    points = np.cos(np.pi * (2 * np.arange(coded) + 1) / (2 * coded))
    return np.asarray(np.polynomial.chebyshev.chebvander(points, rows - 1), dtype=float)


def monomial_vandermonde(rows: int, coded: int, rng: np.random.Generator) -> Floats:
    """Powers of equidistant points in [−1, 1], shape (coded, rows)."""
    return np.vander(np.linspace(-1, 1, coded), rows, increasing=True)


#: Generator matrices by name.
GENERATORS: dict[str, Callable[[int, int, np.random.Generator], npt.NDArray[np.inexact]]] = {
    "systematic Gaussian": systematic,
    "orthonormal columns": orthonormal,
    "DFT rows": dft_rows,
    "Chebyshev-Vandermonde": chebyshev_vandermonde,
    "monomial Vandermonde": monomial_vandermonde,
}


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class MdsCode:
    """Coded rows of one master, cut in one block a worker."""

    parity: Floats  #: Shape (coded − rows, rows); the first ``rows`` coded rows are the plain ones.
    rows: int  #: L in the paper.

    @classmethod
    def gaussian(cls, rows: int, coded: int, rng: np.random.Generator) -> Self:
        """Systematic code with Gaussian parity.

        Raises
        ------
        InvalidOption
            When fewer rows are coded than needed.
        """
        if not 1 <= rows <= coded:
            raise InvalidOption(f"{coded} coded rows cannot recover {rows}")
        return cls(systematic(rows, coded, rng)[rows:], rows)

    @property
    def coded(self) -> int:
        return self.rows + len(self.parity)

    def encode(self, matrix: Floats) -> Floats:
        """Coded rows of a matrix, shape (coded, columns)."""
        return np.vstack([matrix, self.parity @ matrix])

    def decode(self, where: Ints, values: Floats) -> Floats:
        """Product A x from any ``rows`` of the coded products.

        Plain rows are taken as they are; only the missing ones are solved for.

        Parameters
        ----------
        where
            Numbers of the coded rows received, at least ``rows`` different ones.
        values
            Their products with x, shape (received,).

        Raises
        ------
        NoAnswer
            When too few rows were received.
        """
        if len(np.unique(where)) < self.rows:
            received = len(np.unique(where))
            raise NoAnswer(f"{received} coded rows received, {self.rows} are needed")
        product = np.full(self.rows, np.nan)
        plain = where < self.rows
        product[where[plain]] = values[plain]
        missing = np.flatnonzero(np.isnan(product))
        if not len(missing):
            return product
        parity, seen = where[~plain] - self.rows, values[~plain]
        known = np.where(np.isnan(product), 0.0, product)
        rest = seen - self.parity[parity] @ known
        product[missing] = np.linalg.lstsq(self.parity[parity][:, missing], rest, rcond=None)[0]
        return product


def decoding_error(
    name: str, rows: int, rng: np.random.Generator, *, blocks: int = 10, trials: int = 20
) -> tuple[float, float]:
    """Worst condition number and relative error of decoding from random sets of workers.

    Parameters
    ----------
    name
        Key of `GENERATORS`.
    rows
        L; 1.47 L rows are coded, as Theorem 1 does for a = 1/u.
    blocks, trials
        Workers with equal loads, and random sets of them.
    """
    coded = max(rows + 1, round(1.47 * rows))
    matrix = GENERATORS[name](rows, coded, rng)
    parts = np.array_split(np.arange(coded), blocks)
    condition = error = 0.0
    for _ in range(trials):
        truth = rng.standard_normal(rows)
        received: list[int] = []
        for block in rng.permutation(blocks):
            received += parts[block].tolist()
            if len(received) >= rows:
                break
        chosen = matrix[received[:rows]]
        condition = max(condition, float(np.linalg.cond(chosen)))
        try:
            found = np.linalg.solve(chosen, chosen @ truth)
        except np.linalg.LinAlgError:
            return np.inf, np.inf
        error = max(error, float(np.abs(found - truth).max() / np.abs(truth).max()))
    return condition, error
