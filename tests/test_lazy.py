"""Names of packages that are imported when they are first used."""

from __future__ import annotations

import ast
import importlib

import pytest

from farkas.lazy import when_used
from tests.tools.shared import ROOT

PACKAGES = ("algebra", "certificates", "forms", "instances", "offline", "online")


def test_a_name_is_imported_from_the_module_that_holds_it() -> None:
    load = when_used("json", {"decoder": "JSONDecoder", "encoder": "JSONEncoder py_encode"})
    assert load("JSONDecoder") is importlib.import_module("json.decoder").JSONDecoder
    assert load("JSONEncoder") is importlib.import_module("json.encoder").JSONEncoder
    with pytest.raises(AttributeError, match="module 'json' has no attribute 'Reader'"):
        load("Reader")


@pytest.mark.parametrize("package", PACKAGES)
def test_what_type_checkers_see_of_a_package_is_what_it_gives(package: str) -> None:
    folder = ROOT / "farkas" / package
    module = importlib.import_module(f"farkas.{package}")
    seen = set()
    for node in ast.parse((folder / "__init__.pyi").read_text()).body:
        assert isinstance(node, ast.ImportFrom)
        assert node.module is not None
        home = importlib.import_module(node.module)
        for name in node.names:
            assert name.asname == name.name  # only so it is seen from outside
            assert getattr(module, name.name) is getattr(home, name.name)
            seen.add(name.name)
    (named,) = (
        node.args[1]
        for node in ast.walk(ast.parse((folder / "__init__.py").read_text()))
        if isinstance(node, ast.Call)
    )
    given = {name for held in ast.literal_eval(named).values() for name in held.split()}
    assert seen - {"check"} == given  # which is imported at once: its module has the same name


def test_only_packages_that_import_when_used_have_types_of_their_own() -> None:
    stubs = {path.parent.name for path in (ROOT / "farkas").rglob("*.pyi")}
    assert stubs == {*PACKAGES, "farkas"}
