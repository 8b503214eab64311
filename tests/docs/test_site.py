"""The site as readers get it, in a browser as wide as a desk's and as narrow as a telephone's.

A few pages are built for every run of the tests; all of them for the slow ones.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from farkas_docs import (
    algorithms,
    api,
    command_line,
    front,
    learn,
    made_of,
    mathml,
    printed,
    quick,
    solvers,
    text,
)

import farkas
from tests.tools import site
from tests.tools.browser import Browser, chromium
from tests.tools.shared import ROOT

DOCS = ROOT / "docs"
DESK, PHONE = 1280, 390

SAMPLE = r"""# Sample

Type `--json` or --json, and "quotes".

## Formulas

In a sentence: $rate_{i} \ge \text{what is left}$.

$$ \mathit{rate}_{i} \, \mathit{workers}_{i,t} \ge \sum_{o \in \mathit{sites}} \mathit{moved}_{o} $$

## Code

```python
>>> 1 + 1  # a remark
2
```

```bash
farkas run market.json --algorithm mlbroker.fractional  # a remark
```

:::{note}
A note with a [link](index.md).
:::

:::{dropdown} More
Inside.
:::
"""
SETTINGS = f"""
from runpy import run_path
globals().update(run_path({str(DOCS / "conf.py")!r}))
html_static_path = [{str(DOCS / "_static")!r}]
suppress_warnings = ["myst", "toc", "ref", "image"]
nb_execution_mode = "off"
"""


def built(source: Path, target: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Let Sphinx build a site."""
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", *words, "-b", "html",
         "-d", str(target.parent / "trees"), str(source), str(target)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a site of the front page, some generated ones and a sample of all else."""
    folder = tmp_path_factory.mktemp("few")
    source = folder / "docs"
    (source / "generated").mkdir(parents=True)
    (source / "_static").mkdir()
    for picture in DOCS.glob("_static/front-*.svg"):
        (source / "_static" / picture.name).write_bytes(picture.read_bytes())
    (source / "conf.py").write_text(SETTINGS)
    (source / "index.md").write_text((DOCS / "index.md").read_text())
    (source / "sample.md").write_text(SAMPLE)
    for writer in (algorithms, command_line, learn, solvers):
        for name, page in writer.pages():
            path = source / "generated" / f"{name}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_text(page)
    done = built(source, folder / "html")
    assert done.returncode == 0, done.stderr
    return folder / "html"


FEW = ("index", "sample", "generated/solvers", "generated/algorithms", "generated/command_line")


@pytest.fixture(scope="module")
def browser(few: Path) -> Iterator[Browser]:
    with chromium(DESK) as browser:
        yield browser


@pytest.fixture
def visit(browser: Browser, few: Path):
    """Open a page of the small site in a window of a width, by day or night."""

    def visit(name: str, width: int = DESK, scheme: str = "light") -> Browser:
        browser.resize(width, 900)
        browser.prefer(scheme)
        browser.open((few / f"{name}.html").as_uri())
        return browser

    return visit


@pytest.mark.slow
@pytest.mark.parametrize("name", FEW)
def test_a_page_loads_nothing_from_a_network(few: Path, visit, name: str) -> None:
    assert not site.foreign(site.read(few / f"{name}.html"))
    browser = visit(name)
    assert browser.run("return document.readyState") == "complete"
    asked = browser.requests()
    assert asked
    assert all(address.startswith(("file:", "data:")) for address in asked)


NESTED = """
Title
=====

:field: one
:other: * a list

          - inside of it

            :deep: field

.. note::
   :class: tip

   A paragraph, *words*, and ::

      literal

term
    Its definition, with a list:

    1. first
    2. second
