"""A policy that solves a program in every slot, by the solver of one's choice.

It states the program `mlbroker.one_shot` for the jobs of the slot as if nothing were deployed, and
takes the placement that the solver finds.  The bound of the run is proved whoever solves.
"""

import dataclasses

import farkas
from farkas.algebra import programs
from farkas.models.mlbroker.placement import placement
from farkas.online.mlbroker.environment import PlacedSlot
from farkas.solvers.subproblem import Subproblem


@dataclasses.dataclass(frozen=True)
class Forgetful(farkas.Policy):
    """Places the jobs of every slot best for that slot alone."""

    solver: str = ""  # who solves; `farkas run --solver NAME` sets it

    def model(self, state, arrivals):
        """State the program of the slot."""
        program = programs.build("mlbroker.one_shot[strict]")
        return Subproblem(program, arrivals, placement, fastest="highs")

    def round(self, state, arrivals, answer, rng):
        """Take the placement, which is whole already."""
        workers, server = answer.decisions
        return state, PlacedSlot(arrivals.jobs, workers, server)


market = farkas.generate("mlbroker", "small", seed=0)
for solver in ("", "scip"):
    run = farkas.run(market, Forgetful(solver))
    print(f"{solver or 'highs'}: cost {run.value:.6g}, certified ratio {run.ratio:.4f}")
    assert not run.violations
for slot in run.steps:
    print(f"{slot.program} by {slot.solver}: {slot.fractional:.6g}, so far {slot.value_so_far:.6g}")
