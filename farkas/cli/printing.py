"""Everything that is printed goes through here, and nothing invisible gets past it."""

import contextlib
import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import typer

from farkas.errors import Exit
from farkas.messages import cleaned, one_line


def write(text: str) -> None:
    """Write text that is clean already, spelling what a terminal lacks."""
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:  # a terminal that lacks our symbols
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


def print_line(text: str) -> None:
    """Print one line, whatever the text holds."""
    write(f"{cleaned(text)}\n")


def print_text(text: str) -> None:
    """Print text of several lines; of what others wrote, it holds quotations only."""
    for line in text.rstrip("\n").split("\n"):
        print_line(line)


def complain(message: str) -> None:
    """Print one line on standard error, whatever the message holds."""
    with contextlib.suppress(OSError, ValueError):  # standard error closed: nobody listens
        sys.stderr.write(f"farkas: {one_line(message)}\n")
        sys.stderr.flush()


def end(code: Exit, message: str) -> NoReturn:
    """End the command with a line that says why."""
    complain(message)
    raise typer.Exit(code)


def report(found: Any, as_json: bool, in_words: Callable[[Any], None]) -> None:
    """Print what was found as JSON, or in words."""
    if as_json:
        print_json(found.to_builtins())
    else:
        in_words(found)


def prints_aside(as_json: bool) -> contextlib.AbstractContextManager[Any]:
    """Send what policies print to standard error where JSON is to be all of standard output."""
    return contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext()


def print_json(data: Mapping[str, Any]) -> None:
    """Print one JSON object; NaN and infinity, which JSON lacks, become null."""
    import msgspec

    encoded = msgspec.json.encode(data, enc_hook=_plain)
    print_document(msgspec.json.format(encoded, indent=1).decode())


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def print_document(text: str) -> None:
    """Print JSON as it is in its file, with invisible characters spelt."""
    from farkas.messages.formats import visible_json

    write(visible_json(text.rstrip("\n")) + "\n")
