"""What an online run leaves behind: a file that says what was decided, paid and proved."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import msgspec

from farkas.certificates.doubles import double
from farkas.certificates.encoding import rational, shown
from farkas.certificates.proof import rounded
from farkas.certificates.ratio import is_optimal, ratio_at_most, ratio_or_optimal
from farkas.errors import FileProblem, NotACertificate
from farkas.extras import needed
from farkas.files import read_record, require_single
from farkas.messages import KnowsOtherWords, ShowsItself, method, named
from farkas.messages.refusals import parsed
from farkas.replay import (
    Replay,
    audit,
    excess_words,
    is_as_decided,
    replay,
    replayed_ratio,
)

Sense = Literal["min", "max"]


class Bound(ShowsItself, msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A proved bound on the value of every solution of the instance."""

    #: Rational number as text, for example ``"37/10"``; below every value when minimising, above
    #: every value when maximising.
    exact: str
    method: str  #: How it was proved, in a few words.
    #: Plain data of the certificate from which the bound can be proved again.
    certificate: dict[str, Any] | None = None

    @classmethod
    def of(
        cls, value: Fraction | int, method: str, certificate: dict[str, Any] | None = None
    ) -> Bound:
        """Build from an exact number."""
        return cls(exact=str(Fraction(value)), method=method, certificate=certificate)

    def __repr__(self) -> str:
        try:
            about = f"of about {rounded(self.fraction, up=False)}"
        except NotACertificate:  # read from a file
            about = "that is no number"
        return f"<bound {about} by {named(self.method)}>"

    @property
    def fraction(self) -> Fraction:
        return rational(self.exact, "bound")

    def holds_for(
        self, kind: str, options: Mapping[str, Any], algorithm: str, decisions: Sequence[Any]
    ) -> bool:
        """Whether its certificate is about a program that bounds a run, as the kind lists it.

        ``algorithm`` and ``options`` are the run's, ``decisions`` what that decided, plain data.
        """
        from farkas.certificates.files import from_json  # here: a check reads no run for it
        from farkas.certificates.run_bound import bounds_run

        if self.certificate is None:
            return False
        found = from_json(msgspec.json.encode(self.certificate), "certificate of a bound")
        return bounds_run(found, kind, options, algorithm, decisions)

    def so_far(self, instance: Any) -> Sequence[Fraction] | None:
        """Return what is proved of the instance that ends in each slot; None where nothing is."""
        made = self.certificate
        return None if made is None else _proved_so_far(instance, msgspec.json.encode(made))

    @property
    def among(self) -> str:
        """Which decisions alone it bounds, in words; empty where it bounds all of the problem."""
        from farkas.certificates.run_bound import among

        held = self.certificate or {}
        return among(*(str(held.get(key, "")) for key in ("kind", "certificate", "program")))

    def words(self, sense: Sense) -> str:
        """Nine digits that are proved when minimising or maximising; see `rounded`."""
        return rounded(self.fraction, up=sense == "max")

    def double(self, sense: Sense) -> float | None:
        """Nearest double that is proved; None beyond all doubles."""
        return double(self.fraction, up=sense == "max")

    def __float__(self) -> float:
        try:
            return float(self.fraction)
        except OverflowError:
            raise NotACertificate(f"the bound {shown(self.exact)} is beyond all doubles") from None


@functools.lru_cache(maxsize=64)
def _proved_so_far(instance: Any, certificate: bytes) -> Sequence[Fraction] | None:
    """Prove it once: algorithms share bounds."""
    from farkas.certificates.files import from_json  # here: reading a run needs none

    try:
        found = from_json(certificate, "certificate of a bound")
    except FileProblem:  # of a kind of another distribution, that farkas cannot read
        return None
    return found.bounds_so_far(instance)


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a run depends on."""

    #: farkas, python, numpy: versions.
    farkas: str
    python: str
    numpy: str
    solvers: dict[str, str]  #: Versions of the solver packages installed.
    seed: int  #: Seed of every random draw of the run.
    instance_sha256: str  #: Content hash of the instance.
    policy_sha256: str = ""  #: Hash of the file of a policy that is not farkas's own; else empty.


class Slot(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    gc=False,
):
    """What one slot of a run solved, decided and proved."""

    value: float | None  #: Cost or reward of the slot's decision; None where it has none.
    value_so_far: float | None  #: Of all decisions up to this slot.
    #: Proved bound on every solution of the instance that ends here, a rational number as text;
    #: None where nothing proves one.
    bound_so_far: str | None = None
    ratio_so_far: float | None = None  #: Value to bound, both so far, >= 1, rounded up.
    program: str = ""  #: Program that was solved; empty without one.
    solver: str = ""  #: Who solved it.
    programs: int = 0  #: How many programs the slot solved.
    fractional: float | None = None  #: Value of the program.
    dual: float | None = None  #: Bound on that value which the solver claims.
    #: left, right: sides of the theorem's inequality ``left <= right``, rational numbers as text.
    left: str | None = None
    right: str | None = None
    seconds: float = 0.0  #: Of the solver.

    @property
    def holds(self) -> bool | None:
        """Whether the theorem's inequality holds in this slot; None where there is none."""
        if self.left is None or self.right is None:
            return None
        return rational(self.left, "slot") <= rational(self.right, "slot")


