"""The rational form of a form of doubles, and the same with cuts or other ends."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from farkas.exact.cuts import Cut
from farkas.exact.node_bounds import floats
from farkas.forms.form import LinearForm
from farkas.forms.rational import RationalForm, Side, as_rational, whole_array
from farkas.solvers.base import refuse_numbers


def rational(form: LinearForm) -> RationalForm:
    """Take every double of a form as the fraction it is; solvers get the doubles themselves.

    Raises `UnsupportedForm` when a number is none or infinite, or a side or bound excludes every
    point.
    """
    refuse_numbers(form)
    found = as_rational(form)
    vars(found)["linear"] = form.replace(implied_lower=None, implied_upper=None)
    return found


def with_cuts(form: RationalForm, cuts: Sequence[Cut]) -> RationalForm:
    """Append cuts to the rows of a program, which loses the names of its rows."""
    if not cuts:
        return form
    terms = [sorted(cut.terms.items()) for cut in cuts]
    sizes = np.cumsum([len(row) for row in terms])
    return form.replace(
        starts=np.concatenate([form.starts, form.starts[-1] + sizes]),
        columns=np.concatenate([form.columns, [j for row in terms for j, _ in row]]),
        values=whole_array([*form.values.tolist(), *(v for row in terms for _, v in row)]),
        factors=form.factors + (Fraction(1),) * len(cuts),
        row_lower=form.row_lower + (None,) * len(cuts),
        row_upper=form.row_upper + tuple(cut.side for cut in cuts),
        row_names=(),
    )


def boxed(form: RationalForm, lower: Sequence[Side], upper: Sequence[Side]) -> RationalForm:
    """Return the same program within other ends; what is in doubles already is not made again."""
    found = form.replace(lower=tuple(lower), upper=tuple(upper))
    ends = {"lower": floats(lower, -np.inf), "upper": floats(upper, np.inf)}
    vars(found)["linear"] = form.linear.replace(**ends)
    return found
