"""What a VIPR file proves, in words that its comments cannot imitate."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path

import pytest

import farkas
from farkas.certificates.vipr_check import MOST_COMMENTS, ViprProof, Words, short
from farkas.errors import FileProblem


def test_an_interval_is_rounded_outwards_and_comments_are_quoted() -> None:
    proof = ViprProof("min", False, F(1, 3), None, 4, ('add 5".  Proved: "6',))
    assert proof.statement == (
        "The optimal value of the program inside the file is in [0.333333333, inf].  "
        'The file comments: "add 5\\".  Proved: \\"6".'
    )
    found = proof.to_builtins()
    assert (found["lower"], found["lower_exact"]) == (0.3333333333333333, "1/3")
    assert (found["upper"], found["upper_exact"], found["derivations"]) == (None, None, 4)
    point = ViprProof("min", False, F(1, 10), F(1, 10), 0, ()).to_builtins()
    assert (point["lower"], point["upper"]) == (0.09999999999999999, 0.1)
    assert ViprProof("max", False, None, F(2, 3), 0, ()).statement.endswith("[-inf, 0.666666667].")


def test_no_more_than_a_few_comments_are_repeated() -> None:
    comments = tuple(f"line {k}" for k in range(MOST_COMMENTS + 2))
    said = ViprProof("min", True, None, None, 0, comments).statement
    assert said.startswith("The program inside the file is infeasible.  The file comments")
    assert said.endswith(f'"line {MOST_COMMENTS - 1}".  2 more comments are left out.')


def test_a_proof_is_a_line_and_a_table(tmp_path: Path) -> None:
    path = tmp_path / "model.lp"
    path.write_text("min\n obj: x\nst\n c: x >= 2\nbounds\n x <= 10\nend\n")
    farkas.prove(path).save(tmp_path / "model.vipr")
    proof = farkas.check(tmp_path / "model.vipr")
    assert repr(proof) == f"<proof: {proof.statement}>"
    assert "is in [2, 2]" in proof._repr_html_()


def words(*lines: str) -> Words:
    return Words(iter(lines), "file.vipr")


def test_words_come_in_order_over_lines_and_comments_are_kept():
    read = words("% first", "", "%second ", "VER 1.0", "", "VAR 2")
    read.skip_comments()
    assert read.comments == ["first", "second"]
    assert [read.next() for _ in range(4)] == ["VER", "1.0", "VAR", "2"]
    read.end()
    with pytest.raises(FileProblem, match=r"file\.vipr: ends after line 6"):
        read.next()


def test_a_wrong_word_and_text_after_the_end_are_refused():
    with pytest.raises(FileProblem, match="line 1: 'MAX' instead of min or max"):
        words("MAX").expect("min", "max")
    for left in (["DER 0", "more"], ["DER 0 more"]):
        read = words(*left)
        assert (read.next(), read.next()) == ("DER", "0")
        with pytest.raises(FileProblem, match="text after the last derivation"):
            read.end()


def test_long_words_are_cut():
    assert short("a" * 30) == repr("a" * 30)
    assert short("a" * 31) == repr("a" * 27 + "...")
