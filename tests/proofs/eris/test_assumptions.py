"""Assumptions of Theorem 5 on published runs."""

import pytest

from farkas.proofs import Standing, claims
from farkas.proofs.eris import assumptions
from farkas.proofs.eris.assumptions import accepted_jobs


@pytest.mark.slow
@pytest.mark.parametrize("name", ["worth_exceeds_volume", "use_is_small"])
def test_assumptions_are_refuted_by_numbers_alone(name, monkeypatch) -> None:
    assert claims[f"eris.{name}"].run().standing is Standing.REFUTED
    modest = [
        assumptions.PublishedJob({"job": job}, worth=20.0, transfer=5.0, units=20.0, share=0.1)
        for job in range(3)
    ]
    monkeypatch.setattr(assumptions, "accepted_jobs", lambda: modest)
    assert claims[f"eris.{name}"].run().standing is Standing.HELD


def test_volumes_of_accepted_jobs_are_those_of_the_run() -> None:
    accepted = accepted_jobs(num_jobs=2)
    assert accepted
    for job in accepted:
        assert 0 < job.share <= 1
        # a worker and a server need at least a CPU and two of RAM each
        assert job.units >= 6
        assert job.transfer >= 0
