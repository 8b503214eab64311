"""Roundings of one fractional run are the runs that each would make alone."""

import pytest

from farkas.errors import InvalidOption
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.mlbroker.alike import run_alike
from farkas.relaxations.mlbroker.slot_solver import Together

CHOSEN = [
    ("mlbroker.fractional", {}),
    ("mlbroker.mlbroker", {}),
    ("mlbroker.mlbroker", {"combine": "round2"}),
    ("mlbroker.ir", {}),
    ("mlbroker.gr", {}),
]


@pytest.mark.ids(1)
@pytest.mark.parametrize("variant", [{}, {"relax": "tight", "semantics": "strict"}])
def test_every_run_is_that_of_its_algorithm_alone(variant):
    instance = generate("mlbroker", "small", seed=3, transfer_scale=30.0)
    chosen = [(name, options | variant) for name, options in CHOSEN]
    found = run_alike(instance, chosen, seed=7)
    alone = [algorithms[name].run(instance, 7, **options) for name, options in chosen]
    assert found == alone
    assert len({run.value for run in found}) == len(CHOSEN)


def test_slots_are_solved_once(monkeypatch):
    solved, solve = [], Together.solve

    def counted(self, problem):
        solved.append(problem.market.num_jobs)
        return solve(self, problem)

    monkeypatch.setattr(Together, "solve", counted)
    instance = generate("mlbroker", "small", seed=0)
    run_alike(instance, CHOSEN)
    jobs = [len(instance.jobs_at(slot)) for slot in range(instance.num_slots)]
    assert solved == [count for count in jobs if count]


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("mlbroker.central", {}, "mlbroker.central rounds no fractional decisions"),
        ("mlbroker.ir", {"epsilon": 0.5}, "mlbroker.ir rounds other decisions than"),
        ("mlbroker.gr", {"relax": "tight"}, "mlbroker.gr rounds other decisions than"),
        ("mlbroker.gr", {"solver": "clarabel"}, "mlbroker.gr rounds other decisions than"),
        ("mlbroker.gr", {"semantics": "strict"}, "mlbroker.gr rounds other decisions than"),
    ],
)
def test_what_rounds_something_else_is_refused(name, options, words):
    with pytest.raises(InvalidOption, match=words):
        run_alike(generate("mlbroker", "small", seed=0), [*CHOSEN[:1], (name, options)])