class Run(
    KnowsOtherWords, msgspec.Struct, kw_only=True, forbid_unknown_fields=True, eq=False, dict=True
):
    """One run of an algorithm on an instance, with what was proved about it.

    Equality ignores ``timings`` and is that of the files: two runs with one seed are equal, and a
    run equals what is read from its file.
    """

    farkas: Literal[1] = 1
    #: algorithm, kind, options: which algorithm, with every option, defaults included.
    algorithm: str
    kind: str
    options: dict[str, Any]
    instance: str  #: Name of the instance; its content hash stands in the manifest.
    sense: Sense  #: ``min`` for a cost, ``max`` for welfare, profit or reward.
    #: Cost or reward of the whole run; NaN, null in a file, when what it breaks leaves none.
    value: float
    #: The value without rounding, a rational number as text: what a cost is at most, a reward at
    #: least. None when decisions break requirements, or nothing replays those of the kind.
    value_exact: str | None = None
    #: One mapping per slot, from part (``transfer``, ``deploy``, ...) to amount.
    costs: list[dict[str, float]]
    decisions: list[Any]  #: One entry per step, plain data.
    steps: list[Slot] = []  #: What each slot solved, decided and proved.
    theorem: str = ""  #: Whose inequality the slots hold; empty without one.
    #: Requirements the decisions break, in words; then there is no ratio.
    violations: list[str] = []
    certificate: Bound | None = None  #: Proved bound; None when none was proved.
    #: Certified ratio, >= 1: value/bound when minimising, bound/value when maximising; None when
    #: there is no bound, a violation, or a zero that makes it meaningless.
    ratio: float | None = None
    numbers: dict[str, float] = {}  #: Further named results of the algorithm.
    remarks: list[str] = []  #: What the value alone hides, in words.
    #: Seconds: ``policy``, ``longest_step`` (0 if none), ``evaluate``, ``certify``, ``replay``.
    timings: dict[str, float] = {}
    manifest: Manifest

    @property
    def slots(self) -> Any:
        """Frame of `steps`, one row a slot; needs pandas."""
        rows = [msgspec.structs.asdict(step) | {"holds": step.holds} for step in self.steps]
        return needed("pandas").DataFrame(rows)

    plot, to_frame, save, _check = (
        method("plot"),
        method("to_frame"),
        method("save"),
        method("check"),
    )

    def __repr__(self) -> str:
        value = "none" if math.isnan(self.value) else self.value_words()
        try:
            bound = self.bound_words() or "none"
        except NotACertificate:  # read from a file
            bound = "no number"
        ratio = "none" if self.ratio is None else ratio_or_optimal(self.ratio)
        said = f"value {value}, proved bound {bound}, certified ratio {ratio}"
        if self.made_on is None:  # read from a file: verify() proves it
            said = f"its file says value {value}, bound {bound}, ratio {ratio}"
        return f"<run of {named(self.algorithm)} on {named(self.instance)}: {said}>"

    def _details(self) -> dict[str, object]:
        words = ("sense", "options", "violations", "remarks")
        return {
            "exact bound": self.certificate and self.certificate.exact,
            **{word: getattr(self, word) for word in words},
            "decisions": len(self.decisions),
        }

    @property
    def made_on(self) -> Any:
        """The instance, where the run was made here: no part of the run; else None."""
        return self.__dict__.get("made_on")

    def verify(self, instance: Any = None) -> Any:
        """Prove bound and value again, see `farkas.check`; about what it was made on, if None."""
        return self._check(self.made_on if instance is None else instance)

    def remember(self, instance: Any) -> None:
        """Keep the instance for pictures and proofs."""
        self.__dict__["made_on"] = instance

    @property
    def reached(self) -> Fraction | float:
        """The value, exact where it is known."""
        return self.value if self.value_exact is None else rational(self.value_exact, "value")

    def value_words(self) -> str:
        """Nine digits of the value, which a cost is at most, a reward at least.

        They are the nearest ones where it is optimal: there value and bound differ by roundings.
        """
        return rounded(self.reached, up=None if is_optimal(self.ratio) else self.sense == "min")

    def bound_words(self) -> str | None:
        """Nine digits of the bound, on its proved side; those of the value where it is optimal."""
        if self.certificate is None:
            return None
        return self.value_words() if is_optimal(self.ratio) else self.certificate.words(self.sense)

    def __eq__(self, other: object) -> bool:
        return self._content() == other._content() if isinstance(other, Run) else NotImplemented

    __ne__ = object.__ne__  # the opposite; that of structs compares timings, too
    __hash__ = None  # type: ignore[assignment]

    def _content(self) -> bytes:
        names = (name for name in self.__struct_fields__ if name not in ("timings", "steps"))
        steps = [msgspec.structs.replace(step, seconds=0.0) for step in self.steps]
        return msgspec.json.encode([{name: getattr(self, name) for name in names}, steps])


