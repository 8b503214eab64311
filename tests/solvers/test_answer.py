"""Answers: ignorance by default, and a word for what is absent."""

import math

import numpy as np
import pytest

from farkas.errors import NoAnswer
from farkas.solvers import Answer, Claimed, Reason


def test_an_empty_answer_knows_nothing():
    answer = Answer()
    assert (answer.reason, answer.claim) == (Reason.UNKNOWN, Claimed.NONE)
    assert math.isnan(answer.objective)
    assert math.isnan(answer.bound)
    assert not answer.has_point


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("point", "the answer of highs has no point"),
        ("row_duals", "the answer of highs has no row duals"),
        ("ray", "the answer of highs has no infeasibility ray"),
    ],
)
def test_what_is_absent_raises_with_the_reason(field, words):
    answer = Answer(reason=Reason.TIME_LIMIT, solver="highs", message="after 3 s")
    with pytest.raises(NoAnswer) as refusal:
        getattr(answer, field)
    assert str(refusal.value) == f"{words}: stopped for reason time_limit, claim none (after 3 s)"


def test_what_is_there_is_handed_out():
    point, duals, ray = np.zeros(1), np.ones(2), -np.ones(2)
    answer = Answer(raw_point=point, raw_row_duals=duals, raw_ray=ray)
    assert answer.has_point
    assert answer.point is point
    assert answer.row_duals is duals
    assert answer.ray is ray


@pytest.mark.parametrize("claim", [c for c in Claimed if c is not Claimed.OPTIMAL])
def test_only_a_claim_of_optimality_is_an_optimum(claim):
    best = Answer(claim=Claimed.OPTIMAL)
    assert best.require_optimal() is best
    with pytest.raises(NoAnswer, match=f"an empty answer did not reach an optimum.*claim {claim}"):
        Answer(claim=claim).require_optimal()


def test_an_interrupted_solve_ends_what_asked_for_it():
    stopped = Answer(reason=Reason.INTERRUPTED, claim=Claimed.OPTIMAL)
    for asked in (stopped.unless_interrupted, stopped.require_optimal):
        with pytest.raises(KeyboardInterrupt):
            asked()
    limited = Answer(reason=Reason.TIME_LIMIT)
    assert limited.unless_interrupted() is limited


def test_a_bound_that_is_not_stated_is_what_one_says():
    assert Answer().bound_or(math.inf) == math.inf
    assert Answer(bound=2.0).bound_or(math.inf) == 2.0
