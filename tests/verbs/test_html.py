"""Objects show themselves: in a line, and in notebooks as a table that nothing in it can close."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

import farkas
from farkas.online.run import read_run
from farkas.proofs.claim import claims
from farkas.verbs.html import MOST_ROWS, card, table

HOSTILE = '</td><script>alert("x")</script>\x1b[31m\n&amp;'


def read(html):
    """Rows of a table as texts; what is no table raises."""
    tree = ElementTree.fromstring(html)
    assert tree.tag == "table"
    assert not list(tree.iter("script"))
    return tree.find("caption").text, [[cell.text or "" for cell in row] for row in tree.iter("tr")]


def test_nothing_in_a_cell_ends_it():
    caption, rows = read(card(HOSTILE, [(HOSTILE, HOSTILE), ("left out", None)]))
    assert (
        caption == rows[0][0] == rows[0][1] == '</td><script>alert("x")</script>\\x1b[31m\\n&amp;'
    )
    assert len(rows) == 1
    assert read(table("t", [HOSTILE], [[HOSTILE], [1 / 3]]))[1][2] == ["0.333333"]


def test_long_tables_leave_out_their_middle():
    _, rows = read(table("t", ["n"], [[k] for k in range(3 * MOST_ROWS)]))
    assert rows[1] == ["0"]
    assert rows[-1] == [f"{3 * MOST_ROWS - 1}"]
    assert [f"{2 * MOST_ROWS} rows more"] in rows
    assert len(rows) == MOST_ROWS + 2
    _, rows = read(table("t", ["n"], [[k] for k in range(MOST_ROWS)]))
    assert len(rows) == MOST_ROWS + 1


def shown():
    """One of each, with what its line and its table have to say."""
    auction = farkas.load("eris/tiny")
    solution = farkas.solve(auction, "eris.offline", certify=True)
    claim = claims["eris.competitive_ratio"]
    yield farkas.run(auction, "eris.eris"), "value 105", ("certified ratio", "1")
    yield farkas.optimum(auction), "gap 0", ("value", "105")
    yield (
        solution,
        "proved bound",
        ("program", "max, 99 rows, 88 columns (72 integer), 330 entries"),
    )
    yield farkas.prove(auction, "eris.offline"), "optimal, value 105, bound 105", None
    yield claim, "Eris Theorem 5", ("source", "Eris Theorem 5")
    yield claim.run(), "refuted: by eris/late_fortune", ("counterexample", "eris/late_fortune")
    yield solution.answer, "highs: claims optimal at 105", None


@pytest.fixture(scope="module")
def objects():
    return list(shown())


@pytest.mark.parametrize("number", range(7))
def test_objects_say_in_a_line_what_they_are(objects, number):
    one, words, row = objects[number]
    line = repr(one)
    assert words in line
    assert len(line) < 300
    assert "\n" not in line
    assert line[0] + line[-1] == "<>"
    if row is not None:
        assert list(row) in read(one._repr_html_())[1]


def test_comparisons_are_tables():
    found = farkas.compare("dps/tiny", ["dps.learned", "dps.simple"])
    caption, rows = read(found._repr_html_())
    assert caption == f"tiny: proved bound {found.proved}"
    assert [row[0] for row in rows] == ["algorithm", "dps.learned", "dps.simple"]
    assert rows[1][1] == f"{found.entries[0].value:.6g}"


def test_broken_runs_say_what_they_break():
    run = farkas.run("eris/tiny", "eris.eris")
    run.violations = ["site 0 holds <two>"]
    run.ratio = None
    _, rows = read(run._repr_html_())
    assert ["breaks", "site 0 holds <two>"] in rows
    assert ["certified ratio", "none"] in rows


def test_a_run_that_was_read_is_its_files_word(tmp_path):
    farkas.run("eris/tiny", "eris.eris").save(tmp_path / "run.json")
    caption, rows = read(read_run(tmp_path / "run.json")._repr_html_())
    assert caption.endswith("as its file says: not proved again here")
    words = [row[0] for row in rows]
    assert {"value", "bound", "bound by", "ratio"} <= set(words)
    assert not any("proved" in word or "certified" in word for word in words)
