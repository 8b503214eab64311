"""A second reading of a file of a model, by HiGHS, held against ours number by number."""

from __future__ import annotations

import pathlib
import tempfile
from typing import Any

import numpy as np

from farkas.errors import UnsupportedForm
from farkas.forms.model_text import ModelText, Place, decoded
from farkas.forms.rational import RationalForm
from farkas.messages import quoted
from farkas.numbers import Array, Floats
from farkas.solvers.base import installed
from farkas.solvers.highs import new_solver
from farkas.tolerances import TIE, ULP

MOST_TOLD = 10
LEFT_OUT = TIE  # the least that HiGHS's option small_matrix_value takes


def with_second_reading(text: ModelText) -> RationalForm:
    """Add to a form what HiGHS reads otherwise in the same file.

    Returns: the form, whose ``differences`` are those nobody can explain, and whose ``notes`` tell
    those in which HiGHS is known to err, and whether it could not read the file.
    """
    form = text.form.replace(confirmed=False)
    if not installed("highspy"):
        return form
    solver = _read(text)
    if solver is None:
        why = text.faults.get((), "")
        told = "HiGHS does not read this file" + (f"; {why}" if why else "")
        return form.replace(notes=(*form.notes, told))
    try:
        compared = _Comparison(text, solver.getLp())
    except UnsupportedForm as problem:
        return form.replace(notes=(*form.notes, f"HiGHS cannot hold this program: {problem}"))
    known = [f"{words}; {why}" for words, why in compared.known]
    return form.replace(
        notes=(*form.notes, *_cut_off(known)),
        differences=tuple(_cut_off(compared.unknown)),
        confirmed=not (compared.known or compared.unknown),
    )


def _read(text: ModelText) -> Any:
    """Let HiGHS read the text; None where it cannot."""
    plain = decoded(text.content)  # HiGHS knows no other encoding, and no marks of them
    if "\n" not in plain:
        plain = plain.replace("\r", "\n")  # it ends no line there
    solver = new_solver()
    solver.setOptionValue("small_matrix_value", LEFT_OUT)
    solver.setOptionValue("large_matrix_value", 1e20)
    solver.setOptionValue("infinite_cost", np.inf)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"model.{text.suffix}"
        path.write_bytes(plain.encode())
        status = solver.readModel(str(path))
    return None if status.value < 0 else solver


class _Comparison:
    """Differences of two readings, as words, and why those at known places are faults of HiGHS."""

    def __init__(self, text: ModelText, theirs: Any) -> None:
        self.unknown: list[str] = []
        self.known: list[tuple[str, str]] = []
        self._faults = text.faults
        form, ours = text.form, text.form.linear
        names = list(form.column_names)
        places = {str(name): k for k, name in enumerate(theirs.col_names_)}
        if any(form.cost) and (theirs.sense_.value == 1) is not (form.sense == "min"):
            self._tell(None, "sense", form.sense, "the other")
        same = places.keys() == set(names) and len(places) == theirs.num_col_
        if not same:
            other = sorted(set(names) ^ places.keys())[:MOST_TOLD]
            told = ", ".join(quoted(name, 40) for name in other)
            all_there = set(names) <= places.keys()  # it takes words of a section for columns
            where: Place | None = () if all_there else None
            self._tell(where, "columns", len(names), f"{theirs.num_col_} ({told})")
            if not all_there:
                return
        order = np.array([places[name] for name in names], dtype=np.int64)
        kinds = np.array([int(kind) for kind in theirs.integrality_] or [0] * len(names))
        rows = [quoted(form.row_name(i), 40) for i in range(form.num_rows)]
        columns = [quoted(name, 40) for name in names]
        keys = [(name,) for name in names]
        places_of = [(i,) for i in range(form.num_rows)]

        def compare(what: str, mine: Array, other: Any, words: list[str], keys: list[Any]) -> None:
            values = np.array(other, dtype=np.float64)
            for k in np.flatnonzero(_differ(np.asarray(mine, dtype=np.float64), values)).tolist():
                self._tell(keys[k], f"{what} of {words[k]}", mine[k], values[k])

        self._same_number("constant", ours.offset, theirs.offset_)
        costs = [(-1, name) for name in names]
        compare("cost", ours.cost, np.array(theirs.col_cost_)[order], columns, costs)
        compare("lower end", ours.lower, np.array(theirs.col_lower_)[order], columns, keys)
        compare("upper end", ours.upper, np.array(theirs.col_upper_)[order], columns, keys)
        compare("whole", ours.integer.astype(int), kinds[order], columns, keys)
        if form.num_rows != theirs.num_row_:
            self._tell((), "rows", form.num_rows, theirs.num_row_)
        if not same or form.num_rows != theirs.num_row_:
            return  # entries have no common places
        compare("lower side", ours.row_lower, theirs.row_lower_, rows, places_of)
        compare("upper side", ours.row_upper, theirs.row_upper_, rows, places_of)
        self._entries(form, ours.matrix, theirs.a_matrix_, order)

    def _entries(self, form: RationalForm, mine: Any, other: Any, order: Array) -> None:
        wide = max(form.num_columns, 1)
        here = form.entry_rows * wide + order[mine.columns]
        starts, index = np.array(other.start_), np.array(other.index_, dtype=np.int64)
        outer = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        by_row = int(other.format_) != 1
        there = (outer * wide + index) if by_row else (index * wide + outer)
        keys = np.union1d(here, there)
        values = np.zeros((2, len(keys)))
        values[0, np.searchsorted(keys, here)] = mine.values
        values[1, np.searchsorted(keys, there)] = np.array(other.value_)
        back = np.argsort(order)
        for k in np.flatnonzero(_differ(values[0], values[1])).tolist():
            row, name = int(keys[k] // wide), form.column_names[int(back[keys[k] % wide])]
            place = f"entry of {quoted(name, 40)} in {quoted(form.row_name(row), 40)}"
            if values[1, k] == 0 and abs(values[0, k]) <= LEFT_OUT:
                self.known.append((f"{place} is 0 to HiGHS", f"it drops those below {LEFT_OUT:g}"))
            else:
                self._tell((row, name), place, values[0, k], values[1, k])

    def _same_number(self, what: str, mine: float, other: float) -> None:
        if _differ(np.array([mine]), np.array([other])).any():
            self._tell((-1,), what, mine, other)

    def _tell(self, place: Place | None, what: str, mine: object, other: object) -> None:
        """Tell a difference; at a place of `Faults` it is one of HiGHS."""
        words = f"{what}: {_shown(mine)} here, {_shown(other)} to HiGHS"
        if place is not None and place in self._faults:
            self.known.append((words, self._faults[place]))
        else:
            self.unknown.append(words)


def _differ(one: Floats, other: Floats) -> Array:
    with np.errstate(invalid="ignore"):
        near = np.abs(one - other) <= 16 * ULP * np.maximum(np.abs(one), np.abs(other))
    finite = np.isfinite(one) & np.isfinite(other)
    different: Array = ~((near & finite) | (one == other))
    return different


def _shown(value: object) -> str:
    return f"{float(value):.12g}" if isinstance(value, float | np.number) else str(value)


def _cut_off(words: list[str]) -> list[str]:
    rest = len(words) - MOST_TOLD
    return words if rest <= 0 else [*words[:MOST_TOLD], f"and {rest} more"]
