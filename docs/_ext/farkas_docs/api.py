"""Reference of every public object, one page a module, floor by floor."""

from __future__ import annotations

import importlib
import pkgutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

from farkas_docs.text import page

ROOT = Path(__file__).resolve().parents[3]


def floors() -> list[str]:
    """List the packages of farkas, lowest floor first, as the layering contract orders them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [name.strip() for layer in reversed(layers) for name in layer.split("|")]
    return [name for name in names if not name.startswith("__")]


def pages() -> Iterator[tuple[str, str]]:
    """``api/index``, one page a floor, one page a module."""
    toctree = "\n".join(f"farkas.{name}" for name in floors())
    listing = f"```{{toctree}}\n:maxdepth: 1\n{toctree}\n```"
    yield "api/index", page("API reference", "Lowest floor first; each uses those above.", listing)
    for name in floors():
        yield from _floor(f"farkas.{name}")


def _floor(package: str) -> Iterator[tuple[str, str]]:
    modules = list(_modules(package))
    toctree = "```{toctree}\n:maxdepth: 1\n" + "\n".join(modules) + "\n```" if modules else ""
    yield f"api/{package}", page(package, toctree, _automodule(package))
    for module in modules:
        yield f"api/{module}", page(module.removeprefix(f"{package}."), _automodule(module))


def _modules(package: str) -> Iterator[str]:
    root = importlib.import_module(package)
    for info in pkgutil.walk_packages(getattr(root, "__path__", []), package + "."):
        module = importlib.import_module(info.name)
        empty = info.ispkg and not _own(module)
        if not empty:
            yield info.name


def _own(module: object) -> list[str]:
    name = getattr(module, "__name__", "")
    return [k for k, v in vars(module).items() if getattr(v, "__module__", None) == name]


def _automodule(module: str) -> str:
    options = ":members:\n:ignore-module-all:\n:show-inheritance:"
    return (
        f"```{{eval-rst}}\n.. automodule:: {module}\n"
        + "".join(f"   {line}\n" for line in options.split("\n"))
        + "```"
    )
