"""MOSEK, through CVXPY.  Its wheel holds no licence."""

from __future__ import annotations

import functools

from farkas.solvers.base import Ability, Access, Availability, backend, installed, missing
from farkas.solvers.via_cvxpy import CvxpySolver


@backend("mosek")
class Mosek(CvxpySolver):
    """MOSEK, whose licence is asked for first."""

    bringer = "farkas[mosek]"
    abilities = Ability.LINEAR | Ability.INTEGER | Ability.DUALS | Ability.CONIC

    def __init__(self) -> None:
        super().__init__("MOSEK")
        self.name = "mosek"

    def availability(self) -> Availability:
        """Standing here."""
        if not (installed("mosek") and installed(self.package)):
            return missing(self.bringer)
        return _licensed()


@functools.cache
def _licensed() -> Availability:
    """Solve one column: only an optimisation asks for the licence."""
    import mosek

    try:
        with mosek.Env() as environment, environment.Task() as task:
            task.appendvars(1)
            task.putvarbound(0, mosek.boundkey.ra, 0.0, 1.0)
            task.optimize()
    except mosek.Error as failure:
        words = str(failure.msg).split(".")[0].strip()
        return Availability(
            Access.UNLICENSED,
            f"{words}; put a licence file at ~/mosek/mosek.lic or name it in MOSEKLM_LICENSE_FILE",
        )
    return Availability(Access.FULL)
