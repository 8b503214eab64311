"""API reference: what users call first, then every package."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import farkas
from farkas_docs.text import cell, page, table

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


#: Public names of ``import farkas``, by what one wants to do.
GROUPS = {
    "Make": "generate import_trace load save library kinds",
    "Run": "run compare feed worst worst_box worst_known algorithms",
    "Solve and prove": "solve prove dual optimum programs solvers evaluate",
    "Check": "check claims attack",
    "Look": "show plot to_frame",
    "Extend": "Policy FarkasError",
}

#: What these return.
RESULTS = (
    "farkas.online.run.Run", "farkas.api.compare.Comparison", "farkas.api.solution.Solution",
    "farkas.exact.result.ProofResult", "farkas.api.optimum.OfflineOptimum",
    "farkas.api.worst.WorstCase", "farkas.proofs.verdict.Verdict",
)  # fmt: skip

#: Words of a program's rules.
MODELLING = "Program Set IndexedSet Param Var Sum constraint objective"


def pages() -> Iterator[tuple[str, str]]:
    """``api/index`` and one page a package, its modules as sections."""
    toctree = "\n".join(f"farkas.{name}" for name in reversed(floors()))
    listing = f"```{{toctree}}\n:maxdepth: 1\n{toctree}\n```"
    groups = [
        f"## {group}\n\n"
        + _table({f"farkas.{name}": getattr(farkas, name) for name in names.split()})
        for group, names in GROUPS.items()
    ]
    results = "## Results\n\n" + _table({name.rpartition(".")[2]: _named(name) for name in RESULTS})
    algebra = importlib.import_module("farkas.algebra")
    words = {name: getattr(algebra, name) for name in MODELLING.split()}
    modelling = "## Modelling (`farkas.algebra`)\n\n" + _table(words)
    inside = (
        "## Inside\n\nEvery package, highest floor first; each uses those below it.\n\n" + listing
    )
    yield "api/index", page("API reference", *groups, results, modelling, inside)
    for name in floors():
        yield from _package(f"farkas.{name}")


def _named(path: str) -> object:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _table(names: dict[str, object]) -> str:
    """Names with links to their full description, and the first sentence of each."""
    rows = []
    for name, thing in names.items():
        if inspect.ismodule(thing):  # a package that is a function, too
            thing = thing.all_solvers
        role = "class" if inspect.isclass(thing) else "func"
        home = f"{thing.__module__}.{thing.__qualname__}"  # type: ignore[attr-defined]
        sentence = inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0]
        rows.append([f"{{py:{role}}}`{name} <{home}>`", cell(" ".join(sentence.split()))])
    return table(["name", "what it is"], rows)


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
