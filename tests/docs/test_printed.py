"""The ledger of the papers lists what they print, in order, and names what is there."""

from __future__ import annotations

import importlib
import itertools
import re

import pytest
from farkas_docs import printed

from farkas.instances.files import own_kinds
from farkas.online import algorithms
from farkas.proofs import claims
from tests.tools.shared import shared

ROWS = [pytest.param(kind, row, id=f"{kind}-{row.item}")
        for kind in printed.kinds() for row in printed.rows(kind)]  # fmt: skip

ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5}
WORDS = "Theorem|Lemma|Claim|Proposition|Corollary|Definition|Algorithm|Fig\\.|Table|Appendix"
NUMBERED = re.compile(rf"\((K?\d+[a-z]?)\)|(?:{WORDS}) [\dA-Z.]+")


def items(kind: str) -> list[str]:
    """Items that the paper prints, in the order of the ledger."""
    return [row.item for row in printed.rows(kind) if not row.ours]


def numbered(kind: str) -> list[str]:
    """Those with a number of their own."""
    return [item for item in items(kind) if NUMBERED.fullmatch(item)]


def test_every_paper_has_its_ledger() -> None:
    assert printed.kinds() == sorted(own_kinds())


@pytest.mark.parametrize(("kind", "row"), ROWS)
def test_a_row_says_where_it_is_or_why_it_is_nowhere(kind: str, row: printed.Row) -> None:
    assert row.says
    assert row.by or row.code or row.absent
    for name in row.by:
        assert printed.embodied(name), name
        assert name.startswith(f"{kind}."), name


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


@pytest.mark.parametrize("path", sorted({path for case in ROWS for path in case.values[1].code}))
def test_a_python_object_that_a_row_names_is_there(path: str) -> None:
    assert resolved(path) is not None


@pytest.mark.parametrize("kind", printed.kinds())
def test_no_item_is_listed_twice_nor_a_name_twice_in_its_row(kind: str) -> None:
    assert len(set(items(kind))) == len(items(kind))
    by_hand = {row["item"]: row.get("by", []) for row in printed.listed(kind)}
    from_code = printed.placed(kind)
    for item, names in by_hand.items():
        assert not set(names) & set(from_code.get(item, [])), f"{item}: the code says so itself"


@pytest.mark.parametrize("kind", printed.kinds())
def test_all_that_the_code_says_of_a_paper_stands_in_its_ledger(kind: str) -> None:
    assert printed.placed(kind).keys() <= {row.item for row in printed.rows(kind)}


# what a source says of something that is not the paper's
OURS = re.compile(r"not in the paper|added|PrimalDualBwK")


@pytest.mark.parametrize("kind", printed.kinds())
def test_every_claim_and_algorithm_of_a_paper_stands_in_some_row(kind: str) -> None:
    named = {name for row in printed.rows(kind) for name in row.by}
    for registry in (claims, algorithms):
        for name in registry.names(f"{kind}."):
            assert name in named or OURS.search(registry[name].source), name


def steps(numbers: list[int]) -> set[int]:
    return {b - a for a, b in itertools.pairwise(numbers)}


@pytest.mark.parametrize("kind", printed.kinds())
def test_equations_are_listed_in_order_without_a_gap(kind: str) -> None:
    found = [re.fullmatch(r"\((\d+)([a-z]?)\)", item) for item in numbered(kind)]
    pairs = [(int(match[1]), match[2]) for match in found if match]
    assert pairs == sorted(pairs)
    assert steps([number for number, _ in pairs]) <= {0, 1}
    assert pairs[0][0] == 1
    for number, group in itertools.groupby(pairs, key=lambda pair: pair[0]):
        letters = [ord(letter) for _, letter in group if letter]
        # (9k) stands alone: it replaces (8k)
        assert steps(letters) <= {1}, number
        assert (number, letters) == (9, [ord("k")]) or letters[:1] in ([], [ord("a")]), number


@pytest.mark.parametrize("kind", printed.kinds())
def test_theorems_figures_and_the_like_are_numbered_without_a_gap(kind: str) -> None:
    found: dict[str, list[int]] = {}
    for item in numbered(kind):
        word, _, number = item.rpartition(" ")
        # GADGET numbers definitions, lemmas and theorems together
        together = kind == "gadget" and word in ("Definition", "Lemma", "Theorem")
        if word:
            found.setdefault("Theorem" if together else word, []).append(rank(number))
    for word, ranks in found.items():
        assert sorted(ranks) == list(range(1, len(ranks) + 1)), word


def rank(number: str) -> int:
    """Place of a number in its count: of ``3``, ``1.3``, ``III`` and ``C``."""
    last = number.rpartition(".")[2]
    return ROMAN.get(last) or (int(last) if last.isdigit() else ord(last) - ord("A") + 1)


# Parts of papers behind this are no statements of theirs; `Theorem 2 in [17]` is another paper's.
REFERENCES = re.compile(r"^\W*REFERENCES|^References", re.MULTILINE)
PRINTED = {
    "": r"\((?!0)(\d{1,2}[a-z]?)\)|\\tag\{(\d+[a-z]?)\}",
    "K": r"\([Kk](\d+)\)",
    "Theorem": r"Theorems? ?(\d+)(?! in \[)",
    "Lemma": r"Lemmas? ?(\d+)",
    "Claim": r"Claims? (\d\.\d)",
    "Proposition": r"Propositions? (\d+)",
    "Corollary": r"Corollary (\d+)",
    "Definition": r"Definition (\d+)",
    "Algorithm": r"(?:Algorithms?|Alg\.) ?(\d+)",
    "Fig.": r"Fig(?:ures?|s?\.)? ?(\d+)",
    "Table": r"(?:TABLE|Table\.?) (\d+|[IVX]+\b)",
    "Appendix": r"Appendix\.? ([A-F])\b|^([A-F])\. Proof of",
}


