"""The audit of the printed dual: every difference, by label, and none that is not there."""

from fractions import Fraction

import numpy as np
import pytest

from farkas.duals.dualize import dualize
from farkas.duals.mlbroker import Dual
from farkas.duals.mlbroker_printed import REPAIRS, audit, differences
from farkas.forms.feasibility import short_name
from farkas.forms.matrices import as_scipy, rows_of_dense, rows_of_scipy
from farkas.instances import library
from farkas.relaxations.mlbroker.relaxed import Relaxed
from tests.generators.mlbroker import discounted, dual_cases, random_brokerage

DATA = dual_cases()
every_instance = pytest.mark.parametrize("name", DATA)


@pytest.mark.ids(4)
@every_instance
def test_primal_derived_dual_and_dual_by_hand_have_one_value(name):
    found = audit(DATA[name])
    assert found.derived == pytest.approx(found.primal, rel=1e-7, abs=1e-7)
    assert found.corrected == pytest.approx(found.primal, rel=1e-7, abs=1e-7)
    assert float(found.proved) == pytest.approx(found.primal, rel=1e-7, abs=1e-7)


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


def test_the_numbers_of_a_difference_are_those_of_its_place():
    # two sites at capacity 10 in the second: doubling (11b)'s right side of a transfer of 1 USD
    data = discounted()
    written = Dual().form(data)
    derived = dualize(Relaxed(relax="printed").form(data))
    upper = written.row_upper.copy()
    at = written.row_block("worth_of_moved_data")
    place = [short_name(at, i) for i in range(at.start, at.stop)].index(
        "worth_of_moved_data[0,1,0,1]"
    )
    upper[at.start + place] = 2.0
    (found,) = differences(derived, written.replace(row_upper=upper))
    assert (found.label, found.places) == ("11b", 1)
    assert found.example == "worth_of_moved_data[0,1,0,1]: derived right side 1, written 2"


def test_multipliers_that_are_not_written_are_missed():
    data = library.load("mlbroker/tiny")
    written = Dual().form(data)
    derived = dualize(Relaxed(relax="printed").form(data))
    last = written.columns[-1]
    names = ("cost", "lower", "upper", "integer", "implied_lower", "implied_upper")
    fewer = written.replace(
        columns=written.columns[:-1],
        matrix=rows_of_scipy(as_scipy(written.matrix)[:, : last.start]),
        **{name: getattr(written, name)[: last.start] for name in names},
    )
    (found,) = list(differences(derived, fewer))[:1]
    assert found.words == f"no variable for rows {last.name}"
    assert found.places == last.size > 1
    assert found.example.startswith(f"{last.name}[")


def test_the_first_of_several_places_is_the_example():
    data = discounted()
    written = Dual().form(data)
    derived = dualize(Relaxed(relax="printed").form(data))
    upper = written.row_upper.copy()
    at = written.row_block("worth_of_moved_data")
    upper[at.where] += 1.0
    (found,) = differences(derived, written.replace(row_upper=upper))
    assert found.places == at.size > 1
    assert found.example.startswith(f"{short_name(at, at.start)}: ")


def test_a_coefficient_that_is_missing_or_too_much_is_written_as_nothing():
    data = discounted()
    written = Dual().form(data)
    derived = dualize(Relaxed(relax="printed").form(data))
    at = written.row_block("worth_of_moved_data").start
    dense = as_scipy(written.matrix).toarray()
    own = int(np.flatnonzero(dense[at])[0])
    other = int(np.flatnonzero(dense[at] == 0)[0])
    for change, words in (
        ({own: 0.0}, f"derived {dense[at, own]:g} {written.columns[0].name}"),
        ({other: 7.0}, "derived 0 "),
    ):
        changed = dense.copy()
        for j, value in change.items():
            changed[at, j] = value
        (found,) = differences(derived, written.replace(matrix=rows_of_dense(changed)))
        assert words in found.example
        assert found.example.endswith("written 0" if own in change else "written 7")


def test_the_proved_bound_is_printed_below_what_is_proved():
    for seed in range(6):
        found = audit(random_brokerage(seed, sites=2, jobs=2))
        proved = str(found).split("(proved ")[1].split(")")[0]
        assert Fraction(proved) <= found.proved
