"""The duals of (9): derived, by hand, as printed; and the audit of the last."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.algebra import programs
from farkas.duals.dualize import dualize
from farkas.duals.mlbroker.as_printed import DualAsPrinted
from farkas.duals.mlbroker.dual import Dual
from farkas.duals.mlbroker.printed_against_derived import REPAIRS, audit, differences
from farkas.instances import library
from farkas.models.mlbroker.offline import Offline
from farkas.relaxations.mlbroker import Relaxed
from farkas.solvers import solve
from farkas.verbs.solve import solve_form
from tests.generators.mlbroker import edge_cases, random_brokerage

DATA = {
    **edge_cases(),
    **{f"random {n}": random_brokerage(n, sites=3, jobs=4, resources=2) for n in range(4)},
    **{name: library.load(f"mlbroker/{name}") for name in ("tiny", "return_trip", "quiet_slot")},
}
every_instance = pytest.mark.parametrize("name", DATA)


def value(form):
    return solve(form).require_optimal().objective


@every_instance
def test_the_dual_by_hand_is_the_derived_one_row_by_row(name):
    data = DATA[name]
    derived = dualize(Relaxed(relax="printed").form(data))
    assert list(differences(derived, Dual().form(data))) == []


@every_instance
def test_primal_derived_dual_and_dual_by_hand_have_one_value(name):
    found = audit(DATA[name])
    assert found.derived == pytest.approx(found.primal, rel=1e-7, abs=1e-7)
    assert found.corrected == pytest.approx(found.primal, rel=1e-7, abs=1e-7)
    assert float(found.proved) == pytest.approx(found.primal, rel=1e-7, abs=1e-7)


WRITTEN = [programs.build(name) for name in ("mlbroker.dual", "mlbroker.dual_as_printed")]


@pytest.mark.parametrize("dual", WRITTEN, ids=lambda dual: dual.name)
@every_instance
def test_implied_bounds_of_multipliers_cut_off_no_optimum(dual, name):
    form = dual.form(DATA[name])
    assert np.isfinite(form.safe_lower).all()
    assert np.isfinite(form.safe_upper).all()
    stated = form.replace(lower=form.safe_lower, upper=form.safe_upper)
    assert value(stated) == pytest.approx(value(form), rel=1e-7, abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("dual", WRITTEN, ids=lambda dual: dual.name)
def test_implied_bounds_of_multipliers_cut_off_no_optimum_of_many(dual):
    for seed in range(300):
        data = random_brokerage(seed, sites=1 + seed % 4, jobs=seed % 5, resources=1 + seed % 3)
        form = dual.form(data)
        stated = form.replace(lower=form.safe_lower, upper=form.safe_upper)
        assert value(stated) == pytest.approx(value(form), rel=1e-7, abs=1e-7), seed


@pytest.mark.parametrize("dual", WRITTEN, ids=lambda dual: dual.name)
@every_instance
def test_the_value_of_a_dual_by_hand_is_proved(dual, name):
    # the primal of a dual leaves reduced costs of 1e-15, which need finite bounds to meet
    solution = solve_form(dual.form(DATA[name]), certify=True)
    assert float(solution.bound) == pytest.approx(solution.answer.objective, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("relax", ["printed", "tight"])
@every_instance
def test_strong_duality_of_both_relaxations(relax, name):
    form = Relaxed(relax=relax).form(DATA[name])
    assert value(dualize(form).form) == pytest.approx(value(form), rel=1e-7, abs=1e-7)


def test_the_audit_names_every_difference():
    # two resources, so that the missing sums over resources show
    found = audit(random_brokerage(1, sites=3, jobs=4, resources=2))
    labels = [(d.label, d.words) for d in found.differences]
    assert labels == [
        ("11", "the objective lacks the sum over one_branch"),
        (
            "11c",
            "worth_of_workers is written once per resource; the derived row sums over resource",
        ),
        (
            "11d",
            "worth_of_server is written once per resource; the derived row sums over resource",
        ),
    ]
    text = str(found)
    for label in REPAIRS:
        assert f"({label}) repaired" in text


def test_with_one_resource_only_the_objective_differs():
    found = audit(library.load("mlbroker/tiny"))
    assert [d.label for d in found.differences] == ["11"]
    assert found.differences[0].places == 4  # two slots, two sites
    assert found.printed == pytest.approx(21.3)


def test_weak_duality_fails_for_the_printed_dual():
    # its value exceeds even the integer optimum 16.8
    data = library.load("mlbroker/tiny")
    assert value(DualAsPrinted().form(data)) > value(Offline().form(data)) + 4


def test_the_printed_dual_may_also_lie_below():
    # per resource instead of summed is a restriction: with a list price only, xi has no weight
    data = random_brokerage(3, sites=2, jobs=2, resources=3).replace(
        discount_price=None, discount_threshold=None
    )
    primal = value(Relaxed(relax="printed").form(data))
    assert value(DualAsPrinted().form(data)) < primal - 1e-3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda form: {"cost": form.cost * 2}, "other coefficients"),
        (lambda form: {"lower": np.zeros(form.num_columns)}, "another sign"),
        (lambda form: {"row_upper": form.row_upper + 1}, "right side"),
        (lambda form: {"rows": form.rows[:-1]}, "no constraint for the variable not_reduced"),
    ],
)
def test_the_comparison_sees_planted_differences(change, words):
    data = library.load("mlbroker/tiny")
    written = Dual().form(data)
    derived = dualize(Relaxed(relax="printed").form(data))
    found = list(differences(derived, written.replace(**change(written))))
    assert any(words in str(d) for d in found)
