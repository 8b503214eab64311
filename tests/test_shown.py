"""What shows an object is found when it is asked for, under its own name."""

from __future__ import annotations

import subprocess
import sys

import farkas
from farkas.shown import ShowsItself, verb
from farkas.verbs import html


def test_a_method_is_the_public_function_with_the_object_first(monkeypatch):
    asked = []
    monkeypatch.setattr(farkas, "save", lambda *given, **options: asked.append((given, options)))
    method = verb("save")
    method("run", "path", sure=True)
    assert asked == [(("run", "path"), {"sure": True})]
    assert method.__name__ == "save"
    assert "farkas.save" in method.__doc__


def test_lines_and_tables_are_those_of_the_verbs():
    run = farkas.run("eris/tiny", "eris.eris")
    assert isinstance(run, ShowsItself)
    assert repr(run) == html.line(run)
    assert run._repr_html_() == html.html(run)
    assert html.html(run).startswith("<table>")


def test_nothing_above_is_loaded_before():
    code = (
        "import sys, farkas.online.run; "
        "assert not {'farkas.verbs.html', 'farkas.experiments'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
