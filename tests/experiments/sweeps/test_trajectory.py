"""What is drawn slot by slot is what the run and its certificate say."""

from __future__ import annotations

import pytest

from farkas.experiments.sweeps.trajectory import trajectories
from tests.experiments.sweeps.made import LEADING, charts


@pytest.mark.parametrize("kind", LEADING)
def test_every_trajectory_of_a_kind_is_there(kind):
    _, found = charts(kind)
    named = {trajectories[name].title for name in trajectories.names(f"{kind}.")}
    assert named
    assert named <= set(found)
    for figure in found.values():
        assert all(len(series.x) == len(series.y) > 0 for series in figure.series)


@pytest.mark.parametrize("kind", LEADING)
def test_what_is_summed_up_is_the_value(kind):
    run, found = charts(kind)
    title = "Cost so far" if kind == "mlbroker" else "Reward so far"
    so_far = found[title]
    assert so_far.series[0].y[-1] == pytest.approx(run.value)
