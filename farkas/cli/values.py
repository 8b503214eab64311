"""Words of the command line as values."""

import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import typer

from farkas.atomic import require_target
from farkas.cli.completing import complete_instance
from farkas.cli.printing import complain
from farkas.errors import FileProblem, InvalidOption
from farkas.words import cleaned, named, quoted

InstanceFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Instance file (JSON), or a shipped instance.",
        autocompletion=complete_instance,
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of every random draw.")]
BoundSeconds = Annotated[
    float | None,
    typer.Option(help="Seconds for a search for the offline optimum and its proved bound."),
]
ReaderDiffers = Annotated[
    str,
    typer.Option("--reader-differs", help="accept or refuse a file that HiGHS reads otherwise."),
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set an option (repeatable).")
]


def assignments(words: Sequence[str] | None, flag: str) -> dict[str, str]:
    """Split ``KEY=VALUE`` words.

    >>> assignments(["a=1", "b=x=y"], "--set")
    {'a': '1', 'b': 'x=y'}

    Raises
    ------
    InvalidOption
        A word without ``=``, or a key given twice.
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


def check_writable(*paths: str | None) -> None:
    """Refuse output paths of a command before any work is done for them.

    Raises
    ------
    FileProblem
        One can never become a file, see `farkas.atomic.require_target`.
    InvalidOption
        Two outputs would end in the same file.
    """
    files = [path for path in paths if path is not None]
    places = set[str]()
    for path in files:
        require_target(path)
        place = os.path.realpath(path)
        if place in places and (os.path.isfile(place) or not os.path.exists(place)):
            raise InvalidOption(f"{named(path)}: give every output a file of its own")
        places.add(place)


def check_seconds(seconds: float | None, flag: str) -> None:
    """Refuse a time that work cannot be held to, by the option's own name; None is no limit.

    Raises
    ------
    InvalidOption
        It is not above 0, or no number.
    """
    from farkas.verbs.inputs import require_search_limit

    require_search_limit(seconds, flag)


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


def choices(a: str, sort: str, flag: str, file: str, kind: str) -> InvalidOption:
    """Build the error that a name is missing; it lists those of the file's kind.

    Parameters
    ----------
    a, sort
        What is missing, with its article and in the plural, for example ``"a program"``.
    flag
        The option that takes it.
    """
    from farkas.verbs.show import catalogue

    known = ", ".join(catalogue(kind)[sort])
    return InvalidOption(f"{named(file)} is of kind {kind}: name {a} ({flag}), one of {known}")


def measured(instance: Any) -> str:
    """Words for a title: what values on an instance are, and their unit; after a comma."""
    from farkas.verbs.show import measure

    words = measure(instance)
    return f", {words}" if words else ""


def file_for(instance: Any, out: str | None, as_json: bool) -> str | None:
    """Return the file to write: the given one or, on a terminal, one named after the instance.

    Raises
    ------
    FileProblem
        There is another file of that name.
    """
    if out is not None or as_json or not sys.stdout.isatty():
        return out
    name = re.sub(r"[^\w.-]+", "_", instance.name) or instance.kind
    path = f"{name}.json"
    if os.path.lexists(path):
        raise FileProblem(f"{named(path)}: is there already; name a file with -o")
    return path


def print_written(instance: Any, path: str, *rows: tuple[str, str]) -> None:
    """Describe an instance that a command has written: its size and the settings that made it.

    Parameters
    ----------
    rows
        What else is said; with any, the description may hold words of a trace and is quoted.
    """
    from farkas.cli.tables import print_table
    from farkas.verbs.show import sizes

    text = instance.description or ""
    word = next((w for w in ("; options ", ", settings ") if w in text), "; options ")
    made, _, settings = text.rpartition(word)
    told = [
        ("instance", f"{named(instance.name)}, kind {instance.kind}"),
        *rows,
        ("size", sizes(instance)),
        ("made by", quoted(made, len(made)) if rows else made),
        ("settings", settings_words(settings)),
        ("sha256", instance.sha256),
        ("next", f"farkas compare {named(path)}"),
    ]
    print_table(f"{named(path)}: written", ["", ""], told)


def settings_words(text: str) -> str:
    """Say settings that a description holds as JSON in words; other text stays as it is.

    >>> settings_words('{"slots":24,"start":null,"map":{"submit":"came at"}}')
    'slots 24, start none, map (submit "came at")'
    """
    try:
        settings = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return cleaned(text)
    return ", ".join(f"{named(word)} {_setting(value)}" for word, value in settings.items())


def _setting(value: Any) -> str:
    if value is None or value in ("", {}, []):
        return "none"
    if isinstance(value, dict):
        return f"({', '.join(f'{named(k)} {_setting(x)}' for k, x in value.items())})"
    if isinstance(value, list):
        return f"[{', '.join(map(_setting, value))}]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return named(value) if isinstance(value, str) else f"{value:.9g}"


def summary(instance: Any, path: str) -> dict[str, Any]:
    """Describe an instance that a command has written."""
    return {
        "file": path,
        "kind": instance.kind,
        "name": instance.name,
        "seed": instance.seed,
        "sha256": instance.sha256,
    }


def check_reader_differs(choice: str) -> None:
    """Raise `InvalidOption` for a choice that there is not."""
    if choice not in ("accept", "refuse"):
        raise InvalidOption(f"--reader-differs {choice}: give accept or refuse")


def told_to_differ(differences: tuple[str, ...], choice: str) -> bool:
    """Tell what HiGHS reads otherwise; whether the exit code has to say so."""
    for words in differences:
        complain(f"HiGHS reads {words}")
    if differences and choice == "refuse":
        complain("--reader-differs accept takes the reading here for right")
    return bool(differences) and choice == "refuse"
