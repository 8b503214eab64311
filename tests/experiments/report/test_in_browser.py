"""The page in a real browser: it sorts, follows the reader's colours, fits a phone, is quiet."""

from __future__ import annotations

import re

import pytest

from farkas.experiments.report import collect, render
from farkas.experiments.sweeps import Store
from tests.tools.browser import ENTER, chromium

NAMES = "return Array.from(document.querySelectorAll('#summary tbody th')).map(e => e.innerText)"
MEANS = (
    "return Array.from(document.querySelectorAll('#summary tbody td.strong')).map(e => e.innerText)"
)
BACKGROUND = "return getComputedStyle(document.body).backgroundColor"


@pytest.fixture(scope="module")
def page(swept, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    with Store(swept, readonly=True) as store:
        path.write_text(render(collect(store, title="Small sweep")), encoding="utf-8")
    with chromium() as browser:
        browser.address = path.as_uri()
        yield browser


@pytest.fixture
def opened(page):
    page.prefer("light")
    page.resize(1180, 900)
    page.open(page.address)
    return page


def test_a_click_on_a_head_sorts_and_another_turns_round(opened):
    head = "#summary thead th:nth-child(4) button"
    opened.click(head)
    rising = [float(m) if m != "–" else float("inf") for m in opened.run(MEANS)]
    assert rising == sorted(rising)
    opened.click(head)
    falling = [float(m) for m in opened.run(MEANS) if m != "–"]
    assert falling == sorted(falling, reverse=True)
    assert opened.run(MEANS)[-1] == "–", "what has no ratio stays last either way"
    state = "return document.querySelector('#summary thead th:nth-child(4)').ariaSort"
    assert opened.run(state) == "descending"


def test_the_keyboard_sorts_too(opened):
    head = "#summary thead th:nth-child(1) button"
    opened.press(head, ENTER)
    names = opened.run(NAMES)
    assert names == sorted(names, key=str.lower)
    opened.press(head, ENTER)
    assert opened.run(NAMES) == names[::-1]


def test_the_page_follows_the_system_and_the_button_overrules_it(opened):
    label = "return document.getElementById('theme').innerText"
    light = opened.run(BACKGROUND)
    assert opened.run(label) == "Use dark colours"
    opened.prefer("dark")
    assert opened.becomes(label, "Use light colours")
    dark = opened.run(BACKGROUND)
    assert light != dark
    opened.click("#theme")
    # the button says what it does next, to those who hear it, too
    assert (opened.run(BACKGROUND), opened.run(label)) == (light, "Use dark colours")
    assert opened.name(opened.find("#theme")[0]) == "Use dark colours"
    opened.prefer("light")
    opened.click("#theme")
    assert opened.becomes(BACKGROUND, dark)


def test_the_page_fits_a_phone(opened):
    opened.resize(390, 844)
    width = "return [document.documentElement.scrollWidth, innerWidth]"
    assert opened.becomes("return innerWidth", 390)
    content, view = opened.run(width)
    assert content <= view, "tables scroll inside their box, the page does not"


def test_on_a_phone_the_verdicts_of_theorems_come_first_and_are_in_sight(opened):
    first = "return [...document.querySelectorAll('main > section')].sort((a, b) => "
    first += "a.getBoundingClientRect().top - b.getBoundingClientRect().top)[0].id"
    assert opened.run(first) == "ratios"
    opened.resize(390, 844)
    assert opened.becomes("return innerWidth", 390)
    assert opened.run(first) == "theorems"
    cells = "return [...document.querySelectorAll('#promises td.verdict')].map(e => "
    verdicts = opened.run(cells + "[e.innerText, e.getBoundingClientRect().right])")
    assert verdicts
    for words, right in verdicts:
        assert re.fullmatch(r"(kept|undecided|broken) in \d+ of \d+|not applicable", words)
        assert right <= 390


def test_what_failed_says_what_to_do(opened):
    cells = "return [...document.querySelectorAll('#failed td.remedy')].map(e => e.innerText)"
    assert opened.run(cells) == ["Mend what the reason names, then farkas sweep FILE --retry."]


def test_drawings_buttons_and_tables_have_names(opened):
    opened.run("document.querySelectorAll('details').forEach(one => { one.open = true })")
    for selector in ("svg[role=img]", "button:not(#check *)", "table", "[role=region]", "nav"):
        elements = opened.find(selector)
        assert elements, selector
        for element in elements:
            assert opened.name(element).strip(), selector


def test_the_bounds_of_the_runs_are_checked_in_the_page(opened):
    opened.press("#check-given", ENTER)
    verdicts = "[...document.querySelectorAll('#check-results h3 span')].map((e) => e.textContent)"
    assert opened.becomes(f"return {verdicts}.length > 0", True)
    assert set(opened.run(f"return {verdicts}")) == {
        "Proved of the program inside the file",
        "Instance",
    }
    said = opened.run("return document.getElementById('check-results').textContent")
    assert "which any file can state" in said


@pytest.mark.slow
def test_the_page_is_alone_and_has_no_complaints(page):
    page.requests()
    page.console()
    page.open(page.address)
    page.click("#theme")
    page.click("#summary thead button")
    asked = [url for url in page.requests() if not url.startswith("data:")]
    assert asked == [page.address]
    assert page.console() == []
