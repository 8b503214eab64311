"""What the pages show is what the code does; the site builds without a warning."""

from __future__ import annotations

import doctest
import importlib
import math
import os
import re
import shlex
import subprocess
import sys
import types
from pathlib import Path

import pytest
from farkas_docs import _write_checker, printed

from farkas.algebra import programs
from farkas.api.compare import compare
from farkas.api.proof_page import proof_page
from farkas.certificates.ratio import ratio_words
from farkas.cli import call
from farkas.cli.app import COMMANDS
from farkas.instances.files import own_kinds
from farkas.instances.generate import generate
from farkas.online import algorithms
from farkas.proofs import claims
from farkas.quantities import quantities
from farkas.solvers import backends
from tests.tools.shared import ROOT

DOCS = ROOT / "docs"
WRITTEN = sorted(
    path for path in DOCS.rglob("*.md") if not {"generated", "_build"} & set(path.parts)
)
PAGES = [*WRITTEN, ROOT / "README.md", ROOT / "CHANGELOG.md"]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Generated pages by name, made in a process of its own."""
    folder = tmp_path_factory.mktemp("generated")
    code = f"import farkas_docs, pathlib; farkas_docs.write_pages(pathlib.Path({str(folder)!r}))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{DOCS / '_ext'}"},  # as to compiling, too
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = sorted(folder.rglob("*.md"))
    return {path.relative_to(folder).with_suffix("").as_posix(): path.read_text() for path in pages}


@pytest.mark.parametrize("path", PAGES, ids=short)
def test_what_stands_behind_a_prompt_is_what_happens(path: Path) -> None:
    # a fence right behind the output is no part of it
    text = re.sub(r"^```.*$", "", path.read_text(), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, short(path), str(path), 0)
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS).run(test)
    assert not failed


@pytest.mark.parametrize("path", PAGES, ids=short)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", path.read_text()):
        assert (path.parent / target).exists(), target  # also in a clone without built pages


@pytest.mark.parametrize("path", WRITTEN, ids=short)
def test_files_that_a_page_includes_exist(path: Path, generated: dict[str, str]) -> None:
    for target in re.findall(r"\{(?:literalinclude|include)\} (\S+)", path.read_text()):
        made = target.removeprefix("generated/").removesuffix(".md") in generated
        assert made or (path.parent / target).is_file(), target


@pytest.mark.parametrize("kind", own_kinds())
def test_the_page_of_a_paper_lists_all_its_programs_and_algorithms(
    kind: str, generated: dict[str, str]
) -> None:
    text = (DOCS / f"{kind}.md").read_text()
    for role, names in (("programs", programs), ("algorithms", algorithms)):
        assert f"{{include}} generated/listings/{kind}_{role}.md" in text
        listed = re.findall(
            r"^\| \[`([^`]+)`\]", generated[f"listings/{kind}_{role}"], re.MULTILINE
        )
        assert listed == names.names(f"{kind}.")


def test_every_program_is_shown_in_words_and_mathematics(generated: dict[str, str]) -> None:
    for name in programs.names():
        page = generated[f"{name.partition('.')[0]}_programs"]
        assert f"## {name}\n" in page
    assert r"\sum_{o \in \mathit{sites}} \mathit{moved}_{i,t,o,r}" in generated["mlbroker_programs"]
    assert "<munder><mo>∑</mo>" in generated["mlbroker_programs"]


def test_an_unknown_formula_is_refused_and_a_known_one_is_nested_rightly() -> None:
    code = (
        "from farkas_docs.mathml import mathml\n"
        "print(mathml(r'\\frac{a}{2} \\sum_{i \\in \\mathit{my\\_set}} x_{i}'))\n"
        "mathml(r'\\oint x')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(DOCS / "_ext")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "<mfrac><mi>a</mi><mn>2</mn></mfrac>" in done.stdout
    assert "<munder><mo>∑</mo><mrow><mi>i</mi><mo>∈</mo><mi>my_set</mi></mrow>" in done.stdout
    assert done.stderr.rstrip().endswith(r"formula: \oint is not known here")


def test_a_variant_shows_what_differs(generated: dict[str, str]) -> None:
    page = generated["mlbroker_programs"]
    strict = page.split("### mlbroker.offline[strict,single,global]")[1].split("### ")[0]
    assert "(8m)" in strict  # only strict semantics has it
    assert "(8b)" not in strict  # both have it


def test_every_claim_stands_in_the_ledger(generated: dict[str, str]) -> None:
    for name in claims:
        assert f"## {name}\n" in generated[f"{claims[name].kind}_claims"]
        assert f"| [`{name}`]" in generated[f"listings/{claims[name].kind}_claims"]


def test_errata_are_the_refuted_claims(generated: dict[str, str]) -> None:
    page = generated["errata"]
    assert "`mlbroker.printed_dual`" in page
    assert "`mlbroker.lemma1`" not in page  # that one holds


def test_every_algorithm_quantity_solver_and_command_has_its_entry(
    generated: dict[str, str],
) -> None:
    assert all(f"| `{name}` |" in generated["quantities"] for name in quantities)
    assert all(f"### {name}\n" in generated["algorithms"] for name in algorithms)
    assert all(f"| `{name}` |" in generated["solvers"] for name in backends)
    assert all(f"## farkas {name}\n" in generated["command_line"] for name in COMMANDS)


def test_every_module_stands_in_the_reference(generated: dict[str, str]) -> None:
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "farkas").rglob("*.py")
        if path.stem not in ("__init__", "__main__")
    }
    reference = "".join(text for page, text in generated.items() if page.startswith("api/"))
    assert modules <= set(re.findall(r"automodule:: (\S+)", reference))


def test_the_table_of_the_readme_is_what_compare_prints() -> None:
    text = (ROOT / "README.md").read_text()
    shown = re.findall(r"^(mlbroker\.[\w\[\]]+) +\d", text, re.MULTILINE)
    assert len(shown) > 5
    found = compare(generate("mlbroker", "small", seed=0), shown)
    assert f"proved bound {found.proved}\n" in text
    for entry in found.entries:
        words = f"{entry.value_words('min')}  +{ratio_words(entry.ratio)}"
        row = rf"^{re.escape(entry.algorithm)} +{words}  "
        assert re.search(row, text, re.MULTILINE), entry
    ratios = {entry.algorithm: entry.ratio for entry in found.entries}
    for name, words in (
        (
            "fractional[tight]",
            r"`mlbroker\.fractional\[tight\]` is within ([\d.]+) % of an optimum",
        ),
        ("opt", r"the proof leaves ([\d.]+) % open"),
    ):
        (share,) = re.findall(words, text)
        assert float(share) == math.ceil(1000 * (ratios[f"mlbroker.{name}"] - 1)) / 10


def test_the_certificate_of_the_readme_is_read_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    section = (ROOT / "README.md").read_text().partition("## Read a certificate")[2]
    commands, shown = re.findall(r"^```\n(.*?)^```", section, re.DOTALL | re.MULTILINE)[:2]
    monkeypatch.chdir(tmp_path)
    lines = ["farkas generate mlbroker --preset small -o market.json", *commands.splitlines()]
    for line in lines:
        _, *words = shlex.split(line)
        capsys.readouterr()
        assert call(words) == 0
    assert capsys.readouterr().out == shown
    assert (tmp_path / "bound.vipr").is_file()


def test_the_index_of_places_names_files_that_are_there() -> None:
    text = (ROOT / "docs" / "design.md").read_text()
    section = text.partition("## Where is what")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| ")][1:]
    assert 5 <= len(rows) <= 15
    for row in rows:
        for place in re.findall(r"`([\w/<>.]+)`", row[2]):
            rooted = place.startswith(("farkas/", "docs/", "tests/"))
            pattern = place if rooted else f"farkas/**/{place}"
            assert list(ROOT.glob(re.sub(r"<\w+>", "*", pattern))), f"{place}: {row[1].strip()}"


def test_the_tree_of_the_page_is_the_tree_of_the_package() -> None:
    text = (ROOT / "docs" / "design.md").read_text()
    lines = re.findall(r"^[├└]── (\w+) +(\S.*)$", text, re.MULTILINE)
    folders = {path.parent.name for path in (ROOT / "farkas").glob("*/*.py")}
    assert [name for name, _ in lines] == sorted(folders | {"standalone"})


def test_every_paper_has_its_ledger_and_its_page_shows_every_row() -> None:
    assert printed.kinds() == sorted(own_kinds())
    pages = dict(printed.pages())
    for kind in printed.kinds():
        assert pages[f"ledger_{kind}"].count("\n| ") == 1 + len(printed.rows(kind))


def resolved(path: str) -> object:
    """What a dotted path below ``farkas`` names."""
    parts = f"farkas.{path}".split(".")
    for cut in range(len(parts), 1, -1):
        try:
            thing = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            thing = getattr(thing, part)
        return thing
    raise AssertionError(path)


@pytest.mark.parametrize("kind", printed.kinds())
def test_a_row_says_where_it_is_or_why_it_is_nowhere(kind: str) -> None:
    for row in printed.rows(kind):
        assert row.says, row.item
        assert row.by or row.code or row.absent, row.item
        assert all(printed.embodied(name) and name.startswith(f"{kind}.") for name in row.by), row
        assert all(resolved(path) is not None for path in row.code), row


@pytest.mark.parametrize("kind", printed.kinds())
def test_all_that_the_code_says_of_a_paper_stands_in_its_ledger(kind: str) -> None:
    assert printed.placed(kind).keys() <= {row.item for row in printed.rows(kind)}


# what a source says of something that is not the paper's
OURS = re.compile(r"not in the paper|added|PrimalDualBwK|variant of our own")


@pytest.mark.parametrize("kind", printed.kinds())
def test_every_claim_and_algorithm_of_a_paper_stands_in_some_row(kind: str) -> None:
    named = {name for row in printed.rows(kind) for name in row.by}
    for registry in (claims, algorithms):
        for name in registry.names(f"{kind}."):
            assert name in named or OURS.search(registry[name].source), name


def test_it_is_written_by_builds_of_the_site_that_worked(tmp_path):
    def built(name):
        return types.SimpleNamespace(builder=types.SimpleNamespace(name=name), outdir=tmp_path)

    for app, problem in ((built("doctest"), None), (built("html"), ValueError())):
        _write_checker(app, problem)
        assert not list(tmp_path.iterdir())
    _write_checker(built("html"), None)
    assert (tmp_path / "check.html").read_text(encoding="utf-8") == proof_page()


def test_pages_of_its_folder_link_to_it():
    for name in ("trust", "getting_started"):
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert '<a href="check.html">' in page
