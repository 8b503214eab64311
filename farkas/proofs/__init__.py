"""Claims of the papers as executable objects, each with a verdict."""

from farkas.proofs.claim import Claim, claim, claims
from farkas.proofs.verdict import Relation, Standing, Verdict, held, not_applicable, proved, refuted

__all__ = [
    "Claim",
    "Relation",
    "Standing",
    "Verdict",
    "claim",
    "claims",
    "held",
    "not_applicable",
    "proved",
    "refuted",
]
