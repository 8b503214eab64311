"""Registration by name: a new program, policy, claim or solver is one new file and nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from farkas.errors import UnknownName

T = TypeVar("T")


def load_package(package: str) -> None:
    """Import every module below ``package`` once, so that its decorators have run.

    Parameters
    ----------
    package
        Dotted name, for example ``farkas.models``.
    """
    root = importlib.import_module(package)
    for info in pkgutil.walk_packages(root.__path__, package + "."):
        importlib.import_module(info.name)


class Registry(Generic[T]):
    """Objects of one role by name, found by importing the role's packages on first use.

    Parameters
    ----------
    role
        Word for error messages, for example ``"program"``.
    packages
        Packages whose modules register themselves on import.
    """

    def __init__(self, role: str, *packages: str) -> None:
        self.role = role
        self.packages = packages
        self._items: dict[str, T] = {}
        self._loaded = False

    def add(self, name: str, item: T) -> T:
        """Register ``item``; two objects of one name are a programming error."""
        if name in self._items and self._items[name] is not item:
            raise ValueError(f"two {self.role}s are called {name!r}: rename one")
        self._items[name] = item
        return item

    def register(self, name: str) -> Callable[[T], T]:
        """Return a decorator that registers under ``name``."""
        return lambda item: self.add(name, item)

    def load(self) -> None:
        """Import the role's packages."""
        if not self._loaded:
            self._loaded = True  # before importing: modules may ask while they are loaded
            try:
                for package in self.packages:
                    load_package(package)
            except BaseException:
                self._loaded = False
                raise

    def names(self, prefix: str = "") -> list[str]:
        """Sorted names, optionally only those that begin with ``prefix``."""
        self.load()
        return sorted(name for name in self._items if name.startswith(prefix))

    def __getitem__(self, name: str) -> T:
        if name not in self._items:
            self.load()
        if name not in self._items:
            raise UnknownName.of(self.role, name, self._items)
        return self._items[name]

    def __contains__(self, name: object) -> bool:
        self.load()
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        self.load()
        return len(self._items)
