"""Where a search stands, in a file that it can go on from.

The file holds no scores: instances are built, decided and replayed again when it is read, so that
what it says of itself changes where a search goes on, but nothing that is found.
"""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import math
import os
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

import msgspec
import numpy as np

import farkas
from farkas.adversary.gap import Decisions
from farkas.adversary.moves import KEPT
from farkas.adversary.scoring import LIFTS, Scorer
from farkas.adversary.search import (
    CHAINS,
    COOLING,
    DRAWN,
    FRESH,
    PUSHED,
    REDRAWN,
    ROUND,
    Chain,
    Incumbent,
    Problem,
)
from farkas.adversary.shape import InstanceBox, copied
from farkas.errors import FarkasError, FileProblem
from farkas.files import read_record, require_single
from farkas.files.writing import require_target, write_bytes
from farkas.messages import named
from farkas.messages.refusals import parsed
from farkas.online.driver import installed, plain

Index = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Hex = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{1,32}$")]

#: On these the course of a search depends: with others it goes on to another end.
SEARCH = (CHAINS, ROUND, DRAWN, KEPT, *dataclasses.astuple(COOLING), FRESH, REDRAWN, PUSHED)


class _Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Stored(_Record, frozen=True, kw_only=True):
    """An incumbent as plain data, and the decisions that are better on it; no score."""

    data: dict[str, Any]
    witness: Decisions


COUNTS = ("begun", "step", "start", "evaluations", "refused")


class StoredChain(_Record, frozen=True, kw_only=True):
    """A `farkas.adversary.search.Chain`; ``lifts`` are null where they are infinite."""

    #: State of a `numpy.random.PCG64`: two numbers of 128 bits, and half a draw.
    state: Hex
    inc: Hex
    has_uint32: Annotated[int, msgspec.Meta(ge=0, le=1)]
    uinteger: Annotated[int, msgspec.Meta(ge=0, lt=2**32)]
    kept: Annotated[list[Stored], msgspec.Meta(max_length=KEPT)]
    lifts: Annotated[list[float | None], msgspec.Meta(min_length=1, max_length=LIFTS)]
    begun: Index
    step: Annotated[int, msgspec.Meta(ge=0, le=DRAWN + COOLING.moves)]
    walk: Stored | None
    start: Index
    evaluations: Index
    refused: Index

    @classmethod
    def of(cls, chain: Chain) -> Self:
        """Say where a chain stands."""
        found: Any = chain.rng.bit_generator.state
        return cls(
            state=f"{found['state']['state']:x}",
            inc=f"{found['state']['inc']:x}",
            has_uint32=found["has_uint32"],
            uinteger=found["uinteger"],
            kept=[_stored(one) for one in chain.kept],
            lifts=[None if math.isinf(lift) else lift for lift in chain.lifts],
            walk=None if chain.walk is None else _stored(chain.walk),
            **{name: getattr(chain, name) for name in COUNTS},
        )

    def generator(self) -> np.random.Generator:
        """Make one that goes on from here."""
        bits = np.random.PCG64(0)
        bits.state = {
            "bit_generator": "PCG64",
            "state": {"state": int(self.state, 16), "inc": int(self.inc, 16)},
            "has_uint32": self.has_uint32,
            "uinteger": self.uinteger,
        }
        return np.random.Generator(bits)


def _stored(one: Incumbent) -> Stored:
    return Stored(data=one.data, witness=one.scored.witness)


