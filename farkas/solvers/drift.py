"""How far the units of a form can have moved since they were measured, by the data that changed."""

from __future__ import annotations

import numpy as np

from farkas.forms import LinearForm
from farkas.forms.scale import exponents
from farkas.numbers import Floats, Ints
from farkas.solvers.session import Indices


class UnitDrift:
    """Units of a form, and a bound on the exponents by which its changes can have moved them.

    Units are made of the exponents of sides and bounds by sums, minima, maxima, means rounded down
    and clips at constants (`farkas.forms.scale.units_of`).  Each of these grows with what it is
    made of, and by no more than d when all of it grows by the whole number d.  Costs measure only
    columns that nothing else does: by the largest cost term beside less the column's own cost, so
    that costs that move by d move these by 2 d.  While the matrix stays, and zeros and infinities
    stay where they are, no unit moves by more than both together.  Measuring all units again costs
    more than solving a small program.

    Parameters
    ----------
    form
        As it is when it is measured; its arrays must not change afterwards.
    """

    def __init__(self, form: LinearForm) -> None:
        self.units = form.units
        self._costs = self._others = 0
        self._form = form
        self._exponents: dict[str, Ints] = {}

    @property
    def most(self) -> int:
        """Bound on what any unit has moved; far above all exponents where nothing is known."""
        return self._others + 2 * self._costs

    def change(self, name: str, where: Indices | None, values: Floats) -> None:
        """Take note of new costs, sides or bounds.

        Parameters
        ----------
        name
            ``cost``, ``row_lower``, ``row_upper``, ``lower`` or ``upper``.
        where
            Positions, or None for all.
        values
            What stands there from now on.
        """
        held = self._exponents.get(name)
        if held is None:
            held = self._exponents[name] = exponents(getattr(self._form, name))
        # where one is a zero or infinite and the other is not, they are `NONE` apart
        moved = np.abs(exponents(values) - (held if where is None else held[where]))
        if name in ("lower", "upper"):  # a column that is fixed at 0 does not count
            old = getattr(self._form, name)
            moved[(values == 0) != ((old if where is None else old[where]) == 0)] = FAR
        most = int(moved.max(initial=0))
        if name == "cost":
            self._costs = max(self._costs, most)
        else:
            self._others = max(self._others, most)


FAR = 1 << 20
"""Farther than any unit can move."""
