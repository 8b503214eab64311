"""Reference of every public object, one page a module, floor by floor."""

from __future__ import annotations

import importlib
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from farkas_docs.text import page

ROOT = Path(__file__).resolve().parents[3]


_REMARK = re.compile(
    r"~?(?:\w+\.)?Annotated\[((?:(?!Annotated\[)[^<>])*), <[\w.]+ object at 0x[0-9a-f]+>\]"
)


def without_addresses(signature: str) -> str:
    """Signature of a command without what only the command line reads: addresses of objects.

    >>> without_addresses("(of: ~typing.Annotated[str, <typer.Option object at 0x7f>] = 0)")
    '(of: str = 0)'
    """
    return _REMARK.sub(r"\1", signature)


def floors() -> list[str]:
    """List the packages of farkas, lowest floor first, as the layering contract orders them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [name.strip() for layer in reversed(layers) for name in layer.split("|")]
    return [name for name in names if not name.startswith("__")]


def pages() -> Iterator[tuple[str, str]]:
    """``api/index`` and one page a package, its modules as sections."""
    toctree = "\n".join(f"farkas.{name}" for name in floors())
    listing = f"```{{toctree}}\n:maxdepth: 1\n{toctree}\n```"
    yield "api/index", page("API reference", "Lowest floor first; each uses those above.", listing)
    for name in floors():
        yield from _package(f"farkas.{name}")


def _package(package: str) -> Iterator[tuple[str, str]]:
    # a page a module would be two hundred pages, each with a menu of two hundred
    root = importlib.import_module(package)
    below = list(pkgutil.iter_modules(getattr(root, "__path__", []), package + "."))
    packages = [info.name for info in below if info.ispkg]
    sections = [
        f"## {info.name.removeprefix(package + '.')}\n\n{_automodule(info.name)}"
        for info in below
        if not info.ispkg
    ]
    toctree = "```{toctree}\n:maxdepth: 1\n" + "\n".join(packages) + "\n```" if packages else ""
    yield f"api/{package}", page(package, toctree, _automodule(package), *sections)
    for name in packages:
        yield from _package(name)


def _automodule(module: str) -> str:
    options = ":members:\n:ignore-module-all:\n:show-inheritance:"
    return (
        f"```{{eval-rst}}\n.. automodule:: {module}\n"
        + "".join(f"   {line}\n" for line in options.split("\n"))
        + "```"
    )
