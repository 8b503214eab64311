"""How objects show themselves, by modules above them that are loaded when they are asked for."""

from importlib import import_module
from typing import Any


class ShowsItself:
    """Is a line in a console and a table in a notebook, see `farkas.verbs.html`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(import_module("farkas.verbs.html").line(self))

    def _repr_html_(self) -> str:
        return str(import_module("farkas.verbs.html").html(self))


def verb(name: str) -> Any:
    """Make a method that is the public function of a name, with the object first."""

    def method(self: object, *given: Any, **options: Any) -> Any:
        return getattr(import_module("farkas"), name)(self, *given, **options)

    method.__name__, method.__doc__ = name, f"See `farkas.{name}`, with this object first."
    return method
