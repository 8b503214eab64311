"""Claims of the papers as executable objects, each with a verdict."""

from farkas.proofs.claim import Claim, claim, claims
from farkas.proofs.verdict import Standing, Stated, Verdict, held, not_applicable, proved, refuted

__all__ = [
    "Claim",
    "Standing",
    "Stated",
    "Verdict",
    "claim",
    "claims",
    "held",
    "not_applicable",
    "proved",
    "refuted",
]
