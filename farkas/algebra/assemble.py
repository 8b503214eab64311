"""Traced rules to sparse arrays."""

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from farkas.algebra.cells import Cells, Dims, Number, as_cells, spread
from farkas.algebra.declare import Declarations
from farkas.algebra.expressions import Linear, Relation, Term, Trace
from farkas.algebra.sets import Set
from farkas.algebra.tracing import reading
from farkas.errors import FarkasError, RuleError
from farkas.forms import Block, SparseRows
from farkas.numbers import Array, Floats, Ints


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class TracedRows:
    """Rows of one family before assembly."""

    block: Block
    dims: Dims
    terms: tuple[Term, ...]
    lower: Floats
    upper: Floats


def trace_family(
    rule: Callable[..., Any], m: Declarations, sets: list[Set], block: Block, program: str
) -> TracedRows:
    """Call ``rule`` once, with every index standing for all members of its set.

    Raises
    ------
    RuleError
        Naming program, family and, where known, the index.
    """
    where = f"{program}: {block.name}" + (f" ({block.label})" if block.label else "")
    with _traced(where) as trace:
        indices = [index for s in sets for index in _flat(trace.enter(s))]
        dims = tuple(trace.open)
        result = rule(m, *indices)
        if len(trace.open) > len(dims):
            raise RuleError("an index set is iterated outside Sum(...)")
        return _rows(result, dims, block)


@contextlib.contextmanager
def _traced(where: str) -> Iterator[Trace]:
    """Read a rule by a trace; whatever it raises is said of ``where``."""
    trace = Trace()
    try:
        with reading(trace):
            yield trace
    except FarkasError as error:
        raise RuleError(f"{where}: {error}") from None
    except IndexError as error:
        hint = "an array or list is indexed by an index; declare a Param"
        raise RuleError(f"{where}: {hint} ({error})") from error
    except (TypeError, AttributeError, ValueError, KeyError) as error:
        raise RuleError(f"{where}: {type(error).__name__}: {error}") from error


def _flat(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _rows(result: Any, dims: Dims, block: Block) -> TracedRows:
    if result is None:
        raise RuleError("the rule returns nothing; return the relation")
    shape = tuple(d.size for d in dims)
    if not isinstance(result, Relation):
        raise RuleError(
            f"the rule returns {type(result).__name__}; return a relation with <=, >= or =="
        )
    constant = _full(result.body.constant, dims, shape)
    return TracedRows(
        block,
        dims,
        result.body.terms,
        _full(result.lower, dims, shape) - constant,
        _full(result.upper, dims, shape) - constant,
    )


def _full(value: Cells | Number, dims: Dims, shape: tuple[int, ...]) -> Floats:
    cells = as_cells(value)
    if not set(cells.dims) <= set(dims):
        raise RuleError("a constant depends on an index outside the sum that introduces it")
    spread_out = np.broadcast_to(cells.onto(dims), shape)
    return np.asarray(spread_out, dtype=np.float64).reshape(math.prod(shape))


def assemble(families: list[TracedRows], num_columns: int) -> tuple[SparseRows, Floats, Floats]:
    """Matrix and row bounds of all families, in order."""
    if not families:
        nothing = np.zeros(0)
        none = SparseRows(np.zeros(1, np.int64), np.zeros(0, np.int32), nothing, num_columns)
        return none, nothing, nothing
    width = max(num_columns, 1)
    counts, columns, values = zip(*(_rows_of(f, width) for f in families), strict=True)
    starts = np.concatenate([np.zeros(1, np.int64), *counts]).cumsum()
    matrix = SparseRows(starts, np.concatenate(columns), np.concatenate(values), num_columns)
    lower = np.concatenate([f.lower for f in families])
    upper = np.concatenate([f.upper for f in families])
    return matrix, lower, upper


def _rows_of(family: TracedRows, width: int) -> tuple[Ints, Array, Floats]:
    """Entries a row, columns and values of a family: ascending, duplicates summed, no zeros.

    Terms come row by row, so that sorting mostly merges a few sorted pieces.
    """
    pieces = [(term, term.dims(family.dims)) for term in family.terms]
    ends = np.cumsum([math.prod(d.size for d in dims) for _, dims in pieces], dtype=np.int64)
    size = int(ends[-1]) if pieces else 0
    keys, values = np.empty(size, np.int64), np.empty(size)
    num_rows = math.prod(d.size for d in family.dims)
    own = (np.arange(num_rows) * width).reshape([d.size for d in family.dims])
    for (term, dims), end in zip(pieces, ends.tolist(), strict=True):
        shape = [d.size for d in dims]
        here = slice(end - math.prod(shape), end)
        np.add(spread(own, family.dims, dims), term.columns.onto(dims), keys[here].reshape(shape))
        values[here].reshape(shape)[...] = as_cells(term.coefficient).onto(dims)
    if not (keys[1:] > keys[:-1]).all():
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], values[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        if len(first) < len(keys):
            keys, values = keys[first], np.add.reduceat(values, first)
    if not values.all():
        keys, values = keys[values != 0], values[values != 0]
    counts = np.diff(np.searchsorted(keys, np.arange(num_rows + 1) * width))
    columns = keys - np.repeat(own.ravel(), counts)
    return counts, columns.astype(np.int32), values


def trace_objective(
    rule: Callable[..., Any], m: Declarations, program: str
) -> tuple[Floats, float]:
    """Cost vector and constant of the objective."""
    block = Block(getattr(rule, "__name__", "objective"), "", 0)
    where = f"{program}: {block.name}"
    cost = np.zeros(m.num_columns)
    with _traced(where) as trace:
        result = rule(m)
        if trace.open:
            raise RuleError("an index set is iterated outside Sum(...)")
        if result is None:
            raise RuleError("the rule returns nothing; return the expression")
        linear = result if isinstance(result, Linear) else Linear((), result)
        offset = float(as_cells(linear.constant).values)
    for term in linear.terms:
        dims = term.dims(())
        shape = [d.size for d in dims]
        columns = np.broadcast_to(term.columns.onto(dims), shape).ravel()
        weights = np.broadcast_to(as_cells(term.coefficient).onto(dims), shape).ravel()
        cost += np.bincount(columns, weights, len(cost))
    return cost, offset
