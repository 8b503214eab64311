"""What a reader sees of the page that checks: files in, verdicts out, on any device, alone."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

import farkas
from farkas.api.proof_page import example, proof_page
from farkas.cli import call
from farkas.instances import library
from tests.standalone.test_checker import EQUAL, plain
from tests.tools.browser import ENTER, chromium

BUTTON = "return document.getElementById('check-given').textContent"
CARDS = "return [...document.querySelectorAll('#check-results h3')].map((one) => one.textContent)"
PROVED = "Proved of the program inside the file"
STATUS = "return document.getElementById('check-status').textContent"
WIDTHS = "return [document.documentElement.scrollWidth, innerWidth]"
CONTRAST = """
const parse = (text) => text.match(/[0-9.]+/g).slice(0, 3).map(Number);
const light = (text) => parse(text).map((x) => x / 255)
  .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
  .reduce((sum, x, i) => sum + [0.2126, 0.7152, 0.0722][i] * x, 0);
const back = light(getComputedStyle(document.getElementById("check")).backgroundColor);
const names = ["h2", "p", "li", "span", "dt"].map((name) => `#check ${name}`);
const all = [...document.querySelectorAll(names.join(","))];
return Math.min(...all.map((one) => light(getComputedStyle(one).color))
  .map((ink) => (Math.max(ink, back) + 0.05) / (Math.min(ink, back) + 0.05)));
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("view")
    path = folder / "check.html"
    assert call(["check", "--page", str(path)]) == 0
    with chromium() as browser:
        browser.address, browser.folder = path.as_uri(), folder
        yield browser


@pytest.fixture
def opened(page):
    page.prefer("light")
    page.resize(1180, 900)
    page.open(page.address)
    return page


