"""Problem (2), corrected: compact, explicit and listed forms, and its readings by hand."""

from __future__ import annotations

import pytest

from farkas.instances import library
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


def test_data_location_counts_only_in_the_corrected_program() -> None:
    # integrality_gap of the case files: 81.594 by site, 92.893 over all sites together
    auction = library.load("eris/integrality_gap")
    assert optimum("eris.offline", auction) == pytest.approx(81.594)
    assert optimum("eris.offline_total", auction) == pytest.approx(92.893)
    assert optimum("eris.schedule_lp", auction) == pytest.approx(87.2435)


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
