"""Names of a package that are imported when they are first used: so that a check loads little."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def when_used(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package whose names stand in its modules.

    Parameters
    ----------
    package
        Dotted name, the ``__name__`` of its ``__init__``.
    names
        Of every module below it, the names that it holds, with blanks between them.
    """
    home = {name: module for module, held in names.items() for name in held.split()}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{home[name]}"), name)

    return load
