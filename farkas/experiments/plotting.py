"""Pictures and rows: ``run.plot()``, ``run.to_frame()``, both sides of a worst case."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import math
import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from farkas.adversary.catalogue import statement_name
from farkas.adversary.gap import UNBOUNDED, Gap, GapProof, prove_gap
from farkas.adversary.scoring import decides_again
from farkas.api.check_run import shipped_instance
from farkas.api.compare import Comparison
from farkas.api.inputs import InstanceOrName, as_instance
from farkas.api.load import imported_instance, load, role_of
from farkas.api.solution import Solution
from farkas.api.worst import WorstCase
from farkas.certificates.doubles import double, nearest, text_of
from farkas.certificates.encoding import rational
from farkas.certificates.proof import rounded
from farkas.certificates.ratio import ratio_words
from farkas.errors import FileProblem, InvalidOption, MissingInstance, NoAnswer, require_type
from farkas.exact.result import ProofResult
from farkas.experiments import explanation
from farkas.experiments.figures.exhibit import Figure, PlotAxis, Series
from farkas.experiments.figures.writing import PICTURES, drawn
from farkas.experiments.pictures import BothSides, gantt, layouts
from farkas.extras import needed
from farkas.files.writing import write_bytes
from farkas.instances import Instance
from farkas.messages import KnowsOtherWords, named
from farkas.offline.search import OfflineOptimum
from farkas.online import environments
from farkas.online.run import Run
from farkas.replay import Replay, audit


def slot_figure(run: Run, what: str) -> Figure:
    """Value and proved bound of a run over its slots, or the ratio of both, as data of a figure.

    Of a run that was read from a file the caption says that these numbers are the file's word.
    Raises `NoAnswer` where the slots have no such number.
    """
    if what not in ("value", "ratio"):
        raise InvalidOption(f"slots = {what!r}; give 'value' or 'ratio'")
    made, up = run.made_on is not None, run.sense == "max"
    bound = "proved bound so far" if made else "bound so far"
    known: dict[str, list[float | None]] = {
        "value so far": [step.value_so_far for step in run.steps],
        bound: [
            None
            if step.bound_so_far is None
            else double(rational(step.bound_so_far, "bound of a slot"), up=up)
            for step in run.steps
        ],
        "ratio so far": [step.ratio_so_far for step in run.steps],
    }
    series = []
    for name in ("value so far", bound) if what == "value" else ("ratio so far",):
        pairs = [(slot, y) for slot, y in enumerate(known[name]) if y is not None]
        if pairs:
            series.append(Series(name, [slot for slot, _ in pairs], [y for _, y in pairs]))
    if not series:
        raise NoAnswer(f"no slot of the run of {named(run.algorithm)} has a {what} to draw")
    caption = "A bound holds for every solution of the instance that ends in the slot."
    if not made:
        caption = "The numbers are the word of the run's file."
    elif run.ratio is not None:
        caption += f" The whole run: at most {ratio_words(run.ratio)}."
    return Figure(
        x=PlotAxis("slot"),
        y=PlotAxis(what if what == "ratio" else "value"),
        series=series,
        caption=caption,
    )


COLUMNS = ("lane", "owner", "start", "end", "amount", "unit")  #: Of the rows of a run.
FRAMES = ("pandas", "polars")  #: Libraries of frames, the first that is installed is taken.
DIGITS = 4  #: Of ratios and values in titles.
LOG = 20.0  #: Where the largest ratio is so many times the smallest, the axis is logarithmic.


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Picture(KnowsOtherWords):
    """A picture that notebooks show and `save` writes."""

    title: str
    explanation: str
    drawn: Callable[[str], bytes]  #: its bytes in the format of a suffix
    pair: BothSides | None = None  #: where it shows who holds what, and no ratios

    @classmethod
    def of(cls, pair: BothSides) -> Picture:
        """Draw decisions."""
        draw = functools.partial(gantt.picture, pair)
        return cls(pair.title, pair.explanation, draw, pair)

    def __repr__(self) -> str:
        return f"<picture: {self.title}; save(PATH) writes it>"

    def _repr_svg_(self) -> str:
        return self.drawn(".svg").decode()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as .svg, .png or .pdf, whole or not at all.

        .svg leaves letters of every script to the reader's fonts; in the others a box stands for
        each letter that DejaVu Sans has not.  Raises `InvalidOption` or `FileProblem`.
        """
        suffix = picture_suffix(path)
        write_bytes(os.fspath(path), self.drawn(suffix))

    def rows(self) -> list[dict[str, Any]]:
        """Blocks as plain data with the keys `COLUMNS`, in their order; none of ratios."""
        if self.pair is None:
            return []
        layout = self.pair.layout
        return [
            dict(zip(COLUMNS, row, strict=True))
            for side in layout.sides
            for row in sorted(
                (layout.lanes[b.lane], layout.owners[b.owner], b.start, b.end, b.amount,
                 layout.unit or "share") for b in side.blocks
            )
        ]  # fmt: skip


