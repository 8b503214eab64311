"""Every algorithm and baseline, on shipped instances: no better than others prove, and blind."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest

from farkas.api.check import check
from farkas.api.compare import compare
from farkas.api.solve import solve
from farkas.certificates.ratio import certified_ratio
from farkas.errors import NotACertificate
from farkas.instances import Instance, kinds
from farkas.instances.generate import generate
from farkas.online import Bound, algorithms, demos, environments
from farkas.online.driver import plain
from farkas.online.loop import take_step
from farkas.online.policy import Policy
from farkas.online.run import Run, ratio_to
from farkas.testing import SEED, instances, runs
from tests.generators.futures import CUT

every_algorithm = pytest.mark.parametrize("name", algorithms.names())


RELAXATION = {"mlbroker.fractional": "mlbroker.relaxed[printed,printed]"}
"""What bounds runs that decide shares; bounds on whole decisions do not hold for them."""


ALONE = "coded.chance_search"
"""What no other algorithm decides: loads that keep a time with a probability."""


@functools.cache
def bound_of_environment(kind: str, place: int) -> Bound:
    """What an environment proves about an instance."""
    bound = environments[kind].bound(instances(kind)[place])
    assert bound is not None
    return bound


@functools.cache
def bound_of_program(kind: str, place: int, program: str) -> Fraction:
    """What a program proves about an instance."""
    bound = solve(instances(kind)[place], program, certify=True).bound
    assert bound is not None
    return bound


def bounds_of_others(name: str, instance: Instance, run: Run) -> dict[str, Bound | Fraction]:
    """What others than an algorithm prove about its run, by who does."""
    item, shown = algorithms[name], demos[run.kind]
    place, said = instances(run.kind).index(instance), (run.kind, run.options, run.algorithm)
    found: dict[str, Bound | Fraction] = {}
    environment = bound_of_environment(run.kind, place)
    if environment.holds_for(*said, run.decisions):
        found["environment"] = environment
    program = RELAXATION.get(name, "")
    if type(item.policy()).evaluate is Policy.evaluate:  # decisions are priced as the demo's are
        program = shown.relaxation or shown.program
    if program:
        found["program"] = bound_of_program(run.kind, place, program)
    for rival in algorithms.names(f"{run.kind}."):
        if item.problem and rival != name and algorithms[rival].problem == item.problem:
            for of, other in runs(rival):
                bound = other.certificate
                if of is instance and bound and bound.holds_for(*said, run.decisions):
                    found[rival] = bound
    return found


@every_algorithm
def test_a_run_is_no_better_than_what_others_prove_possible(name: str) -> None:
    for instance, run in runs(name):
        proved = bounds_of_others(name, instance, run)
        assert proved or name == ALONE
        for bound in proved.values():
            if run.violations:
                continue
            # each raises where a run is better than the bound allows
            if isinstance(bound, Bound):
                ratio_to(run, instance, bound)
            else:  # a form holds rewards as doubles that have no last digit
                certified_ratio(run.sense, run.reached, bound, exact=False)


@pytest.mark.parametrize("place", [0, 1])
def test_a_bound_on_whole_decisions_is_none_on_points_of_a_weaker_relaxation(place: int) -> None:
    instance, run = runs("mlbroker.fractional")[place]
    bound = bound_of_environment("mlbroker", instances("mlbroker").index(instance))
    assert run.reached < bound.fraction  # which proves nothing wrong
    assert not bound.holds_for("mlbroker", run.options, run.algorithm, run.decisions)
    with pytest.raises(NotACertificate, match=r"does not bound runs of mlbroker\.fractional"):
        check(msgspec.structs.replace(run, certificate=bound), instance)
    found = compare(instance, ["mlbroker.fractional", "mlbroker.local"], seed=SEED)
    assert found["mlbroker.fractional"].ratio == run.ratio
    assert found.bound is not None
    assert found.bound.fraction >= bound.fraction


def decisions(policy: Any, instance: Instance, known: Any, steps: int) -> list[Any]:
    """Decide about the first arrivals of an instance, as plain data."""
    state, made, rng = policy.start(known, SEED), [], np.random.default_rng(SEED)
    for arrival in environments[instance.kind].arrivals(instance)[:steps]:
        state, decision, _ = take_step(policy, state, arrival, rng)
        made.append(plain(decision))
    return made


def sees_the_future(policy: Any, instance: Instance) -> bool:
    """Whether past decisions change when what comes later does; what is known in advance stays."""
    world = environments[instance.kind]
    known, steps = world.known(instance), len(world.arrivals(instance))
    whole = decisions(policy, instance, known, steps)
    cuts = {last: CUT[instance.kind](instance, last) for last in (steps // 4, steps // 2)}
    assert any(cut != instance for cut in cuts.values()), "there is no future to change"
    return any(
        decisions(policy, cut, known, last + 1) != whole[: last + 1] for last, cut in cuts.items()
    )


@functools.cache
def long_instance(kind: str) -> Instance:
    return generate(kind, "small", seed=3)


ONLINE = [
    name
    for name in algorithms.names()
    if algorithms[name].kind in CUT and not algorithms[name].policy().hindsight
]


@pytest.mark.parametrize("name", ONLINE)
def test_decisions_do_not_depend_on_what_is_still_to_come(name: str) -> None:
    assert not sees_the_future(algorithms[name].policy(), long_instance(algorithms[name].kind))


def test_every_kind_with_several_steps_has_another_future() -> None:
    steps = {
        kind: max(len(environments[kind].arrivals(instance)) for instance in instances(kind))
        for kind in kinds()
    }
    assert {kind for kind, most in steps.items() if most > 1} == set(CUT)
