"""What to use on real data: the record of ``tests/recorded/practice.py`` as a table and a verdict.

Part of the page of a kind, ``listings/<kind>_practice``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from farkas.certificates.ratio import ratio_words
from farkas_docs.text import table

PATH = Path(__file__).resolve().parents[2] / "ledger" / "practice.json"


def pages() -> Iterator[tuple[str, str]]:
    """One listing for each kind of the record."""
    for kind, windows in json.loads(PATH.read_text()).items():
        text = f"{advice(kind, windows)}{_warning(windows)}\n\n{_table(windows)}\n"
        if "in_time" in windows[0]:
            timely = [{**window, "rules": window["in_time"]} for window in windows]
            best = recommended(timely)
            text += (
                "\nFor the time by which every master has its rows with the probability that is "
                f"wanted, use `{kind}.{best}`: {_said(worst(timely)[best])}.\n\n{_table(timely)}\n"
            )
        yield f"listings/{kind}_practice", text


def worst(windows: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """Largest certified ratio of every rule; None where some window has none."""
    found: dict[str, float | None] = {}
    for place, row in enumerate(windows[0]["rules"]):
        ratios = [window["rules"][place]["ratio"] for window in windows]
        found[row["rule"]] = None if None in ratios else max(ratios)
    return found


def recommended(windows: Sequence[Mapping[str, Any]]) -> str:
    """Rule with the least of the largest ratios."""
    ratios = {rule: ratio for rule, ratio in worst(windows).items() if ratio is not None}
    return min(ratios, key=lambda rule: ratios[rule])


def advice(kind: str, windows: Sequence[Mapping[str, Any]]) -> str:
    """Sentences that name the rule to use and what the paper's own does."""
    best, ratios = recommended(windows), worst(windows)
    own = next(iter(ratios))
    first = f"Use `{kind}.{best}`: {_said(ratios[best])}."
    if own == best:
        return f"{first} It is the paper's own algorithm."
    if any(window["rules"][0]["value"] == 0 for window in windows):
        return (
            f"{first} The paper's own algorithm, `{kind}.{own}`: in some window it earns nothing."
        )
    return f"{first} The paper's own algorithm, `{kind}.{own}`: {_said(ratios[own])}."


def _warning(windows: Sequence[Mapping[str, Any]]) -> str:
    """Say how likely the plans that are advised finish at all, where that is not sure."""
    best = recommended(windows)
    finish = [row.get("finish", 1.0) for w in windows for row in w["rules"] if row["rule"] == best]
    if min(finish) >= 1.0:
        return ""
    return (
        " That is about *expected* rows: all masters ever finish with probability "
        f"{', '.join(f'{each:.3g}' for each in finish)} in the windows."
    )


def _said(ratio: float | None) -> str:
    if ratio is None:
        return "in some window it has no plan that meets all requirements"
    return f"at most {ratio_words(ratio)} times off the optimum in every window, proved"


def _table(windows: Sequence[Mapping[str, Any]]) -> str:
    heads = [", ".join(map(str, window["window"].values())) for window in windows]
    rows = []
    for place, rule in enumerate(worst(windows)):
        found = [window["rules"][place] for window in windows]
        rows.append([f"`{rule}`", *map(_cell, found)])
    return table(["policy", *(f"{head}: value, ratio" for head in heads)], rows)


def _cell(row: Mapping[str, Any]) -> str:
    if row["value"] is None:
        return "breaks a requirement"
    ratio = "none" if row["ratio"] is None else ratio_words(row["ratio"])
    return f"{row['value']:,.6g}, {ratio}"
