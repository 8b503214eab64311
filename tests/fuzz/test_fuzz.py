"""A little of every attack, and that the attacks would notice."""

from __future__ import annotations

import collections
import dataclasses
import json
import random
from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import certificate_types, check, from_json
from farkas.solvers import Conclusion, solve
from tests.fuzz import kinds, linear, trees, truth
from tests.fuzz.attack import HoleError
from tests.fuzz.run import ATTACKS, OTHERS, run
from tests.generators.forms import random_form
from tests.tools.quick import some

CASES = {"linear": some(120, 800), "tree": some(120, 800), "vipr": some(120, 800)}
CASES |= {"coded_prices": some(4, 250)}  # these take long


@pytest.mark.ids(len(ATTACKS))
@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_nothing_false_is_accepted_and_nothing_breaks(name):
    seen = collections.Counter(
        run(name, 1, number) for number in range(CASES.get(name, some(40, 250)))
    )
    assert set(seen) == {"accepted", "refused"}, "make fuzz finds it again"


def test_every_type_of_certificate_is_attacked():
    assert set(certificate_types.names()) - {"infeasible"} == set(ATTACKS) - set(OTHERS) | {
        "linear"
    }


def test_a_false_bound_would_be_noticed():
    rng = random.Random(1)
    noticed = 0
    for _ in range(100):
        form = linear.draw(rng)
        found = linear.vertices(form)
        if not found:
            continue
        content = json.dumps(linear.certificate(rng, form)).encode()
        huge = Fraction(10) ** 400
        side = {"lower": huge} if form.sense == "min" else {"upper": -huge}
        with pytest.raises(HoleError, match="reaches"):
            linear.refute({"infeasible": False, "sense": form.sense, **side}, content)
        with pytest.raises(HoleError, match="infeasible"):
            linear.refute({"infeasible": True, "sense": form.sense}, content)
        noticed += 1
    assert noticed > 30


@pytest.mark.parametrize(
    "tag",
    [
        pytest.param(tag, marks=[pytest.mark.slow] * (tag in ("coded_prices", "priced_tree")))
        for tag in sorted(kinds.TARGETS)
    ],
)
def test_the_honest_certificate_is_within_the_optimum_and_one_beyond_is_noticed(tag):
    for k, target in enumerate(kinds.TARGETS[tag]):
        instance, content = kinds.honest(tag, k)
        proof = check(from_json(content), instance=instance)
        kinds.hold(proof, target.instance, content)
        way = 1 if proof.sense == "min" else -1
        best = truth.reached(target.instance, proof.program)
        claimed = dataclasses.replace(proof, bound=best + way * (abs(best) + 1), value=None)
        with pytest.raises(HoleError):
            kinds.hold(claimed, target.instance, content)


def test_the_exact_optimum_is_that_of_a_solver():
    # max 3x + 2y, x + y <= 4, x + 3y <= 6, x >= 1: x = 4, y = 0.
    rows = [([1, 1], 4), ([1, 3], 6), ([-1, 0], -1)]
    lines = [([Fraction(a) for a in row], Fraction(side)) for row, side in rows]
    assert truth.simplex([Fraction(3), Fraction(2)], lines) == 12
    assert (
        truth.simplex([Fraction(0)] * 2, [*lines, ([Fraction(1), Fraction(0)], Fraction(0))])
        is None
    )
    rng = np.random.default_rng(1)
    forms = [random_form(rng) for _ in range(60)]
    known = [(form, solve(form)) for form in forms if not form.is_mip]
    for form, answer in known:
        if answer.claim == Conclusion.OPTIMAL:
            assert float(truth.best_point(form)) == pytest.approx(answer.objective)


def test_a_false_claim_about_a_tree_would_be_noticed():
    for number in range(12):
        form, content, best = trees.known(number)
        proof = check(from_json(content.encode()))
        trees.hold(proof, form, best, b"")
        wrong = [dataclasses.replace(proof, form="0" * 64)]
        wrong += [dataclasses.replace(proof, unbounded=True)] * (best != "unbounded")
        wrong += [dataclasses.replace(proof, bound=None, value=None, unbounded=False)] * (
            best is not None
        )
        if isinstance(best, Fraction):
            step = 1 if form.sense == "min" else -1
            wrong.append(dataclasses.replace(proof, bound=best + step, value=None))
            better = best - step
            wrong.append(dataclasses.replace(proof, bound=better, value=better))
        for one in wrong:
            with pytest.raises(HoleError):
                trees.hold(one, form, best, b"")
