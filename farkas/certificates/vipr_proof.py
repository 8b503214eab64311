"""What a VIPR file proves, in numbers and in words."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any, Literal

from farkas.certificates.doubles import both
from farkas.certificates.proof import rounded
from farkas.messages import ShowsStatement, quoted

MOST_COMMENTS = 10  #: Comments of a file that are repeated.


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ViprProof(ShowsStatement):
    """What a VIPR file proves."""

    sense: Literal["min", "max"]
    infeasible: bool  #: The program has no point.
    #: lower, upper: proved bounds of the optimal value; None where the file claims none.
    lower: Fraction | None
    upper: Fraction | None
    num_derivations: int  #: Derived constraints that were recomputed.
    comments: tuple[str, ...]  #: Lines before the version.

    @property
    def statement(self) -> str:
        """The proof in words; those of the file are told apart."""
        if self.infeasible:
            said = ["The program inside the file is infeasible."]
        else:
            low = "-inf" if self.lower is None else rounded(self.lower, up=False)
            high = "inf" if self.upper is None else rounded(self.upper, up=True)
            said = [f"The optimal value of the program inside the file is in [{low}, {high}]."]
        shown = self.comments[:MOST_COMMENTS]
        said += [f"The file comments: {quoted(comment)}." for comment in shown]
        if len(self.comments) > len(shown):
            said.append(f"{len(self.comments) - len(shown)} more comments are left out.")
        return "  ".join(said)

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "sense": self.sense,
            "infeasible": self.infeasible,
            **both("lower", self.lower, up=False),
            **both("upper", self.upper, up=True),
            "derivations": self.num_derivations,
            "comments": list(self.comments),
            "statement": self.statement,
        }
