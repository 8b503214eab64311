"""Claims of the papers as executable objects, each with a verdict."""

from farkas.proofs.claim import (
    Claim,
    Standing,
    Verdict,
    claim,
    claims,
    held,
    not_applicable,
    proved,
    refuted,
)

__all__ = [
    "Claim",
    "Standing",
    "Verdict",
    "claim",
    "claims",
    "held",
    "not_applicable",
    "proved",
    "refuted",
]
