"""How objects reach what shows them: it stands on floors above and is loaded when asked for."""

from __future__ import annotations

import importlib
from typing import Any


def html(self: object) -> Any:
    """Table of an object for notebooks, see `farkas.verbs.html`."""
    return importlib.import_module("farkas.verbs.html").html(self)


def verb(name: str) -> Any:
    """Make a method that is the public function of a name, with the object first."""

    def method(self: object, *given: Any, **options: Any) -> Any:
        return getattr(importlib.import_module("farkas"), name)(self, *given, **options)

    method.__name__, method.__doc__ = name, f"See `farkas.{name}`, with this object first."
    return method
