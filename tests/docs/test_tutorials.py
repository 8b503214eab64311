"""Notebooks of the pages run from top to bottom, and keep what their prose says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from farkas.algebra import programs
from farkas.instances.files import own_kinds
from tests.tools.notebooks import cells, execute, prose
from tests.tools.shared import ROOT

FOLDER = ROOT / "docs" / "tutorials"
NOTEBOOKS = sorted(path for path in FOLDER.glob("*.md") if "{code-cell}" in path.read_text())
NUMBER = re.compile(r"(?<![\w.\[({/-])\d[\d,]*(?:\.\d+|/\d+)(?![\w/])")
MOST_SECONDS = 15


@pytest.fixture(autouse=True, scope="module")
def nothing_stays_registered() -> Iterator[None]:
    """Forget programs that notebooks declare in this process."""
    programs.load()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programs, "_items", dict(programs._items))
        yield


def short(path: Path) -> str:
    return path.stem


def test_there_is_a_notebook_to_begin_with_and_one_for_every_kind() -> None:
    assert {path.stem for path in NOTEBOOKS} == {"from_zero", *own_kinds()}


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=short)
def test_a_notebook_runs_quickly_and_shows_the_numbers_of_its_prose(
    path: Path, tmp_path: Path
) -> None:
    # a process of its own: notebooks declare programs, open figures and patch nothing
    done = subprocess.run(
        [sys.executable, "-m", "tests.tools.notebooks", str(path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    shown, _, seconds = done.stdout.rpartition("CPU seconds: ")
    assert float(seconds) <= MOST_SECONDS
    known = "\n".join([shown, *cells(path.read_text())])
    said = re.sub(r"`[^`]*`", "", prose(path.read_text()))  # what is in code is code
    for number in NUMBER.findall(said):
        assert number in known, f"{number} is neither shown nor asserted"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=short)
def test_a_notebook_is_one_for_sphinx_and_jupytext(path: Path) -> None:
    text = path.read_text()
    front, _, rest = text.removeprefix("---\n").partition("\n---\n")
    assert "format_name: myst" in front
    assert "name: python3" in front
    assert "execution_timeout: 600" in front  # by the clock of a busy machine
    assert re.match(r"\n# \w", rest)
    assert text.count("```{code-cell} python\n") == len(cells(text)) >= 8
    pictures = [code for code in CELLS.findall(text) if DRAWS.search(code)]
    assert len(pictures) >= 2
    for code in pictures:
        assert "    alt: " in code, "a picture without words"


DRAWS = re.compile(r"^(?:plt\.show\(\)|\w+\.plot\(\)|Picture\(\w+\))$", re.MULTILINE)
CELLS = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def zero() -> dict[str, object]:
    text = (FOLDER / "from_zero.md").read_text()
    # what draws and what searches is run by the test above
    keep = text.partition("## The same for a cluster")[0]
    return execute(keep.replace("plt.show()", "plt.close()"), "from_zero.md")[0]


@pytest.mark.slow
def test_the_first_tutorial_proves_what_it_promises(zero) -> None:
    season, primal_dual, promised = zero["Season"], zero["primal_dual"], zero["promised"]
    for price in (1, 2, 7):
        ratios = [
            Fraction(sum(primal_dual(season(price, days))[0]), min(price, days))
            for days in range(1, 3 * price)
        ]
        assert max(ratios) == 2 - Fraction(1, price)  # by hand: rent B - 1 days, then B
    assert promised(1) == 2  # c = 1
    assert promised(2) == Fraction(9, 5)  # c = (3/2)^2 - 1 = 5/4
    assert zero["best_shares"](2) == Fraction(4, 3)  # 1 / (1 - 1/4)
    assert zero["proof"].ratio == Fraction(9, 5)


@pytest.mark.slow
def test_the_rule_that_the_first_tutorial_refutes_is_worse(zero) -> None:
    # buying one day earlier: 2 B - 2 after B - 1 days, when the optimum is B - 1
    assert zero["worst_ratio"](4, 5) == Fraction(8, 4) > zero["worst_ratio"](5, 5)
