"""The table of docs/proofs.md, `What a file means`: values here, with HiGHS, and with Gurobi."""

from __future__ import annotations

from pathlib import Path

import gurobipy as gp
import highspy
import pytest

import farkas
from farkas.errors import FarkasError

REFUSED, NO_POINT = "refused", "infeasible"


def lp(goal: str = "min", row: str = "x >= -9", bounds: str = "", more: str = "") -> str:
    return f"{goal}\n obj: x\nst\n c: {row}\nbounds\n{bounds}{more}end\n"


def mps(columns: str = " x obj 1 c 1\n", sides: str = " r c 1\n", bounds: str = "") -> str:
    head = "NAME m\nROWS\n N obj\n G c\nCOLUMNS\n"
    return f"{head}{columns}RHS\n{sides}BOUNDS\n{bounds}ENDATA\n"


LAZY = mps().replace("COLUMNS", "LAZYCONS\n G d\nCOLUMNS").replace(" c 1\n", " c 1\n x d .5\n", 1)
MARKED = " M 'MARKER' 'INTORG'\n x obj -1 c 1\n M 'MARKER' 'INTEND'\n"
TABLE = {
    "upper end below 0, LP": (lp(bounds=" x <= -2\n"), NO_POINT, NO_POINT, NO_POINT),
    "upper end below 0, MPS": (mps(sides=" r c -9\n", bounds=" UP b x -2\n"), -9, NO_POINT, -9),
    "one end twice, LP": (lp(bounds=" x >= 2\n x >= 1\n"), 1, 1, 1),
    "one end twice, MPS": (mps(bounds=" LO b x 2\n LO b x 3\n"), REFUSED, 2, 2),
    "side twice": (mps(sides=" r c 1\n r c 2\n"), REFUSED, 1, 1),
    "cost twice": (mps(columns=" x obj 1 c 1\n x obj 2\n"), REFUSED, 1, 1),
    "two sets of sides": (mps(sides=" r c 1\n s c 2\n"), 1, 1, 1),
    "two sets of bounds": (mps(bounds=" LO b x 2\n LO d x 3\n"), 2, 2, 2),
    "binary, LP": (lp("max", "x <= 9", " 0 <= x <= 3\n", "binary\n x\n"), 1, 3, 1),
    "binary, MPS": (mps(" x obj -1 c 1\n", "", " UP b x 3\n BV b x\n"), -1, -3, -1),
    "marked": (mps(MARKED, ""), -1, -1, -1),
    "side of the objective": (mps(sides=" r c 1\n r obj 5\n"), -4, -4, -4),
    "lazy, LP": (lp().replace("bounds\n", "lazy constraints\n d: x >= 2\n"), 2, REFUSED, 2),
    "lazy, MPS": (LAZY.replace(" r c 1", " r c 1 d 1"), 2, 2, 2),
    "constant in a row": (lp(row="x + 2 >= 3"), REFUSED, 3, 0),
}  # fmt: skip
"""Text, and value by farkas, HiGHS and Gurobi."""


def ours(path: Path) -> float | str:
    try:
        found = farkas.prove(path)
    except FarkasError:
        return REFUSED
    return float(found.objective) if found.status == "optimal" else str(found.status)


def of_highs(path: Path) -> float | str:
    solver = highspy.Highs()
    solver.silent()
    if solver.readModel(str(path)) == highspy.HighsStatus.kError:
        return REFUSED
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kOptimal:
        return float(solver.getInfo().objective_function_value)
    return solver.modelStatusToString(status).lower()


def of_gurobi(path: Path) -> float | str:
    silent = {"OutputFlag": 0, "DualReductions": 0}
    with gp.Env(params=silent) as env, gp.read(str(path), env=env) as model:
        model.optimize()
        return NO_POINT if model.Status == gp.GRB.INFEASIBLE else float(model.ObjVal)


@pytest.mark.ids(99)
@pytest.mark.parametrize("name", TABLE)
def test_readers_have_the_values_of_the_table(name: str, tmp_path: Path) -> None:
    text, *values = TABLE[name]
    path = tmp_path / ("m.mps" if text.startswith("NAME") else "m.lp")
    path.write_text(text)
    assert [ours(path), of_highs(path), of_gurobi(path)] == values
