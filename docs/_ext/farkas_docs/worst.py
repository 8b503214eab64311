"""Worst cases: a page for each statement that ships, proved while the page is written.

``worst/<kind>`` lists those of a kind; ``listings/worst`` is the table of all.  Ratios on real
traces are those of ``tests/recorded/practice.py``.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import msgspec

from farkas.adversary.catalogue import (
    FOUND,
    ShippedStatement,
    StatementCheck,
    label_of,
    statements_of,
    unusual,
)
from farkas.adversary.shape import plain_of
from farkas.certificates.ratio import ratio_words as certified_words
from farkas.errors import FileProblem
from farkas.experiments import pictures, plotting, style
from farkas.experiments.pictures import BothSides, gantt
from farkas.experiments.plotting import pair_of, proved_words
from farkas.experiments.sweeps.guarantees import Guarantee, guarantees_of
from farkas.instances.files import own_kinds
from farkas.messages.refusals import parsed
from farkas_docs.claims import lines_of_kind, standing
from farkas_docs.practice import PATH as PRACTICE
from farkas_docs.practice import worst
from farkas_docs.text import anchor, cell, code_cell, escaped, fence, page, table

Written = str | Callable[[], bytes]
"""Markdown, or what draws a picture where it is not there yet."""

NONE = "none is stated"
FALSE = "none: an assumption is false here"
LONG = 12
"""Numbers of a list that a table shows."""


class HowFound(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a statement and the worst random draw were found; the word of whoever recorded it."""

    #: preset, size, ranges: the box, as `farkas.worst` takes it; an empty preset is the kind's
    #: smallest.
    preset: str = ""
    size: dict[str, int] = {}
    ranges: dict[str, tuple[float, float]] = {}
    #: seed, evaluations, seconds: of the search: instances scored, and CPU seconds with those of
    #: making it small.
    seed: int
    evaluations: int
    seconds: float
    #: draws, draw_seconds: random instances of the same box, and the CPU seconds that they took.
    draws: int
    draw_seconds: float
    version: str  #: Of farkas.
    #: ``draws`` where the worst random draw, made small, is worse than what the search found.
    found_by: Literal["search", "draws"] = "search"


RANDOM = "random"
"""Folder of the worst random draws, whose files are called as the statements are."""


def drawn_of(shipped: ShippedStatement) -> ShippedStatement:
    """Return the worst random draw of a statement's box, as a statement."""
    return dataclasses.replace(shipped, folder=shipped.folder / RANDOM)


def read_searches(path: Path) -> dict[str, HowFound]:
    """Read ``found.json``; raises `FileProblem` where it is there and is none."""
    if not path.exists():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, HowFound])
    except (OSError, msgspec.DecodeError, ValueError) as error:
        raise FileProblem(f"{path}: says not how statements were found: {parsed(error)}") from None


@dataclasses.dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem's factor on the instance of a statement."""

    guarantee: Guarantee
    factor: float | None  #: None where an assumption is false on the instance
    #: Whether the decisions, which the algorithm takes today, are proved to be farther off.
    exceeded: bool

    @property
    def reading(self) -> str:
        return self.guarantee.reading


@dataclasses.dataclass(frozen=True, slots=True)
class WorstKnown:
    """What is known of the worst case of an algorithm."""

    standing: StatementCheck  #: the shipped statement, proved now
    theorems: Sequence[Theorem]  #: the printed reading first

    @property
    def name(self) -> str:
        return self.standing.name

    @property
    def is_proved(self) -> bool:
        """Whether the statement is proved and its algorithm decides so today."""
        return self.standing.proof is not None and self.standing.repeats

    def factor(self, reading: str) -> float | None:
        """Theorem's factor in a reading; None where there is none, or an assumption is false."""
        return next((t.factor for t in self.theorems if t.reading == reading), None)


def case_of(shipped: ShippedStatement) -> WorstKnown:
    """Prove a statement, and hold it against the theorems about its algorithm."""
    standing = shipped.prove()
    algorithm = shipped.name.partition("[")[0]
    return WorstKnown(standing, [_theorem(one, standing) for one in guarantees_of(algorithm)])


def cases_of(kind: str) -> list[WorstKnown]:
    """Prove all statements of a kind."""
    return [case_of(shipped) for shipped in statements_of(kind)]


def _theorem(guarantee: Guarantee, standing: StatementCheck) -> Theorem:
    proof = standing.proof
    if proof is None:
        return Theorem(guarantee, None, False)
    factor = guarantee.factor(proof.instance, proof.gap.reached.options)
    counts = standing.repeats and proof.gap.witness.algorithm in guarantee.witnesses
    beyond = factor is not None and (proof.ratio is None or proof.ratio > Fraction(factor))
    return Theorem(guarantee, factor, counts and beyond)


def found_words(case: WorstKnown) -> str:
    """Worst ratio found, with what is not proved of it."""
    standing = case.standing
    if standing.proof is None:
        return "not proved"
    words = proved_words(standing.proof.ratio)
    return words if standing.repeats else f"{words}, not repeated here"


@functools.cache
def _proved(shipped: ShippedStatement) -> StatementCheck:
    return shipped.prove()


