"""Registration by name: a new program, policy, claim or solver is one new file and nothing else.

A name begins with what it belongs to, nearly always a kind: ``mlbroker.fractional``.  Asking for it
imports the module of that name, or the one that a table names (`home_of`), and all modules of the
kind where that does not register it.  A kind of another distribution comes by an entry point.
"""

import functools
import importlib
import pkgutil
import re
import weakref
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from farkas.errors import OutsideKindProblem, UnknownName
from farkas.messages import MOST_LETTERS, ShowsItself, cut

T = TypeVar("T")

#: Group of the entry points under which other distributions bring a kind: ``kind = "package"``.
ENTRY_POINTS = "farkas.kinds"


@functools.cache
def outside_kinds() -> Mapping[str, str]:
    """Package by name of every kind that another distribution brings.

    Raises `OutsideKindProblem`: two distributions bring a kind of one name.
    """
    from importlib import metadata  # takes longer than most imports

    found: dict[str, str] = {}
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        if found.setdefault(entry.name, entry.value) != entry.value:
            raise OutsideKindProblem(
                f"kind {entry.name!r} is brought by {found[entry.name]} and by {entry.value}; "
                "uninstall one"
            )
    return MappingProxyType(found)


def load_outside(kind: str) -> None:
    """Import all of the package that brings ``kind``, if another distribution does.

    Raises `OutsideKindProblem`: the package cannot be imported.
    """
    package = outside_kinds().get(kind)
    if package is None:
        return
    try:
        load_package(package)
    except Exception as error:  # its code may raise anything
        raise OutsideKindProblem(
            f"kind {kind!r}: {package} cannot be imported: {type(error).__name__}: {error}"
        ) from error


def load_package(package: str) -> None:
    """Import a module, and every module below it where it is a package."""
    root = importlib.import_module(package)
    for info in pkgutil.walk_packages(getattr(root, "__path__", ()), package + "."):
        importlib.import_module(info.name)


def load_part(package: str, owner: str) -> bool:
    """Import ``owner`` and ``owner_...`` of a package; return whether there is anything."""
    root = importlib.import_module(package)
    found = [info.name for info in pkgutil.iter_modules(root.__path__)]
    found = [name for name in found if name == owner or name.startswith(f"{owner}_")]
    for name in found:
        load_package(f"{package}.{name}")
    return bool(found)


def home_of(package: str, owner: str, name: str) -> str | None:
    """Return the one module of ``owner`` that is said to register ``name``; None for all of them.

    It has the name's last part for its own name, or stands in the table ``HOMES`` of the owner's
    package, or of the whole one where owners have modules instead of packages.
    """
    root = importlib.import_module(package)
    known = {info.name: info.ispkg for info in pkgutil.iter_modules(root.__path__)}
    if known.get(owner):
        root, name = importlib.import_module(f"{package}.{owner}"), name[len(owner) + 1 :]
        known = {info.name: info.ispkg for info in pkgutil.iter_modules(root.__path__)}
    name = name.partition("[")[0]  # a variant is registered with what it varies
    home = getattr(root, "HOMES", {}).get(name, name)
    return f"{root.__name__}.{home}" if home in known else None


class Registry(ShowsItself, Generic[T]):
    """Objects of one role by name, found by importing modules when a name is first asked for.

    ``role`` is a word for error messages; modules of ``packages`` register themselves on import,
    and the module or sub-package ``<kind>`` registers the names that begin with ``<kind>``.
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

        It is what names begin with: a kind or, where things belong to no kind, a module's name.
        """
        if {owner, None} & self._loaded:
            return
        self._loaded.add(owner)  # before importing: modules may ask while they are loaded
        try:
            self._load(owner)
        except BaseException:
            self._loaded.discard(owner)
            raise

    def _load(self, owner: str | None) -> None:
        if owner is None:
            for package in self.packages:
                load_package(package)
            for kind in outside_kinds():
                load_outside(kind)
        elif not any([load_part(package, owner) for package in self.packages]):
            if owner in outside_kinds():
                load_outside(owner)
            else:  # so that whoever misspells an owner is told others
                self._load(None)

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
            homes = (home_of(package, owner, name) for package in self.packages)
            for home in filter(None, homes):
                importlib.import_module(home)
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


Owner = TypeVar("Owner")
Found = TypeVar("Found")


def once(function: Callable[[Owner], Found]) -> Callable[[Owner], Found]:
    """Compute ``function`` once for every object, and forget the result when the object dies.

    Objects are told apart by identity: `functools.cache` would hash a whole instance at every
    call and keep it alive.  The result must not refer to the object.
    """
    known: dict[int, tuple[weakref.ref[Any], Found]] = {}

    @functools.wraps(function)
    def remembered(of: Owner) -> Found:
        key = id(of)
        if key not in known:
            result = function(of)
            known[key] = weakref.ref(of, lambda _: known.pop(key, None)), result
        return known[key][1]

    return remembered


def when_used(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package whose names stand in its modules.

    ``names`` are those that every module below it holds, with blanks between them.
    """
    home = {name: module for module, held in names.items() for name in held.split()}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{home[name]}"), name)

    return load
