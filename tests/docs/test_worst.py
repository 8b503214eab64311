"""Pages of worst cases say what is proved now, and that a changed statement is not."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from farkas_docs import practice, worst
from farkas_docs.worst import (
    WorstKnown,
    Written,
    _instance,
    _page,
    _text,
    _theorem,
    _traces,
    _words,
    case_of,
    found_words,
    pages,
    random_words,
    read_searches,
    slug,
)

from farkas.adversary import catalogue as module
from farkas.adversary.catalogue import FOUND, find_statement, statements_of
from farkas.instances.files import own_kinds
from farkas.online import algorithms
from tests.experiments.made import copied
from tests.recorded import practice as record
from tests.tools.shared import ROOT, shared


@pytest.fixture(scope="module")
def written() -> dict[str, Written]:
    return dict(pages())


def test_every_statement_has_a_page_and_a_picture_and_every_kind_its_list(written) -> None:
    names = [one.name for kind in own_kinds() for one in statements_of(kind)]
    for name in names:
        page = slug(case_of_name(name))
        text = written[f"worst/{page}"]
        assert text.startswith(f"# Worst case of {name}\n")
        pictures = [path for path in written if path.startswith(f"worst/{page}-")]
        assert len(pictures) == 1
        assert f"]({Path(pictures[0]).name})" in text
        assert "The algorithm decided so again" in text
        assert f"({page}.md)" in written[f"worst/{name.partition('.')[0]}"]
        assert f"(generated/worst/{page}.md)" in written["listings/worst"]
    assert len({slug(case_of_name(name)) for name in names}) == len(names)


def case_of_name(name: str) -> WorstKnown:
    return case_of(find_statement(name))


def test_a_picture_is_drawn_when_it_is_asked_for_and_named_after_what_it_shows(
    written, tmp_path: Path
) -> None:
    (path,) = [path for path in written if path.startswith("worst/gadget_drf-")]
    assert written[path]().startswith(b"<?xml")
    shipped = copied(tmp_path, "gadget.drf")
    case = case_of(shipped)
    before = worst._version(case, "drawing")
    assert worst._version(case, "another drawing") != before
    shipped.path.write_bytes(shipped.path.read_bytes() + b" ")
    assert worst._version(case_of(shipped), "drawing") != before


def test_a_page_shows_theorem_verdict_search_and_instance() -> None:
    text = _page(case_of_name("eris.eris"), "p.svg", {"eris.competitive_ratio": "refuted"})
    assert "39.86, **exceeded here**; [`eris.competitive_ratio`](#eris-competitive-ratio)" in text
    assert "): refuted" in text
    assert "| theorem, repaired | none is stated |" in text
    assert "farkas worst eris.eris --range worth=1..1000 --evaluations " in text
    assert "| `jobs` | `name` | `arrival` |" in text
    other = _page(case_of_name("coded.simple_greedy"), "", {})
    assert "none: an assumption is false here" in other


def test_a_forged_statement_is_not_proved_on_its_page(tmp_path: Path, monkeypatch) -> None:
    shipped = copied(tmp_path, "eris.eris")
    data = json.loads(shipped.path.read_text())
    data["ratio"] = "98765"
    shipped.path.write_text(json.dumps(data))
    case = case_of(shipped)
    text = _page(case, "", {})
    assert "**not proved**" in text
    assert "at least" not in text
    assert "98765" in text  # the objection says what was claimed
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    forged = dict(pages())
    (row,) = [line for line in forged["worst/eris"].splitlines() if "[`eris.eris`]" in line]
    assert "| not proved |" in row
    assert not [path for path in forged if path.startswith("worst/eris_eris-")]


def test_what_is_not_repeated_is_said() -> None:
    case = case_of_name("mlbroker.local")
    other = WorstKnown(dataclasses.replace(case.standing, repeats=False), [])
    assert "**Not repeated**" in _page(other, "", {})


def test_ratios_on_traces_are_those_of_the_record() -> None:
    kept = json.loads(worst.PRACTICE.read_text())["eris"]
    largest = max(row["ratio"] for window in kept for row in window["rules"]
                  if row["rule"] == "eris, price_floor=0.5")  # fmt: skip
    said = _traces(case_of_name("eris.eris[price_floor=0.5]"))
    assert said.startswith("at most ")
    assert float(said.split()[-1]) == pytest.approx(largest, rel=1e-4)
    assert _traces(case_of_name("eris.eris[scheduler=printed]")) == "–"


def test_statements_that_draws_found_say_so() -> None:
    shipped = find_statement("mlbroker.local")
    search = read_searches(shipped.folder / FOUND)[shipped.name]
    assert "The search found less" not in _words(search)
    fields = {name: getattr(search, name) for name in search.__struct_fields__}
    drawn = type(search)(**{**fields, "found_by": "draws"})
    assert "The search found less" in _words(drawn)


def test_values_are_short() -> None:
    assert _text([1.0, 1.0, 1.0]) == "3 × 1"
    assert _text([[1.23456, 2], [3, None]]) == "(1.235, 2), (3, –)"
    assert _text([[1, 2]] * 3) == "3 × (1, 2)"
    assert _text(list(range(30))).endswith("11, …")
    assert _text({"kind": "linear", "slope": 2.0}) == "kind linear, slope 2"
    assert _text(True) == "yes"


def tables(data: dict[str, object]) -> Iterator[str]:
    yield from _instance(data)


def test_fields_that_say_nothing_are_left_out_and_records_have_a_table() -> None:
    one, two = tables({"slots": 3, "occupied": None, "jobs": [{"arrival": 0}, {"worth": 1.5}]})
    assert "occupied" not in one
    assert two.splitlines()[0] == "| `jobs` | `arrival` | `worth` |"
    assert two.splitlines()[-1] == "| 1 | – | 1.5 |"


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


def test_eris_exceeds_its_theorem_as_printed_where_its_decisions_and_witness_count() -> None:
    found = case_of_name("eris.eris")
    (theorem,) = found.theorems
    assert theorem.reading == "printed"
    assert theorem.factor == pytest.approx(39.863, abs=1e-3) == found.factor("printed")
    assert theorem.exceeded
    assert found.factor("repaired") is None
    known, standing = theorem.guarantee, found.standing
    assert not _theorem(dataclasses.replace(known, witnesses=frozenset()), standing).exceeded
    assert not _theorem(known, dataclasses.replace(standing, repeats=False)).exceeded
    assert not _theorem(dataclasses.replace(known, factor=lambda *_: 1e9), standing).exceeded


def test_a_theorem_whose_assumption_is_false_has_no_factor_and_is_not_exceeded() -> None:
    # rates differ between masters, so that the remark on masters alike does not apply
    found = case_of_name("coded.simple_greedy")
    assert [theorem.factor for theorem in found.theorems] == [None, None]
    assert not any(theorem.exceeded for theorem in found.theorems)


def test_what_is_not_repeated_or_has_no_draws_is_said() -> None:
    found = case_of_name("mlbroker.local")
    other = WorstKnown(dataclasses.replace(found.standing, repeats=False), [])
    assert found.is_proved
    assert not other.is_proved
    assert found_words(other) == f"{found_words(found)}, not repeated here"
    assert random_words(found) != "–"
