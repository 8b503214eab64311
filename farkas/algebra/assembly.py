"""Traced rules to sparse arrays."""

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from farkas.algebra.cells import Cells, Dims, Number, as_cells, reading, spread
from farkas.algebra.declarations import Declarations
from farkas.algebra.expressions import Linear, Relation, Term, Trace
from farkas.algebra.sets import Set
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

    Raises `RuleError`: naming program, family and, where known, the index.
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
    size = sum(math.prod(d.size for d in t.dims(f.dims)) for f in families for t in f.terms)
    columns, values = np.empty(size, np.int32), np.empty(size)
    counts, end = [np.zeros(1, np.int64)], 0
    for family in families:
        counts.append(_rows_of(family, max(num_columns, 1), columns[end:], values[end:]))
        end += int(counts[-1].sum())
    matrix = SparseRows(np.concatenate(counts).cumsum(), columns[:end], values[:end], num_columns)
    none = np.zeros(0)
    lower, upper = [none, *(f.lower for f in families)], [none, *(f.upper for f in families)]
    return matrix, np.concatenate(lower), np.concatenate(upper)


def _rows_of(family: TracedRows, width: int, columns: Array, values: Floats) -> Ints:
    """Write columns and values, ascending, duplicates summed, no zeros; return entries a row."""
    num_rows = math.prod(d.size for d in family.dims)
    own = (np.arange(num_rows) * width).reshape([d.size for d in family.dims])
    keys, end = np.empty(len(values), np.int64), 0
    for term in family.terms:
        dims = term.dims(family.dims)
        shape = [d.size for d in dims]
        here = slice(end, end := end + math.prod(shape))
        np.add(spread(own, family.dims, dims), term.columns.onto(dims), keys[here].reshape(shape))
        values[here].reshape(shape)[...] = as_cells(term.coefficient).onto(dims)
    keys, given = keys[:end], values[:end]
    if not (keys[1:] > keys[:-1]).all():
        order = np.argsort(keys, kind="stable")  # mostly merges a few sorted pieces
        keys, given = keys[order], given[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        if len(first) < len(keys):
            keys, given = keys[first], np.add.reduceat(given, first)
    if not given.all():
        keys, given = keys[given != 0], given[given != 0]
    counts = np.diff(np.searchsorted(keys, np.arange(num_rows + 1) * width))
    np.subtract(keys, np.repeat(own.ravel(), counts), columns[: len(keys)], casting="unsafe")
    values[: len(keys)] = given
    return counts


def trace_objective(
    rule: Callable[..., Any], m: Declarations, program: str
) -> tuple[Floats, float]:
    """Cost vector and constant of the objective."""
    where = f"{program}: {getattr(rule, '__name__', 'objective')}"
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
        weights = np.broadcast_to(as_cells(term.coefficient).onto(dims), shape)
        if len(columns) and (np.diff(columns) == 1).all():  # a whole variable
            cost[columns[0] : columns[-1] + 1].reshape(shape)[...] += weights
        else:
            cost += np.bincount(columns, weights.ravel(), len(cost))
    return cost, offset