def picture_suffix(path: str | os.PathLike[str]) -> str:
    """Suffix of a file that is a picture; raises `InvalidOption` for others.

    Raises `MissingExtra` without matplotlib.
    """
    require_type(path, (str, os.PathLike), "path")
    suffix = Path(path).suffix
    if suffix not in PICTURES:
        raise InvalidOption.near(
            f"{named(os.fspath(path))}: a picture ends in {', '.join(PICTURES)}", suffix, PICTURES
        )
    needed("matplotlib")
    return suffix


def about(run: Run, instance: InstanceOrName | None) -> Instance:
    """Return the instance of a run: the one given, that it was made on, or one that ships.

    Raises `InvalidOption`: none of them is known, or the one given is another.
    """
    known = instance if instance is not None else run.made_on
    try:
        found = shipped_instance(run) if known is None else as_instance(known)
    except MissingInstance:
        sha256 = named(run.manifest.instance_sha256[:12])
        raise InvalidOption(
            f"the run was read from a file; give its instance {named(run.instance)}, too: none that"
            f" ships has its sha256 {sha256}..."
        ) from None
    if found.sha256 != run.manifest.instance_sha256:
        raise InvalidOption(
            f"instance {named(found.name)} is not that of the run, which is about "
            f"{named(run.instance)} with sha256 {run.manifest.instance_sha256[:12]}"
        )
    return found


def plot(
    what: Run | OfflineOptimum | Comparison | WorstCase | GapProof | str | os.PathLike[str],
    instance: InstanceOrName | None = None,
    *,
    slots: Literal["", "value", "ratio"] = "",
) -> Picture:
    """Draw who holds how much of what in a run, and when.

    Parameters
    ----------
    what
        A run, or the run of an optimum; a comparison: its certified ratios; a worst case, or what
        was proved of one, whose decisions of both sides are drawn.  Also the file of one of these.
    instance
        That of the run; needed where the run was read from a file, and its instance does not ship.
    slots
        Of a run, ``"value"``: value and proved bound so far, over the slots; ``"ratio"``: the ratio
        of both.  By default who holds what.

    Returns
    -------
    What notebooks show, and ``save(PATH)`` writes as .svg, .png or .pdf.

    Raises
    ------
    InvalidOption
        The instance is missing, or another one.
    NotACertificate
        The decisions are worth something else than the run says, or break what it says they keep.
    NoAnswer
        Decisions of the kind have no picture, or these, which break requirements, fit none.

    Examples
    --------
    >>> import farkas
    >>> run = farkas.run("dps/tiny", "dps.learned")
    >>> run.plot()
    <picture: dps.learned on tiny earns at least 9.49999999; save(PATH) writes it>
    """
    for path in (what, instance):
        if isinstance(path, str | os.PathLike) and Path(path).suffix in PICTURES:
            raise InvalidOption(
                f"plot takes no file to write; plot().save({os.fspath(path)!r}) writes the picture"
            )
    given: Any = load(what) if isinstance(what, str | os.PathLike) else what
    if isinstance(given, Instance) or imported_instance(given) is not None:
        raise InvalidOption("instances have no picture; farkas show says what one holds")
    if isinstance(given, Gap):
        given = prove_gap(given)
    if isinstance(given, WorstCase | GapProof):
        proof = given.proof if isinstance(given, WorstCase) else given
        searched = isinstance(given, WorstCase)  # by the algorithm itself
        again = searched or decides_again(proof.gap, proof.instance)
        return Picture.of(pair_of(proof, again=again))
    if isinstance(given, Comparison):
        title, ratios = f"algorithms on {given.title}", compared(given)
        draw = functools.partial(drawn, ratios, title, ratios.caption)
        return Picture(title, "a ratio for each algorithm, best first", draw)
    drawable = (Run, OfflineOptimum, Comparison, WorstCase, GapProof)
    if isinstance(what, str | os.PathLike) and not isinstance(given, drawable):
        raise FileProblem(
            f"{named(os.fspath(what))} is {role_of(what)[1]}; drawn are runs and statements"
            " of farkas worst"
        )
    require_type(given, drawable, "what is drawn")
    run: Run = given.run if isinstance(given, OfflineOptimum) else given
    if slots:
        figure = slot_figure(run, slots)
        title = f"{named(run.algorithm)} on {named(run.instance)}, slot by slot"
        return Picture(title, figure.caption, functools.partial(drawn, figure, title, ""))
    lay_out = layout_of(run.kind)
    data = about(run, instance)
    found = audit(run, data)
    broken = () if found is None else found.broken
    try:
        layout = lay_out(data, [run.decisions])
    except (ArithmeticError, LookupError, ValueError):
        if not broken:
            raise
        raise NoAnswer(f"no picture shows decisions that break requirements: {broken[0]}") from None
    name = named(run.algorithm)
    decided = said_to_be(name) if run.made_on is None else name
    title = f"{decided} on {named(data.name)} {_worth(run, found)}"
    words = explanation(lay_out, f"layout of {run.kind}")
    return Picture.of(BothSides(title, ("",), layout, words))


