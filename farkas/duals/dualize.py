"""The dual of a linear program, of any shape, and the maps between both.

For ``min cost @ x + offset``, ``row_lower <= A x <= row_upper``, ``lower <= x <= upper`` the dual
has a variable for every finite side of a row and for every finite nonzero bound, and a constraint
for every column::

    max  sum of side * multiplier + offset
    A' (row multipliers) + (bound multipliers)  =, <= or >=  cost

============================  =======================  =======================
primal                        dual of ``min``          dual of ``max``
============================  =======================  =======================
row ``>= side``               multiplier >= 0          multiplier <= 0
row ``<= side``               multiplier <= 0          multiplier >= 0
row ``= side``                multiplier free          multiplier free
ranged row                    one for each side        one for each side
row without sides             none (0)                 none (0)
column ``>= 0``               constraint ``<= cost``   constraint ``>= cost``
column ``<= 0``               constraint ``>= cost``   constraint ``<= cost``
column without bounds         constraint ``= cost``    constraint ``= cost``
column fixed to 0             constraint is vacuous    constraint is vacuous
any other bound               multiplier, as of a row  multiplier, as of a row
============================  =======================  =======================

Multipliers are derivatives of the optimal value with respect to the side, whatever the sense, so
no sign changes on the way back.
"""

import dataclasses
from collections.abc import Iterator, Sequence

import numpy as np

from farkas.errors import UnsupportedForm
from farkas.forms import Axis, Block, LinearForm, SparseRows
from farkas.forms.feasibility import refuse_impossible_sides
from farkas.forms.matrices import as_scipy, rows_of_scipy
from farkas.numbers import Bools, Floats, Ints, floats


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Multipliers:
    """Dual variables of one family of rows or bounds."""

    block: Block  #: Family of rows or columns they belong to.
    suffix: str  #: What to append to its name.
    positions: Ints  #: Shape (size,), rows or columns.
    lower_side: Bools  #: Shape (size,): the variable belongs to the lower side.
    #: Shape (size,): the variable belongs to the upper side; to both for an equation.
    upper_side: Bools


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class DualForm:
    """A dual program and its relation to the primal one."""

    #: The dual. Its variables carry the names of constraints (``:lower`` and ``:upper`` for the
    #: sides of ranged rows, ``:bound`` for variable bounds), its constraints the names of
    #: variables. Constraint j belongs to primal column j.
    form: LinearForm
    primal: LinearForm  #: The program it is the dual of.
    row_of: Ints  #: Shape (row multipliers,): primal row of each of the first dual variables.
    #: Shape (bound multipliers,): primal column of each of the other dual variables.
    column_of: Ints

    def lift(self, dual_point: Floats) -> Floats:
        """Row multipliers of the primal, shape (primal rows,), from a point of the dual."""
        multipliers = np.zeros(self.primal.num_rows)
        np.add.at(multipliers, self.row_of, dual_point[: len(self.row_of)])
        return multipliers

    def embed(self, multipliers: Floats) -> Floats:
        """Point of the dual, shape (dual columns,), from primal row multipliers.

        Each side takes its part by sign; bounds take the reduced costs.  The point is feasible
        whenever the multipliers prove a bound.
        """
        reduced = self.primal.cost - as_scipy(self.primal.matrix).T @ multipliers
        whole = np.concatenate([multipliers[self.row_of], reduced[self.column_of]])
        return floats(np.clip(whole, self.form.lower, self.form.upper))


def dualize(form: LinearForm) -> DualForm:
    """Dual of ``form``; implied bounds, which are no part of the stated program, do not enter.

    Raises `UnsupportedForm` when the form has integer variables (relax it first) or a side or bound
    that no finite number satisfies.
    """
    refuse_integers(form)
    refuse_impossible_sides(form, "no finite number is there")
    of_rows = list(multipliers_of_rows(form))
    of_bounds = list(multipliers_of_bounds(form))
    row_of, column_of = joined(of_rows), joined(of_bounds)
    matrix = transposed(form, row_of, column_of)
    row_lower, row_upper = relations(form)
    lower, upper = signs(form, [*of_rows, *of_bounds])
    dual = LinearForm(
        name=f"dual of {form.name}",
        sense="max" if form.sense == "min" else "min",
        cost=np.concatenate([sides(form, of_rows, "row"), sides(form, of_bounds, "column")]),
        offset=form.offset,
        matrix=matrix,
        row_lower=row_lower,
        row_upper=row_upper,
        lower=lower,
        upper=upper,
        integer=np.zeros(len(lower), np.bool_),
        rows=families_of_columns(form),
        columns=variable_names([*of_rows, *of_bounds]),
    )
    return DualForm(dual, form, row_of, column_of)


def refuse_integers(form: LinearForm) -> None:
    """Raise for integer variables: their linear dual bounds the relaxation only."""
    if form.is_mip:
        j = int(np.flatnonzero(form.integer)[0])
        raise UnsupportedForm(
            f"{form.name}: {form.column_name(j)} is integer and integer programs have no linear"
            " dual; dualize relax(form) instead"
        )