def random_words(case: WorstKnown) -> str:
    """Ratio of the worst random draw; a dash where none is proved."""
    random = _proved(drawn_of(case.standing.shipped))
    return proved_words(random.ratio) if random.repeats else "–"


def factor_words(case: WorstKnown, reading: str) -> str:
    """Factor of a theorem on the instance; a dash where none is stated.

    >>> factor_words(WorstKnown(None, []), "printed")
    '–'
    """
    if all(theorem.reading != reading for theorem in case.theorems):
        return "–"
    factor = case.factor(reading)
    return "not applicable" if factor is None else f"{factor:.4g}"


def pages() -> Iterator[tuple[str, Written]]:
    """Pages of statements with their pictures, one page a kind, and the table of all."""
    parts = []
    drawing = _sources()
    for kind in own_kinds():
        cases = cases_of(kind)
        if not cases:
            continue
        verdicts = {claim.name: standing(kept) for claim, kept in lines_of_kind(kind)}
        for case in cases:
            picture = f"worst/{slug(case)}-{_version(case, drawing)}.svg"
            pair = _pair(case)
            if pair is not None:
                yield picture, lambda pair=pair: gantt.picture(pair, ".svg")  # type: ignore[misc]
            shown = Path(picture).name if pair is not None else ""
            yield f"worst/{slug(case)}", _page(case, shown, verdicts)
        summary = _summary(cases)
        hidden = "```{toctree}\n:hidden:\n" + "\n".join(slug(case) for case in cases) + "\n```"
        yield f"worst/{kind}", page(f"Worst cases of kind {kind}", READING, summary, hidden)
        parts.append(f"{_linked(kind)}\n\n{summary.replace('](', '](generated/worst/')}")
    yield "listings/worst", "\n\n".join(parts) + "\n"


READING = """All ratios are proved: both sides of each are replayed in exact arithmetic from the
decisions in the statement, and the algorithm decides again, when this page is written. A theorem's
factor is that of the same instance. *Draws* is the worst of random instances of the same box that
took as much CPU time as the search."""


def _linked(kind: str) -> str:
    return f"[{kind}](generated/worst/{kind}.md):"


def slug(case: WorstKnown) -> str:
    """Name of the page of a statement.

    >>> from farkas.adversary.catalogue import find_statement
    >>> slug(case_of(find_statement("eris.eris[scheduler=printed]")))
    'eris_eris_scheduler_printed'
    """
    label = label_of(case.name)
    words = "".join(letter if letter.isalnum() else "_" for letter in label)
    return f"{case.name.partition('.')[0]}_{words}"


def _sources() -> str:
    """Hash of what decides how pictures look."""
    folder = Path(pictures.__file__).parent
    files = [*sorted(folder.glob("*.py")), Path(plotting.__file__), Path(style.__file__)]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _version(case: WorstKnown, drawing: str) -> str:
    """Short hash of a picture's contents."""
    path = case.standing.shipped.path
    content = path.read_bytes() if path.exists() else b""
    return hashlib.sha256(drawing.encode() + content).hexdigest()[:12]


def _summary(cases: list[WorstKnown]) -> str:
    rows = [
        [
            f"[`{case.name}`]({slug(case)}.md)",
            factor_words(case, "printed"),
            factor_words(case, "repaired"),
            f"**{found_words(case)}**" if case.is_proved else found_words(case),
            random_words(case),
            _traces(case),
        ]
        for case in cases
    ]
    return table(["algorithm", "theorem", "repaired", "worst found", "draws", "traces"], rows)


def _traces(case: WorstKnown) -> str:
    """Largest certified ratio on the windows of public traces; a dash where none was run."""
    kind, _, first = case.name.partition("[")[0].partition(".")
    options = "".join(f", {k}={v}" for k, v in _options(case).items())
    windows = json.loads(PRACTICE.read_text()).get(kind)
    if not windows:
        return "–"
    found = worst(windows)
    rule = f"{first}{options}" if kind != "coded" else first
    if rule not in found:
        return "–"
    ratio = found[rule]
    return "no finite ratio" if ratio is None else f"at most {certified_words(ratio)}"


def _options(case: WorstKnown) -> dict[str, Any]:
    proof = case.standing.proof
    return {} if proof is None else unusual(proof.gap.reached)


def _pair(case: WorstKnown) -> BothSides | None:
    """Both sides of what is proved, as whose decisions they are; None where nothing is drawn."""
    proof = case.standing.proof
    return None if proof is None else pair_of(proof, again=case.standing.repeats)


