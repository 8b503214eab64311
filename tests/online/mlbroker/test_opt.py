"""The offline optimum."""

import pytest

from farkas.errors import NoAnswer
from farkas.instances import library
from farkas.online import algorithms
from farkas.quantities import evaluate
from farkas.solvers import Reason, solve
from tests.generators.mlbroker import even_brokerage, random_brokerage, single
from tests.references.mlbroker_policies import cheapest, cost_of, plans_of, sites_of

OPT = algorithms["mlbroker.opt"]


def test_no_placement_in_time_is_no_run(monkeypatch):
    class Nothing:
        has_point = False
        reason = Reason.TIME_LIMIT

        def unless_interrupted(self):
            return self

    monkeypatch.setattr("farkas.solvers.solve", lambda *arguments, **named: Nothing())
    with pytest.raises(NoAnswer, match="no placement in 3 s; raise time_limit"):
        OPT.run(library.load("mlbroker/tiny"), time_limit=3.0)
    monkeypatch.setattr(Nothing, "reason", Reason.UNKNOWN)
    with pytest.raises(NoAnswer, match="got no placement of the solver highs"):
        OPT.run(library.load("mlbroker/tiny"))


@pytest.mark.ids(5)
@pytest.mark.parametrize("seed", [0, 1, 3, 4, 6, 7, 8, 10])
def test_the_optimum_is_the_best_of_all_placements(seed):
    broker = random_brokerage(seed) if seed % 4 == 3 else even_brokerage(seed)
    before, total = {}, 0
    for slot, decision in enumerate(OPT.policy().decide(broker, 0)):
        plans = plans_of(decision)
        total += cost_of(broker, slot, plans, before)
        before = {n: sites_of(placed) for n, placed in plans.items()}
    assert float(total) == pytest.approx(float(cheapest(broker, range(broker.num_slots))), rel=1e-9)


def test_either_semantics_is_the_one_that_is_optimised():
    # data at site 0, then 1, then 0, a worker and a server in each slot: with returns for nothing
    # the job follows its data (6 + 2 * 3); else it stays and moves 5 GB at 1 USD (6 + 3 + 5)
    broker = single([[5.0, 0.0], [0.0, 5.0], [5.0, 0.0]], deploy_cost=3.0)
    once, paid = (OPT.run(broker, semantics=each) for each in ("printed", "strict"))
    assert once.numbers["total_sticky"] == pytest.approx(12.0, rel=1e-9)
    assert once.value == pytest.approx(15.0, rel=1e-9)
    assert paid.value == pytest.approx(14.0, rel=1e-9)
    optima = evaluate(broker, ["mlbroker.offline[printed]", "mlbroker.offline[strict]"])
    assert list(optima.values()) == pytest.approx([12.0, 14.0], rel=1e-9)


def test_limits_are_the_solvers(monkeypatch):
    asked = {}

    def recorded(form, name, **limits):
        asked.update(limits, name=name)
        return solve(form, name, **limits)

    monkeypatch.setattr("farkas.solvers.solve", recorded)
    OPT.run(library.load("mlbroker/tiny"), time_limit=3.5, gap=0.25)
    assert asked == {"name": "highs", "time_limit": 3.5, "gap": 0.25}
