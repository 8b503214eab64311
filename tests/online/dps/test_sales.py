"""Sales by columns are the decisions that sellers make job by job."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import farkas.kernels
from farkas.instances.dps import Market
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.online.dps.hindsight import Coordinates
from farkas.online.dps.kernel import STEPS_A_JOB
from farkas.online.dps.knapsacks import Knapsacks
from farkas.online.dps.learning import Dps, RandomPlacement, Scaled, Simple, Top
from farkas.online.dps.learning_kernel import run_learning
from farkas.online.dps.offers import Ask, Quote
from farkas.online.dps.pairs import PairPrices
from farkas.online.dps.posted import BestFit, FixedPrice, FreeOfCharge, Random, run_seller
from farkas.online.dps.sales import Sales
from farkas.online.dps.seller import Seller
from farkas.online.recording import plain
from tests.generators.dps import empty_market, learning_market, random_market

SELLERS: list[Any] = [
    Dps(), Dps(placement="best_fit"), Dps(capacity="turnover", radii="range"), Simple(), Top(),
    Scaled(), RandomPlacement(), FreeOfCharge(), BestFit(), PairPrices(), PairPrices(arms="joint"),
    Knapsacks(), Knapsacks(placement="random"),
]  # fmt: skip


@pytest.fixture
def at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sellers use their kernels however short the work."""
    monkeypatch.setattr(farkas.kernels.Kernel, "ready", lambda self, steps: True)


def roomy(seed: int) -> Market:
    """Jobs that take several servers, and much to learn."""
    return generate(
        "dps", "small", seed, num_jobs=120, horizon=60, num_servers=5, budget_spread=0.8,
        runtime_rounding=("ceil", "none")[seed % 2],
        occupancy=("closed", "half_open")[seed // 2 % 2],
    )  # fmt: skip


@pytest.mark.parametrize("seller", SELLERS, ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_they_are_the_decisions_job_by_job(seller: Any, seed: int, at_work: None) -> None:
    for market in (roomy(seed), learning_market(seed), random_market(seed), empty_market()):
        found = seller.decide(market, seed)
        slow = run_seller(seller, market, seed)
        assert isinstance(found, Sales)
        assert list(found) == slow
        assert [found[place] for place in range(-len(slow), 0)] == slow
        assert found[1:5:2] == slow[1:5:2]
        assert found.plain() == plain(slow)
        assert [type(each) for job in found.plain() for each in job.values()] == [
            type(each) for job in plain(slow) for each in job.values()
        ]
        assert len(found) == len(slow)
        assert found.served.tolist() == [each.served for each in slow]
        assert found.colocated.tolist() == [each.colocated for each in slow]
    with pytest.raises(IndexError):
        _ = found[len(found)]


def test_fixed_prices_too(at_work: None) -> None:
    market = roomy(1)
    seller = FixedPrice(np.full(market.num_worker_types, 0.4), np.full(market.num_ps_types, 0.3))
    found = seller.decide(market, 0)
    assert found is not None
    assert list(found) == run_seller(seller, market)
    assert {each.outcome for each in found} == {"sold", "declined", "full"}
    assert isinstance(Coordinates(1).decide(market, 0), Sales)


@pytest.mark.parametrize(
    "name", ["dps.dps", "dps.dps_pairs", "dps.bfp_coord", "dps.pa", "dps.simple"]
)
def test_runs_are_the_same_either_way(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    market = roomy(3)
    monkeypatch.setattr(farkas.kernels.Kernel, "ready", lambda self, steps: False)
    by_steps = algorithms[name].run(market, 5)
    monkeypatch.setattr(farkas.kernels.Kernel, "ready", lambda self, steps: True)
    at_once = algorithms[name].run(market, 5)
    for field in ("value", "costs", "decisions", "violations", "numbers", "ratio", "value_exact"):
        assert getattr(at_once, field) == getattr(by_steps, field)
    assert by_steps.violations == []


def test_steps_are_taken_where_no_machine_code_is_and_little_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    market, asked = random_market(0, jobs=7, servers=3), []
    kernel = farkas.kernels.Kernel(run_learning.function, run_learning.steps)
    monkeypatch.setattr(Dps, "one_pass", kernel)
    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", 500_000)
    assert Dps().decide(market, 0) is None

    def translate(given: Any, **_: bool) -> Any:
        asked.append(given)
        return given.interpret

    monkeypatch.setattr("farkas.kernels.machine.translate", translate)
    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", 7 * (STEPS_A_JOB + 3))
    assert Dps().decide(market, 0) is None
    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", 7 * (STEPS_A_JOB + 3) - 1)
    assert isinstance(Dps().decide(market, 0), Sales)
    assert kernel in asked
    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", 1e12)
    assert isinstance(Dps().decide(market, 0), Sales)  # it is there now


def test_sellers_without_a_kernel_take_steps(at_work: None) -> None:
    assert Random().decide(random_market(0), 0) is None
    assert Seller().decide(random_market(0), 0) is None
    with pytest.raises(NotImplementedError):
        Seller().simulate(random_market(0))


class Half:
    """Asks for half of what others would."""

    def quote(self, state: Any, ask: Ask) -> Quote:
        found: Quote = super().quote(state, ask)  # type: ignore[misc]
        assert found.worker_price is not None
        assert found.ps_price is not None
        return self.at(ask, found.worker_price / 2, found.ps_price / 2, *found.arms)  # type: ignore[attr-defined, no-any-return]


class Mixed(Half, Simple):
    """Half price."""


class Dear(Simple):
    """Another hook that prices pass."""

    def at(self, ask: Ask, worker_price: float, ps_price: float, *arms: Any) -> Quote:
        return super().at(ask, 2 * worker_price, ps_price, *arms)


class Blind(Simple):
    """Quotes also where nothing fits."""

    quotes_blindly = True


class Unknowing(PairPrices):
    """Other constants in the helpers of a step."""

    def _eta(self, known: Any, kind: int, other: int) -> float:
        return 0.0


@pytest.mark.parametrize("seller", [Mixed(), Dear(), Blind(), Unknowing()], ids=repr)
def test_whoever_changes_what_decides_takes_steps(seller: Any, at_work: None) -> None:
    assert seller.decide(roomy(0), 0) is None


def test_a_step_changed_later_counts_too(at_work: None, monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine(Simple):
        """To be changed."""

    assert Mine().decide(roomy(0), 0) is not None
    monkeypatch.setattr(Mine, "quote", Half.quote, raising=False)
    assert Mine().decide(roomy(0), 0) is None


def test_a_seller_that_changes_a_step_does_not_use_the_kernel(at_work: None) -> None:
    class Generous(Simple):
        def quote(self, state: Any, ask: Ask) -> Quote:
            return self.at(ask, 0.0, 0.0, 0, 0)

    class Renamed(Simple):
        """The same under another name."""

    market = roomy(0)
    assert Generous().decide(market, 0) is None
    assert algorithms["dps.simple"].policy().decide(market, 0) is not None
    renamed = Renamed().decide(market, 0)
    assert renamed is not None
    assert list(renamed) == run_seller(Simple(), market)
