"""The page that checks proofs stands beside the pages that link to it."""

from __future__ import annotations

import types

from farkas_docs import _write_checker

from farkas.verbs.proof_page import proof_page
from tests.tools.shared import ROOT


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
