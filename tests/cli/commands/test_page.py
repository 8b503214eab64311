"""``farkas page``."""

from __future__ import annotations

from farkas.cli import call
from farkas.errors import Exit
from farkas.verbs.proof_page import proof_page


def test_it_writes_the_page_and_says_what_to_do_with_it(tmp_path, capsys):
    path = tmp_path / "check.html"
    assert call(["page", "-o", str(path)]) == Exit.DONE
    assert path.read_text(encoding="utf-8") == proof_page()
    out = capsys.readouterr().out
    assert out.startswith("written: ")
    assert "drop a certificate on it" in out


def test_what_cannot_be_written_is_one_line(tmp_path, capsys):
    assert call(["page", "-o", str(tmp_path / "none" / "check.html")]) != Exit.DONE
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "none" in error