def proved_words(ratio: Fraction | None) -> str:
    """Few digits of a proved ratio, rounded down.

    >>> proved_words(Fraction(2, 3)), proved_words(Fraction(20001, 10)), proved_words(None)
    ('0.6666', '2000', 'unbounded')
    """
    return UNBOUNDED if ratio is None else rounded(ratio, up=False, digits=DIGITS)


def pair_of(proof: GapProof, *, again: bool) -> BothSides:
    """Lay out both sides of a proved statement; raises `NoAnswer` for a kind without a layout.

    Where the algorithm does not decide so ``again`` today, the picture says whose word it is.
    """
    kind, gap = proof.instance.kind, proof.gap
    layout = layout_of(kind)
    earns, least = ("costs", True) if proof.sense == "min" else ("earns", False)
    name = statement_name(gap.reached) if again else said_to_be(statement_name(gap.reached))
    heads = (
        f"{name} never ends"
        if proof.value is None
        else f"{name} {earns} {rounded(proof.value, up=not least, digits=DIGITS)}",
        f"{gap.witness.algorithm} {earns} {rounded(proof.witness, up=least, digits=DIGITS)}",
    )
    sides = [gap.reached.decisions, gap.witness.decisions]
    words = proved_words(proof.ratio)
    return BothSides(
        f"{name}: {words if proof.ratio is None else f'at least {words} times off'}",
        heads,
        layout(proof.instance, sides),
        explanation(layout, f"layout of {kind}"),
    )


def layout_of(kind: str) -> Callable[[Any, Sequence[Any]], gantt.Layout]:
    """Return the layout of a kind; raises `NoAnswer` where it has none."""
    found = layouts.get(kind)
    if found is None:
        raise NoAnswer(f"decisions of kind {named(kind)} have no picture")
    return found


def said_to_be(name: str) -> str:
    """Words for decisions that a file says an algorithm takes."""
    return f"the file's {name}"


