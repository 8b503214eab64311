"""Every algorithm and baseline, on shipped instances: audited, proved, repeatable, blind."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from farkas.api.check import check
from farkas.api.compare import compare
from farkas.api.solve import solve
from farkas.certificates.ratio import certified_ratio
from farkas.errors import NotACertificate, NotApplicable
from farkas.instances import Instance, kinds, library
from farkas.instances.generate import generate
from farkas.online import Bound, algorithms, demos, environments, read_run, write_run
from farkas.online.driver import plain
from farkas.online.loop import take_step
from farkas.online.policy import Policy
from farkas.online.run import Run, ratio_to
from tests.generators.futures import CUT

SEED = 7
every_algorithm = pytest.mark.parametrize("name", algorithms.names())


@functools.cache
def instances(kind: str) -> list[Instance]:
    """The shipped instances of a kind, the two that stand for it first."""
    first = [f"{kind}/tiny", f"{kind}/demo"]
    others = [name for name in library.names(kind) if name not in first]
    return [library.load(name) for name in [*first, *others]]


@functools.cache
def runs(name: str) -> list[tuple[Instance, Run]]:
    """Runs on the first two shipped instances that an algorithm accepts."""
    found: list[tuple[Instance, Run]] = []
    for instance in instances(algorithms[name].kind):
        try:
            found.append((instance, algorithms[name].run(instance, SEED)))
        except NotApplicable:
            continue
        if len(found) == 2:
            break
    return found


@every_algorithm
def test_it_decides_every_arrival_of_some_shipped_instance(name: str) -> None:
    assert runs(name), "no shipped instance exercises it"
    for instance, run in runs(name):
        assert len(run.decisions) == len(environments[instance.kind].arrivals(instance))


@every_algorithm
def test_a_run_has_a_value_or_says_what_it_breaks(name: str) -> None:
    for _, run in runs(name):
        assert math.isfinite(run.value) or run.violations
        assert run.ratio is None or (run.ratio >= 1 and not run.violations)


RELAXATION = {"mlbroker.fractional": "mlbroker.relaxed[printed,printed]"}
"""What bounds runs that decide shares; bounds on whole decisions do not hold for them."""


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
        assert proved
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


@every_algorithm
def test_one_seed_gives_one_run(name: str) -> None:
    for instance, run in runs(name):
        assert algorithms[name].run(instance, SEED) == run


@every_algorithm
def test_a_run_file_keeps_everything_and_is_proved_again(name: str, tmp_path: Path) -> None:
    for instance, run in runs(name):
        path = tmp_path / "run.json"
        write_run(run, path)
        assert read_run(path) == run
        proof = check(path, instance)
        assert (proof.ratio, proof.proof.bound) == (run.ratio, run.certificate.fraction)


@every_algorithm
def test_a_run_that_claims_more_than_it_proves_is_rejected(name: str) -> None:
    for instance, run in runs(name):
        bound = run.certificate.fraction
        more = abs(bound) / 1000 + 1
        better = bound + more if run.sense == "min" else bound - more
        forged = msgspec.structs.replace(run.certificate, exact=str(better))
        with pytest.raises(NotACertificate):
            check(msgspec.structs.replace(run, certificate=forged), instance)


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