def multipliers_of_rows(form: LinearForm) -> Iterator[Multipliers]:
    """One multiplier for a row with one side or an equation, two for a ranged row."""
    low, high = np.isfinite(form.row_lower), np.isfinite(form.row_upper)
    equal = low & (form.row_lower == form.row_upper)
    yield from _by_family(row_families(form), low, high, equal, "")


def multipliers_of_bounds(form: LinearForm) -> Iterator[Multipliers]:
    """Multipliers of finite bounds other than 0; a bound 0 acts through its constraint."""
    low = np.isfinite(form.lower) & (form.lower != 0)
    high = np.isfinite(form.upper) & (form.upper != 0)
    equal = low & (form.lower == form.upper)
    yield from _by_family(column_families(form), low, high, equal, ":bound")


def _by_family(
    families: Sequence[Block], low: Bools, high: Bools, equal: Bools, single: str
) -> Iterator[Multipliers]:
    twice = low & high & ~equal
    for block in families:
        here = np.arange(block.start, block.stop)
        for suffix, chosen, lower_side, upper_side in (
            (single, (low | high) & ~twice, low, high),
            (":lower", twice, twice, ~twice),
            (":upper", twice, ~twice, twice),
        ):
            where = here[chosen[here]]
            if len(where):
                yield Multipliers(block, suffix, where, lower_side[where], upper_side[where])


def joined(families: Sequence[Multipliers]) -> Ints:
    """Rows or columns of all multipliers, in order."""
    return np.concatenate([np.zeros(0, np.int64), *(f.positions for f in families)])


def transposed(form: LinearForm, row_of: Ints, column_of: Ints) -> SparseRows:
    """Transpose the rows with multipliers and append a 1 for the multiplier of each bound."""
    import scipy.sparse as sp

    size = len(column_of)
    left = as_scipy(form.matrix)[row_of].T
    ones = (np.ones(size), (column_of, np.arange(size)))
    right = sp.coo_array(ones, shape=(form.num_columns, size))
    return rows_of_scipy(sp.hstack([left, right], format="csr"))


def relations(form: LinearForm) -> tuple[Floats, Floats]:
    """Sides of the dual constraints: a bound 0 of the column leaves one side of the cost open."""
    may_rise, may_fall = form.lower == 0, form.upper == 0
    if form.sense == "max":
        may_rise, may_fall = may_fall, may_rise
    return np.where(may_rise, -np.inf, form.cost), np.where(may_fall, np.inf, form.cost)


def signs(form: LinearForm, families: Sequence[Multipliers]) -> tuple[Floats, Floats]:
    """Bounds of the dual variables, from the table above."""
    nothing = np.zeros(0, np.bool_)
    may_rise = np.concatenate([nothing, *(f.lower_side for f in families)])
    may_fall = np.concatenate([nothing, *(f.upper_side for f in families)])
    if form.sense == "max":
        may_rise, may_fall = may_fall, may_rise
    return np.where(may_fall, -np.inf, 0.0), np.where(may_rise, np.inf, 0.0)


def sides(form: LinearForm, families: Sequence[Multipliers], role: str) -> Floats:
    """Objective coefficients: the side or bound that each multiplier belongs to."""
    low, high = (form.row_lower, form.row_upper) if role == "row" else (form.lower, form.upper)
    parts = [np.where(f.lower_side, low[f.positions], high[f.positions]) for f in families]
    return np.concatenate([np.zeros(0), *parts])


def row_families(form: LinearForm) -> Sequence[Block]:
    """Families of rows, or one called ``row`` for a form without names."""
    return form.rows or _numbered("row", form.num_rows)


def column_families(form: LinearForm) -> Sequence[Block]:
    """Families of columns, or one called ``column`` for a form without names."""
    return form.columns or _numbered("column", form.num_columns)


def families_of_columns(form: LinearForm) -> tuple[Block, ...]:
    """Constraints of the dual, named after the primal variables."""
    return tuple(
        dataclasses.replace(block, doc=f"Reduced cost of {block.name}.")
        for block in column_families(form)
    )


def variable_names(families: Sequence[Multipliers]) -> tuple[Block, ...]:
    """Variables of the dual, named after rows and bounds; whole families keep their index sets."""
    blocks: list[Block] = []
    start = 0
    for family in families:
        block = family.block
        axes = block.axes if len(family.positions) == block.size else (_members(family),)
        name = block.name + family.suffix
        doc = f"Multiplier of {name}."
        blocks.append(Block(name, block.label, start, axes, doc))
        start = blocks[-1].stop
    return tuple(blocks)


def _members(family: Multipliers) -> Axis:
    """Index set of some members of a family, as tuples."""
    block = family.block
    places = np.unravel_index(family.positions - block.start, block.shape)
    members = [axis.members[place] for axis, place in zip(block.axes, places, strict=True)]
    labels = tuple(label for axis in block.axes for label in axis.labels)
    return Axis(labels, np.concatenate(members, axis=1))


def _numbered(name: str, size: int) -> tuple[Block, ...]:
    return (Block(name, "", 0, (Axis((name,), np.arange(size)[:, None]),)),) if size else ()
