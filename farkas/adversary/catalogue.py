"""The worst statement found for each algorithm, shipped with the package; none is believed.

``statements/<kind>/<label>.json`` is a `Gap`, which ``farkas check`` proves.  The label is the
algorithm without its kind, and the options that are not its defaults.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path
from typing import Any

from farkas.adversary.gap import Decisions, GapProof, from_json, prove_gap
from farkas.adversary.scoring import decides_again
from farkas.errors import FarkasError, UnknownName
from farkas.online.driver import algorithms

FOLDER = Path(__file__).parent / "statements"
FOUND = "found.json"  #: How statements were found; no statement.


@dataclasses.dataclass(frozen=True, slots=True)
class ShippedStatement:
    """A statement that ships with the package, as its files hold it."""

    name: str  #: Of the algorithm, with options in brackets that are not its defaults.
    folder: Path  #: Of its kind.

    @property
    def path(self) -> Path:
        return self.folder / f"{label_of(self.name)}.json"

    def prove(self) -> StatementCheck:
        """Prove the statement now, and let its algorithm decide again."""
        proof, objection = _proved(self.path, self.name)
        again = proof is not None and decides_again(proof.gap, proof.instance)
        return StatementCheck(self, proof, objection, again)


@dataclasses.dataclass(frozen=True, slots=True)
class StatementCheck:
    """What became of a shipped statement when it was proved again."""

    shipped: ShippedStatement  #: The statement.
    proof: GapProof | None  #: What is proved of it; None where nothing is.
    objection: str  #: Why nothing is.
    repeats: bool  #: Whether the algorithm decides today as the statement says.

    @property
    def name(self) -> str:
        return self.shipped.name

    @property
    def ratio(self) -> Fraction | None:
        """Proved ratio; None where it is unbounded.  Raises `ValueError` where none is proved."""
        if self.proof is None:
            raise ValueError(f"{self.name}: nothing is proved: {self.objection}")
        return self.proof.ratio


def statement_name(decided: Decisions) -> str:
    """Name of what decided: the algorithm, and options that are not its defaults.

    >>> statement_name(Decisions(algorithm="eris.eris", kind="eris", decisions=[],
    ...                          options={"scheduler": "printed", "price_floor": 0.0}))
    'eris.eris[scheduler=printed]'
    """
    said = unusual(decided)
    words = ",".join(f"{key}={value}" for key, value in said.items())
    return f"{decided.algorithm}[{words}]" if words else decided.algorithm


def unusual(decided: Decisions) -> dict[str, Any]:
    """Options that are not the algorithm's defaults."""
    known = decided.algorithm in algorithms  # else it is a policy whose class is not at hand
    usual = algorithms[decided.algorithm].options if known else {}
    return {key: value for key, value in decided.options.items() if value != usual.get(key)}


def label_of(name: str) -> str:
    """Name of the file of a statement, without suffix and kind.

    >>> label_of("eris.eris[scheduler=printed]"), label_of("dps.simple")
    ('eris.scheduler=printed', 'simple')
    """
    return name.partition(".")[2].replace("[", ".").rstrip("]")


def statements_of(kind: str, folder: Path | None = None) -> list[ShippedStatement]:
    """Statements of a kind by name, unproved.

    ``folder`` holds a folder for each kind; by default the package's own.
    """
    inside = (folder or FOLDER) / kind
    labels = [path.stem.partition(".") for path in inside.glob("*.json") if path.name != FOUND]
    names = sorted(
        f"{kind}.{name}[{options}]" if dot else f"{kind}.{name}" for name, dot, options in labels
    )
    return [ShippedStatement(name, inside) for name in names]


def find_statement(name: str) -> ShippedStatement:
    """Shipped statement of a name; raises `UnknownName`."""
    every = {one.name: one for one in statements_of(name.partition(".")[0])}
    if name not in every:
        raise UnknownName.of("statement of a worst case", name, every)
    return every[name]


def _proved(path: Path, name: str) -> tuple[GapProof | None, str]:
    """Prove a file about an algorithm and options; else say why it is not proved."""
    try:
        gap = from_json(path.read_bytes(), path.name)
        proof = prove_gap(gap)
    except OSError as error:
        return None, f"{path.name}: {error.strerror or error}"
    except FarkasError as error:
        return None, str(error)
    found = statement_name(gap.reached)
    if found != name:
        return None, f"{path.name} is about {found}"
    return proof, ""
