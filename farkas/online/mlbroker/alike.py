"""Several roundings of one fractional run: its slots are solved once."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.mlbroker import Brokerage
from farkas.models.mlbroker.data import Snapshot
from farkas.online.driver import algorithms, plain
from farkas.online.loop import drive
from farkas.online.mlbroker.fractional import Fractional, FractionalState
from farkas.online.run import Run
from farkas.solvers.subproblem import Subproblem, SubproblemAnswer


def solved_once(rule: Fractional, answers: dict[int, SubproblemAnswer]) -> Fractional:
    """Return the same rule, which takes answers by slot from ``answers``, and leaves its own."""

    class SolvedOnce(type(rule)):  # type: ignore[misc]
        def model(self, state: FractionalState, arrivals: Snapshot) -> Subproblem | None:
            """State the program, with the answer where there is one."""
            program: Subproblem | None = super().model(state, arrivals)
            if program is None:
                return None
            return dataclasses.replace(program, answer=answers.get(arrivals.slot))

        def round(
            self,
            state: FractionalState,
            arrivals: Snapshot,
            answer: SubproblemAnswer | None,
            rng: np.random.Generator,
        ) -> tuple[FractionalState, Any]:
            """Round, and leave the answer to others."""
            if answer is not None:
                answers[arrivals.slot] = answer
            return super().round(state, arrivals, answer, rng)  # type: ignore[no-any-return]

    return SolvedOnce(**vars(rule))


def run_alike(
    instance: Brokerage, chosen: Sequence[tuple[str, Mapping[str, Any]]], seed: int = 0
) -> list[Run]:
    """Run the fractional algorithm and roundings of it, each as if alone, on the same slots.

    No rounding is seen by the fractional algorithm, so all of them round the same decisions; only
    the timings of the runs tell that these were made once.

    Parameters
    ----------
    chosen
        Name and options of every algorithm.
    seed
        Of each run.

    Raises
    ------
    InvalidOption
        An algorithm that rounds nothing, or whose fractional decisions are not those of the first.
    """
    runs: list[Run] = []
    answers: dict[int, SubproblemAnswer] = {}
    wanted: tuple[Any, ...] | None = None
    for name, options in chosen:
        settled = algorithms[name].settle(dict(options))
        rule = algorithms[name].make(**settled)
        if not isinstance(rule, Fractional):
            raise InvalidOption(f"{name} rounds no fractional decisions")
        variant = rule.relax, rule.semantics, rule.epsilon, rule.solver
        wanted = wanted or variant
        if variant != wanted:
            raise InvalidOption(f"{name} rounds other decisions than {chosen[0][0]}")
        again = solved_once(rule, answers)
        runs.append(drive(again, instance, seed, name=name, options=plain(settled)))
    return runs