def compared(found: Comparison) -> Figure:
    """Ratios of a comparison, best first, as data of a figure.

    Raises `NoAnswer`: no algorithm has a certified ratio.
    """
    rated = {e.algorithm: float(e.ratio) for e in found.entries if e.ratio is not None}
    if not rated:
        raise NoAnswer(f"{found.title}: no algorithm has a certified ratio to draw")
    left = [e.algorithm for e in found.entries if e.ratio is None]
    finite = [ratio for ratio in rated.values() if math.isfinite(ratio)]
    without = f"  Without a ratio: {', '.join(left)}." if left else ""
    says = (
        "Costs are at most so many times the optimum"
        if found.sense == "min"
        else "The optimum is at most so many times what is earned"
    )
    notes = "".join(
        f"  {e.algorithm}: {e.note}." for e in found.entries if e.ratio is not None and e.note
    )
    return Figure(
        x=PlotAxis("algorithm"),
        y=PlotAxis("certified ratio", log=bool(finite) and max(finite) > LOG * min(finite)),
        series=[Series("ratio", list(rated), list(rated.values()), chart="row")],
        caption=(f"{says}; 1 is optimal.  Proved bound: {found.proved}.{without}{notes}"),
    )


def _worth(run: Run, found: Replay | None) -> str:
    """Say what the decisions that are drawn are worth: replayed, not what the run says."""
    sense = environments[run.kind].sense  # not what the run says
    least = sense == "min"
    if found is None:
        return f"says that it reached {run.value:.6g}"
    if found.endless:
        return "never ends"
    if found.broken:
        return "breaks requirements"
    side = "costs at most" if least else "earns at least"
    return f"{side} {rounded(found.proved(sense), up=least)}"


def to_frame(
    what: Run | OfflineOptimum | Comparison | Solution | ProofResult | str | os.PathLike[str],
    instance: InstanceOrName | None = None,
) -> Any:
    """Rows of a run: who holds how much of what, and when; of a comparison, of a solution.

    Parameters
    ----------
    what, instance
        As in `plot`; or a comparison, a row for each algorithm; or a solution, or what
        :func:`farkas.prove` gave, a row for each variable that is not 0.

    Returns
    -------
    A pandas or polars data frame, whichever is installed, else a list of dictionaries that is shown
    as a table.

    - Columns of runs: ``lane`` (site, server, worker, ...), ``owner`` (job or master), ``start``
      and ``end`` (slots or times, the end excluded), ``amount`` and its ``unit``; where that is
      ``share``, a lane is full at 1.
    - Of comparisons: ``algorithm``, ``value``, ``ratio``, ``own_ratio``, ``seconds``, ``note``.
    - Of solutions: ``variable``, ``value``; of proofs also ``exact``, a fraction as text.

    Raises
    ------
    NoAnswer
        A solution or a proof has no point.

    Examples
    --------
    >>> import farkas
    >>> rows = farkas.to_frame(farkas.run("eris/tiny", "eris.eris"))
    >>> len(rows) > 0
    True
    """
    what = load(what) if isinstance(what, str | os.PathLike) else what
    if isinstance(what, Comparison):
        compared = ("algorithm", "value", "ratio", "own_ratio", "seconds", "note")
        return framed([{n: getattr(e, n) for n in compared} for e in what.entries], compared)
    if isinstance(what, Solution):
        values = [{"variable": name, "value": x} for name, x in what.values().items()]
        return framed(values, ("variable", "value"))
    if isinstance(what, ProofResult):
        exact = [
            {"variable": name, "value": double(x, up=None), "exact": text_of(x)}
            for name, x in what.values().items()
        ]
        return framed(exact, ("variable", "value", "exact"))
    require_type(
        what, (Run, OfflineOptimum, Comparison, Solution, ProofResult), "what becomes rows"
    )
    return framed(plot(what, instance).rows(), COLUMNS)


def framed(rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> Any:
    """Rows as a frame of the first library of `FRAMES` that is there, else as they are."""
    for library in FRAMES:
        try:
            frames = importlib.import_module(library)
        except ImportError:
            continue
        return frames.DataFrame({name: [row[name] for row in rows] for name in columns})
    return [{name: row[name] for name in columns} for row in rows]


def of_point(point: Mapping[str, Fraction | float]) -> Any:
    """Names and values of variables as a frame; a value is the nearest double."""
    rows = [{"variable": name, "value": nearest(value)} for name, value in point.items()]
    return framed(rows, ("variable", "value"))
