"""Problem (2), corrected: compact, explicit and listed forms, and its readings by hand."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

import farkas
from farkas.algebra.formulation import programs
from farkas.exact.proving import prove_form
from farkas.forms.rational import as_rational
from farkas.models.eris.offline import FORGIVEN, forgiven
from farkas.online.run import Bound
from farkas.tolerances import ROUNDING
from farkas.verbs.optimum import hold_against
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum


@pytest.mark.parametrize("seed", range(12))
def test_compact_explicit_and_listed_forms_have_one_optimum(seed: int) -> None:
    auction = random_auction(seed)
    compact = optimum("eris.offline", auction)
    assert optimum("eris.offline[explicit]", auction) == pytest.approx(compact, abs=1e-6)
    assert optimum("eris.schedule_ilp", auction) == pytest.approx(compact, abs=1e-6)
    # counting chunks over all sites together only relaxes
    assert optimum("eris.offline_total", auction) >= compact - 1e-6


@pytest.mark.parametrize("name", ["eris.offline", "eris.offline[explicit]"])
def test_jobs_compete_for_the_budget_of_a_slot(name: str) -> None:
    # each job must move its chunk to site 1 for 1 MB, or stay away from a server there for 3 MB
    job = {"data": [1, 0], "utility": [10.0], "server_demand": [0.0], "parameter_size": 3.0}
    close = {"slots": 1, "site_capacity": [[0.0], [2.0]]}
    for budget, worth in ((0.0, 0.0), (1.0, 10.0), (1.9, 10.0), (2.0, 20.0)):
        auction = one_resource(dict(job), dict(job), transfer_budget=budget, **close)
        assert optimum(name, auction) == pytest.approx(worth, abs=1e-6), budget


@pytest.mark.parametrize("name", ["eris.offline", "eris.offline[explicit]", "eris.offline_total"])
def test_jobs_compete_for_the_capacity_of_a_site(name: str) -> None:
    # worker and server take 1 gpu each: two jobs fit beside each other in 4 gpus, not in 3
    job = {"data": [1], "utility": [10.0], "server_demand": [1.0]}
    for gpus, worth in ((1.0, 0.0), (3.0, 10.0), (4.0, 20.0)):
        auction = one_resource(dict(job), dict(job), slots=1, sites=1, site_capacity=[[gpus]])
        assert optimum(name, auction) == pytest.approx(worth, abs=1e-6), gpus


FREE = {"worker_demand": [0.0]}


@pytest.mark.parametrize("money", [1.0, 2.0**-40, 2.0**40])
@pytest.mark.parametrize(
    ("units", "changes"),
    [
        # in exact arithmetic 0.1 + 0.2 of a site, and 3 x 0.1 of the budget, are more than 0.3
        ([{"worker_demand": [0.1]}, {"worker_demand": [0.2]}], {"site_capacity": [[0.3], [0.0]]}),
        (
            [FREE | {"server_demand": [0.1]}, FREE | {"server_demand": [0.2]}],
            {"site_capacity": [[0.3], [0.0]]},
        ),
        (
            [{"parameter_size": 0.0}] * 3,
            {"site_capacity": [[0.0], [3.0]], "chunk_size": 0.1, "transfer_budget": 0.3},
        ),
    ],
)
def test_the_tree_of_the_program_bounds_runs_that_fill_a_capacity_up_to_rounding(
    units: list[dict[str, Any]], changes: dict[str, Any], money: float
) -> None:
    jobs = [each | {"data": [1, 0], "utility": [money]} for each in units]
    auction = one_resource(*jobs, slots=1, **changes)
    form = programs.build("eris.offline").form(auction)
    about = {"kind": "eris", "options": {"moves": "compact"}, "instance": auction.sha256}
    tree = prove_form(as_rational(form), embed=False, about=about)
    run = farkas.run(auction, "eris.antman")
    assert run.value == len(jobs) * money
    assert tree.bound is not None
    assert tree.bound == run.value
    proved = Bound.of(tree.bound, "tree", msgspec.to_builtins(tree.certificate))
    assert hold_against(run, msgspec.structs.replace(run, certificate=proved), auction).ratio == 1


def test_only_limits_that_rounding_decides_about_are_raised() -> None:
    limits = np.array([[0.0, 0.3], [0.4, 2.0]])
    # the double 0.1 is above a tenth: 0.3 and 2 hold one less exactly; 0.4 is four of that double
    raised = np.where(limits == 0.4, limits, limits + FORGIVEN * limits)
    assert (forgiven(limits, [0.1, 0.0]) == raised).all()
    # sums of 0.5 and 0.75 are quarters: 0.3 and 0.4 hold one, and so do limits raised by little
    assert (forgiven(limits, [0.5, 0.75]) == limits).all()
    assert (forgiven(limits, [0.0]) == limits).all()
    assert (forgiven(limits, []) == limits).all()
    for exponent in (-300, 300):
        scaled = forgiven(np.ldexp(limits, exponent), np.ldexp([0.1, 0.5], exponent).tolist())
        assert (scaled == np.ldexp(forgiven(limits, [0.1, 0.5]), exponent)).all()
    # just below a whole number of units, from where the replay forgives what is missing
    least = 3 * (1 - ROUNDING * 65 / 64)
    assert forgiven(np.array(least), [1.0]) >= 3
    assert forgiven(np.array(3 * (1 - 4 * ROUNDING)), [1.0]) < 3
