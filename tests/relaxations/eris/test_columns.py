"""Column generation of the relaxation of (3), every job priced exactly."""

from __future__ import annotations

import pytest

from farkas.errors import NoAnswer
from farkas.instances import library
from farkas.relaxations.eris import welfare_bound
from farkas.relaxations.eris.welfare_bound import (
    generate_columns,
    relaxation_by_columns,
)
from tests.generators.eris import one_resource, random_auction
from tests.tools.optimum import optimum


@pytest.mark.parametrize("seed", range(15))
def test_column_generation_closes_on_the_listed_relaxation(seed: int) -> None:
    auction = random_auction(seed)
    listed = optimum("eris.schedule_lp", auction)
    rounds = list(generate_columns(auction))
    assert rounds[-1].value == pytest.approx(listed, abs=1e-5)
    assert rounds[-1].bound == pytest.approx(listed, abs=1e-5)
    # every round's bound holds, not only the last
    assert all(r.bound >= listed - 1e-6 for r in rounds)


def test_rounds_that_end_too_early_have_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    auction = one_resource({}, {})
    assert relaxation_by_columns(auction).value == pytest.approx(20.0)
    monkeypatch.setattr(welfare_bound, "MOST_ROUNDS", 0)
    with pytest.raises(NoAnswer, match="0 rounds"):
        relaxation_by_columns(auction)
    monkeypatch.setattr(welfare_bound, "MOST_ROUNDS", 1)
    with pytest.raises(NoAnswer, match="1 rounds"):
        relaxation_by_columns(library.load("eris/integrality_gap"))
