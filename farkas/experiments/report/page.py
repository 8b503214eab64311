"""The page: one file with its style, its script and its drawings."""

import itertools
import re
from importlib import resources
from typing import Any

from markupsafe import Markup, escape

import farkas
from farkas.errors import FarkasError
from farkas.experiments.report.charts import (
    at_most,
    both_sides,
    line_chart,
    number,
    of_shown_lanes,
    owners,
    spread,
)
from farkas.experiments.report.contents import Contents
from farkas.experiments.sweeps import Ratios
from farkas.experiments.sweeps.guarantees import Promise
from farkas.experiments.sweeps.ratios import interval_words
from farkas.experiments.worst_cases import (
    factor_words,
    found_words,
    pair_of,
    random_words,
    state_words,
)
from farkas.instances.writing import to_bytes
from farkas.messages import cleaned, quoted
from farkas.verbs.proof_page import proof_section
from farkas.verbs.stand_alone import stand_alone

#: Characters of certificates, with their instances, that a page holds for who checks them there.
MOST_EMBEDDED = 300_000

KIND_TITLES = {"min": "costs: value over proved bound", "max": "rewards: proved bound over value"}

#: What to do about a task by its status; one that is done is listed when it was rejected.
REMEDIES = {
    "failed": "Mend what the reason names, then farkas sweep FILE --retry.",
    "overlong": "Raise timeout in the sweep's file, then farkas sweep FILE --retry.",
    "crashed": "farkas sweep FILE tries it again by itself.",
    "done": "Its proof was rejected: the store is not as it was written. Sweep into a new store.",
}


def render(contents: Contents) -> str:
    """Page of a report as HTML; it loads nothing and names no address."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_visible,
    )
    environment.filters |= {
        "at_most": at_most,
        "between": interval_words,
        "breakable": breakable,
        "number": number,
        "outcome": outcome,
        "quoted": quoted,
        "remedy": REMEDIES.__getitem__,
    }
    return environment.get_template("page.html").render(
        report=contents,
        version=farkas.__version__,
        spreads=_spreads(contents),
        runs=_runs(contents),
        worst=_worst(contents),
        style=_asset("page.css"),
        script=_asset("page.js"),
        proofs=Markup(proof_section(_certificates(contents))),
    )


def outcome(promise: Promise) -> str:
    """Say what became of a theorem on the runs of an algorithm, the worst first.

    >>> outcome(Promise(reading="printed", source="", statement="", kept=3, undecided=1))
    'undecided in 1 of 4'
    """
    runs = promise.kept + promise.undecided + promise.broken + promise.not_applicable
    for word, count in (
        ("broken", promise.broken),
        ("undecided", promise.undecided),
        ("kept", promise.kept),
    ):
        if count:
            return f"{word} in {count} of {runs}"
    return "not applicable"


def breakable(name: str) -> Markup:
    """Name that a narrow screen may break where its parts meet.

    >>> breakable("coded.round_lp")
    Markup('coded.<wbr>round_<wbr>lp')
    """
    return Markup(re.sub(r"([._\[,])(?=\S)", r"\1<wbr>", str(escape(cleaned(name)))))


def _visible(value: object) -> object:
    """Words of a store or file without marks that a reader cannot see; markup is ours."""
    return cleaned(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asset(name: str) -> Markup:
    folder = resources.files(__package__) / "templates"
    return Markup((folder / name).read_text(encoding="utf-8"))


def _spreads(contents: Contents) -> list[dict[str, Any]]:
    """One chart per kind and sense: ratios of different kinds have no common axis."""

    def group(item: Ratios) -> tuple[str, str]:
        return item.name.partition(".")[0], item.sense

    certified = sorted((item for item in contents.ratios if item.values), key=group)
    drawn = []
    for (kind, sense), items in itertools.groupby(certified, key=group):
        title = f"{kind}, {KIND_TITLES[sense]}"
        chart = spread(list(items), f"spread-{kind}-{sense}", title)
        drawn.append({"title": title, "chart": chart})
    return drawn


def _worst(contents: Contents) -> list[dict[str, Any]]:
    """Rows of worst cases; only what is proved has a picture."""
    drawn = []
    for place, case in enumerate(contents.worst):
        proof = case.standing.proof
        pair = None if proof is None else pair_of(proof, again=case.standing.repeats)
        pair = pair and of_shown_lanes(pair)
        drawn.append(
            {
                "case": case,
                "found": found_words(case),
                "random": random_words(case),
                "state": state_words(case),
                "printed": factor_words(case, "printed"),
                "repaired": factor_words(case, "repaired"),
                "exceeded": {theorem.reading for theorem in case.theorems if theorem.exceeded},
                "picture": None if pair is None else both_sides(pair, f"worst-{place}"),
                "owners": [] if pair is None else owners(pair),
                "pair": pair,
            }
        )
    return drawn


def _certificates(contents: Contents) -> list[tuple[str, str]]:
    """Bounds of the drawn runs that can stand alone, and their instances, while they are short."""
    files: dict[str, str] = {}
    for place, shown in enumerate(contents.runs, start=1):
        instance = to_bytes(shown.data).decode()
        if len(instance) > MOST_EMBEDDED or shown.data.public is False:
            continue  # a page is mailed, and a program tells all of its instance
        try:
            bound = stand_alone(shown.run, shown.data).content.decode()
        except FarkasError:  # no linear program says it, or the run is not worth what it says
            continue
        found = {
            f"instance-{shown.data.sha256[:8]}.json": instance,
            f"bound-of-run-{place}.json": bound,
        }
        if sum(map(len, {**files, **found}.values())) <= MOST_EMBEDDED:
            files |= found
    return [*files.items()]


def _runs(contents: Contents) -> list[dict[str, Any]]:
    drawn = []
    for place, shown in enumerate(contents.runs):
        charts = [
            {
                "title": title,
                "note": note,
                "chart": line_chart(data, f"run-{place}-{turn}", f"{title} of {shown.label}"),
                "names": [series.name for series in data.series],
            }
            for turn, (title, note, data) in enumerate(shown.charts)
        ]
        drawn.append({"shown": shown, "charts": charts})
    return drawn
