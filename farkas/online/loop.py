"""The loop of every run: solve, round, judge, bound.

For every arrival the policy states a program, a solver answers, the policy rounds.  The decisions
are judged from the instance alone, a bound is proved, and every slot leaves its record.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.errors import NoAnswer, require_type
from farkas.kernels import clock
from farkas.numbers import Rng
from farkas.online import driver
from farkas.online.driver import DecisionLog, Environment, Outcome, Progress, StepAnswer
from farkas.online.policy import (
    Increments,
    Policy,
    as_policy,
    authored,
    require_first_solver,
    require_proof,
)
from farkas.online.run import Bound, Run, prove_value

if TYPE_CHECKING:
    from farkas.solvers.subproblem import SubproblemAnswer


#: What a policy is asked for in every step.
TAKEN = "round and step return the next state and the decision, model a Subproblem or None"


def drive(
    policy: Any,
    instance: Any,
    seed: int = 0,
    *,
    progress: Progress | None = None,
    name: str | None = None,
    options: dict[str, Any] | None = None,
    done: DecisionLog | None = None,
) -> Run:
    """Let ``policy`` decide about one arrival after the other, then judge and certify the run.

    ``policy`` is a `Policy`, its class, or an object with some of its parts; ``progress`` is called
    after every step.  ``name``, ``options`` and ``done`` are what the run says of its policy, by
    default its class and no options, and what that decided.

    Raises `InvalidOption`: it decides nothing; `NoAnswer`: the value is beyond doubles;
    `NotACertificate`: environment and replay disagree, or the value is better than the bound
    allows.
    """
    policy, world = as_policy(policy), driver.environments[instance.kind]
    expected = f"kind {instance.kind} takes {world.decides}" if world.decides else ""
    called, used = name or f"{instance.kind}.{policy.name}", options or {}
    done = done or decide(policy, world, instance, seed, progress)
    begin, decisions = clock(), done.decisions
    with authored(policy, "its decisions", expected):
        outcome = policy.evaluate(instance, decisions) or world.evaluate(instance, decisions)
        require_type(outcome, Outcome, "what evaluate returns")
    if math.isinf(outcome.total) and not outcome.violations:
        raise NoAnswer(f"{called}: decisions are worth more than doubles hold; use larger units")
    evaluated = clock()
    with authored(policy, "its decisions", expected):
        made = driver.plain(decisions)
    with authored(policy, "certify", "it returns a Bound that its certificate proves, or None"):
        bound = policy.certify(instance, done.state, decisions)
        require_type(bound, (Bound, NoneType), "what certify returns")
        if bound is not None and policy.foreign:
            require_proof(bound, instance, used, called, made)
    if bound is None:
        # what bounds runs as the environment prices them may not bound what this policy's are worth
        bound = world.bound(instance)
        if bound is not None and bound.certificate is not None:
            bound = bound if bound.holds_for(instance.kind, used, called, made) else None
    with authored(policy, "theorem", "it returns Increments or None"):
        theorem = policy.theorem(instance, done.state, decisions)
        require_type(theorem, (Increments, NoneType), "what theorem returns")
    with authored(policy, "remarks", "it returns a list of text"):
        remarks = [*outcome.remarks, *policy.remarks(done.state)]
    certified = clock()
    run = Run(
        algorithm=called,
        kind=instance.kind,
        options=used,
        instance=instance.name,
        sense=world.sense,
        value=outcome.total,
        costs=[{part: float(x) for part, x in slot.items()} for slot in outcome.costs],
        decisions=made,
        theorem="" if theorem is None else theorem.theorem,
        violations=list(outcome.violations),
        certificate=bound,
        numbers={name: float(x) for name, x in outcome.numbers.items()},
        remarks=remarks,
        timings={
            "policy": done.seconds,
            "longest_step": done.longest,
            "evaluate": evaluated - begin,
            "certify": certified - evaluated,
        },
        manifest=driver.manifest(instance, seed),
    )
    written = clock()
    run.remember(instance)
    with authored(policy, "its decisions", expected):
        prove_value(run, instance)
    run.steps = driver.slots_of(run, world, instance, done.solved, theorem)
    run.timings["replay"] = clock() - written
    return run


def decide(
    policy: Policy,
    world: Environment,
    instance: Any,
    seed: int,
    progress: Progress | None = None,
    arrivals: Iterable[Any] | None = None,
) -> DecisionLog:
    """Ask a policy for all its decisions: at once where it can, else arrival by arrival.

    ``arrivals`` are those of the instance, where they have been made already.
    """
    with authored(policy, "prepare"):
        policy.prepare(instance)
    begin = clock()
    with authored(policy, "decide"):
        made = policy.decide(instance, seed)
    if made is not None:
        return DecisionLog(made, seconds=clock() - begin)
    arrivals = world.arrivals(instance) if arrivals is None else list(arrivals)
    rng = np.random.default_rng(seed)
    begin, longest = clock(), 0.0
    with authored(policy, "start"):
        state = policy.start(world.known(instance), seed)
    if policy.solver:
        require_first_solver(policy, state, arrivals)
    decisions: list[Any] = []
    solved: list[StepAnswer] = []
    for arrival in arrivals:
        since = clock()
        with authored(policy, f"step {len(decisions)}", TAKEN):
            state, decision, found = take_step(policy, state, arrival, rng)
        longest = max(longest, clock() - since)
        decisions.append(copy.deepcopy(decision) if policy.foreign else decision)
        solved.append(found)
        if progress is not None:
            progress(len(decisions), len(arrivals))
    return DecisionLog(decisions, state, solved, clock() - begin, longest)


def take_step(policy: Policy, state: Any, arrivals: Any, rng: Rng) -> tuple[Any, Any, StepAnswer]:
    """Solve and round until there is a decision; return the next state, it, and what was solved."""
    answers: list[SubproblemAnswer] = []
    while True:
        program = policy.model(state, arrivals)
        answer = None
        if program is not None:
            from farkas.solvers.subproblem import solve_subproblem  # here: many policies solve none

            try:
                answer = solve_subproblem(program, policy.solver)
            except NoAnswer as error:
                return *policy.unsolved(state, arrivals, error), StepAnswer.by(policy, answers)
            answers.append(answer)
        state, decision = policy.round(state, arrivals, answer, rng)
        if decision is not None or program is None:
            return state, decision, StepAnswer.by(policy, answers)
