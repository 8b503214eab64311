"""Clarabel, through CVXPY."""

from farkas.solvers.base import Ability, backend
from farkas.solvers.via_cvxpy import CvxpySolver


@backend("clarabel")
class Clarabel(CvxpySolver):
    """Interior points for linear programs and cones."""

    abilities = Ability.LINEAR | Ability.DUALS | Ability.CONIC

    def __init__(self) -> None:
        super().__init__("CLARABEL")
        self.name = "clarabel"
