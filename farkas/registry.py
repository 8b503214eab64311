"""Registration by name: a new program, policy, claim or solver is one new file and nothing else.

A name begins with what it belongs to, nearly always a kind: ``mlbroker.fractional``.  Asking for it
imports the module whose text registers it, and where no text does so in plain words all modules of
that kind, see `farkas.loading`.
"""

import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from farkas.errors import UnknownName
from farkas.messages import MOST_LETTERS, ShowsItself
from farkas.words import cut

T = TypeVar("T")


def homes(package: str, owner: str, name: str) -> list[str]:
    """Modules of ``owner`` below ``package`` whose text registers ``name``; none is imported.

    A text registers a name that stands in a decorator, an ``add``, a ``name = `` or a ``tag=``.
    Owners are those of :func:`farkas.loading.load_part`.
    """
    spec = importlib.util.find_spec(package)
    quoted = f'"{re.escape(name)}"'
    says = re.compile(rf"^(@[\w.]+\(|\w+\.add\(| +name = )\s*{quoted}|\btag={quoted}", re.MULTILINE)
    parts = texts(package, (spec and spec.submodule_search_locations) or (), owner)
    return [module for module, text in parts if says.search(text)]


def texts(package: str, folders: Iterable[str], owner: str = "") -> Iterator[tuple[str, str]]:
    """Name and text of every module of ``owner``, or of every module."""
    for info in pkgutil.iter_modules(list(folders), f"{package}."):
        if owner and not f"{info.name}_".startswith(f"{package}.{owner}_"):
            continue
        spec: Any = info.module_finder.find_spec(info.name, None)
        yield info.name, spec.loader.get_source(info.name) or ""
        yield from texts(info.name, spec.submodule_search_locations or ())


class Registry(ShowsItself, Generic[T]):
    """Objects of one role by name, found by importing modules when a name is first asked for.

    Parameters
    ----------
    role
        Word for error messages, for example ``"program"``.
    packages
        Packages whose modules register themselves on import; the module or sub-package ``<kind>``
        registers the names that begin with ``<kind>``.
    """

    def __init__(self, role: str, *packages: str) -> None:
        self.role = role
        self.packages = packages
        self._items: dict[str, T] = {}
        self._loaded: set[str | None] = set()

    def __repr__(self) -> str:
        return f"<{len(self)} {self.role}s: {cut(', '.join(self), MOST_LETTERS)}>"

    def add(self, name: str, item: T) -> T:
        """Register ``item``; two objects of one name are a programming error."""
        if name in self._items and self._items[name] is not item:
            raise ValueError(f"two {self.role}s are called {name!r}: rename one")
        self._items[name] = item
        return item

    def register(self, name: str) -> Callable[[T], T]:
        """Return a decorator that registers under ``name``."""
        return lambda item: self.add(name, item)

    def load(self, owner: str | None = None) -> None:
        """Import what belongs to ``owner``; everything of the role without one, or for a stranger.

        Parameters
        ----------
        owner
            What names begin with: a kind or, where things belong to no kind, a module's name.
        """
        if {owner, None} & self._loaded:
            return
        from farkas.loading import load_role  # here: what is named is found by its text

        self._loaded.add(owner)  # before importing: modules may ask while they are loaded
        try:
            load_role(self.packages, owner)
        except BaseException:
            self._loaded.discard(owner)
            raise

    def names(self, prefix: str = "") -> list[str]:
        """Sorted names, optionally only those that begin with ``prefix``.

        A prefix with a dot, such as ``mlbroker.``, loads only what belongs to what precedes it.
        """
        owner, dot, _ = prefix.partition(".")
        self.load(owner if dot else None)
        return sorted(name for name in self._items if name.startswith(prefix))

    def get(self, name: str) -> T | None:
        """Return the object of a name, or None; loads what belongs to the name's owner at most."""
        owner = re.split(r"[._:]", name)[0]
        if name not in self._items and not {owner, None} & self._loaded:
            for package in self.packages:
                for module in homes(package, owner, name):
                    importlib.import_module(module)
        if name not in self._items:
            self.load(owner)
        return self._items.get(name)

    def __getitem__(self, name: str) -> T:
        found = self.get(name)
        if found is None:
            owner, dot, _ = name.partition(".")
            # those of its kind first, so that a misspelt name imports no other kind
            known = (dot and self.names(f"{owner}.")) or self.names()
            raise UnknownName.of(self.role, name, known)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        self.load()
        return len(self._items)
