"""A task is addressed by everything that decides its result, and planned before it runs."""

from __future__ import annotations

import pytest

from farkas.errors import InvalidOption, UnknownName
from farkas.experiments.sweeps import Task, plan, read_config
from tests.experiments.sweeps.made import written


def test_the_address_covers_options_and_versions_but_not_the_sample(tmp_path, monkeypatch):
    task = Task(what="run", name="a.b", kind="a", instance="0" * 64)
    other = Task(what="run", name="a.b", kind="a", instance="0" * 64, options={"x": 1})
    sampled = Task(what="run", name="a.b", kind="a", instance="0" * 64, recheck=True)
    assert task.key != other.key
    assert task.key == sampled.key
    before = task.key
    monkeypatch.setattr("farkas.experiments.sweeps.task.versions", lambda: {"farkas": "9"})
    assert task.key != before


@pytest.mark.parametrize(
    ("programs", "error"),
    [('name = "mlbroker.relaxt"', UnknownName), ('name = "mlbroker.relaxed[x]"', InvalidOption)],
)
def test_unknown_names_are_refused_before_anything_runs(tmp_path, programs, error):
    path = written(tmp_path, programs=programs)
    with pytest.raises(error):
        plan(read_config(path), tmp_path)


def test_what_is_of_another_kind_is_left_out_and_the_rest_is_planned(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        'name = "one"\n[[instances]]\nkind = "coded"\n'
        '[[algorithms]]\nname = "dps.pa"\n[[algorithms]]\nname = "coded.simple_greedy"\n'
        '[[programs]]\nname = "dps.interval_lp"\n[[programs]]\nname = "coded.assignment_lp"\n'
    )
    tasks, instances = plan(read_config(path), tmp_path)
    assert {task.name for task in tasks} == {"coded.simple_greedy", "coded.assignment_lp"}
    assert {instance.kind for instance in instances.values()} == {"coded"}
