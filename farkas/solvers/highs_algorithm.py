"""One algorithm of HiGHS, as ``highs:simplex``, ``highs:ipm`` or ``highs:pdlp``."""

from __future__ import annotations

import dataclasses

from farkas.errors import UnknownName
from farkas.forms import LinearForm
from farkas.numbers import Floats
from farkas.solvers.access import Availability
from farkas.solvers.answer import Answer
from farkas.solvers.base import Ability, Backend, backends
from farkas.solvers.highs import new_solver, pass_form, solve_loaded
from farkas.solvers.options import Options
from farkas.solvers.units import as_minimum, of_maximum

ALGORITHMS = ("simplex", "ipm", "pdlp")


class HighsAlgorithm(Backend):
    """HiGHS with the algorithm for linear programs chosen by the user; no integer columns.

    The interior-point method ends with a crossover, so that its answer is a vertex; the first-order
    method does not.

    Parameters
    ----------
    algorithm
        Name after the colon.

    Raises
    ------
    UnknownName
        HiGHS has no such algorithm.
    """

    package = "highspy"
    bringer = "highspy>=1.15"
    abilities = Ability.LINEAR | Ability.DUALS

    def __init__(self, algorithm: str) -> None:
        if algorithm not in ALGORITHMS:
            raise UnknownName.of("algorithm of HiGHS", algorithm, ALGORITHMS)
        self.algorithm = algorithm
        self.name = f"highs:{algorithm}"

    def availability(self) -> Availability:
        """Standing here: that of HiGHS."""
        return backends["highs"].availability()

    def run(self, form: LinearForm, options: Options, start: Floats | None) -> Answer:
        """Solve once."""
        solver = new_solver()  # not the one that threads lend, which keeps its options
        solver.setOptionValue("solver", self.algorithm)
        # its first-order method calls optimal points of a maximum unknown
        turned = as_minimum(form)
        pass_form(solver, turned)
        answer = of_maximum(solve_loaded(solver, turned, options, start), form)
        return dataclasses.replace(answer, solver=self.name)
