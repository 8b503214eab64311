"""Linear forms as MPS and LP text, with family names, numbers that read back exactly.

Implied bounds are no part of the stated program and are not written.
"""

import dataclasses
import re
from collections.abc import Iterator, Sequence

import numpy as np

from farkas.errors import UnsupportedForm
from farkas.files.writing import Target, write_text
from farkas.forms.feasibility import refuse_impossible_sides
from farkas.forms.form import Block, LinearForm
from farkas.numbers import Floats

LONGEST = 255  #: Characters that every reader accepts in a name.

_RESERVED = {
    *("min", "max", "minimize", "maximize", "minimum", "maximum", "st", "s.t.", "such", "subject"),
    *("bound", "bounds", "free", "inf", "infinity", "nan", "end", "obj", "rhs", "range", "ranges"),
    *("bin", "binary", "binaries", "gen", "general", "generals", "int", "integer", "integers"),
    *("semi", "semis", "sos", "sos1", "sos2", "marker", "objsense", "name", "rows", "columns"),
    *("pwlobj", "scenario", "scenarios", "gencons", "st.", "qsection", "csection", "qcmatrix"),
}


def write_mps(form: LinearForm, path: Target) -> None:
    """Write ``form`` in free MPS; a constant of the objective is a last column fixed at 1.

    Rows without sides become further ``N`` rows, which most readers drop.  Raises `UnsupportedForm`
    when a side or bound cannot be written; names the row or column; `FileProblem` when the file
    cannot be written.
    """
    write_text(path, "\n".join(_mps_lines(form)) + "\n")


def write_lp(form: LinearForm, path: Target) -> None:
    """Write ``form`` in LP format; a constant of the objective is a last column fixed at 1.

    Ranged rows become two, ``name.lower`` and ``name.upper``; rows without sides, which the format
    cannot express, are left out.  Raises `UnsupportedForm` when a side or bound cannot be written;
    names the row or column; `FileProblem` when the file cannot be written.
    """
    write_text(path, "\n".join(_lp_lines(form)) + "\n")


def row_names(form: LinearForm) -> list[str]:
    """Name all rows, uniquely and fit for every reader, for example ``demand(3,7)``."""
    return _names(form.rows, form.num_rows, "row")


def column_names(form: LinearForm) -> list[str]:
    """Name all columns, uniquely and fit for every reader, for example ``moved(3,7,2,0)``."""
    return _names(form.columns, form.num_columns, "column")


def _names(blocks: Sequence[Block], size: int, role: str) -> list[str]:
    raw = [name for block in blocks for name in _block_names(block)]
    raw = [_plain(name) for name in raw or (f"{role}({k})" for k in range(size))]
    taken: set[str] = set()
    return [unused(name, taken) for name in raw]


def _block_names(block: Block) -> Iterator[str]:
    """Like ``block.short`` of every position, without a search for each."""
    places = np.unravel_index(np.arange(block.size), block.shape) if block.axes else ()
    members = [axis.members[place] for axis, place in zip(block.axes, places, strict=True)]
    if not members:
        yield block.name
        return
    for index in np.concatenate(members, axis=1).tolist():
        yield f"{block.name}({','.join(map(str, index))})"


def _plain(name: str) -> str:
    name = re.sub(r"[^A-Za-z0-9_.(),#]", "_", name)
    # HiGHS takes what begins with inf or nan for a number
    if not re.match(r"[A-Za-z_]", name) or re.match(r"[eE][0-9.]|(?i:inf|nan)", name):
        name = "_" + name
    return name + "_" if name.lower() in _RESERVED else name


def unused(name: str, taken: set[str]) -> str:
    """Shorten or number a name until it is none of those taken, and take it."""
    candidate, number = name[:LONGEST], 1
    while candidate in taken:
        number += 1
        tail = f"#{number}"
        candidate = name[: LONGEST - len(tail)] + tail
    taken.add(candidate)
    return candidate


