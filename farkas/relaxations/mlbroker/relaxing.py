"""What the linear relaxations of (8) share."""

from __future__ import annotations

from typing import ClassVar

from farkas.models.mlbroker.placement import Movement


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