def choose(page, **files):
    """Choose files as a reader does; a name ends as its key does after two underscores."""
    paths = []
    for name, content in files.items():
        path = page.folder / name.replace("__", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        paths.append(str(path))
    (element,) = page.find("#check-files")
    page._ask("DOM.setFileInputFiles", files=paths, nodeId=element)


GOOD = json.dumps(plain())


def solved(tmp_path):
    """An instance's file, and a certificate about it with its program inside."""
    answer = farkas.solve("dps/tiny", "dps.interval_lp", certify=True, embed=True)
    farkas.save(answer, tmp_path / "bound.json")
    return (tmp_path / "bound.json").read_bytes(), library.path("dps/tiny").read_bytes()


def test_a_certificate_is_proved_and_a_false_one_refused(opened):
    choose(opened, good__json=GOOD)
    assert opened.becomes(CARDS, [f"{PROVED}: good.json"])
    words = opened.run("return document.querySelector('#check-results p').textContent")
    assert words.startswith(
        'The optimal value of the program that the file calls "small" is at least 1.'
    )
    assert opened.run(STATUS) == f"{PROVED.lower()}: 1"
    choose(opened, false__json=GOOD.replace('"bound": "', '"bound": "1'))
    assert opened.becomes(CARDS, [f"{PROVED}: good.json", "Refused: false.json"])
    words = opened.run("return document.querySelectorAll('#check-results p')[1].textContent")
    assert words.startswith("multipliers: do not prove the bound ")
    opened.press("#check-clear", ENTER)
    assert opened.becomes(CARDS, [])
    assert opened.run("return document.activeElement.id") == "check-files"


def test_an_instance_beside_its_certificate_is_compared_and_what_is_left_open_is_said(
    opened, tmp_path
):
    bound, instance = solved(tmp_path)
    choose(opened, bound__json=bound, market__json=instance)
    assert opened.becomes(CARDS, [f"{PROVED}: bound.json", "Instance: market.json"])
    said = opened.run("return document.querySelector('#check-results article').textContent")
    assert 'It states the hash of "market.json", which any file can state.' in said
    assert "the instance took no part in the proof" in said
    assert "is the one that this instance has is not known here" in said
    assert "farkas check bound.json --instance market.json" in said
    choose(opened, market__json=instance.replace(b'"horizon": ', b'"horizon": 1'))
    assert opened.becomes(CARDS, ["Refused: bound.json", "Instance: market.json"])


def test_a_file_that_claims_nothing_is_not_called_proved(opened):
    choose(opened, free__vipr=EQUAL.replace("RTP range 3 3", "RTP range -inf inf"))
    assert opened.becomes(CARDS, ["Nothing claimed: free.vipr"])


def test_a_browser_that_cannot_check_is_told_so(opened, tmp_path):
    old = tmp_path / "old.html"
    assert opened.run(STATUS) == ""
    old.write_text(proof_page().replace("const farkasChecker", "const const"), encoding="utf-8")
    opened.open(old.as_uri())
    assert opened.run(STATUS).startswith("Nothing can be checked here")
    opened.console()


def long_file(steps=150_000):
    """A VIPR file that takes some seconds."""
    rows = "".join(f"d{k} G 1 1 0 1 {{ lin 1 {k} 1 }} -1\n" for k in range(steps))
    head = "VER 1.0 VAR 1 x INT 1 0 OBJ min 1 0 1 CON 1 1 c G 1 1 0 1 RTP range 1 inf SOL 0"
    return f"{head} DER {steps}\n{rows}"


def test_a_long_check_tells_how_far_it_is_and_is_stopped(opened):
    choose(opened, long__vipr=long_file())
    assert opened.becomes("return document.getElementById('check-progress').value > 0", True)
    assert opened.run(STATUS) == "Checking long.vipr ..."
    opened.press("#check-cancel", ENTER)
    assert opened.becomes(STATUS, "Stopped; nothing was proved.")
    assert opened.run(CARDS) == []
    choose(opened, good__json=GOOD)
    assert opened.becomes(CARDS, [f"{PROVED}: good.json"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1180])
def test_it_fits_and_can_be_read(opened, scheme, width, tmp_path):
    opened.prefer(scheme)
    opened.resize(width, 800)
    bound, instance = solved(tmp_path)
    long_name = GOOD.replace('"small"', f'"{"x" * 200}"')
    false = GOOD.replace('"bound": "', '"bound": "1')
    choose(opened, a__json=bound, b__json=instance, c__json=long_name, d__json=false)
    assert opened.becomes("return document.querySelectorAll('#check-results h3').length", 4)
    opened.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert opened.becomes("return innerWidth", width)
    content, view = opened.run(WIDTHS)
    assert content <= view
    assert opened.run(CONTRAST) >= 4.5


def test_everything_has_a_name_for_a_screen_reader(opened):
    choose(opened, good__json=GOOD)
    assert opened.becomes(CARDS, [f"{PROVED}: good.json"])
    for selector in ("section", "#check-files", "#check-clear", "details summary"):
        for element in opened.find(selector):
            assert opened.name(element).strip(), selector
    (element,) = opened.find("#check-files")
    assert opened.name(element) == "Certificate and instance files"
    assert (
        opened.run("return document.getElementById('check-status').getAttribute('role')")
        == "status"
    )
    assert opened.run("return document.querySelectorAll('h1, h2, h3').length") == 3


def test_one_click_checks_an_example_with_its_instance(opened):
    assert opened.run(BUTTON) == "Try an example: a bound and its instance"
    opened.press("#check-given", ENTER)
    assert opened.becomes(CARDS, [f"{PROVED}: bound.json", "Instance: market.json"])
    said = opened.run("return document.querySelector('#check-results article').textContent")
    assert 'calls "dps.interval_lp[budget,cliques]"' in said
    assert "is at most 11.75. A point that satisfies it exactly reaches 11.75." in said
    assert 'It states the hash of "market.json"' in said
    opened.press("#check-clear", ENTER)
    assert opened.becomes(CARDS, [])


def test_the_example_is_a_bound_of_the_instance_beside_it(tmp_path):
    for name, text in example():
        (tmp_path / name).write_text(text, encoding="utf-8")
    proof = farkas.check(tmp_path / "bound.json", instance=tmp_path / "market.json")
    assert (proof.program, proof.bound) == ("dps.interval_lp[budget,cliques]", Fraction(47, 4))
