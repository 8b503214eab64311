"""The browser of the tests is found wherever it lies, and says so when it cannot be driven."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.tools import browser
from tests.tools.browser import Browser, find_chromium


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without any browser."""
    for variable in (*browser.VARIABLES, "PLAYWRIGHT_BROWSERS_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(browser, "PLACES", [p for p in browser.PLACES if p.startswith("~")])
    return tmp_path


def program(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return path


def test_without_a_browser_the_reason_says_what_to_do(bare):
    with pytest.raises(pytest.skip.Exception, match=r"`make browser`.*CHROME=/path/to/chrome"):
        find_chromium()


@pytest.mark.parametrize("name", ["chromium", "google-chrome", "headless_shell"])
def test_a_browser_in_the_path_is_found(bare, name):
    path = program(bare / "bin" / name)
    assert find_chromium() == str(path)


@pytest.mark.parametrize("variable", browser.VARIABLES)
def test_a_variable_overrules_the_path(bare, monkeypatch, variable):
    program(bare / "bin" / "chromium")
    other = program(bare / "elsewhere" / "my-own")
    monkeypatch.setenv(variable, str(other))
    assert find_chromium() == str(other)


def test_a_variable_that_names_nothing_is_a_failure_and_no_skip(bare, monkeypatch):
    monkeypatch.setenv("CHROME", "/no/such/chrome")
    with pytest.raises(pytest.fail.Exception, match="CHROME = /no/such/chrome: no such program"):
        find_chromium()


def test_a_browser_that_playwright_keeps_is_found(bare, monkeypatch):
    place = Path("chromium-1200", "chrome-linux", "chrome")
    program(bare / "kept" / place.with_name("chrome_crashpad_handler"))
    kept = program(bare / "kept" / place)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(bare / "kept"))
    assert find_chromium() == str(kept)
    home = program(bare / ".cache" / "ms-playwright" / place)
    monkeypatch.delenv("PLAYWRIGHT_BROWSERS_PATH")
    assert find_chromium() == str(home)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("print('no display', flush=True)", r"(?s)has ended instead of .*no display"),
        ("import time; time.sleep(3600)", r"silent for 0\.5 s instead of answering Target"),
    ],
)
def test_a_browser_that_ends_or_hangs_is_a_clear_failure(tmp_path, text, complaint):
    fake = program(tmp_path / "fake", text)
    one = Browser(str(fake), tmp_path, 800, 600, patience=0.5 if "sleep" in text else 600)
    try:
        with pytest.raises(pytest.fail.Exception, match=complaint):
            one.attach()
    finally:
        one.quit()
    with pytest.raises(ProcessLookupError):
        os.killpg(one.process.pid, 0)
