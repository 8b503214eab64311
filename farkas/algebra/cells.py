"""Arrays over named dimensions: what indices and coefficients are while a rule is traced.

A rule is called once.  Every index it receives stands for *all* members of its set, as an
array along a :class:`Dim`.  Combining two arrays lines up equal dimensions.  A ragged set
(``jobs_at[t]``) opens a dimension that *refines* that of ``t``: it has one place per (t, job) pair
and a pointer back to t, so no padding is ever stored.
"""

from __future__ import annotations

import contextlib
import operator
import threading
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from farkas.errors import RuleError
from farkas.numbers import Array

if TYPE_CHECKING:
    from farkas.algebra.expressions import Trace
    from farkas.algebra.latex import Pen

    Reader: TypeAlias = Trace | Pen

Number = int | float | np.integer[Any] | np.floating[Any]
NUMBERS = (int, float, np.integer, np.floating)


class Dim:
    """A dimension of traced arrays.

    ``serial``: Position in the order of opening; arrays keep their dimensions in this order.
    ``size``: Number of places.  ``parents``: Coarser dimensions with, for each place here, the
    place there; empty for a plain set.
    """

    def __init__(self, serial: int, size: int, parents: dict[Dim, Array] | None = None) -> None:
        self.serial = serial
        self.size = size
        self.parents = parents or {}

    @cached_property
    def pointers(self) -> dict[Dim, Array]:
        """Place in every coarser dimension, parents of parents included."""
        found = dict(self.parents)
        for parent, places in self.parents.items():
            for coarse, further in parent.pointers.items():
                found.setdefault(coarse, further[places])
        return found

    def refines(self, other: Dim) -> bool:
        """Whether this dimension has a pointer to ``other``."""
        return other in self.pointers


Dims = tuple[Dim, ...]


def join(*groups: Dims) -> Dims:
    """Dimensions of the combination: the union without those that a finer member refines."""
    first = groups[0]
    if all(group == first for group in groups[1:]):
        return first
    union = set().union(*groups)
    if any(dim.parents for dim in union):
        union = {d for d in union if not any(other.refines(d) for other in union)}
    return tuple(sorted(union, key=lambda dim: dim.serial))


def spread(values: Array, dims: Dims, onto: Dims) -> Array:
    """View or gather ``values`` (over ``dims``) so that it broadcasts over ``onto``.

    ``values``: One axis per entry of ``dims``.  ``onto``: Result of :func:`join` with ``dims``
    among its arguments.  Returns: array with ``len(onto)`` axes, of length 1 where ``values`` does
    not vary.
    """
    if dims == onto:
        return values
    for fine in onto:
        coarse = [d for d in dims if fine.refines(d)]
        if coarse and fine not in dims:
            rest = [d for d in dims if d not in coarse]
            front = np.transpose(values, [dims.index(d) for d in (*coarse, *rest)])
            values = front[tuple(fine.pointers[d] for d in coarse)]
            dims = (fine, *rest)
    order = sorted(range(len(dims)), key=lambda axis: dims[axis].serial)
    if order != list(range(len(dims))):
        values = np.transpose(values, order)
        dims = tuple(dims[axis] for axis in order)
    shape = [1] * len(onto)
    for dim, length in zip(dims, values.shape, strict=True):
        shape[onto.index(dim)] = length
    return values.reshape(shape)


def total(values: Array, dims: Dims, dim: Dim) -> tuple[Array, Dims]:
    """Sum ``values`` over ``dim``; a refining dimension is summed into its parents."""
    axis = dims.index(dim)
    rest = tuple(d for d in dims if d is not dim)
    if not dim.parents:
        return values.sum(axis=axis), rest
    parents = tuple(dim.parents)
    out = np.zeros([d.size for d in parents] + [d.size for d in rest])
    np.add.at(out, tuple(dim.parents[d] for d in parents), np.moveaxis(values, axis, 0))
    onto = join(parents, rest)
    merged = spread(out, parents + rest, onto)
    return merged, onto


