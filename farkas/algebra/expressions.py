"""Affine expressions over all members of a family at once, and the relations between them."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Generator, Iterable
from typing import Any, NoReturn

import numpy as np

from farkas.algebra.cells import (
    NUMBERS,
    Cells,
    Dim,
    Dims,
    Number,
    Operators,
    as_cells,
    current,
    join,
    total,
)
from farkas.errors import RuleError
from farkas.numbers import Array


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Term:
    """``coefficient * variable``, summed over the dimensions in ``over``."""

    coefficient: Cells | Number  #: A number or numbers over dimensions.
    columns: Cells  #: Column of the variable, int32 over dimensions.
    over: Dims = ()  #: Dimensions of the sums around the term, also those that it does not mention.

    def times(self, factor: Cells | Number) -> Term:
        """Scale the coefficient."""
        return Term(self.coefficient * factor, self.columns, self.over)

    def dims(self, family: Dims) -> Dims:
        """Dimensions along which the term has entries in the rows of ``family``."""
        groups = [family, self.columns.dims, self.over]
        if isinstance(self.coefficient, Cells):
            groups.append(self.coefficient.dims)
        return join(*groups)


class Linear(Operators):
    """Affine expression: terms plus a constant."""

    __slots__ = ("constant", "terms")
    __hash__ = None

    def __init__(self, terms: tuple[Term, ...], constant: Cells | Number = 0.0) -> None:
        self.terms = terms
        self.constant = constant

    def _combine(self, other: object, op: Callable[[Any, Any], Any], swap: bool = False) -> Any:
        if not isinstance(other, (Linear, Cells, *NUMBERS)):
            return NotImplemented
        if op is operator.add:
            if isinstance(other, Linear):
                return Linear(self.terms + other.terms, self.constant + other.constant)
            return Linear(self.terms, self.constant + other)
        if op is operator.sub:
            return (-self) + other if swap else self + (-other)
        if op is operator.truediv:
            if swap or isinstance(other, Linear):
                raise RuleError("division by a variable; the program must be linear")
            return self * (1.0 / other)
        if isinstance(other, Linear):
            raise RuleError("product of variables; the program must be linear")
        return Linear(tuple(term.times(other) for term in self.terms), self.constant * other)

    def __neg__(self) -> Any:
        return self * -1.0

    def __pos__(self) -> Linear:
        return self

    def __le__(self, other: object) -> Relation:
        return Relation(-np.inf, self - other, 0.0)

    def __ge__(self, other: object) -> Relation:
        return Relation(0.0, self - other, np.inf)

    def __eq__(self, other: object) -> Relation:  # type: ignore[override]
        return Relation(0.0, self - other, 0.0)

    def _strict(self, *_: object) -> NoReturn:
        raise RuleError("strict or unequal comparison; use <=, >= or ==")

    __lt__ = __gt__ = __ne__ = _strict

    def _nonlinear(self, *_: object) -> NoReturn:
        raise RuleError("a nonlinear function of a variable; the program must be linear")

    __pow__ = __rpow__ = __abs__ = __float__ = __int__ = __index__ = _nonlinear

    def __bool__(self) -> NoReturn:
        raise RuleError("the rule branches on a variable")


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """``lower <= body <= upper``, with numbers or parameters on both sides."""

    lower: Cells | Number
    body: Linear
    upper: Cells | Number

    def __bool__(self) -> NoReturn:
        raise RuleError(
            "a relation is used as a truth value (chained comparison, if, and, max?); "
            "return exactly one relation, or use Between(low, expression, high)"
        )


class Trace:
    """Reads a rule once for all members: dimensions opened so far, outermost first."""

    def __init__(self) -> None:
        self.open: list[Dim] = []
        self.draining = False
        self._serial = 0

    def push(self, size: int, parents: dict[Dim, Array] | None = None) -> Dim:
        """Open a dimension."""
        dim = Dim(self._serial, size, parents)
        self._serial += 1
        self.open.append(dim)
        return dim

    def finest(self, dim: Dim) -> Dim:
        """Innermost open dimension that is ``dim`` or refines it."""
        for candidate in reversed(self.open):
            if candidate is dim or candidate.refines(dim):
                return candidate
        return dim

    def enter(self, index_set: Any) -> Any:
        """Open the dimension of ``index_set``."""
        return index_set.opened(self)

    def sum(self, terms: Any) -> Any:
        """Run the generator's body once and sum over what it opened."""
        if not isinstance(terms, Generator):
            raise RuleError("Sum takes a generator expression: Sum(m.x[i] for i in m.items)")
        depth = len(self.open)
        body = next(terms, None)
        opened = tuple(self.open[depth:])
        del self.open[depth:]
        if body is None or not opened or self._goes_on(terms):
            raise RuleError("Sum over something that is no index set of the program")
        if isinstance(body, Linear):
            summed = tuple(Term(t.coefficient, t.columns, t.over + opened) for t in body.terms)
            return Linear(summed, _sum_constant(body.constant, opened))
        if isinstance(body, (Cells, *NUMBERS)):
            return _sum_constant(body, opened)
        raise RuleError(f"Sum of {type(body).__name__}; a sum needs expressions or parameters")

    def _goes_on(self, terms: Generator[Any]) -> bool:
        """Whether the generator has a second term: index sets have one, a range or list more."""
        self.draining = True
        try:
            return next(terms, None) is not None
        finally:
            self.draining = False

    def between(self, low: Any, body: Any, high: Any) -> Relation:
        """Ranged relation."""
        if not isinstance(body, Linear) or isinstance(low, Linear) or isinstance(high, Linear):
            raise RuleError("Between(low, body, high) takes parameters around one expression")
        return Relation(low, body, high)

    def _nonlinear(self, *_: object) -> NoReturn:
        raise RuleError("a product, power of e or case in a rule; the program must be linear")

    product = exp = where = _nonlinear


def Sum(terms: Iterable[Any]) -> Any:
    """Sum a generator expression over index sets.

    ``Sum(m.x[i, j] for i in m.rows for j in m.columns)``.  While a rule is traced, the body runs
    once, with every index standing for its whole set.  When Pyomo runs the same rule, the sum is
    an ordinary one.
    """
    reader = current()
    if reader is not None:
        return reader.sum(terms)
    import pyomo.environ as pyo

    return pyo.quicksum(terms)


def _sum_constant(constant: Any, opened: Dims) -> Any:
    if isinstance(constant, NUMBERS) and constant == 0:
        return 0.0
    cells = as_cells(constant)
    dims = join(cells.dims, *((dim,) for dim in opened))
    values = np.broadcast_to(cells.onto(dims), [dim.size for dim in dims])
    for dim in reversed(opened):
        values, dims = total(values, dims, dim)
    return Cells(values, dims)
