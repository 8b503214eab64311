"""What is registered, each named in a process that knows no other: run by tests/test_alone.py.

``python -m tests.tools.alone INSTANCE NAME...`` prints hashes of forms of programs by name as JSON,
``python -m tests.tools.alone MODULE:REGISTRY MOST`` what at most so many names alone stand for, and
what they stand for when all modules of the registry have been imported.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from farkas.algebra import programs
from farkas.errors import FarkasError
from farkas.instances import library


def hashed(name: str, instance: Any) -> str:
    """Class and hash of the form of a program named in full, or why there is none."""
    program = programs.build(name)
    try:
        found = program.form(instance).sha256
    except FarkasError as error:
        found = type(error).__name__
    return f"{type(program).__name__} {found}"


def described(item: Any) -> str:
    """Class and content of what is registered, without places in memory."""
    return re.sub(r" at 0x[0-9a-f]+", "", f"{type(item).__qualname__} {item!r}")


def apart(work: Callable[[], str]) -> str:
    """Result of ``work`` in a process of its own, which knows what this one knows."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        with os.fdopen(write, "w") as telling:
            telling.write(work())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        found = told.read()
    os.waitpid(child, 0)
    return found


def of_programs(instance: str, names: list[str]) -> dict[str, str]:
    data = library.load(instance)
    return {name: apart(lambda name=name: hashed(name, data)) for name in names}


def of_registry(where: str, most: int) -> dict[str, dict[str, str]]:
    module, _, attribute = where.partition(":")
    registry = getattr(importlib.import_module(module), attribute)

    def known() -> str:
        return json.dumps({name: described(registry[name]) for name in registry.names()})

    together = json.loads(apart(known))
    names = list(together)[:: -(-len(together) // most)]
    alone = {name: apart(lambda name=name: described(registry[name])) for name in names}
    return {"alone": alone, "together": {name: together[name] for name in names}}


def main(where: str, names: list[str]) -> None:
    found = of_registry(where, int(names[0])) if ":" in where else of_programs(where, names)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
