"""What brings a solver of Pyomo."""

from __future__ import annotations

import pyomo.environ as pyo
import pytest

from farkas.solvers.via_pyomo_words import BRINGS, how_to_get


@pytest.mark.parametrize("solver", BRINGS)
def test_pyomo_knows_every_one_and_it_is_said_how_to_get_it(solver):
    assert solver in pyo.SolverFactory
    assert how_to_get(solver).startswith(("install '", "put the program "))


def test_of_others_nothing_is_said():
    assert how_to_get("ipopt") == ""
    assert how_to_get("cbc") == "put the program cbc (Debian: coinor-cbc) on the path"
    assert how_to_get("xpress") == "install 'farkas[solvers]'"
