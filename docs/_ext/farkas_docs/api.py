"""Reference of every public object, one page a module, floor by floor."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import farkas
from farkas_docs.text import page

FLOORS = {
    "errors": "Typed errors; each message says what is wrong, where, and what to do.",
    "registry": "Registration by name.",
    "atomic": "Files written in one step.",
    "forms": "Plain data of linear programs: the form, its names, its points.",
    "instances": "Instance files: one struct a kind, generators, importers, the library.",
    "algebra": "Rules read as sparse arrays, as a Pyomo model, and as mathematics.",
    "models": "Programs as the papers state them.",
    "solvers": "Solver backends; their answers are claims.",
    "certificates": "The trusted kernel: proofs checked without any solver.",
    "rounding": "Pure array functions that round, with their guarantees.",
    "duals": "Duals derived from any form, and the papers' own.",
    "relaxations": "Programs that bound other programs.",
    "online": "Policies, the driver, and certified runs.",
    "proofs": "Claims of the papers, with verdicts.",
    "experiments": "Solving, comparing, quantities, sweeps, figures, reports.",
    "cli": "The command line.",
}


def pages() -> Iterator[tuple[str, str]]:
    """``api/index``, one page a floor, one page a module."""
    missing = {info.name for info in pkgutil.iter_modules(farkas.__path__)}
    missing -= {*FLOORS, "__main__"}
    assert not missing, f"no words about {missing}"
    toctree = "\n".join(f"farkas.{name}" for name in FLOORS)
    listing = f"```{{toctree}}\n:maxdepth: 1\n{toctree}\n```"
    yield "api/index", page("API reference", "Lowest floor first; each uses those above.", listing)
    for name, words in FLOORS.items():
        yield from _floor(f"farkas.{name}", words)


def _floor(package: str, words: str) -> Iterator[tuple[str, str]]:
    modules = list(_modules(package))
    toctree = "```{toctree}\n:maxdepth: 1\n" + "\n".join(modules) + "\n```" if modules else ""
    yield f"api/{package}", page(package, words, toctree, _automodule(package))
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
