"""The offline optimum."""

import pytest

from farkas.errors import NoAnswer
from farkas.instances import library
from farkas.online import algorithms
from farkas.online.mlbroker import opt
from farkas.solvers import Reason
from tests.generators.mlbroker import even_brokerage, random_brokerage
from tests.references.mlbroker_policies import cheapest, cost_of, plans_of, sites_of

OPT = algorithms["mlbroker.opt"]


@pytest.mark.parametrize("seed", range(5))
def test_no_other_algorithm_is_cheaper(seed):
    broker = random_brokerage(seed)
    best = OPT.run(broker).value
    for name in ("central", "gr", "ir", "local", "mlbroker", "oasis", "one_shot"):
        assert algorithms[f"mlbroker.{name}"].run(broker).value >= best - 1e-6
    assert OPT.run(broker, semantics="printed").value >= best - 1e-6


def test_no_placement_in_time_is_no_run(monkeypatch):
    class Nothing:
        has_point = False
        reason = Reason.TIME_LIMIT

        def unless_interrupted(self):
            return self

    monkeypatch.setattr(opt, "solve", lambda *arguments, **named: Nothing())
    with pytest.raises(NoAnswer, match="no placement in 3 s; raise time_limit"):
        OPT.run(library.load("mlbroker/tiny"), time_limit=3.0)
    monkeypatch.setattr(Nothing, "reason", Reason.UNKNOWN)
    with pytest.raises(NoAnswer, match="got no placement of the solver highs"):
        OPT.run(library.load("mlbroker/tiny"))


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 6, 7, 8, 10])
def test_the_optimum_is_the_best_of_all_placements(seed):
    broker = random_brokerage(seed) if seed % 4 == 3 else even_brokerage(seed)
    before, total = {}, 0
    for slot, decision in enumerate(OPT.policy().decide(broker, 0)):
        plans = plans_of(decision)
        total += cost_of(broker, slot, plans, before)
        before = {n: sites_of(placed) for n, placed in plans.items()}
    assert float(total) == pytest.approx(float(cheapest(broker, range(broker.num_slots))), rel=1e-9)