"""


@pytest.mark.slow
def test_documents_are_parsed_and_walked_as_docutils_does() -> None:
    """In two processes, since the quick ways replace what docutils has for good."""
    words = (
        "import sys; sys.path[:0] = [{ext!r}]\n"
        "from docutils.core import publish_doctree\n"
        "from docutils import frontend, nodes\n"
        "{quick}"
        "tree = publish_doctree({text!r})\n"
        "print(tree.pformat())\n"
        "for kind in (nodes.Node, nodes.paragraph, nodes.Text, nodes.field, nodes.list_item):\n"
        "    print([repr(node)[:60] for node in tree.findall(kind)])\n"
        "print([repr(node)[:60] for node in tree.findall()])\n"
        "for node in (tree, tree[0], tree[0].children[-1]):\n"
        "    print([repr(n)[:60] for n in node.findall(lambda n: n.children and n.parent)])\n"
        "    print([repr(n)[:60] for n in node.findall(nodes.Text, include_self=False)])\n"
        "    print([repr(n)[:60] for n in node.findall(descend=False, siblings=True)])\n"
        "    print([repr(n)[:60] for n in node.findall(nodes.term, ascend=True)])\n"
        "from docutils.parsers.rst import Parser\n"
        "for components in ((), (Parser,)):\n"
        "    made = [frontend.get_default_settings(*components) for _ in range(2)]\n"
        "    made[0].strip_elements_with_classes = ['changed']\n"
        "    print(sorted((k, str(v)) for k, v in vars(made[1]).items() if 'record' not in k))\n"
        "from numpydoc.docscrape import NumpyDocString\n"
        "read = [NumpyDocString('A.\\n\\nNotes\\n-----\\nB.'), NumpyDocString('')]\n"
        "print([str(one) for one in read], [dict(one) for one in read])\n"
    )
    quickly = (
        "from farkas_docs import quick\n"
        "quick.walk_without_recursion(); quick.make_states_when_asked()\n"
        "quick.keep_settings(); quick.keep_templates()\n"
        "assert nodes.Node._fast_findall.__module__ == 'farkas_docs.quick'\n"
    )
    plain, fast = (
        subprocess.run(
            [sys.executable, "-c", words.format(ext=str(DOCS / "_ext"), quick=how, text=NESTED)],
            capture_output=True, text=True, check=True,
        ).stdout
        for how in ("", quickly)
    )  # fmt: skip
    assert "definition_list" in plain
    assert "system_message" not in plain
    assert fast == plain


def test_a_page_opens_what_is_above_it_in_the_margin() -> None:
    def item(inside: str, address: str) -> str:
        box = '<input class="toctree-checkbox"/>' if inside else ""
        link = f'<a class="reference internal" href="{address}">{address}</a>'
        return f'<li class="toctree">{link}{box}{inside}</li>'

    tree = item(item("", "b.html") + item("", "c.html"), "a.html") + item("", "d.html")
    contents = quick.Contents(tree)
    opened = contents.at("c.html")
    assert opened.count("current-page") == 1
    assert opened.startswith('<li class="toctree current"><a class="reference internal" href="a.ht')
    assert opened.count('checked=""') == 1
    assert 'current-page"><a class="reference internal" href="#">c.html' in opened
    assert contents.at("elsewhere.html") == tree


@pytest.mark.slow
def test_options_are_shown_as_they_are_typed(visit) -> None:
    browser = visit("generated/command_line")
    words = browser.run("return document.querySelector('article').innerText")
    assert "–-" not in words
    assert "–json" not in words
    assert words.count("--json") > 5
    bare = "[...document.querySelectorAll('article p, article td')].map(e => [...e.childNodes]"
    bare += (
        ".filter(n => n.nodeType == 3).map(n => n.data).join(' ')).filter(t => t.includes('--'))"
    )
    assert browser.run(f"return {bare}") == []


def test_the_picture_of_the_front_page_is_what_the_algorithms_cost() -> None:
    found = front.compared()
    for look in front.LOOKS:
        kept = (DOCS / "_static" / f"front-{look}.svg").read_text()
        assert front.picture(found, look) == kept, "python -m farkas_docs.front draws it again"


@pytest.mark.parametrize("module", [api, text, command_line, mathml, printed, quick, site])
def test_examples_of_a_writer_come_out_as_they_say(module) -> None:
    import doctest

    failed, tried = doctest.testmod(module)
    assert tried
    assert not failed


def test_the_reference_begins_with_every_public_name() -> None:
    _, index = next(api.pages())
    grouped = {name for names in api.GROUPS.values() for name in names.split()}
    assert grouped | {"__version__"} == set(farkas.__all__)
    assert index.count("{py:") == len(grouped) + len(api.RESULTS) + len(api.MODELLING.split())


def test_sections_of_a_docstring_are_no_headings() -> None:
    doc = "Sorts.\n\nParameters\n----------\nway\n    Up or\n    down.\n"
    doc += "\nNotes\n-----\nIt is *slow*.\n"
    assert text.docstring(doc) == (
        "Sorts.\n\n**Parameters**\n\n- `way`: Up or down.\n\n**Notes**\n\n- It is \\*slow\\*."
    )


def test_formulas_nest_rightly() -> None:
    drawn = mathml.mathml(r"e'_{k}^{2}", inline=True)
    assert "<msubsup><mi>e</mi><mi>k</mi><mrow><mo>′</mo><mn>2</mn></mrow></msubsup>" in drawn
    assert 'display="block"' not in drawn
    rows = mathml.mathml(r"\begin{align} a &\le b \tag{8a} \\ & c \notag \end{align}")
    assert rows.count("<mtr>") == 2
    assert rows.count("<mtd") == 4
    assert "<mtext>(8a)</mtext>" in rows
    for wrong in (r"\begin{align} a", r"\begin{matrix} a \end{matrix}", r"\frac{a}", r"{a"):
        with pytest.raises(ValueError, match="formula"):
            mathml.mathml(wrong)


def test_pages_that_the_front_page_does_not_list_are_for_learners(tmp_path: Path) -> None:
    for name in ("index", "faq", "eris", "concepts", "trust"):
        (tmp_path / f"{name}.md").write_text("trust\n" if name == "index" else "")
    assert learn.learned(tmp_path) == ["concepts", "faq"]
    (tmp_path / "tutorials").mkdir()
    (tmp_path / "tutorials" / "index.md").touch()
    assert learn.learned(tmp_path) == ["tutorials/index", "concepts", "faq"]


def test_pages_are_written_again_when_what_they_are_made_of_changes(tmp_path: Path) -> None:
    for name in ("farkas/a.py", "docs/ledger/a.json", "docs/_ext/a.py", "docs/index.md",
                 "pyproject.toml", "requirements.lock"):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    seen = {made_of(tmp_path)}
    assert made_of(tmp_path) in seen
    for name in ("farkas/a.py", "docs/ledger/a.json", "docs/_ext/a.py", "docs/index.md"):
        (tmp_path / name).write_text("changed")
        assert made_of(tmp_path) not in seen
        seen.add(made_of(tmp_path))
    (tmp_path / "docs" / "faq.md").touch()
    assert made_of(tmp_path) not in seen


def test_every_test_of_solvers_stands_in_one_column_of_their_table() -> None:
    import json

    asked = {
        t.removeprefix("test_")
        for t in json.loads((DOCS / "ledger" / "solvers.json").read_text())["tests"]
    }
    shown = [test for tests in solvers.TESTED.values() for test in tests]
    assert sorted([*shown, *solvers.UNSEEN]) == sorted(asked)


def test_a_solver_that_passed_less_says_how_much() -> None:
    seen = {
        "solvers": ["a", "b"],
        "tests": {f"test_{t}": {"a": "2"} for tests in solvers.TESTED.values() for t in tests},
    }
    seen["tests"]["test_infeasible"]["b"] = "1"
    table = "\n".join(solvers._seen(seen))
    (row,) = [line for line in table.splitlines() if line.startswith("| `b`")]
    assert [cell.strip() for cell in row.split("|")[2:-1]] == [
        "–", "–", "1\xa0of\xa010", *["–"] * 5
    ]  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, site.Found]:
    """Every page of the site by its path."""
    folder = tmp_path_factory.mktemp("whole")
    done = built(DOCS, folder / "html", "-W", "--keep-going")
    assert done.returncode == 0, done.stderr
    paths = sorted((folder / "html").rglob("*.html"))
    return {path: site.read(path) for path in paths if "_static" not in path.parts}


ODD = {"search.html"}
"""Pages that Sphinx makes and nobody writes."""


@pytest.mark.slow
def test_the_site_builds_without_a_warning_and_leads_nowhere_dead(whole) -> None:
    assert len(whole) > 150
    unwritten = [] if (DOCS / "tutorials" / "index.md").exists() else ["tutorials/index.html"]
    assert [d for d in site.dead_links(whole) if not any(u in d for u in unwritten)] == []
    program = next(path for path in whole if path.name == "mlbroker_programs.html")
    assert "<munder><mo>∑" in program.read_text()


@pytest.mark.slow
def test_every_page_has_one_title_words_for_pictures_and_loads_nothing(whole) -> None:
    wrong = {
        path.name: found
        for path, page in whole.items()
        if path.name not in ODD
        and (found := [site.wrong_headings(page.levels), page.silent, site.foreign(page)])
        != ["", [], []]
    }
    assert not wrong


@pytest.mark.slow
def test_every_page_fits_a_telephone_and_a_desk(whole) -> None:
    wide = {}
    with chromium(DESK) as browser:
        for width in (DESK, PHONE):
            browser.resize(width, 900)
            for path in whole:
                browser.open(path.as_uri())
                if found := browser.run(site.OVERFLOW):
                    wide[path.name, width] = found
    assert not wide


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_of_every_sort_have_enough_contrast(whole, scheme: str) -> None:
    names = {"trust", "gallery", "cite", "mlbroker", "mlbroker_programs", "eris_claims", "ledger",
             "errata", "worst", "farkas.api", "scale", "program"}  # fmt: skip
    found = {}
    with chromium(DESK) as browser:
        browser.prefer(scheme)
        for path in whole:
            if path.stem in names:
                browser.open(path.as_uri())
                found[path.stem] = browser.run(site.CONTRAST)[1]
    assert found.keys() == names
    assert not {name: poor for name, poor in found.items() if poor}
