"""What Algorithms 2 and 3 do, by hand."""

from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from farkas.models.eris.prices import posted_on_arrival
from farkas.online.eris.environment import Ledger
from farkas.proofs.claim import claims
from farkas.proofs.eris import algorithms, incentives, ratio
from farkas.proofs.eris.algorithms import (
    Shape,
    algorithm_3,
    auction,
    auctions,
    cheapest,
    metric,
    propose,
)
from farkas.proofs.eris.programs import agreement, prices_protect_capacity, printed_without_transfer
from farkas.proofs.eris.ratio import BASE, LIMIT, small_jobs
from farkas.proofs.verdict import Relation, Standing
from tests.generators.eris import one_resource


def test_two_moves_are_planned_where_one_fits() -> None:
    sample = auction("two_moves")
    total = int(sample.chunks[0])
    assert algorithm_3(sample, 0, int(sample.arrival[0]), total) == (np.inf, True)
    assert np.isfinite(cheapest(sample, 0, int(sample.arrival[0]), total))


def test_more_than_all_sites_can_host_is_impossible() -> None:
    sample = auction("two_moves")
    slot = int(sample.arrival[0])
    assert cheapest(sample, 0, slot, 10_000) == np.inf


def test_the_metric_by_hand() -> None:
    # one chunk at 16^(1/4) - 1 = 1 less 1 · (3 - 0), and the other way round
    state = {"transfer": [1.0], "resources": [[[1.0]], [[0.0]]]}
    cheap = one_resource({}, slots=1, transfer_budget=4.0, price_base_transfer=16.0,
                         price_base_resource=[16.0], occupied=state)  # fmt: skip
    assert metric(cheap, 0, 1) == pytest.approx(1.0 - 3.0)
    assert metric(cheap, 1, 0) == pytest.approx(1.0 + 3.0)


JOB = msgspec.structs.replace(auction("tiny").jobs[0], arrival=0, utility=(9.0, 7.0, 4.0))


@pytest.mark.parametrize("seed", range(10))
def test_reports_keep_the_rules_of_a_job(seed: int) -> None:
    rng = np.random.default_rng(seed)
    worth = incentives.other_worth(JOB, rng).utility
    assert list(worth) == sorted(worth, reverse=True)
    late = incentives.later_arrival(JOB, rng)
    assert late.utility == JOB.utility[late.arrival :]
    assert late.arrival in (1, 2)
    assert all(np.array(incentives.more_demand(JOB, rng).worker_demand) >= JOB.worker_demand)
    assert incentives.more_epochs(JOB, rng).epochs - JOB.epochs in (1, 2)


def test_a_job_of_one_slot_cannot_arrive_later() -> None:
    last = msgspec.structs.replace(JOB, utility=(9.0,))
    assert incentives.later_arrival(last, np.random.default_rng(0)) is last


def test_the_gain_is_counted_at_the_true_worth_of_the_slot_of_completion(verdict_of) -> None:
    sample = auction("not_truthful")
    truth = sample.jobs[0]
    told = msgspec.structs.replace(truth, worker_demand=(2.0,))
    # 99 against 101 - 4**.75; the truth gains nothing over itself
    found = incentives.no_gain(sample, truth, told, "printed")
    assert (found.left, found.right) == (pytest.approx(99), pytest.approx(101 - 4**0.75))
    assert not found.holds
    assert incentives.no_gain(sample, truth, truth, "printed").slack == 0.0


@pytest.mark.parametrize("unit", [2.0**-40, 1.0, 2.0**40])
def test_agreement_is_relative(unit) -> None:
    sides = [(3 * unit, 3 * unit), (3 * unit, 4 * unit), (4 * unit, 3 * unit)]
    # off by 1 of 4
    assert [agreement(*both, 2 * unit).slack for both in sides] == [0.0, -0.25, -0.25]
    assert agreement(unit, (1 + 9e-6) * unit, unit).holds
    assert not agreement(unit, (1 + 11e-6) * unit, unit).holds
    # nothing against jobs that are worth a unit
    assert agreement(0.0, 1e-9 * unit, unit).holds
    assert not agreement(0.0, 2e-5 * unit, unit).holds


