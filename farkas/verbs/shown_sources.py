"""Trace sources: the kinds made of each, its columns, and every setting with its default."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from farkas.instances.traces import importers, kinds_of, sources

_HEADING = re.compile(r"^Parameters\n-+\n", re.MULTILINE)
_FIELD = re.compile(r"^(\w[\w, ]*)\n((?:    .*\n?|\n)+)", re.MULTILINE)


def source_text(name: str) -> str:
    """Say what a source is: columns, kinds, settings; a block a kind."""
    parts = [f"{name}  a trace source, for kinds {', '.join(kinds_of(name))}"]
    for kind in kinds_of(name):
        importer = importers[f"{name}:{kind}"]
        lines = [f"farkas import {name} FILE --kind {kind}"]
        said = columns(importer)
        if said:
            lines += ["  columns:", *(f"    {role}{what}" for role, what in said.items())]
        lines += ["  settings (--set NAME=VALUE):"]
        told = documented(importer)
        for field in msgspec.structs.fields(importer):
            words = told.get(field.name, "")
            lines.append(f"    {field.name} = {_default(field)}" + (f"  {words}" if words else ""))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def columns(importer: type[Any]) -> dict[str, str]:
    """Columns that an importer reads, or the roles that columns can have, and what they are."""
    for cls in importer.__mro__:
        module = sys.modules[cls.__module__]
        roles = getattr(module, "ROLES", None)
        if roles is not None:
            told = roles.items() if isinstance(roles, Mapping) else ((role, "") for role in roles)
            return {
                role: f"  {what}; --map {role}=COLUMN" if what else f"  --map {role}=COLUMN"
                for role, what in told
            }
        for word in ("COLUMNS", "POD_COLUMNS"):
            if hasattr(module, word):
                return dict.fromkeys(getattr(module, word), "")
    return {}


def documented(cls: type[Any]) -> dict[str, str]:
    """First sentence about every field, from the docstrings of a class and its bases."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        text = inspect.cleandoc(base.__doc__ or "")
        for names, words in _FIELD.findall("\n".join(_HEADING.split(text)[1:])):
            first = re.split(r"(?<=[.?!])\s", " ".join(words.split()))[0]
            found |= dict.fromkeys(names.split(", "), first)
    return found


def _default(field: Any) -> str:
    value = field.default
    if value is msgspec.NODEFAULT:
        value = "" if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    return msgspec.json.encode(value).decode()


def source_lines() -> Iterator[tuple[str, str]]:
    """Every source and the kinds made of it."""
    for name in sources():
        yield name, f"makes {', '.join(kinds_of(name))}"
