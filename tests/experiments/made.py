"""Statements made by hand: small instances with decisions that everybody can follow."""

from __future__ import annotations

import shutil
from pathlib import Path

from farkas.adversary.catalogue import FOLDER, ShippedStatement, find_statement, statements_of
from farkas.adversary.gap import GapProof


def proof_of(name: str) -> GapProof:
    """Proof of a statement that ships."""
    proof = find_statement(name).prove().proof
    assert proof is not None
    return proof


def copied(folder: Path, name: str) -> ShippedStatement:
    """Copy the statements of a kind, to be forged; the one of that name."""
    kind = name.partition(".")[0]
    shutil.copytree(FOLDER / kind, folder / kind)
    (found,) = [one for one in statements_of(kind, folder) if one.name == name]
    return found