def _without_constant(form: LinearForm) -> LinearForm:
    """Put the constant of the objective on a last column fixed at 1.

    Readers differ in what a constant means: Gurobi takes a number in an LP file for a column, and
    GLPK the right-hand side of the objective in an MPS file for no constant.
    """
    refuse_impossible_sides(form, "text formats hold no such side")
    if not form.offset:
        return form
    one = np.ones(1)
    matrix = dataclasses.replace(form.matrix, num_columns=form.num_columns + 1)
    blocks = form.columns or tuple(Block(f"column({j})", "", j) for j in range(form.num_columns))
    return form.replace(
        offset=0.0,
        cost=np.append(form.cost, form.offset),
        matrix=matrix,
        lower=np.append(form.lower, one),
        upper=np.append(form.upper, one),
        integer=np.append(form.integer, False),
        implied_lower=None,
        implied_upper=None,
        columns=(*blocks, Block("constant", "", form.num_columns)),
    )


def _mps_lines(form: LinearForm) -> Iterator[str]:
    form = _without_constant(form)
    rows, columns = row_names(form), column_names(form)
    kinds = [_mps_side(form, i) for i in range(form.num_rows)]
    yield f"NAME {_plain(form.name)}"
    if form.sense == "max":  # GLPK knows no such section; without it every reader minimises
        yield from ("OBJSENSE", "    MAX")
    yield "ROWS"
    yield " N obj"
    yield from (f" {kind[0]} {row}" for kind, row in zip(kinds, rows, strict=True))
    yield "COLUMNS"
    yield from _mps_columns(form, rows, columns)
    yield "RHS"
    for (_, side, _), row in zip(kinds, rows, strict=True):
        if side:
            yield f" rhs {row} {side!r}"
    yield "RANGES"
    for (_, _, width), row in zip(kinds, rows, strict=True):
        if width is not None:
            yield f" range {row} {width!r}"
    yield "BOUNDS"
    for name, low, high, whole in zip(
        columns, form.lower.tolist(), form.upper.tolist(), form.integer.tolist(), strict=True
    ):
        yield from (f" {line}" for line in _mps_bounds(name, low, high, whole))
    yield "ENDATA"


def _mps_columns(form: LinearForm, rows: list[str], columns: list[str]) -> Iterator[str]:
    order = np.argsort(form.matrix.columns, kind="stable")
    entry_rows = form.matrix.rows[order].tolist()
    values = form.matrix.values[order].tolist()
    ends = np.searchsorted(form.matrix.columns[order], np.arange(form.num_columns + 1)).tolist()
    marked = False
    for j, (name, cost, whole) in enumerate(
        zip(columns, form.cost.tolist(), form.integer.tolist(), strict=True)
    ):
        if whole != marked:
            yield f" MARKER 'MARKER' '{'INTORG' if whole else 'INTEND'}'"
            marked = whole
        # a zero cost keeps a column that has no entry
        yield f" {name} obj {cost!r}"
        for k in range(ends[j], ends[j + 1]):
            yield f" {name} {rows[entry_rows[k]]} {values[k]!r}"
    if marked:
        yield " MARKER 'MARKER' 'INTEND'"


def _mps_side(form: LinearForm, i: int) -> tuple[str, float, float | None]:
    """Letter, right-hand side and width of a row."""
    low, high = float(form.row_lower[i]), float(form.row_upper[i])
    if low == high:
        return "E", low, None
    if not np.isfinite(low):
        return ("N", 0.0, None) if not np.isfinite(high) else ("L", high, None)
    if not np.isfinite(high):
        return "G", low, None
    # a reader adds the width in floating point: choose one that lands on the other side exactly
    width = high - low
    for guess in (width, np.nextafter(width, np.inf)):
        if low + guess == high:
            return "G", low, float(guess)
        if high - guess == low:
            return "L", high, float(guess)
    raise UnsupportedForm(
        f"{form.name}: {form.row_name(i)} between {low} and {high} has no exact range in MPS;"
        " write LP instead"
    )


