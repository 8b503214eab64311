"""Knapsacks: what hardness is reduced from, their optima, and whether a program holds them."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from farkas.certificates.bound import prove_bound
from farkas.exact.solver import optimum
from farkas.forms import LinearForm
from farkas.forms.matrices import as_scipy
from farkas.numbers import Bools, Floats
from farkas.proofs.claim import Trials
from farkas.proofs.verdict import Relation, Verdict
from farkas.tolerances import SOLVER_GAP


class Knapsack(NamedTuple):
    """Things of whole weights and worths, and the weight that fits."""

    weights: tuple[int, ...]
    worths: tuple[int, ...]
    room: int


def knapsacks(count: int) -> Iterator[Knapsack]:
    """Draw knapsacks of six things; every other one asks for a sum of weights, its worths."""
    rng = np.random.default_rng(0)
    for number in range(count):
        weights = rng.integers(1, 12, 6)
        worths = weights if number % 2 else rng.integers(1, 12, 6)
        room = int(weights.sum()) // 2
        yield Knapsack(tuple(weights.tolist()), tuple(worths.tolist()), room)


def most_worth(knapsack: Knapsack) -> int:
    """Greatest worth that fits.

    >>> most_worth(Knapsack((2, 3, 4), (3, 4, 6), 5))
    7
    """
    best = [0] * (knapsack.room + 1)
    for weight, worth in zip(knapsack.weights, knapsack.worths, strict=True):
        for room in range(knapsack.room, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + worth)
    return best[-1]


def embedded(
    form: LinearForm, knapsack: Knapsack, alone: Floats, taken: Bools, derivation: Floats
) -> tuple[Relation, ...]:
    """Say of a program, exactly, that its points are the choices of things that fit.

    A choice that fits is the sum of its columns of ``alone``, since no two things share a column
    and no row but one limits their sum.  Conversely a point pays for what it takes, takes each
    thing once at most, and what it takes fits, by the rows added up in ``derivation``.  ``form`` is
    a maximum over integers with whole coefficients.  Rows of ``alone``, shape (things, columns),
    take one thing and nothing else; those of ``taken`` are the columns whose sum says that it is
    taken; ``derivation`` are multipliers of the rows.  All relations have to hold.
    """
    weights, worths = np.array(knapsack.weights, float), np.array(knapsack.worths, float)
    matrix = as_scipy(form.matrix).toarray()
    use = matrix @ alone.T
    full = (use == weights).all(axis=1) & (form.row_upper == knapsack.room)
    fits = weights <= knapsack.room
    others = use[np.ix_(~full, fits)]
    above = np.maximum(others, 0.0).sum(axis=1) - form.row_upper[~full]
    below = form.row_lower[~full] - np.minimum(others, 0.0).sum(axis=1)
    beyond = np.maximum(form.lower - alone[fits], alone[fits] - form.upper)

    def most(cost: Floats, multipliers: Floats) -> float:
        return float(prove_bound(form.replace(cost=cost), multipliers).value)

    pays, weighs = taken.T.astype(float) @ worths, taken.T.astype(float) @ weights
    said = [
        Relation(int(full.sum()), "==", 1),
        Relation(float(form.row_lower[full].max(initial=-np.inf)), "<=", 0),
        Relation(float(max(above.max(initial=-1.0), below.max(initial=-1.0))), "<=", 0),
        Relation(float(beyond.max(initial=-1.0)), "<=", 0),
        Relation(int(np.count_nonzero(alone, axis=0).max()), "<=", 1),
        Relation(float(np.abs(alone @ form.cost - worths).max()), "<=", 0),
        Relation(float(np.abs(pays - form.cost).max()), "<=", 0),
        Relation(bool(form.integer[taken.any(axis=0)].all()), ">", 0),
        Relation(most(weighs, derivation), "<=", knapsack.room),
    ]
    for columns in taken:
        limits = ((matrix != 0) == columns).all(axis=1)
        said.append(Relation(most(columns.astype(float), limits.astype(float)), "<=", 1))
    return tuple(said)


class Reduced(NamedTuple):
    """A program that holds a knapsack, and where; its parts are those of `embedded`."""

    form: LinearForm
    alone: Floats
    taken: Bools
    derivation: Floats
    optima: tuple[LinearForm, ...]  #: Programs whose optimum is the greatest worth that fits.


def marked(form: LinearForm, things: int, *families: str) -> Bools:
    """Columns of families that have a column a thing, shape (things, columns)."""
    found = np.zeros((things, form.num_columns), np.bool_)
    for name in families:
        found[range(things), np.arange(form.num_columns)[form.column_block(name).where]] = True
    return found


def multipliers(form: LinearForm, **families: float | Floats) -> Floats:
    """Multipliers of the rows of families, of all others 0."""
    found = np.zeros(form.num_rows)
    for name, values in families.items():
        found[form.row_block(name).where] = values
    return found


def contains_knapsacks(reduced: Callable[[Knapsack], Reduced], note: str) -> Verdict:
    """Say of twelve knapsacks that programs hold them, both ways, with the same optimum."""
    trials = Trials()
    for knapsack in knapsacks(12):
        found, best = reduced(knapsack), float(most_worth(knapsack))
        trials.add(
            knapsack._asdict(),
            *embedded(found.form, knapsack, found.alone, found.taken, found.derivation),
            *(Relation(optimum(form), "==", best, SOLVER_GAP) for form in found.optima),
        )
    return trials.proved(note)
