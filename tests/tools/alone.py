"""Forms of programs, each named in a process that knows no other: run by tests/test_alone.py.

``python -m tests.tools.alone INSTANCE NAME...`` prints hashes of forms by name as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from farkas.errors import FarkasError
from farkas.instances import library
from farkas.verbs.programs import find_program


def hashed(name: str, instance: Any) -> str:
    """Class and hash of the form of a program named in full, or why there is none."""
    program = find_program(name)
    try:
        found = program.form(instance).sha256
    except FarkasError as error:
        found = type(error).__name__
    return f"{type(program).__name__} {found}"


def main(instance: str, names: list[str]) -> None:
    data, found = library.load(instance), {}
    for name in names:
        read, write = os.pipe()
        child = os.fork()
        if not child:
            os.close(read)
            os.write(write, hashed(name, data).encode())
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as told:
            found[name] = told.read()
        os.waitpid(child, 0)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
