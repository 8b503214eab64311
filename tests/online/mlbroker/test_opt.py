"""The offline optimum."""

import pytest

from farkas.errors import NoAnswer
from farkas.instances import library
from farkas.online import algorithms
from farkas.online.mlbroker import opt
from farkas.solvers import Reason
from tests.generators.mlbroker import random_brokerage

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
