"""The statement: on this instance an algorithm reaches v, and a solution of value w exists.

Both sides are replayed in exact arithmetic from the decisions that the file holds, so that the
ratio is a lower bound on the competitive ratio of whatever decides so on this instance.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any, Literal

import msgspec

from farkas.certificates.doubles import both, double, text_of
from farkas.certificates.encoding import rational
from farkas.certificates.proof import rounded
from farkas.errors import FileProblem, InvalidOption, NotACertificate
from farkas.files import require_single
from farkas.files.writing import write_bytes
from farkas.instances import Instance
from farkas.instances.files import read_bytes
from farkas.instances.mlbroker import FRACTIONAL
from farkas.messages import ShowsStatement, method, named
from farkas.messages.refusals import parsed
from farkas.offline.methods import searches
from farkas.online.driver import algorithms, environments, plain
from farkas.online.run import Sense
from farkas.replay import Replay, replay

UNBOUNDED = "unbounded"  #: Ratio of a reward of 0 to a positive one, or of a positive cost to 0.


class Decisions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody decided, as runs keep it."""

    #: Registered name, that of a search for the offline optimum, or of somebody's policy.
    algorithm: str
    kind: str  #: Of the instance.
    options: dict[str, Any] = {}  #: All options, defaults included.
    decisions: list[Any]  #: One entry per step.
    #: Hash of the file of a policy that nobody registered; else left out.
    policy_sha256: str | msgspec.UnsetType = msgspec.UNSET


class Gap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that states how far decisions of an algorithm are from other decisions."""

    #: farkas, statement: format of the file.
    farkas: Literal[1] = 1
    statement: Literal["gap"] = "gap"
    instance: dict[str, Any]  #: The whole instance, as its own file would hold it.
    seed: int  #: Of the algorithm's draws.
    reached: Decisions  #: What the algorithm decided.
    #: Decisions that keep every requirement exactly and are worth more, or cost less.
    witness: Decisions
    #: Rational number as text, >= 0, that is claimed to be reached at least; or ``"unbounded"``.
    ratio: str

    def to_json(self) -> bytes:
        """Content of the file."""
        return msgspec.json.encode(self) + b"\n"

    def write(self, path: str) -> None:
        """Write the file in one step; raises `FileProblem`."""
        write_bytes(path, self.to_json())


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class GapProof(ShowsStatement):
    """What was proved of a `Gap`."""

    #: gap, instance: the statement, and its instance as it was read.
    gap: Gap
    instance: Instance
    sense: Sense  #: ``min``: a cost; ``max``: a reward.
    #: What the decisions of the algorithm cost at least, or earn at most; None where they never end
    #: what they are to do, and the cost is a time.
    value: Fraction | None
    witness: Fraction  #: What the other decisions cost at most, or earn at least.
    #: Where the instance lies among others, in words; nothing where that was not asked.
    place: str = ""

    plot, save = method("plot"), method("save")

    @property
    def ratio(self) -> Fraction | None:
        """The proved ratio; None when it is unbounded."""
        return ratio_of(self.sense, self.value, self.witness)

    @property
    def statement(self) -> str:
        """The proof in words."""
        gap, least = self.gap, self.sense == "min"
        verb, side, other = (
            ("cost", "least", "most") if least else ("earn", "most", "least")
        )  # fmt: skip
        ratio = self.ratio
        far = "infinitely far" if ratio is None else f"a factor of {rounded(ratio, up=False)}"
        said = ", ".join(f"{name}={value}" for name, value in sorted(gap.reached.options.items()))
        options = f" and options {named(said)}" if said else ""
        source = gap.reached.policy_sha256
        own = f" (a policy of a file of sha256 {named(source[:12])}...)" if source else ""
        worth = (
            "never end"
            if self.value is None
            else f"{verb} at {side} {rounded(self.value, up=not least)}"
        )
        return (
            f"On the instance of the file (sha256 {self.instance.sha256[:12]}...) the decisions "
            f"that it says {named(gap.reached.algorithm)}{own} takes with seed {gap.seed}"
            f"{options} {worth}; others, which keep every requirement exactly, "
            f"{verb} at {other} {rounded(self.witness, up=least)}.  Whoever decides so is "
            f"{far} from the optimum, or farther.  Not proved here: that the algorithm decides so; "
            f"farkas run on the instance shows what it decides.{self.place and '  ' + self.place}"
        )

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        least = self.sense == "min"
        return {
            "kind": self.instance.kind,
            "instance": self.instance.sha256,
            "algorithm": self.gap.reached.algorithm,
            "options": self.gap.reached.options,
            "seed": self.gap.seed,
            "sense": self.sense,
            **(NEVER if self.value is None else both("value", self.value, up=not least)),
            **both("witness", self.witness, up=least),
            "ratio_at_least": at_least(self.ratio),
            "ratio_exact": UNBOUNDED if self.ratio is None else text_of(self.ratio),
            "statement": self.statement,
        }


#: In JSON, what decisions cost that never end what they are to do.
NEVER = {"value": None, "value_exact": "infinite"}


def at_least(ratio: Fraction | None) -> float | str:
    """Largest double below a ratio, for JSON; ``"unbounded"`` for None."""
    if ratio is None:
        return UNBOUNDED
    found = double(ratio, up=False)
    return UNBOUNDED if found is None else found


def ratio_of(sense: Sense, value: Fraction | None, witness: Fraction) -> Fraction | None:
    """Return how far a value is from a witness; None when one is 0 and the other is not.

    Values that are nowhere below zero are compared; two zeros are equal.  A value of None is an
    infinite cost, which is infinitely far from any.  Raises `NotACertificate`: one is negative:
    then their ratio says nothing.

    >>> ratio_of("min", Fraction(3), Fraction(2)), ratio_of("max", Fraction(0), Fraction(2))
    (Fraction(3, 2), None)
    """
    if value is None:
        if sense == "max":
            raise NotACertificate("a reward is not infinite")
        return None
    high, low = (value, witness) if sense == "min" else (witness, value)
    if low < 0 or high < 0:
        raise NotACertificate("a value is negative: its ratio says nothing")
    if low:
        return high / low
    return None if high else Fraction(1)


def prove_gap(gap: Gap) -> GapProof:
    """Replay both sides of a statement on its instance.

    Raises `NotACertificate`: decisions break requirements, are of another problem or of nobody
    known, or a smaller ratio is proved than is claimed; `InvalidInstance`: the file holds no
    instance.
    """
    inside = read_bytes(msgspec.json.encode(gap.instance), "instance of the statement")
    problem = _problem_of(gap.reached, inside.kind, offline=False)
    if _problem_of(gap.witness, inside.kind, offline=True) != problem:
        raise NotACertificate(
            f"{gap.witness.algorithm} and {gap.reached.algorithm} decide different problems"
        )
    _require_options(gap.reached)
    if gap.witness.algorithm in RELAXED:
        raise NotACertificate(f"{gap.witness.algorithm} decides no solutions, but parts of them")
    sense = environments[inside.kind].sense
    value = value_of(sense, replayed(gap.reached, inside))
    proof = GapProof(gap, inside, sense, value, witnessed(sense, replayed(gap.witness, inside)))
    _require_claimed(gap.ratio, proof.ratio)
    return proof


RELAXED = FRACTIONAL  #: What decides shares: points of a relaxation witness nothing.


def replayed(decided: Decisions, instance: Instance) -> Replay:
    """Replay one side; raises `NotACertificate` where that proves nothing."""
    found = replay(decided, instance)
    if found is None:
        raise NotACertificate(f"nothing replays decisions of {named(decided.algorithm)}")
    if found.broken and not found.endless:
        raise NotACertificate(
            f"decisions of {named(decided.algorithm)} break requirements: {found.broken[0]}"
        )
    return found


def value_of(sense: Sense, found: Replay) -> Fraction | None:
    """Return what an algorithm's decisions cost at least, or earn at most; None if infinite."""
    if found.endless:
        return None
    if sense == "max":
        return found.high
    return found.low if found.decided is None else min(found.low, found.decided)