class _RunFile(Run, kw_only=True, eq=False):
    """A run as its file says it: JSON has no NaN."""

    value: float | None  # type: ignore[assignment]
    costs: list[dict[str, float | None]]  # type: ignore[assignment]

    def run(self) -> Run:
        costs = [{part: _number(x) for part, x in slot.items()} for slot in self.costs]
        said = {name: getattr(self, name) for name in Run.__struct_fields__}
        return Run(**said | {"value": _number(self.value), "costs": costs})


def _number(said: float | None) -> float:
    return math.nan if said is None else said


def from_builtins(plain: Any) -> Run:
    """Return the run that plain data of a store describe.

    Raises
    ------
    FileProblem
        They describe something else.
    """
    try:
        return msgspec.convert(plain, type=_RunFile).run()
    except (msgspec.ValidationError, ValueError) as error:
        raise FileProblem(f"is no run: {parsed(error)}") from None


def read_run(path: str | os.PathLike[str]) -> Run:
    """Read a run file.

    Raises
    ------
    FileProblem
        The file cannot be read, or holds something else than a run.
    """
    return from_json(read_record(path), named(os.fspath(path)))


def from_json(content: bytes, where: str) -> Run:
    """Read the content of a run file.

    Raises
    ------
    FileProblem
        It is something else than a run; ``where`` names the file.
    """
    try:
        run = msgspec.json.decode(content, type=_RunFile).run()
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise FileProblem(f"{where}: is no run file: {parsed(error)}") from None
    require_single(content, where)
    return run


def prove_value(run: Run, instance: Any) -> None:
    """Replay a fresh run and write down what that proves: exact value, and ratio to the bound.

    Raises
    ------
    NotACertificate
        When environment and replay disagree, or the value is better than the bound allows.
    """
    found = replay(run, instance)
    if found is not None and is_as_decided(run, found):
        run.value = float(found.proved(run.sense))  # what it is held to from now on
    if found is not None and not run.violations:
        run.violations = list(found.broken)
    found = audit(run, instance, found)
    if run.violations:
        return
    bound = run.certificate
    if found is None:
        run.ratio = ratio_to(run, instance, bound)
        return
    exact = None if bound is None else bound.fraction
    run.value_exact = str(found.proved(run.sense))
    run.ratio = None if exact is None else replayed_ratio(run.sense, found, exact)
    run.remarks.extend(words_on(found, run.sense, exact))


def ratio_to(run: Run, instance: Any, bound: Bound | None) -> float | None:
    """Return the certified ratio of a run to any proved bound on its instance, rounded up.

    A value without a replay may be better than the bound by the rounding of its sums.

    Raises
    ------
    NotACertificate
        When the value is better than the bound allows.
    """
    if bound is None or run.violations:
        return None
    value, limit = run.reached, bound.fraction
    exact = run.value_exact is not None
    if exact and (value < limit if run.sense == "min" else value > limit):
        # only what exceeds a requirement by what counts as kept can be better
        found = replay(run, instance)
        exact = found is None or not found.excess
    return ratio_at_most(run.sense, value, limit, exact=exact)


def words_on(found: Replay, sense: str, bound: Fraction | None) -> list[str]:
    """Say so when decisions are better than the bound because they exceed something."""
    if bound is None or found.broken:
        return []
    value = found.proved(sense)
    if value >= bound if sense == "min" else value <= bound:
        return []
    return [
        "better than the proved bound, because requirements are missed by up to a share of "
        f"{excess_words(found)}, which counts as kept"
    ]
