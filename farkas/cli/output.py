"""Everything that is printed goes through here, and nothing invisible gets past it."""

import contextlib
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from farkas.words import cleaned, one_line

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def complain(message: str) -> None:
    """Print one line on standard error, whatever the message holds."""
    with contextlib.suppress(OSError, ValueError):  # standard error closed: nobody listens
        sys.stderr.write(f"farkas: {one_line(message)}\n")
        sys.stderr.flush()


def print_json(data: Mapping[str, Any]) -> None:
    """Print one JSON object; NaN and infinity, which JSON lacks, become null."""
    import msgspec

    from farkas.visible import visible_json

    text = msgspec.json.format(msgspec.json.encode(data, enc_hook=_plain), indent=1).decode()
    write(visible_json(text) + "\n")


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def print_text(text: str) -> None:
    """Print text of several lines; of what others wrote, it holds quotations only."""
    write("".join(f"{cleaned(line)}\n" for line in text.rstrip("\n").split("\n")))


def print_line(text: str) -> None:
    """Print one line, whatever the text holds."""
    write(f"{cleaned(text)}\n")


def print_document(text: str) -> None:
    """Print JSON as it is in its file, with invisible characters spelt."""
    from farkas.visible import visible_json

    write(visible_json(text.rstrip("\n")) + "\n")


def write(text: str) -> None:
    """Write text that is clean already, spelling what a terminal lacks."""
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:  # a terminal that lacks our symbols
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