def in_print(text: str) -> set[str]:
    """Items whose number occurs in the text of a paper."""
    text = REFERENCES.split(text)[0]
    found = set()
    for word, pattern in PRINTED.items():
        for groups in re.findall(pattern, text, re.MULTILINE):
            number = groups if isinstance(groups, str) else "".join(groups)
            found.add(f"{word} {number}" if len(word) > 1 else f"({word}{number})")
    return found


# ``3.2 Cost Structure``, ``# V. SOLUTION``, ``B. Price Function``, ``II-D Problem Formulation``
HEADING = re.compile(
    r"^(?:#+ )?(?:(\d(?:\.\d)?|[IVX]+(?:-[A-Z])?) |([IVX]+)\. |([A-Z])\. )[A-Z]", re.MULTILINE
)
NAMES = {"Eris": "eris", "mlBroker": "mlbroker", "DPS": "dps", "GADGET": "gadget", "Coded": "coded"}
ROMAN_PART = r"[IVX]+\b(?:-[A-Z]\b)?"
NAMED_SECTION = re.compile(
    rf"\b({'|'.join(NAMES)}) (?:section (\d(?:\.\d)?\b|{ROMAN_PART})|({ROMAN_PART}))"
)


def sections(text: str) -> set[str]:
    """Sections and subsections of a paper; those with a letter of their own as in ``IV-B``."""
    found, within = set(), ""
    for whole, roman, letter in HEADING.findall(REFERENCES.split(text)[0]):
        within = roman or within
        found.add(whole or roman or f"{within}-{letter}")
    return found


@pytest.mark.parametrize("kind", printed.kinds())
def test_a_section_that_is_named_is_one_of_the_paper(kind: str) -> None:
    found = sections(shared("papers", f"{kind}.txt").read_text())
    said = {
        (path.name, match[2] or match[3])
        for path in (printed.FOLDER.parents[2] / "farkas").rglob("*.py")
        for match in NAMED_SECTION.finditer(path.read_text())
        if NAMES[match[1]] == kind
    }
    said |= {
        (item, match[0])
        for item in items(kind)
        if (match := re.match(rf"\d(?:\.\d)?(?=,)|{ROMAN_PART}", item))
    }
    assert len(said) > 3
    assert {(where, section) for where, section in said if section not in found} == set()


@pytest.mark.parametrize("kind", printed.kinds())
def test_the_ledger_has_the_numbers_that_the_paper_prints(kind: str) -> None:
    text = shared("papers", f"{kind}.txt").read_text()
    found = in_print(text)
    assert len(found) > 30
    assert {item for item in found if item not in numbered(kind)} == set()
    assert {item for item in numbered(kind) if item not in found} == set()


def test_numbers_are_found_in_print() -> None:
    text = "\\tag{2a} see (3) and (K4); Fig. 5; TABLE II; Theorem 2 in [1].\nREFERENCES\n(9)"
    assert in_print(text) == {"(2a)", "(3)", "(K4)", "Fig. 5", "Table II"}


def errata(text: str) -> dict[int, str]:
    """Errata of a kind's page by their numbers."""
    section = text.partition("\n## Errata\n")[2].partition("\n## ")[0]
    return {int(n): said for n, said in re.findall(r"(?ms)^(\d+)\. (.+?)(?=^\d+\. |\Z)", section)}


@pytest.mark.parametrize("kind", ["dps", "mlbroker"])
def test_an_erratum_that_a_rule_names_is_about_it(kind: str) -> None:
    root, named = printed.FOLDER.parents[2], 0
    found = errata((root / "docs" / f"{kind}.md").read_text())
    for path in [*(root / "farkas").rglob(f"{kind}/*.py")]:
        for rule in re.split(r"\n    @", path.read_text()):
            label = re.match(r'constraint\("(\d+)([a-z]?)', rule)
            for number in map(int, re.findall(r"see errat(?:um|a) (\d+)", rule)):
                named += 1
                assert number in found, f"{path}: erratum {number}"
                if label:
                    about = {f"({label[1]})", f"({label[1]}{label[2]})"}
                    assert any(each in found[number] for each in about), f"{path}: {label[0]}"
    assert named


def test_sections_are_found_in_print() -> None:
    text = "3.2 Cost\n# V. SOLUTION\nB. Price\nII-D Problem\nsee IV. There\n3. Third\n"
    assert sections(f"{text}REFERENCES\n7 End") == {"3.2", "V", "V-B", "II-D"}
    names = "Eris section V-C, mlBroker section 6.2, GADGET IV-3, DPS section IV."
    assert [m[2] or m[3] for m in NAMED_SECTION.finditer(names)] == ["V-C", "6.2", "IV", "IV"]


def test_sources_are_read() -> None:
    source = "Paper Lemma 1, (29), Theorems 2 and 3, (8c)-(8e), (11)-(13), (K1)-(K2), "
    source += "Theorem 4 of [17] (2005)"
    assert set(printed.references(source)) == {
        "(8c)", "(8d)", "(8e)", "(11)", "(12)", "(13)", "(29)",
        "(K1)", "(K2)", "Theorem 2", "Theorem 3", "Lemma 1",
    }  # fmt: skip
    assert printed.references("Claims 1.1 and 1.2, appendix F") == [
        "Claim 1.1", "Claim 1.2", "Appendix F",
    ]  # fmt: skip


def test_the_pages_show_every_row() -> None:
    pages = dict(printed.pages())
    for kind in printed.kinds():
        assert pages[f"ledger_{kind}"].count("\n| ") == 1 + len(printed.rows(kind))
    assert "not modelled" in pages["ledger_eris"]
