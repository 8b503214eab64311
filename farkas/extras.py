"""Packages that farkas can do without."""

from __future__ import annotations

import importlib
from typing import Any

from farkas.errors import Exit, FarkasError

#: By package that is imported, the extra of farkas that brings it.
#:
#: Solvers of their own extras are not among them: a solver that is missing is a standing of
#: `farkas.solvers`, which names what brings it.
EXTRAS = {
    "clarabel": "convex",
    "cvxpy": "convex",
    "distributed": "sweep",
    "jinja2": "report",
    "matplotlib": "figures",
    "numba": "kernels",
    "pyomo": "pyomo",
    "sympy": "symbolic",
}


class MissingExtra(FarkasError, ImportError):
    """A package is not installed that farkas can do without, but not for what was asked."""

    exit_code = Exit.NO_ANSWER

    @property
    def remedy(self) -> str:
        """What to type."""
        return str(self).rpartition(": ")[2]


def needed(module: str) -> Any:
    """Import a module of a package of `EXTRAS`.

    Raises
    ------
    MissingExtra
        The package is not installed, or does not fit what is; the message says what to type.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        remedy = f"pip install 'farkas[{EXTRAS[package]}]'"
        if isinstance(error, ModuleNotFoundError) and error.name == package:
            raise MissingExtra(f"this needs {package}: {remedy}") from None
        # for example an old numba beside a new numpy
        again = remedy.replace("install", "install --upgrade", 1)
        raise MissingExtra(f"{package} cannot be imported, {error}: {again}") from error