class Operators:
    """Arithmetic of whatever combines two values by an operation of :mod:`operator`."""

    __slots__ = ()
    __array_ufunc__ = None  # numpy scalars on the left defer to the methods below
    __hash__ = None  # type: ignore[assignment]

    def _combine(self, other: object, op: Callable[[Any, Any], Any], swap: bool = False) -> Any:
        raise NotImplementedError

    def __add__(self, other: object) -> Any:
        return self._combine(other, operator.add)

    def __radd__(self, other: object) -> Any:
        return self._combine(other, operator.add, swap=True)

    def __sub__(self, other: object) -> Any:
        return self._combine(other, operator.sub)

    def __rsub__(self, other: object) -> Any:
        return self._combine(other, operator.sub, swap=True)

    def __mul__(self, other: object) -> Any:
        return self._combine(other, operator.mul)

    def __rmul__(self, other: object) -> Any:
        return self._combine(other, operator.mul, swap=True)

    def __truediv__(self, other: object) -> Any:
        return self._combine(other, operator.truediv)

    def __rtruediv__(self, other: object) -> Any:
        return self._combine(other, operator.truediv, swap=True)

    def __pow__(self, other: object) -> Any:
        return self._combine(other, operator.pow)


class Cells(Operators):
    """Numbers over dimensions: a parameter or coefficient while a rule is traced.

    ``values``: One axis per dimension, in their order.  ``dims``: Dimensions, ordered by opening.
    """

    __slots__ = ("dims", "values")

    def __init__(self, values: Array, dims: Dims) -> None:
        self.values = values
        self.dims = dims

    def onto(self, dims: Dims) -> Array:
        """View or gather of the values that broadcasts over ``dims``."""
        return spread(self.values, self.dims, dims)

    def _combine(self, other: object, op: Callable[[Any, Any], Any], swap: bool = False) -> Any:
        if isinstance(other, Cells):
            dims = join(self.dims, other.dims)
            left, right = self.onto(dims), other.onto(dims)
        elif isinstance(other, NUMBERS):
            dims, left, right = self.dims, self.values, other  # type: ignore[assignment]
        else:
            return NotImplemented
        return Cells(op(right, left) if swap else op(left, right), dims)

    def __neg__(self) -> Cells:
        return Cells(-self.values, self.dims)

    def __pos__(self) -> Cells:
        return self

    def _branch(self, *_: object) -> NoReturn:
        raise RuleError(
            "the rule branches on the value of a parameter; filter with an index set instead"
        )

    def _as_number(self, *_: object) -> NoReturn:
        raise RuleError(
            "the rule turns a parameter or index into one plain number; "
            "declare a Param and index it instead"
        )

    __bool__ = __lt__ = __gt__ = __ne__ = _branch
    __float__ = __int__ = __index__ = __abs__ = _as_number

    def _compare(self, other: object) -> Any:
        from farkas.algebra.expressions import Linear

        if isinstance(other, Linear):
            return NotImplemented
        raise RuleError("a relation holds no variable, or the rule branches on a parameter")

    __le__ = __ge__ = _compare
    __eq__ = _compare


class Index(Cells):
    """Index of a rule: integers over one dimension (or more, after arithmetic).

    ``origin``: ``(set, component)`` while the index runs over that set unchanged, else None.
    """

    __slots__ = ("origin",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Array, dims: Dims, origin: tuple[Any, int] | None = None) -> None:
        super().__init__(values, dims)
        self.origin = origin

    def _combine(self, other: object, op: Callable[[Any, Any], Any], swap: bool = False) -> Any:
        result = super()._combine(other, op, swap)
        whole = isinstance(other, int | np.integer | Index)
        if whole and op in (operator.add, operator.sub, operator.mul):
            return Index(result.values, result.dims)
        return result

    def _branch(self, *_: object) -> NoReturn:
        raise RuleError(
            "the rule branches on an index; give the family (or the sum) an index set "
            "that holds only the wanted members"
        )

    __bool__ = __lt__ = __gt__ = __ne__ = __le__ = __ge__ = _branch  # type: ignore[assignment]
    __eq__ = _branch  # type: ignore[assignment]


def as_cells(value: Cells | Number) -> Cells:
    """Numbers as cells without dimensions."""
    return value if isinstance(value, Cells) else Cells(np.asarray(value), ())


class _Local(threading.local):
    reader: Reader | None = None


_local = _Local()


def current() -> Reader | None:
    """Reader of this thread, or None when Pyomo (or a user) runs the rule."""
    return _local.reader


@contextlib.contextmanager
def reading(reader: Reader) -> Iterator[None]:
    """Make ``reader`` the current one."""
    before = _local.reader
    _local.reader = reader
    try:
        yield
    finally:
        _local.reader = before
