"""Claims about the surrogate, and what they are made of."""

import pytest

from farkas.online.coded.local_search import favourites
from farkas.proofs import Standing, claims
from farkas.proofs.coded import surrogate
from farkas.proofs.coded.surrogate import agreement, published
from farkas.proofs.trials import NotProved


def test_branch_and_bound_agrees_with_all_assignments_within_rounding():
    found = agreement(published(2, 5, 1))
    assert (found.sign, found.tolerance) == ("==", 1e-12)
    assert -1e-12 <= found.slack <= 0


def test_another_optimum_of_the_cone_program_refutes_the_linear_one(monkeypatch):
    monkeypatch.setattr(surrogate, "cone_optimum", lambda data: 0.999 * 6.327197)
    assert claims["coded.hidden_convexity"].run().standing is Standing.REFUTED


@pytest.mark.parametrize("name", ["proposition1_dedicated", "scaling"])
def test_a_yield_of_another_law_is_not_proved(monkeypatch, name):
    # l (1 − exp(u a − u t²/l)) does not scale with load and time
    as_read = surrogate.expected_results
    monkeypatch.setattr(
        surrogate, "expected_results", lambda load, t, u, a: as_read(load, t**2, u, a)
    )
    with pytest.raises(NotProved):
        claims[f"coded.{name}"].run()


def test_a_search_that_misses_the_best_owners_refutes_the_equivalence(monkeypatch):
    monkeypatch.setattr(surrogate, "best_owner", lambda speed: favourites(speed) * 0)
    assert claims["coded.proposition1_dedicated"].run().standing is Standing.REFUTED


def test_an_optimum_that_does_not_scale_refutes(monkeypatch):
    class Late:
        time = 1.0

    monkeypatch.setattr(surrogate, "shared_optimum", lambda data: Late())
    found = claims["coded.scaling"].run()
    assert found.standing is Standing.REFUTED
    assert [(one.left, one.right) for one in found.fails] == [(1.0, 3.0), (4.0, 1.0)]