def test_as_printed_a_job_of_the_first_slot_earns_its_best_worth() -> None:
    late = auction("late_arrival")
    assert printed_without_transfer(late) == pytest.approx(0.0, abs=1e-6)
    early = msgspec.structs.replace(late.jobs[0], arrival=0, utility=(10.0, 4.0))
    # worth is that of the last slot in which it may still have workers, so of the first
    assert printed_without_transfer(late.replace(jobs=[early])) == pytest.approx(10.0)


def test_a_job_without_parameters_says_nothing_of_what_is_free() -> None:
    sample = one_resource({"parameter_size": 0.0, "data": [1, 0]})
    assert sample.sites == 2
    assert prices_protect_capacity(sample) is None


def test_auctions_of_the_repaired_ratio_satisfy_its_assumptions() -> None:
    for sample in small_jobs(2, seed=11):
        share = 1.0 / 6.0  # 1 / log2(64)
        for job in sample.jobs:
            assert sum(job.data) + 1 <= share * sample.capacity.min()  # workers and a server
            assert 2 * sum(job.data) <= share * sample.transfer_budget  # moved and remote
            assert job.utility[0] <= BASE / 2 - 1  # per least use, which is 1
            assert job.utility[-1] >= 8


def test_auctions_keep_to_their_shape_and_seed() -> None:
    shape = Shape(sites=3, slots=2, jobs=2, chunks=4)
    drawn = list(auctions(20, seed=1, shape=shape))
    assert len(drawn) == 20
    for sample in drawn:
        assert 2 <= sample.sites <= 3
        assert 1 <= sample.slots <= 2
        assert sample.num_jobs == 2
        assert sample.chunks.max() <= 4
        assert (sample.used <= sample.capacity[:, :, None]).all()
    assert [s.sha256 for s in auctions(20, seed=1, shape=shape)] == [s.sha256 for s in drawn]


def test_a_ledger_holds_the_state_that_jobs_meet() -> None:
    sample = next(s for s in auctions(20, seed=1) if s.used.any())
    ledger = Ledger.in_state_of(sample)
    assert np.array_equal(ledger.used, sample.used)
    assert np.array_equal(ledger.transferred, sample.transferred)
    assert np.array_equal(ledger.prices.resource, posted_on_arrival(sample).resource)


def test_schedulers_propose_differently() -> None:
    sample = auction("one_chunk_twice")
    # the printed one claims 15 for running one chunk twice; no schedule earns anything
    assert propose(sample, sample.jobs[0], "printed").payoff == 15.0
    assert max(0.0, propose(sample, sample.jobs[0], "exact").payoff) == 0.0


def test_verdicts_on_algorithms_2_and_3_follow_from_what_they_find(monkeypatch) -> None:
    checked = claims["eris.algorithm_3_is_optimal"], claims["eris.algorithm_2_is_optimal"]
    monkeypatch.setattr(algorithms, "auctions", lambda _, **how: auctions(4, **how))
    assert [claim.run().standing for claim in checked] == [Standing.REFUTED] * 2
    monkeypatch.setattr(algorithms, "algorithm_3", lambda *task: (cheapest(*task), True))
    monkeypatch.setattr(algorithms, "propose", lambda one, job, _: propose(one, job, "exact"))
    found = [claim.run() for claim in checked]
    assert [verdict.standing for verdict in found] == [Standing.HELD] * 2
    assert found[1].note == "right in 4 of 4 random states"


def test_the_repaired_ratio_is_refuted_by_a_ratio_above_its_limit(monkeypatch) -> None:
    monkeypatch.setattr(ratio, "small_jobs", lambda count, seed: small_jobs(1, seed))
    least = [Relation(1.0, "<=", LIMIT)], Relation(0, "==", 0), 1.0
    monkeypatch.setattr(ratio, "repaired_run", lambda one: least)
    for bound, standing in ((LIMIT, Standing.HELD), (2 * LIMIT, Standing.REFUTED)):
        found = SimpleNamespace(bound=bound)
        monkeypatch.setattr(ratio, "relaxation_by_columns", lambda one, found=found: found)
        assert claims["eris.repaired_ratio"].run().standing is standing
