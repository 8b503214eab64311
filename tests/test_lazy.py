"""Names of packages that are imported when they are first used."""

from __future__ import annotations

import ast
import importlib

import pytest

from farkas.lazy import when_used
from tests.tools.shared import ROOT

PACKAGES = ("algebra", "certificates", "forms", "instances", "online")


def test_a_name_is_imported_from_the_module_that_holds_it() -> None:
    load = when_used("json", {"decoder": "JSONDecoder", "encoder": "JSONEncoder py_encode"})
    assert load("JSONDecoder") is importlib.import_module("json.decoder").JSONDecoder
    assert load("JSONEncoder") is importlib.import_module("json.encoder").JSONEncoder
    with pytest.raises(AttributeError, match="module 'json' has no attribute 'Reader'"):
        load("Reader")


@pytest.mark.parametrize("package", PACKAGES)
def test_what_type_checkers_see_of_a_package_is_what_it_gives(package: str) -> None:
    tree = ast.parse((ROOT / "farkas" / package / "__init__.py").read_text())
    typed = next(node for node in tree.body if isinstance(node, ast.If))
    module = importlib.import_module(f"farkas.{package}")
    for node in typed.body:
        assert isinstance(node, ast.ImportFrom)
        assert node.module is not None
        home = importlib.import_module(node.module)
        for name in node.names:
            assert getattr(module, name.name) is getattr(home, name.name)
