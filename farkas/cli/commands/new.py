"""``farkas new``: files of a kind or of a policy of one's own, to begin with."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument

from farkas.cli.options import Json, Out
from farkas.cli.printing import print_json, print_text
from farkas.errors import FileProblem, InvalidOption
from farkas.messages import named

TEMPLATES = resources.files("farkas") / "templates"
EXAMPLE = "ration"  #: The kind of the templates.


def command(
    what: Annotated[Literal["kind", "policy"], Argument(metavar="WHAT", help="kind or policy.")],
    name: Annotated[
        str, Argument(metavar="NAME", help="Of the new kind; of a policy the kind it is for.")
    ],
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Write files to begin with: a kind of your own, or a policy.

    A kind is a package in a folder of its name: instances, a generator, a program, an environment
    with one policy, a claim, a figure.  They are those of the page on kinds, called otherwise.
    A policy is one file, which decides as one that ships until you change it.  -o names another
    folder or file; what is there already is never written over.
    """
    files = _kind(name, out or name) if what == "kind" else _policy(name, out or "mine.py")
    for path in files:
        if path.exists():
            raise FileProblem(f"{named(str(path))}: is there already; name another place with -o")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    first = next(iter(files))
    step = f"pip install -e {named(str(first.parent))}; farkas compare {name}/tiny"
    if what == "policy":
        step = f"farkas run {name}/tiny {named(str(first))}:Mine"
    if as_json:
        print_json({"files": [str(path) for path in files], "next": step})
    else:
        print_text(
            "\n".join([*(f"written: {named(str(path))}" for path in files), f"next: {step}"])
        )


def _kind(name: str, folder: str) -> dict[Path, str]:
    """Texts of a package by path, `pyproject.toml` first."""
    from farkas.instances import kinds

    if not re.fullmatch(r"[a-z][a-z0-9]*", name) or name in kinds():
        raise InvalidOption(
            f"kind {named(name)}: give a new name of small letters and digits, no {kinds()[0]}"
        )
    if keyword.iskeyword(name) or name in sys.stdlib_module_names or importlib.util.find_spec(name):
        what = "a word of Python" if keyword.iskeyword(name) else "a module that is there already"
        raise InvalidOption(f"kind {named(name)}: is {what}; its package needs another name")

    def text(source: Any) -> str:
        told: str = source.read_text(encoding="utf-8")
        return told.replace(EXAMPLE, name).replace(EXAMPLE.title(), name.title())

    place, package = Path(folder), TEMPLATES / EXAMPLE
    beside = ("pyproject.toml", "test_kind.py")
    found = {place / one: text(TEMPLATES / f"{one}.txt") for one in beside}
    for source in [*package.iterdir(), *(package / "library").iterdir()]:
        if source.is_file():
            inside = place / name / ("library" if source.name.endswith(".json") else "")
            found[inside / source.name.removesuffix(".txt")] = text(source)
    return found


def _policy(kind: str, file: str) -> dict[Path, str]:
    """Text of a policy by path."""
    from farkas.instances.files import require_kind
    from farkas.online import algorithms, demos, environments
    from farkas.online.policy import Policy, as_policy

    require_kind(kind)
    shown = demos.get(kind)
    bases = [*([shown.algorithm] if shown else []), *algorithms.names(f"{kind}.")]
    made = ((name, as_policy(algorithms[name].policy())) for name in bases)
    base = next(
        (name for name, one in made if not one.hindsight and type(one).step is not Policy.step), ""
    )
    world = environments[kind]
    words = f"Arrives: {world.arrives}.  Decides: {world.decides}."
    text = (TEMPLATES / "policy.py.txt").read_text(encoding="utf-8")
    for word, said in (("KIND", kind), ("ALGORITHM", base), ("ARRIVES", words)):
        text = text.replace(word, said)
    return {Path(file): text}