def _page(case: WorstKnown, picture: str, verdicts: Mapping[str, str]) -> str:
    proof = case.standing.proof
    title = f"Worst case of {case.name}"
    if proof is None:
        wrong = f"The statement that ships is **not proved**: {escaped(case.standing.objection)}."
        return page(title, wrong)
    pair = _pair(case)
    repeated = (
        "The algorithm decided so again when this page was written."
        if case.standing.repeats
        else "**Not repeated**: when this page was written, the algorithm decided otherwise."
    )
    heads = [] if pair is None else [f"{head}." for head in pair.heads]
    image = f"![Both schedules of {case.name}]({picture})" if picture else ""
    kind = proof.instance.kind
    return page(
        title,
        f"Ratio at least **{found_words(case)}**. {escaped(' '.join(heads))} {repeated}",
        _ratios(case, verdicts),
        image,
        "" if pair is None else f"*{escaped(pair.explanation)}*",
        "## How it was found",
        _found(case),
        "## The instance",
        *_instance(plain_of(proof.instance)),
        "## Again",
        fence(
            f"import farkas\nfarkas.worst_known({case.name!r}).plot().save('worst.svg')", "python"
        ),
        f"`{case.standing.shipped.path.name}` in `farkas/adversary/statements/{kind}` is the"
        " statement; `farkas check` proves it.",
    )


def _ratios(case: WorstKnown, verdicts: Mapping[str, str]) -> str:
    rows = []
    for theorem in case.theorems:
        said = FALSE if theorem.factor is None else f"{theorem.factor:.4g}"
        said += ", **exceeded here**" if theorem.exceeded else ""
        claim = theorem.guarantee.claim
        verdict = f"; [`{claim}`](#{anchor(claim)}): {verdicts.get(claim, '')}" if claim else ""
        words = f"{theorem.guarantee.source}, {theorem.reading}: {theorem.guarantee.statement}"
        rows.append([cell(words), said + verdict])
    known = {theorem.reading for theorem in case.theorems}
    rows += [[f"theorem, {reading}", NONE] for reading in ("printed", "repaired")
             if reading not in known]  # fmt: skip
    rows.append(["worst found, proved", f"**{found_words(case)}**"])
    rows.append(["worst of random draws, proved", random_words(case)])
    rows.append(["certified on public traces", _traces(case)])
    return table(["ratio", "on this instance"], rows)


def _found(case: WorstKnown) -> str:
    shipped = case.standing.shipped
    search = read_searches(shipped.folder / FOUND).get(shipped.name)
    proof = case.standing.proof
    assert proof is not None
    if search is None:
        return "Nothing says how."
    algorithm = proof.gap.reached.algorithm
    command = fence(search_command(search, algorithm, unusual(proof.gap.reached)), "bash")
    return f"{_words(search)}\n\n{command}"


def search_command(search: HowFound, algorithm: str, options: Mapping[str, Any]) -> str:
    """Command that searches in the same way again."""
    words = ["farkas", "worst", algorithm]
    for name, value in options.items():
        words += ["--set", f"{name}={str(value).lower() if value is False else value}"]
    words += ["--preset", search.preset] if search.preset else []
    words += ["--size", ",".join(f"{k}={n}" for k, n in search.size.items())] if search.size else []
    for name, (low, high) in search.ranges.items():
        words += ["--range", f"{name}={low:g}..{high:g}"]
    words += ["--evaluations", str(search.evaluations)]
    words += ["--seed", str(search.seed)] if search.seed else []
    return shlex.join(words)


def _words(search: HowFound) -> str:
    box = [f"{word} {count}" for word, count in search.size.items()]
    box += [f"{name} from {low:g} to {high:g}" for name, (low, high) in search.ranges.items()]
    inside = f"box: {', '.join(box)}, else" if box else "box:"
    words = (
        f"{search.evaluations:,} instances in {search.seconds:g} CPU seconds with those of making "
        f"it small, seed {search.seed}; {inside} the smallest sizes of the kind, and numbers "
        f"between those of twenty draws. Random draws: {search.draws:,} in {search.draw_seconds:g}"
        " CPU seconds. The command below searches in the same way, and ends elsewhere where another"
        f" version of the search ({search.version} recorded this) or a longer one found it."
    )
    if search.found_by == "draws":
        words += (
            " The search found less than they did: this is the worst of them, made small, and the"
            " command below finds another instance."
        )
    return words


def _instance(data: Mapping[str, Any]) -> Iterator[str]:
    """Fields of an instance as tables: one of single values, one for each list of records."""
    records = {name: value for name, value in data.items()
               if isinstance(value, list) and value and isinstance(value[0], dict)}  # fmt: skip
    single = [[code_cell(name), _value(value)] for name, value in data.items()
              if name not in records and value not in (None, [], {})]  # fmt: skip
    if single:
        yield table(["field", "value"], single)
    for name, rows in records.items():
        heads = list(dict.fromkeys(key for row in rows for key in row))
        body = [[str(place), *(_value(row.get(head)) for head in heads)]
                for place, row in enumerate(rows)]  # fmt: skip
        yield table([f"`{name}`", *(f"`{head}`" for head in heads)], body)


def _value(value: Any) -> str:
    """Value of a field with few digits; long lists are cut, and equal entries counted."""
    return cell(_text(value))


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(part)}" for key, part in value.items())
    if isinstance(value, list):
        texts = [f"({_text(part)})" if isinstance(part, list) else _text(part) for part in value]
        if len(texts) > 2 and len(set(texts)) == 1:
            return f"{len(texts)} × {texts[0]}"
        cut = ["…"] if len(texts) > LONG else []
        return ", ".join([*texts[:LONG], *cut])
    return str(value)
