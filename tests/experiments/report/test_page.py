"""A report is one page that says what the store holds, and nothing else."""

from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser
from importlib import resources
from typing import get_args

import pytest

from farkas.experiments.report import collect, render
from farkas.experiments.report import page as report_page
from farkas.experiments.report.page import REMEDIES, outcome
from farkas.experiments.sweeps import Result, Store, Task
from farkas.experiments.sweeps.guarantees import Promise
from farkas.experiments.sweeps.store import Status

VOID = {"input", "meta", "link", "wbr"}


class Page(HTMLParser):
    """Checks nesting and collects what a test asks for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.loads: list[str] = []
        self.count: dict[str, int] = {}
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, name, attributes):
        self.count[name] = self.count.get(name, 0) + 1
        found = dict(attributes)
        self.ids += [found["id"]] if "id" in found else []
        for key in ("href", "src"):
            if key in found:
                self.targets.append(found[key])
        for key in ("aria-labelledby", "aria-describedby"):
            self.targets += [f"#{name}" for name in found.get(key, "").split()]
        if name not in VOID:
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        self.handle_starttag(name, attributes)
        self.open.pop()

    def handle_endtag(self, name):
        assert self.open, f"</{name}> closes nothing"
        assert self.open.pop() == name


@pytest.fixture(scope="module")
def contents(swept):
    with Store(swept, readonly=True) as store:
        return collect(store, title="Small sweep", prove=True)


@pytest.fixture(scope="module")
def text(contents):
    return render(contents)


def test_the_page_counts_what_the_store_holds(contents, text):
    assert contents.statuses == {"done": 20, "failed": 5}
    assert contents.certified == 20
    assert contents.rechecks == {"proved again": 20}
    labels = {item.label for item in contents.ratios}
    assert {"mlbroker.fractional (epsilon=0.1)", "mlbroker.local"} <= labels
    for item in contents.ratios:
        assert item.label in text.replace("<wbr>", "")
    ((name, status, error, count),) = contents.failures
    assert (name == "mlbroker.opt", status, count) == (True, "failed", 5)
    assert "mosek" in error.lower()


def test_the_page_says_what_was_proved_and_what_is_the_word_of_the_store(swept, contents, text):
    with Store(swept, readonly=True) as store:
        unproved = collect(store)
    assert unproved.rechecks == {"the store's word": 20}
    for found, again, word in ((contents, 20, 0), (unproved, 0, 20)):
        page = render(found)
        assert f"<dt>proved again for this page</dt><dd>{again}</dd>" in page
        assert f"<dt>not proved</dt><dd>{word}</dd>" in page
        assert f"{again} results were proved again while this page was written" in page


def test_the_page_is_well_formed_and_every_reference_leads_somewhere(text):
    page = Page(text)
    assert len(set(page.ids)) == len(page.ids), "an id names one thing"
    inside = {target[1:] for target in page.targets if target.startswith("#")}
    assert inside <= set(page.ids)
    assert page.count["svg"] == 3


def test_the_page_asks_for_nothing_from_anywhere(text):
    page = Page(text)
    assert all(target.startswith("#") or target == "data:," for target in page.targets)
    assert not re.search(r"https?://|@import|url\((?!#)", text)
    assert "default-src 'none'" in text


def test_bounds_to_be_checked_come_with_the_page_unless_their_data_are_not_public(contents, text):
    private = [(run, data.replace(public=False)) for run, data in contents.runs]
    assert 'id="check-files-given"' in text
    assert 'id="check-files-given"' not in render(dataclasses.replace(contents, runs=private))


def test_a_page_holds_so_many_certificates_at_most(contents, monkeypatch):
    every = report_page._certificates(contents)
    total = sum(len(text) for _, text in every)
    for most, left_out in ((total, 0), (total - 1, 1), (100, len(every))):
        monkeypatch.setattr(report_page, "MOST_EMBEDDED", most)
        held = report_page._certificates(contents)
        assert sum(len(text) for _, text in held) <= most
        assert len(held) == len(every) if not left_out else len(held) <= len(every) - left_out


def test_the_same_store_gives_the_same_page(swept, text):
    with Store(swept, readonly=True) as store:
        assert render(collect(store, title="Small sweep", prove=True)) == text


def test_what_a_store_says_is_text_and_never_markup(tmp_path):
    evil = "<script>alert(1)</script>"
    task = Task(name="mlbroker.x", kind="mlbroker", instance="0" * 64)
    with Store(tmp_path / "evil.sqlite") as store:
        store.add(Result(key=task.key, task=task, status="failed", error=evil))
        page = render(collect(store, title=evil))
    assert evil not in page
    assert page.count("&lt;script&gt;alert(1)") == 3  # title, heading and the table of failures


def test_what_a_store_says_holds_nothing_that_cannot_be_seen(tmp_path):
    task = Task(name="mlbroker.\u202ex", kind="mlbroker", instance="0" * 64)
    with Store(tmp_path / "hidden.sqlite") as store:
        store.add(Result(key=task.key, task=task, status="failed", error="a\u2066b\x1b[2K"))
        page = render(collect(store, title="t\u200bt"))
    assert all(line.isprintable() for line in page.split("\n"))
    assert page.count(r"\u2066") == 1


def test_an_empty_store_is_a_page_too(tmp_path):
    with Store(tmp_path / "empty.sqlite") as store:
        page = render(collect(store))
    Page(page)
    assert "The store holds no run" in page


def test_text_is_readable_in_both_schemes():
    # WCAG 2: contrast of at least 4.5 for text, on cards and on the page
    style = (resources.files("farkas.experiments.report") / "templates/page.css").read_text()
    blocks = re.findall(r"\{\s*color-scheme: (light|dark);(.*?)\}", style, re.DOTALL)
    assert sorted(scheme for scheme, _ in blocks) == ["dark", "dark", "light"]
    assert len({block for scheme, block in blocks if scheme == "dark"}) == 1, "one dark scheme"
    for _, block in blocks:
        colours = dict(re.findall(r"--([\w]+): (#[0-9a-f]{6})", block))
        for text in ("ink", "soft", "accent", "bad", "good", "warn"):
            for under in ("card", "page"):
                assert contrast(colours[text], colours[under]) >= 4.5, (text, under)
        for graphic in (f"c{i}" for i in range(8)):
            assert contrast(colours[graphic], colours["card"]) >= 3, graphic


def contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"kept": 5}, "kept in 5 of 5"),
        ({"kept": 5, "undecided": 2}, "undecided in 2 of 7"),
        ({"kept": 5, "undecided": 2, "broken": 1}, "broken in 1 of 8"),
        ({"kept": 1, "not_applicable": 3}, "kept in 1 of 4"),
        ({"not_applicable": 3}, "not applicable"),
    ],
)
def test_the_verdict_of_a_theorem_is_its_worst_outcome(counts: dict[str, int], words: str) -> None:
    assert outcome(Promise(reading="printed", source="s", statement="t", **counts)) == words


def test_every_status_has_a_remedy() -> None:
    assert set(REMEDIES) == set(get_args(Status))


def test_kinds_and_senses_have_axes_of_their_own(contents):
    one = next(item for item in contents.ratios if item.name == "mlbroker.local")
    others = [
        dataclasses.replace(one, name=name, sense=sense)
        for name, sense in (("eris.one", "max"), ("eris.two", "max"), ("eris.three", "min"))
    ]
    ratios = [others[0], one, *others[1:], dataclasses.replace(one, by_instance={})]
    found = report_page._spreads(dataclasses.replace(contents, ratios=ratios))
    assert [(d["title"], d["chart"].count(": median ")) for d in found] == [
        ("eris, rewards: proved bound over value", 2),
        ("eris, costs: value over proved bound", 1),
        ("mlbroker, costs: value over proved bound", 1),
    ]
