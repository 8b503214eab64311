"""Standings: which of them let a solver solve, and what they tell."""

import pytest

from farkas.solvers.access import Access, Availability, installed, missing, version_of


@pytest.mark.parametrize(
    ("standing", "usable"),
    [
        (Access.MISSING, False),
        (Access.UNLICENSED, False),
        (Access.LIMITED, True),
        (Access.FULL, True),
    ],
)
def test_a_limited_solver_solves_something_and_an_unlicensed_one_nothing(standing, usable):
    assert bool(Availability(Access(standing))) is usable


def test_a_standing_tells_its_detail():
    assert str(Availability(Access.FULL)) == "full"
    assert str(Availability(Access.LIMITED, "2 rows")) == "limited: 2 rows"


def test_what_is_missing_names_what_brings_it():
    assert str(missing("farkas[scip]")) == "missing: pip install 'farkas[scip]' to use it"
    assert str(missing("clarabel")) == "missing: pip install 'clarabel' to use it"


def test_packages_are_found_without_importing_them(tmp_path, monkeypatch):
    (tmp_path / "raises_on_import.py").write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(tmp_path)
    assert installed("raises_on_import")
    assert not installed("no_such_package")
    assert not installed("no_such_package.below")
    assert not installed("")
    assert version_of("no-such-distribution") == ""
    assert version_of("numpy") != ""
