"""What runs ask of solvers: an optimum from whichever finds one, multipliers in any case."""

import dataclasses
from typing import Unpack

import numpy as np

from farkas.errors import NoAnswer
from farkas.forms import LinearForm
from farkas.numbers import Floats
from farkas.solvers.answer import Answer, Claimed
from farkas.solvers.base import Ability, availability, find, solve
from farkas.solvers.options import OptionNames

ORDER = ("highs", "clarabel", "scip", "gurobi")
"""Who is asked, one after the other; those that cannot take the form are passed over."""


def optimum_by_any(
    form: LinearForm,
    solver: str = ORDER[0],
    *,
    start: Floats | None = None,
    **options: Unpack[OptionNames],
) -> Answer:
    """Solve by the first solver that reaches an optimum: ``solver``, then those of `ORDER`.

    A claim of infeasibility or unboundedness ends the search; a failure, a doubtful point or a
    limit does not.

    Parameters
    ----------
    start, **options
        As of :func:`farkas.solvers.solve`.

    Raises
    ------
    NoAnswer
        When nobody reaches an optimum; says of every solver why.
    """
    said: list[str] = []
    for name in dict.fromkeys((solver, *ORDER)):
        if name != solver and not _takes(name, form):
            continue
        answer = solve(form, name, start=start, **options)
        if answer.claim is Claimed.OPTIMAL:
            return answer
        said.append(f"{name}: {answer.claim}, {answer.reason}, {answer.message}".rstrip(", "))
        if answer.claim in (Claimed.INFEASIBLE, Claimed.UNBOUNDED):
            break
    raise NoAnswer(f"{form.name}: no solver reached an optimum ({'; '.join(said)})")


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class FoundDuals:
    """Multipliers for a proof, and where they come from.

    Parameters
    ----------
    rows
        Shape (rows,), in the sign of row duals; any of them prove some bound.
    source
        ``"duals by highs"``, or what stands in for them.
    """

    rows: Floats
    source: str


def multipliers_by_any(form: LinearForm) -> FoundDuals:
    """Row duals by the first solver that gives some, or zeros when none does."""
    for name in ORDER:
        if _takes(name, form) and Ability.DUALS in find(name).abilities:
            duals = solve(form, name).raw_row_duals
            if duals is not None and np.isfinite(duals).all():
                return FoundDuals(duals, f"duals by {name}")
    return FoundDuals(np.zeros(form.num_rows), "all 0, since no solver gave duals")


def _takes(name: str, form: LinearForm) -> bool:
    backend, standing = find(name), availability(name)
    rows, columns = backend.footprint(form)
    fits = (standing.most_rows is None or rows <= standing.most_rows) and (
        standing.most_columns is None or columns <= standing.most_columns
    )
    return bool(standing) and fits and (Ability.INTEGER in backend.abilities or not form.is_mip)
