"""Words of the command line as values, and instances that a command has written."""

import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import typer

from farkas.cli.printing import complain, print_document, print_json
from farkas.cli.tables import print_table, promised
from farkas.errors import Exit, FileProblem, InvalidOption
from farkas.files.writing import require_target
from farkas.messages import named, quoted


def assignments(words: Sequence[str] | None, flag: str) -> dict[str, str]:
    """Split ``KEY=VALUE`` words.

    >>> assignments(["a=1", "b=x=y"], "--set")
    {'a': '1', 'b': 'x=y'}

    Raises `InvalidOption`: a word without ``=``, or a key given twice.
    """
    found: dict[str, str] = {}
    for word in words or ():
        key, equals, value = word.partition("=")
        key = key.strip()
        if not equals or not key:
            raise InvalidOption(f"{flag} {word!r}: write KEY=VALUE")
        if key in found:
            raise InvalidOption(f"{flag} {key}: given twice")
        found[key] = value.strip()
    return found


def check_writable(*paths: str | None, reads: Iterable[str | None] = ()) -> None:
    """Refuse outputs that can never become files, or the same file, before any work is done.

    ``reads``: words of the command that may name a file, or a class in one.  None is written over.
    """
    sources = {file for word in reads if word for file in (word, word.rpartition(":")[0])}
    inputs = {os.path.realpath(file) for file in sources if os.path.isfile(file)}
    places = set[str]()
    for path in paths:
        if path is None:
            continue
        if path.startswith("--"):
            raise InvalidOption(
                f"{named(path)} is an option, where a file's name is missing; a file of that name"
                f" is {named(f'./{path}')}"
            )
        require_target(path)
        place = os.path.realpath(path)
        if place in inputs:
            raise InvalidOption(f"{named(path)}: the command reads this file; write another one")
        if place in places and (os.path.isfile(place) or not os.path.exists(place)):
            raise InvalidOption(f"{named(path)}: give every output a file of its own")
        places.add(place)


def json_assignments(words: Sequence[str] | None, flag: str) -> dict[str, Any]:
    """Split ``KEY=VALUE`` words, reading each value as JSON where it is, as text where not.

    >>> json_assignments(["jobs=3", "range=[1, 2]", "start=2017-10-03"], "--set")
    {'jobs': 3, 'range': [1, 2], 'start': '2017-10-03'}
    """
    return {key: _json_or_text(value) for key, value in assignments(words, flag).items()}


def _json_or_text(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text


def file_and_names(words: Sequence[str]) -> tuple[str, list[str]]:
    """Tell the one instance among words from names of algorithms, which may come first."""
    places = [w for w in words if ".py" not in w and ("/" in w or os.path.lexists(w))]
    file = words[0] if words[0] in places or not places else places[0]
    rest = list(words)
    rest.remove(file)
    return file, rest


def gap_words(gap: Any) -> str | None:
    """Return the cell of a proved relative gap; it says where roundings alone leave it."""
    from farkas.tolerances import OPTIMAL

    said = promised(gap, up=True, digits=3)
    return f"{said}, optimal" if gap is not None and gap <= OPTIMAL else said


def choices(a: str, sort: str, flag: str, file: str, kind: str) -> InvalidOption:
    """Build the error that ``a`` name of a ``sort`` is missing; it lists those of the kind."""
    from farkas.api.show import catalogue

    known = ", ".join(catalogue(kind)[sort])
    return InvalidOption(f"{named(file)} is of kind {kind}: name {a} ({flag}), one of {known}")


def measured(instance: Any) -> str:
    """Words for a title: what values on an instance are, and their unit; after a comma."""
    from farkas.api.run import measure

    words = measure(instance)
    return f", {words}" if words else ""


def deliver(
    instance: Any,
    out: str | None,
    as_json: bool,
    *,
    told: Sequence[tuple[str, str]] = (),
    counts: dict[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> None:
    """Write an instance to its file, or print it for a pipe; say what it is.

    On a terminal the file is named after the instance by default, unless there is one.  ``told``
    and ``counts`` are what else is said of it, as rows and as JSON; with any, its description may
    hold words of a trace, which are quoted.  Of the complaints ``notes`` the first is made beside
    an instance in a pipe only, those after it always.
    """
    from farkas.api.show import sizes
    from farkas.instances import to_bytes, write

    if out is None and not as_json and sys.stdout.isatty():
        name = re.sub(r"[^\w.-]+", "_", instance.name) or instance.kind
        out = f"{name}.json"
        if os.path.lexists(out):
            raise FileProblem(f"{named(out)}: is there already; name a file with -o")
    if out is None:
        for words in notes:
            complain(words)
        print_document(to_bytes(instance).decode())
        return
    write(instance, out)
    if as_json:
        about = {key: getattr(instance, key) for key in ("kind", "name", "seed", "sha256")}
        print_json({"file": out, **about, **(counts or {})})
        return
    text = instance.description or ""
    word = next((w for w in ("; options ", ", settings ") if w in text), "; options ")
    made, _, settings = text.rpartition(word)
    rows = [
        ("instance", f"{named(instance.name)}, kind {instance.kind}"),
        *told,
        ("size", sizes(instance)),
        ("made by", quoted(made, len(made)) if told else made),
        ("settings", settings.replace(',"', ', "')),  # lines are folded at blanks
        ("sha256", instance.sha256),
        ("next", f"farkas compare {named(out)}"),
    ]
    print_table(f"{named(out)}: written", ["", ""], rows)
    for words in notes[1:]:
        complain(words)


def refuse_other_reading(differences: tuple[str, ...], choice: str) -> None:
    """Tell what HiGHS reads otherwise, and end with 1 unless that is accepted."""
    for words in differences:
        complain(f"HiGHS reads {words}")
    if differences and choice == "refuse":
        complain("--reader-differs accept takes the reading here for right")
        raise typer.Exit(Exit.NEGATIVE)
