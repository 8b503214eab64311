"""Requests come one by one; each is served whole or not at all."""

from __future__ import annotations

import dataclasses

import msgspec

import farkas
from farkas.certificates import RunBound, run_bounds
from farkas.online import Bound, Demo, Outcome, algorithm, environment


@environment("ration", demo=Demo("ration.first_come", "ration.shares"))
class Counter:
    """Shows one request after the other."""

    sense = "max"

    def known(self, instance):
        """Only the stock is known in advance."""
        return instance.units

    def arrivals(self, instance):
        """One request a step."""
        return instance.requests

    def evaluate(self, instance, decisions):
        """Worth of the served requests, and whether the stock sufficed."""
        served = [r for r, taken in zip(instance.requests, decisions, strict=True) if taken]
        used = sum(r.units for r in served)
        broken = [] if used <= instance.units else [f"{used:g} units, there are {instance.units:g}"]
        return Outcome([{"worth": r.worth} for r in served], broken)

    def bound(self, instance):
        """The optimum in shares, proved from its multipliers."""
        solution = farkas.solve(instance, "ration.shares", certify=True)
        plain = msgspec.to_builtins(solution.certificate)
        return Bound.of(solution.bound, "duals of ration.shares", plain)


# whole requests are shares, too
run_bounds.add("ration", (RunBound("linear", "ration.shares"),))


@algorithm("ration.first_come", source="none; an example")
@dataclasses.dataclass(frozen=True)
class FirstCome:
    """Serves every request that still fits and is worth ``least`` a unit."""

    least: float = 0.0

    def start(self, known, seed):
        """Nothing is given away yet."""
        return known

    def step(self, state, arrivals):
        """Serve it when it fits and pays."""
        taken = arrivals.units <= state and arrivals.worth >= self.least * arrivals.units
        return (state - arrivals.units if taken else state), taken