def _mps_bounds(name: str, low: float, high: float, whole: bool) -> Iterator[str]:
    if low == high:
        yield f"FX bound {name} {low!r}"
    elif not np.isfinite(low) and not np.isfinite(high):
        yield f"FR bound {name}"
    else:
        # readers differ on the lower bound that a lone negative UP implies: state both
        if not np.isfinite(low):
            yield f"MI bound {name}"
        elif low != 0 or high < 0 or whole:
            yield f"LO bound {name} {low!r}"
        if np.isfinite(high):
            yield f"UP bound {name} {high!r}"
        elif whole:
            yield f"PL bound {name}"


def _lp_lines(form: LinearForm) -> Iterator[str]:
    form = _without_constant(form)
    rows, columns = row_names(form), column_names(form)
    yield f"\\ {_plain(form.name)}"
    yield "Maximize" if form.sense == "max" else "Minimize"
    used = np.flatnonzero(form.cost)
    costs = _terms(used.tolist(), form.cost[used], columns)
    # SCIP knows columns of sums alone, and GLPK wants a term in every sum
    idle = np.setdiff1d(np.arange(form.num_columns), np.append(used, form.matrix.columns))
    costs += [f"+0 {columns[j]}" for j in idle.tolist()]
    costs = costs or [f"+0 {name}" for name in columns[:1]]
    yield from _wrapped(" obj:", costs, "")
    yield "Subject To"
    taken = set(rows)
    for i, name in enumerate(rows):
        low, high = float(form.row_lower[i]), float(form.row_upper[i])
        here, values = form.matrix.row(i)
        terms = _terms(here.tolist(), values, columns) or [f"+0 {columns[0]}"]
        if low == high:
            yield from _wrapped(f" {name}:", terms, f" = {low!r}")
        elif np.isfinite(low) and np.isfinite(high):
            # some readers drop the left side of a double inequality without a word
            yield from _wrapped(f" {unused(f'{name}.lower', taken)}:", terms, f" >= {low!r}")
            yield from _wrapped(f" {unused(f'{name}.upper', taken)}:", terms, f" <= {high!r}")
        elif np.isfinite(low):
            yield from _wrapped(f" {name}:", terms, f" >= {low!r}")
        elif np.isfinite(high):
            yield from _wrapped(f" {name}:", terms, f" <= {high!r}")
    yield "Bounds"
    for name, low, high in zip(columns, form.lower.tolist(), form.upper.tolist(), strict=True):
        if not np.isfinite(low) and not np.isfinite(high):
            yield f" {name} free"
        elif low == high:
            yield f" {name} = {low!r}"
        elif (low, high) != (0.0, np.inf):
            yield f" {_lp_end(low)} <= {name} <= {_lp_end(high)}"
    if form.is_mip:
        yield "General"
        yield from (f" {columns[j]}" for j in np.flatnonzero(form.integer).tolist())
    yield "End"


def _lp_end(value: float) -> str:
    return repr(value) if np.isfinite(value) else ("+inf" if value > 0 else "-inf")


def _terms(where: list[int], values: Floats, names: list[str]) -> list[str]:
    return [f"{_signed(v)} {names[j]}" for j, v in zip(where, values.tolist(), strict=True)]


def _signed(value: float) -> str:
    return repr(value) if value < 0 else f"+{value!r}"


def _wrapped(head: str, terms: list[str], tail: str, width: int = 5) -> Iterator[str]:
    """Lines of a few terms each: readers limit the length of a line."""
    for k in range(0, len(terms), width):
        end = tail if k + width >= len(terms) else ""
        yield f"{head if k == 0 else '   '} {' '.join(terms[k : k + width])}{end}"
    if not terms:
        yield f"{head} {tail}"
