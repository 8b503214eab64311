"""What runs ask of solvers: an optimum from whichever finds one, multipliers in any case."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Unpack

import numpy as np

from farkas.errors import NoAnswer, SolverUnavailable, UnsupportedForm
from farkas.forms import LinearForm
from farkas.numbers import Floats
from farkas.solvers.answer import Answer, Claimed
from farkas.solvers.base import Ability, find, solve
from farkas.solvers.options import OptionNames, Raw
from farkas.solvers.session import Session

#: Who is asked, one after the other; those that cannot take the form are passed over.
ORDER = ("highs", "clarabel", "scip", "gurobi")


def optimum_by_any(
    form: LinearForm,
    solver: str = ORDER[0],
    *,
    duals: bool = False,
    start: Floats | None = None,
    **options: Unpack[OptionNames],
) -> Answer:
    """Solve by the first solver that reaches an optimum: ``solver``, then those of `ORDER`.

    A claim of infeasibility or unboundedness ends the search; a failure, a doubtful point or a
    limit does not.

    Parameters
    ----------
    duals
        Whether an optimum needs row duals to count.
    start, **options
        As of :func:`farkas.solvers.solve`.

    Raises
    ------
    NoAnswer
        When nobody reaches an optimum; says of every solver why.
    KeyboardInterrupt
        When Ctrl-C ends a solve.
    """
    said: list[str] = []
    asked = dict.fromkeys((solver, *ORDER), options)
    for name, answer in _answers(form, asked, start):
        if answer.claim is Claimed.OPTIMAL and not (duals and answer.raw_row_duals is None):
            return answer
        said.append(f"{name}: {answer.claim}, {answer.reason}, {answer.message}".rstrip(", "))
        if answer.claim in (Claimed.INFEASIBLE, Claimed.UNBOUNDED):
            break
    raise NoAnswer(f"{form.name}: no solver reached an optimum ({'; '.join(said)})")


def optimum_of(session: Session) -> Answer:
    """Solve from the last basis, or by `optimum_by_any` should that basis lead nowhere.

    Of a linear program with row duals; errors as for `optimum_by_any`.
    """
    answer, duals = session.solve().unless_interrupted(), not session.form.is_mip
    if answer.claim is Claimed.OPTIMAL and not (duals and answer.raw_row_duals is None):
        return answer
    return optimum_by_any(session.form, duals=duals)


def _answers(
    form: LinearForm, asked: Mapping[str, OptionNames], start: Floats | None
) -> Iterator[tuple[str, Answer]]:
    """Answers of those who take the form, by their options; the first has to."""
    for place, (name, options) in enumerate(asked.items()):
        try:
            answer = solve(form, name, start=start, **options)
        except (SolverUnavailable, UnsupportedForm):
            if not place:
                raise
            continue
        yield name, answer.unless_interrupted()


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class FoundDuals:
    """Multipliers for a proof, and where they come from."""

    rows: Floats  #: Shape (rows,), in the sign of row duals; any of them prove some bound.
    source: str  #: ``"duals by highs"``, or what stands in for them.


def multipliers_by_any(form: LinearForm, **highs: Raw) -> FoundDuals:
    """Row duals by the first solver that gives some, or zeros when none does.

    Parameters
    ----------
    **highs
        Options of HiGHS in its own words; others are asked without.
    """
    asked: dict[str, OptionNames] = {
        name: {} for name in ORDER if Ability.DUALS in find(name).abilities
    }
    asked["highs"] = {"solver_options": highs}
    for name, answer in _answers(form, asked, None):
        if answer.raw_row_duals is not None:
            return FoundDuals(answer.raw_row_duals, f"duals by {name}")
    return FoundDuals(np.zeros(form.num_rows), "all 0, since no solver gave duals")
