"""The worst ratio of a whole box of instances, proved from both sides."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from farkas.adversary.gap import UNBOUNDED, GapProof, at_least, prove_gap
from farkas.adversary.scoring import ScoredInstance, Scorer
from farkas.api.inputs import InstanceOrName, as_instance
from farkas.api.limits import require_search_limit
from farkas.api.programs import origin
from farkas.api.worst_program import why_outside, worst_program
from farkas.certificates.doubles import double, text_of
from farkas.certificates.proof import rounded
from farkas.errors import InvalidOption, NoAnswer, NotACertificate, require_progress
from farkas.exact.from_doubles import rational
from farkas.exact.node_bounds import Deadline, OutOfTime
from farkas.exact.result import ProofResult
from farkas.exact.solver import prove_form
from farkas.forms import LinearForm
from farkas.instances import Instance
from farkas.messages import named
from farkas.models.worst_case import WorstProgram, by_family
from farkas.online.driver import Algorithm
from farkas.online.policy import as_algorithm
from farkas.tolerances import FINE_GAP, ROUNDING

if TYPE_CHECKING:
    from farkas.exact.tree import Progress

COARSE = 1e9  #: Gap at which any point is near enough: the ratio rises before it is proved.
#: Share by which both sides of a comparison are kept apart in search of an instance on which every
#: rule for ties decides alike: a thousand times what the rounding of data is forgiven.
APART = 1024.0 * ROUNDING


@dataclasses.dataclass(frozen=True, slots=True)
class BoxProof:
    """What is proved of an algorithm on all instances of a box, and on one of them.

    Raises
    ------
    NotACertificate
        The instance of the lower side lies outside of the box.
    """

    box: Instance  #: An instance whose numbers are the ends of the box.
    program: WorstProgram  #: Program of the worst case, with the ratio at which it was proved.
    upper: (
        ProofResult  #: Proof that the program's optimum is at most 0, if it is; what is known else.
    )
    #: Replayed: an instance of the box, the algorithm's decisions and better ones; None where no
    #: instance that was decoded has both.
    lower: GapProof | None
    #: Ratio of the program's best point, exact: that of instances in the limit, since where a
    #: comparison is a tie the program chooses; None when it is unbounded.
    closed: Fraction | None
    seconds: float  #: CPU seconds.

    def __post_init__(self) -> None:
        why = self.lower and why_outside(self.program, self.box, self.lower.instance)
        if why:
            raise NotACertificate(f"the instance of the lower side is outside of the box: {why}")

    @property
    def at_most(self) -> Fraction | None:
        """The ratio on every instance of the box is at most this; None where that is not proved."""
        return self.program.ratio_at_most(self.upper.bound)

    @property
    def at_least(self) -> Fraction | None:
        """The ratio on one instance; None when it is unbounded, or there is no such instance."""
        return None if self.lower is None else self.lower.ratio

    @property
    def scope(self) -> str:
        """What else both sides are about, as plans of one shape; empty where the box says all."""
        return self.program.scope.removeprefix("; ")

    @property
    def is_unbounded(self) -> bool:
        """Whether an instance of the box, replayed, has no ratio."""
        return self.lower is not None and self.lower.ratio is None

    def words(self) -> tuple[str, str]:
        """Both sides of the ratio, rounded outwards: at least, at most."""
        low = "-"
        if self.lower is not None:
            low = UNBOUNDED if self.at_least is None else rounded(self.at_least, up=False, digits=9)
        if self.at_most is not None:
            return low, rounded(self.at_most, up=True, digits=9)
        return low, UNBOUNDED if self.is_unbounded else "not proved"

    def __repr__(self) -> str:
        low, high = self.words()
        return (
            f"<box of {self.program.algorithm}: ratio at least {low}, at most {high}"
            f"{self.program.scope}>"
        )

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        at_most, found = self.at_most, self.lower
        open_side = UNBOUNDED if self.is_unbounded else None
        least = found and (UNBOUNDED if found.ratio is None else text_of(found.ratio))
        return {
            "algorithm": self.program.algorithm,
            "program": self.program.full_name,
            "box": self.box.sha256,
            "scope": self.scope,
            "ratio_at_least": None if found is None else at_least(found.ratio),
            "ratio_at_least_exact": least,
            "ratio_at_most": open_side if at_most is None else double(at_most, up=True),
            "ratio_at_most_exact": open_side if at_most is None else text_of(at_most),
            "closed_exact": UNBOUNDED if self.closed is None else text_of(self.closed),
            "bound_exact": None if self.upper.bound is None else text_of(self.upper.bound),
            "instance": None if found is None else found.gap.instance,
            "rows": self.upper.form.num_rows,
            "columns": self.upper.form.num_columns,
            "nodes": self.upper.nodes,
            "seconds": self.seconds,
            "interrupted": self.upper.interrupted,
        }


def worst_box(
    algorithm: str | Algorithm,
    instance: InstanceOrName,
    *,
    variant: Mapping[str, str] | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> BoxProof:
    """Prove the worst ratio of an algorithm over a box of instances, from both sides.

    The algorithm's steps are rows of a program in which data are variables; the ratio is raised to
    that of its optimum, by a tree of bounds in exact arithmetic, until that is 0.  Points of the
    program are decoded, and what the algorithm does there is replayed.

    Parameters
    ----------
    algorithm
        Name of one that has a program of the worst case, for example ``"dps.fixed_price"``.
    instance
        Numbers that vary lie between the smallest and the largest of their family in it.
    variant
        Options of the program, for example ``{"parts": "4"}``.
    time_limit
        Seconds of all of it, by the clock; what is proved by then is returned, as it is after
        Ctrl-C.
    progress
        Called now and then with nodes, bound and value of the search.
    options
        Options of the algorithm, which have to be its defaults: programs know no others.

    Raises
    ------
    InvalidOption
        The algorithm has no such program.
    NotApplicable
        The program is not about such instances.
    NoAnswer
        No solver finds a point, or the time was over before there was any.

    Examples
    --------
    >>> import farkas
    >>> found = farkas.worst_box("mlbroker.local", "mlbroker/surplus_worker")
    >>> found.words(), farkas.check(found.upper.certificate).bound <= 0
    (('1.10526315', '1.10526316'), True)
    """
    require_progress(progress)
    require_search_limit(time_limit)
    begin = time.process_time()
    chosen = as_algorithm(algorithm)
    cls = worst_program(chosen.name)
    if chosen.settle(dict(options)) != chosen.settle({}):
        raise InvalidOption(f"{cls.name} is about {chosen.name} with its default options")
    box = as_instance(instance)
    as_algorithm(chosen, box.kind)
    clock = Deadline(math.inf if time_limit is None else time_limit)
    scorer = Scorer(chosen, options, witnesses=cls.witnesses)
    work = _Iteration(cls, dict(variant or {}), box, scorer, clock)
    work.run(progress)
    best = work.best
    return BoxProof(
        box=box,
        program=work.program(work.ratio),
        upper=work.upper,
        lower=None if best is None else prove_gap(best.gap(work.scorer.seed)),
        closed=work.closed,
        seconds=time.process_time() - begin,
    )


@dataclasses.dataclass(slots=True)
class _Iteration:
    """Raises the ratio until no instance of the box is worse (Dinkelbach)."""

    cls: type[WorstProgram]
    variant: dict[str, str]
    box: Instance
    scorer: Scorer
    clock: Deadline
    ratio: float = 1.0
    closed: Fraction | None = Fraction(1)
    best: ScoredInstance | None = None
    upper: ProofResult = dataclasses.field(init=False)  #: Of the program at the ratio so far.

    def program(self, ratio: float, margin: float = 0.0) -> WorstProgram:
        """Make the program; a ratio is a word of its name."""
        words = {"ratio": _word(ratio)} | ({"margin": _word(margin)} if margin else {})
        return self.cls(**self.variant | words)

    def run(self, progress: Progress | None) -> None:
        """Prove both sides; when time or Ctrl-C comes first, keep what there is of each."""
        try:
            for gap in (COARSE, 0.0):
                while self.raised(gap, progress):
                    pass
            if _word(APART) in self.cls.options()["margin"]:
                self.decode(self.searched(COARSE, margin=APART).point)
        except (KeyboardInterrupt, OutOfTime) as end:
            if self.best is None:
                raise
            interrupted = isinstance(end, KeyboardInterrupt)
            self.upper = dataclasses.replace(self.upper, interrupted=interrupted)

    def raised(self, gap: float, progress: Progress | None) -> bool:
        """Raise the ratio to that of an instance that is worse, if one is found."""
        form = rational(self.program(self.ratio).form(self.box))
        self.upper = ProofResult(form=form, status="bound", nodes=0)
        self.upper = found = self.searched(gap, progress)
        if found.point is None:
            if self.best is None and not found.interrupted:
                raise NoAnswer(f"{named(found.form.name)}: no point was found")
            return False
        self.decode(found.point)
        if found.value is None or found.value <= 0:
            return False
        high, low = self.sides(found.point)
        self.closed = high / low if low else None
        if self.closed is None or found.interrupted or not self.clock.left:
            return False
        before, self.ratio = self.ratio, _up(self.closed)
        return not gap or self.ratio > before * (1 + FINE_GAP)

    def searched(
        self, gap: float, progress: Progress | None = None, margin: float = 0.0
    ) -> ProofResult:
        """Search until the optimum at the ratio is proved, or known up to a gap."""
        self.clock.check()
        program = self.program(self.ratio, margin)
        left = None if math.isinf(self.clock.left) else self.clock.left
        form, about = rational(program.form(self.box)), origin(program, self.box)
        return prove_form(form, time_limit=left, gap=gap, about=about, progress=progress)

    def sides(self, point: list[Fraction]) -> tuple[Fraction, Fraction]:
        """Return what is divided and by what: the objective is the first less a ratio's second."""
        once, twice = (self.program(ratio).form(self.box) for ratio in (1.0, 2.0))
        first, second = (_value(form, point) for form in (once, twice))
        return 2 * first - second, first - second

    def decode(self, point: list[Fraction] | None) -> None:
        """Let the algorithm decide on the instance that a point is about, if there is one."""
        if point is None:
            return
        program = self.cls(**self.variant)
        form = self.program(self.ratio).form(self.box)
        data = program.decoded(self.box, by_family(form, point))
        if why_outside(program, self.box, data) is not None:
            return
        scored = self.scorer.score(data)
        if scored is not None and (self.best is None or scored.height > self.best.height):
            self.best = scored


def _word(number: float) -> str:
    return repr(int(number)) if number == int(number) else repr(number)


def _up(ratio: Fraction) -> float:
    found = double(ratio, up=True)
    if found is None or not math.isfinite(found):
        raise NoAnswer("the ratio is beyond doubles")
    return found


def _value(form: LinearForm, point: list[Fraction]) -> Fraction:
    total = Fraction(form.offset)
    for cost, entry in zip(form.cost.tolist(), point, strict=True):
        if cost and entry:
            total += Fraction(cost) * entry
    return total
