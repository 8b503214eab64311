"""Exact distributions of the dependent rounding."""

from fractions import Fraction

import numpy as np

from farkas.instances.mlbroker import Brokerage
from farkas.portable import dirichlet, uniform
from farkas.proofs import Standing, claims
from farkas.proofs.mlbroker import rounding
from farkas.proofs.mlbroker.rounding import marginals, outcomes, short_of_workers
from farkas.proofs.trials import drawn
from farkas.rounding import round_jobs, round_keeping_weight, round_workers


def test_exact_outcomes_agree_with_the_rounding_itself():
    shares, weights = [Fraction(2, 10), Fraction(5, 10), Fraction(9, 10)], (2, 1, 3)
    rng = np.random.default_rng(0)
    draws = [round_keeping_weight([0.2, 0.5, 0.9], weights, rng) for _ in range(4000)]
    exact = [float(chance) for chance in marginals(outcomes(shares, weights))]
    # Three standard deviations of a mean of 4000 draws.
    np.testing.assert_allclose(np.mean(draws, axis=0), exact, atol=3 * 0.5 / np.sqrt(4000))


def test_settled_items_stay_and_the_last_open_one_goes_up():
    assert outcomes([Fraction(0), Fraction(1), Fraction(1, 3)], (1, 1, 1)) == {(0, 1, 1): 1}
    found = outcomes([Fraction(1, 2)] * 3, (1, 2, 3))
    assert sum(found.values()) == 1
    assert marginals({(1, 0): Fraction(1, 4), (1, 1): Fraction(3, 4)}) == [1, Fraction(3, 4)]


def test_every_end_of_roundings_grows_by_less_than_one_item():
    # what is proved of weights, on all ends of 40 roundings, exactly
    rng = np.random.default_rng(2)
    for _ in range(40):
        size = int(rng.integers(1, 5))
        shares = [Fraction(int(k), 10) for k in rng.integers(1, 10, size)]
        weights = [int(w) for w in rng.integers(1, 6, size)]
        before = sum((w * p for w, p in zip(weights, shares, strict=True)), Fraction(0))
        for end in outcomes(shares, weights):
            grown = sum(w * up for w, up in zip(weights, end, strict=True)) - before
            assert 0 <= grown < max(weights)


def test_roundings_themselves_do_what_is_proved_of_them():
    rng = np.random.default_rng(1)
    for _ in range(100):
        jobs, sites, rate = int(rng.integers(1, 5)), int(rng.integers(1, 6)), uniform(rng, 1, 50)
        volume = uniform(rng, 0.1, 100, sites)
        needed = np.ceil(volume.sum() / rate)
        workers = dirichlet(rng, 1.0, (jobs, sites)) * needed
        demand = rng.integers(0, 4, (jobs, 2)).astype(float)
        for combine in ("max", "round2"):
            rounded = round_workers(workers, demand, rng, combine=combine).sum(axis=1)
            assert (rounded >= needed).all()
            assert (rounded <= (1 + rate * (sites + 1) / volume.min()) * needed).all()
        free = uniform(rng, 0, 3, (3, 4))
        added = round_jobs(free, rng).sum(axis=1) - free.sum(axis=1)
        assert (added > -1e-9).all()
        assert (added < 1).all()


def test_a_round_that_leaves_a_job_short_refutes(monkeypatch):
    monkeypatch.setattr(rounding, "short_of_workers", lambda broker, seed: 1)
    assert claims["mlbroker.independent_rounding_fails"].run().standing is Standing.REFUTED


def test_round_robbed_of_a_worker_leaves_jobs_short(monkeypatch):
    broker = drawn(Brokerage, "small", 0, transfer_scale=40.0, num_sites=5)
    assert short_of_workers(broker, 0) == 0
    monkeypatch.setattr(
        "farkas.online.mlbroker.rounded.round_workers",
        lambda workers, *_, **__: np.floor(workers * 0.5).astype(np.int64),
    )
    assert short_of_workers(broker, 0) == broker.num_pairs
