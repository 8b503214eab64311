"""MOSEK without a licence: what would be solved, read back by another solver."""

from pathlib import Path

import highspy
import mosek
import numpy as np
import pytest

from farkas.forms import LinearForm
from farkas.solvers import solve
from farkas.solvers.mosek import fill
from tests.conformance.solvers.cases import INF, form


def export(form: LinearForm, path: Path) -> None:
    """Write the task that MOSEK would solve; needs no licence."""
    with mosek.Env() as environment, environment.Task() as task:
        fill(task, form)
        task.writedata(str(path))


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("seed", range(5))
def test_exported_task_has_the_same_optimum(tmp_path, seed, sense):
    # rows of every kind: <=, >=, =, ranged, free; columns of every kind, some integer
    rng = np.random.default_rng(seed)
    rows = [
        (low, rng.integers(-3, 4, 5).astype(float).tolist(), high)
        for low, high in ((-INF, 9), (-9, INF), (0, 0), (-4, 7), (-INF, INF))
    ]
    case = form(
        rng.integers(-5, 6, 5).astype(float).tolist(),
        rows,
        lower=[0, -INF, -4, 2, -3],
        upper=[9, 6, INF, 2, 8],
        integer=[0, 4],
        sense=sense,
        offset=2.5,
    )
    path = tmp_path / "task.mps"
    export(case, path)
    reader = highspy.Highs()
    reader.setOptionValue("output_flag", False)
    reader.readModel(str(path))
    reader.run()
    ours = solve(case)
    status = reader.modelStatusToString(reader.getModelStatus()).lower()
    if not ours.has_point:
        assert str(ours.claim) in status
        return
    assert reader.getInfo().objective_function_value == pytest.approx(ours.objective, abs=1e-6)