class Identity(_Record, frozen=True, kw_only=True):
    """What a search is of; with the same it goes on, and finds the same."""

    #: algorithm, options, seed: whose worst case is searched for, and the seed of the search.
    algorithm: str
    options: dict[str, Any]
    seed: int
    box: str  #: SHA-256 of the box.
    search: tuple[float, ...]  #: Numbers on which the course of the search depends, see `SEARCH`.
    versions: dict[str, str]  #: Of everything that scores.

    @classmethod
    def of(cls, problem: Problem, name: str, seed: int) -> Self:
        """Say what a search is of."""
        box = problem.box
        ranges = {family: (one.low, one.high, one.whole) for family, one in box.ranges.items()}
        content = [box.kind, box.starts, ranges, box.most, sorted(box.optional), box.fixed]
        content += [problem.seed, problem.witnesses]
        encoded = msgspec.json.encode(content, order="deterministic")
        return cls(
            algorithm=name,
            options=plain(dict(problem.options)),
            seed=seed,
            box=hashlib.sha256(encoded).hexdigest(),
            search=SEARCH,
            versions={"farkas": farkas.__version__, "numpy": np.__version__, **installed()},
        )

    def other(self, stored: Identity) -> str:
        """Say in words in what a stored search is another one; empty if in nothing."""
        if stored.algorithm != self.algorithm:
            return f"it is about {named(stored.algorithm)}"
        if msgspec.json.encode(stored.options) != msgspec.json.encode(self.options):
            return "it is about other options"
        if stored.seed != self.seed:
            return f"its seed is {stored.seed}"
        if stored.box != self.box:
            return "its box is another one (preset, sizes, ranges or instance)"
        if (stored.search, stored.versions) != (self.search, self.versions):
            return "other versions of farkas or what it uses wrote it"
        return ""


class _File(_Record, frozen=True, kw_only=True):
    farkas: Literal[1] = 1
    search: Identity
    chains: Annotated[list[StoredChain], msgspec.Meta(min_length=CHAINS, max_length=CHAINS)]


class SearchStore:
    """A file that holds where a search stands; it appears after the first round."""

    def __init__(self, path: str | os.PathLike[str], identity: Identity) -> None:
        self._path, self._identity = path, identity
        self._where = named(os.fspath(path))
        require_target(path)

    def keep(self, chains: Sequence[Chain]) -> None:
        """Write where all chains stand, in one step; raises `FileProblem`."""
        content = _File(search=self._identity, chains=[StoredChain.of(one) for one in chains])
        write_bytes(self._path, msgspec.json.encode(content) + b"\n")

    def chains(self, box: InstanceBox, scorer: Scorer) -> list[Chain]:
        """Read where they stand, and score what they kept again; none without a file.

        Raises `FileProblem`: the file is no such store, about another search, or holds what the box
        does not or a witness that is none.
        """
        if not os.path.lexists(self._path):
            return []
        content = read_record(self._path)
        try:
            found = msgspec.json.decode(content, type=_File)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise FileProblem(f"{self._where}: is no store of a search: {parsed(error)}") from None
        require_single(content, self._where)
        if difference := self._identity.other(found.search):
            raise FileProblem(f"{self._where}: is the store of another search: {difference}")
        try:
            return [_chain(number, one, box, scorer) for number, one in enumerate(found.chains)]
        except FarkasError as error:
            raise FileProblem(f"{self._where}: {error}") from None


def _chain(number: int, stored: StoredChain, box: InstanceBox, scorer: Scorer) -> Chain:
    if stored.start >= len(box.starts) or stored.refused > stored.evaluations:
        raise FileProblem(f"counts of chain {number} do not fit together")
    lifts = [math.inf if lift is None else lift for lift in stored.lifts]
    chain = Chain(
        number,
        stored.generator(),
        lifts=collections.deque(lifts, maxlen=LIFTS),
        walk=None if stored.walk is None else _scored(stored.walk, box, scorer),
        **{name: getattr(stored, name) for name in COUNTS},
    )
    for one in stored.kept:
        chain.take(_scored(one, box, scorer))
    return chain


def _scored(stored: Stored, box: InstanceBox, scorer: Scorer) -> Incumbent:
    """Build, decide and replay one instance again."""
    data = copied(stored.data)
    try:
        instance = box.built(data) if box.holds(data) else None
    except (LookupError, TypeError, ValueError, AttributeError):
        instance = None
    if instance is None:
        raise FileProblem("holds an instance that is not of the box")
    scored = scorer.again(instance, stored.witness)
    if scored is None:
        raise FileProblem("holds an instance on which nothing is decided")
    return Incumbent(scored, data)
