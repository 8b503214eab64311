"""An exact program as a climber: held against the optimum of the same program."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import farkas
from farkas.certificates import from_json
from farkas.errors import NoAnswer
from farkas.exact.bounding import Deadline
from farkas.offline import Ascent
from farkas.offline import integer_program as module
from farkas.offline.integer_program import integer_program


def rungs(most_entries=10**6):
    seen = []

    def decide(instance, form, point):
        seen.append(form.cost @ point + form.offset)
        assert np.array_equal(point[form.integer], np.rint(point[form.integer]))
        return ["decisions"]

    climber = integer_program("dps.offline[free]", decide, most_entries)
    found = list(climber(farkas.load("dps/demo"), Ascent("max", Deadline(60.0), Fraction(0))))
    return found, seen


@pytest.mark.slow
def test_points_and_bound_meet_at_the_optimum():
    found, seen = rungs()
    exact = farkas.prove("dps/demo", "dps.offline[free]").value
    assert [rung.decisions for rung in found[:-1]] == [["decisions"]] * (len(found) - 1)
    assert seen == pytest.approx([float(exact)] * len(seen))
    bound = found[-1].bound
    assert bound.fraction == exact
    assert bound.certificate["certificate"] == "tree"
    import msgspec

    certificate = from_json(msgspec.json.encode(bound.certificate), "certificate")
    assert farkas.check(certificate, "dps/demo").bound == exact


def test_large_programs_are_left_to_others():
    with pytest.raises(NoAnswer, match=r"dps\.offline\[free\] has \d+ entries, more than 10"):
        rungs(10)


def test_the_solver_leaves_time_for_the_proof(monkeypatch):
    monkeypatch.setattr("farkas.exact.bounding.clock", lambda: 0.0)  # no time passes
    limits = {}

    def limited(name, answer):
        def instead(form, *, time_limit=math.inf, **named):
            limits[name] = time_limit
            return answer

        monkeypatch.setattr(module, name, instead)

    limited("solve", SimpleNamespace(has_point=False))
    limited("prove_form", SimpleNamespace(point=None, bound=None, certificate=None))
    climber = integer_program("dps.offline[free]", None, 10**6, share=0.5)
    assert not list(climber(farkas.load("dps/demo"), Ascent("max", Deadline(60.0), Fraction(0))))
    assert limits["prove_form"] == 30.0  # half of what is left is all that both may take
    assert 0 < limits["solve"] <= 15.0
