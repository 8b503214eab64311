"""A little of every attack, and that the attacks would notice."""

from __future__ import annotations

import collections
import dataclasses
import json
import random
from fractions import Fraction

import pytest

from farkas.certificates import certificate_types, check, from_json
from tests.fuzz import kinds, linear, truth
from tests.fuzz.attack import HoleError
from tests.fuzz.run import ATTACKS, OTHERS, run

CASES = {"linear": 800, "vipr": 500}


@pytest.mark.parametrize("name", sorted(ATTACKS))
def test_nothing_false_is_accepted_and_nothing_breaks(name):
    seen = collections.Counter(run(name, 1, number) for number in range(CASES.get(name, 250)))
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


@pytest.mark.parametrize("tag", sorted(kinds.TARGETS))
def test_the_honest_certificate_is_within_the_optimum_and_one_beyond_is_noticed(tag):
    for k, target in enumerate(kinds.TARGETS[tag]):
        instance, content = kinds.honest(tag, k)
        proof = check(from_json(content), instance=instance)
        kinds.hold(proof, target.instance, content)
        way = 1 if proof.sense == "min" else -1
        best = truth.reached(target.instance, proof.program)
        claimed = dataclasses.replace(proof, bound=best + way * (abs(best) + 1))
        with pytest.raises(HoleError):
            kinds.hold(claimed, target.instance, content)
