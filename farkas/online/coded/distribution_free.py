"""Algorithm coded.distribution_free."""

from __future__ import annotations

import bisect
import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from farkas.instances.coded import CodedComputing
from farkas.models.coded.law import Allocation, MeasuredPairs, require_measured
from farkas.numbers import Floats, Ints
from farkas.online.coded.chance_plans import ChanceSearch, Grains
from farkas.online.driver import Outcome, algorithm
from farkas.online.run import Bound
from farkas.replay.base import Kept, Replayed
from farkas.tolerances import TIE

if TYPE_CHECKING:
    from farkas.replay.coded_chance import Numbers


class MeasuredGrains(Grains):
    """Judged by what measured times guarantee."""

    def returned(self, master: int, workers: Ints, per_row: Floats) -> Floats:
        """Guaranteed probability of a time per row, shape (workers,)."""
        return MeasuredPairs.of(self.data).returned(master, workers, per_row)

    def time(self, master: int, workers: Ints, loads: Ints) -> float:
        """Smallest time at which P[X >= L] reaches ρ: one at which some load is back."""
        found = MeasuredPairs.of(self.data)
        laws = found.law[master, workers].tolist()
        back = [
            load * found.times[law] for load, law in zip(loads.tolist(), laws, strict=True) if load
        ]
        if not back:
            return math.inf
        # a little later, so that the quotients by loads are not a little early
        steps = np.unique(np.concatenate(back)) * float(self.rows[master]) * (1.0 + TIE)
        target = self.data.success_probability
        place = bisect.bisect_left(
            steps, True, key=lambda time: self.chance(master, workers, loads, time) >= target
        )
        return float(steps[place]) if place < len(steps) else math.inf

    @property
    def speed(self) -> Floats:
        """Guaranteed speeds."""
        return MeasuredPairs.of(self.data).speed

    @property
    def time_per_row(self) -> Floats:
        """Time per row at which they are reached."""
        return MeasuredPairs.of(self.data).time_per_row


@algorithm(
    "coded.distribution_free", source="not in the paper; P1", problem="coded.chance[measured]"
)
@dataclasses.dataclass(frozen=True)
class DistributionFree(ChanceSearch):
    """As coded.chance_search, by measured times instead of exponential laws.

    A run is worth the time by which, with the confidence that the instance states, every master has
    its rows with probability ρ, whatever the laws that were measured.  Needs an instance with
    measured times; see `farkas.instances.coded.Measured` for what is assumed.  Options are those of
    coded.chance_search.
    """

    def judged(self, data: CodedComputing) -> MeasuredGrains:
        """Judge by measured times.

        Raises
        ------
        NotApplicable
            When the instance holds no measured times.
        """
        require_measured(data)
        return MeasuredGrains(data, self.grains)

    def reached(
        self, instance: CodedComputing, share: Numbers, loads: Numbers, kept: Kept
    ) -> Replayed:
        """Enclose the time that the plan guarantees."""
        from farkas.replay.coded_measured import replay_measured

        return replay_measured(instance, share, loads, kept)

    def numbers(self, instance: CodedComputing, plan: Allocation) -> dict[str, float]:
        """Confidence, and the largest of the margins that it costs."""
        measured = require_measured(instance)
        return {"confidence": measured.confidence, "margin": max(measured.margins)}

    def evaluate(self, instance: CodedComputing, decisions: Sequence[Allocation]) -> Outcome:
        """Return the time that is guaranteed, and what that means."""
        from farkas.replay.coded_measured import said

        found = super().evaluate(instance, decisions)
        found.remarks.append(said(instance, require_measured(instance)))
        return found

    def certify(
        self, instance: CodedComputing, state: Any, decisions: Sequence[Allocation]
    ) -> Bound | None:
        """Prove a bound on what any plan guarantees."""
        from farkas.certificates.coded import MasterPrices
        from farkas.relaxations.coded.sharing import best_sharing

        sharing = best_sharing(MeasuredPairs.of(instance).speed)
        prices = sharing.prices if sharing.level > 0 else np.ones(instance.num_masters)
        proved = MasterPrices.of(instance, "coded.chance[measured]", prices)
        if proved.bound is None:
            return None
        method = "Markov's inequality and prices of the masters, on what any plan guarantees"
        return Bound.of(Fraction(proved.bound), method, proved.plain())
