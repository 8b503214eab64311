"""Program mlbroker.relaxed."""

from __future__ import annotations

from typing import ClassVar, Self

from farkas.algebra import option
from farkas.errors import InvalidOption
from farkas.models.mlbroker.placement import Movement
from farkas.models.mlbroker.slot import PlacementProgram


class Relaxing(Movement):
    """The rules of (8) in nonnegative variables: as printed, or on the chord and split by job."""

    integral: ClassVar[bool] = False
    relax: str

    @property
    def pricing(self) -> str:
        """Single constant as printed, or chord."""
        return "single" if self.relax == "printed" else "chord"

    @property
    def linking(self) -> str:
        """Global constant as printed, or split."""
        return "global" if self.relax == "printed" else "split"


class Relaxed(Relaxing, PlacementProgram):
    """Lower bound on the offline optimum, a linear program.  mlBroker (9).

    ``relax``: "printed" is (9), that is (8) with one constant M, one constant U and nonnegative
    variables; "tight" prices resources on the convex envelope of (7) and splits (8g) by job;
    "sharp" also conditions every decision on the server's site, under strict semantics only.
    Each is at most the next, and all are at most the optimum of their semantics.

    No upper bounds are stated: ``v <= 1`` and the like hold at some optimum, and with a
    multiplier of their own they would spoil the duals of (9).
    """

    name = "mlbroker.relaxed"
    relax: str = option("printed", "tight", "sharp")

    def __new__(cls, **variant: str) -> Self:
        """Pick the class that writes the chosen relaxation, whatever has been imported so far."""
        if cls is Relaxed and variant.get("relax") == "sharp":
            from farkas.relaxations.mlbroker.sharp import Sharp  # which is a Relaxed

            return super().__new__(Sharp)  # type: ignore[return-value]
        return super().__new__(cls)

    def __init__(self, **variant: str) -> None:
        super().__init__(**variant)
        if self.relax == "sharp" and self.semantics != "strict":
            raise InvalidOption(f"{self.name}: sharp needs semantics strict; add semantics=strict")

    @classmethod
    def options(cls) -> dict[str, tuple[str, ...]]:
        """Variant switches, relaxation first."""
        found = super().options()
        return {"relax": found.pop("relax"), **found}
