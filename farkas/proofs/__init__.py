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
from farkas.proofs.said import Stated

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
