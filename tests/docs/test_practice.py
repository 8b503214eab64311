"""What pages advise for real data follows from the record, and the record is what runs give."""

from __future__ import annotations

import json

import pytest
from farkas_docs import practice

from farkas.instances.files import own_kinds
from farkas.online import algorithms
from tests.recorded import practice as record
from tests.tools.shared import ROOT, shared

KEPT = record.kept()


def window(**ratios):
    rows = [{"rule": rule, "value": 1.0, "ratio": ratio} for rule, ratio in ratios.items()]
    return {"window": {"start": "today"}, "rules": rows}


def test_the_rule_with_the_least_worst_ratio_is_advised():
    # first is best on average, second in its worst window; third has no plan in one
    found = [window(a=1.0, b=1.125, c=1.0), window(a=1.5, b=1.25, c=None)]
    assert practice.worst(found) == {"a": 1.5, "b": 1.25, "c": None}
    assert practice.recommended(found) == "b"
    words = practice.advice("kind", found)
    assert words == (
        "Use `kind.b`: at most 1.25 times off the optimum in every window, proved. The paper's own "
        "algorithm, `kind.a`: at most 1.5 times off the optimum in every window, proved."
    )
    assert practice.advice("kind", [window(a=1.0, b=2.0)]).endswith("the paper's own algorithm.")
    idle = window(a=None, b=2.0)
    idle["rules"][0]["value"] = 0.0
    assert practice.advice("kind", [idle]).endswith("`kind.a`: in some window it earns nothing.")


def test_plans_that_may_never_finish_are_advised_with_a_warning(monkeypatch, tmp_path):
    sure, unsure = window(a=1.0, b=2.0), window(a=1.0, b=2.0)
    for each, finish in ((sure, 1.0), (unsure, 0.625)):
        each["rules"][0]["finish"], each["rules"][1]["finish"] = finish, 0.5
        each["in_time"] = [{"rule": "c", "value": 2.0, "ratio": 1.5}]
    monkeypatch.setattr(practice, "PATH", tmp_path / "practice.json")
    for entries, words in (([sure], ""), ([sure, unsure], "finish with probability 1, 0.625 in")):
        practice.PATH.write_text(json.dumps({"kind": entries}))
        ((_, text),) = practice.pages()
        assert ("ever finish" in text) == bool(words)
        assert words in text
        assert "wanted, use `kind.c`: at most 1.5 times off the optimum in every window" in text


def test_the_record_holds_the_windows_and_rules_of_today():
    assert list(KEPT) == list(record.SETTINGS)
    for kind, windows in KEPT.items():
        assert [entry["window"] for entry in windows] == record.windows(kind)
        for entry in windows:
            assert [row["rule"] for row in entry["rules"]] == list(record.RULES[kind])
            assert all(row["ratio"] is None or row["ratio"] >= 1 for row in entry["rules"])
            assert [row["rule"] for row in entry.get("in_time", [])] == (
                list(record.IN_TIME) if kind == "coded" else []
            )
        assert all(f"{kind}.{name}" in algorithms for name, _ in record.RULES[kind].values())


@pytest.mark.parametrize("kind", KEPT)
def test_the_page_of_a_kind_shows_its_record(kind):
    assert kind in own_kinds()
    page = (ROOT / "docs" / f"{kind}.md").read_text()
    assert f"generated/listings/{kind}_practice.md" in page
    assert dict(practice.pages())[f"listings/{kind}_practice"].startswith("Use `")


CASES = [(kind, place) for kind in KEPT for place in range(len(record.windows(kind)))]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "place"), CASES)
def test_the_record_is_what_runs_give(kind, place):
    shared("data")
    now = record.measured(kind, record.windows(kind)[place])
    before = KEPT[kind][place]
    assert list(record.differences(before, now)) == [], 'make record NAMES="practice"'
    assert (now["jobs"], now["sense"]) == (before["jobs"], before["sense"])
    moved = {**now, "rules": [{**row, "ratio": 9.0} for row in now["rules"]]}
    assert list(record.differences(before, moved))
