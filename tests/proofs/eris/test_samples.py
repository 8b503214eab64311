"""Random auctions on which claims are tried."""

import numpy as np

from farkas.models.eris.prices import posted_on_arrival
from farkas.proofs.eris.samples import Shape, auction, auctions, ledger_of, propose


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
    ledger = ledger_of(sample)
    assert np.array_equal(ledger.used, sample.used)
    assert np.array_equal(ledger.transferred, sample.transferred)
    assert np.array_equal(ledger.prices.resource, posted_on_arrival(sample).resource)


def test_schedulers_propose_differently() -> None:
    sample = auction("one_chunk_twice")
    # the printed one claims 15 for running one chunk twice; no schedule earns anything
    assert propose(sample, sample.jobs[0], "printed").payoff == 15.0
    assert max(0.0, propose(sample, sample.jobs[0], "exact").payoff) == 0.0