def witnessed(sense: Sense, found: Replay) -> Fraction:
    """Return what a witness costs at most, or earns at least; it has to keep all exactly."""
    if found.broken:
        raise NotACertificate(f"the witness breaks requirements: {found.broken[0]}")
    if found.excess and found.decided is None:
        raise NotACertificate("the witness misses a requirement by a share, however small")
    return found.proved(sense)


def _problem_of(decided: Decisions, kind: str, *, offline: bool) -> str:
    """Return what an algorithm, or a search, of ``kind`` decides."""
    name = decided.algorithm
    found = algorithms.get(name) if name.startswith(f"{kind}.") else None
    if found is not None:
        return found.problem
    if offline and name in searches.names(f"{kind}."):
        return searches[name].problem
    if decided.policy_sha256 and name.startswith(f"{kind}."):
        return ""  # decisions of somebody's policy are those of the kind
    raise NotACertificate(f"{named(name)} is no algorithm of kind {kind}")


def _require_options(decided: Decisions) -> None:
    """Refuse options that the algorithm has not: what decisions are worth may depend on them."""
    algorithm = algorithms.get(decided.algorithm)
    if algorithm is None:  # somebody's policy, whose options mean nothing here
        return
    try:
        settled = plain(algorithm.settle(decided.options))
    except InvalidOption as error:
        raise NotACertificate(str(error)) from None
    said = dict(decided.options)
    if "solver" in settled:  # who solved its programs changes nothing that decisions are worth
        said.setdefault("solver", settled["solver"])
    if settled != said:
        raise NotACertificate(f"{decided.algorithm}: the statement leaves out options")


def _require_claimed(claimed: str, proved: Fraction | None) -> None:
    if claimed != UNBOUNDED and rational(claimed, "ratio") < 0:
        raise NotACertificate("claimed is a ratio below 0")
    if claimed == UNBOUNDED:
        if proved is not None:
            raise NotACertificate(
                f"claimed is an unbounded ratio, proved {rounded(proved, up=False)}"
            )
    elif proved is not None and rational(claimed, "ratio") > proved:
        raise NotACertificate(
            f"claimed is the ratio {rounded(rational(claimed, 'ratio'), up=False)}, proved "
            f"{rounded(proved, up=False)}"
        )


def from_json(content: bytes, where: str) -> Gap:
    """Read the content of a file; raises `FileProblem` when it is no such statement."""
    try:
        found = msgspec.json.decode(content, type=Gap)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise FileProblem(f"{where}: is no statement of a gap: {parsed(error)}") from None
    require_single(content, where)
    return found
