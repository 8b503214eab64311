"""Everything that is printed goes through here, and nothing invisible gets past it."""

import sys
from typing import Annotated

import typer

from farkas.words import cleaned

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def print_line(text: str) -> None:
    """Print one line, whatever the text holds."""
    write(f"{cleaned(text)}\n")


def write(text: str) -> None:
    """Write text that is clean already, spelling what a terminal lacks."""
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:  # a terminal that lacks our symbols
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
