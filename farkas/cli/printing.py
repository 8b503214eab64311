"""Complaints, JSON, and text of several lines."""

import contextlib
import sys
from collections.abc import Mapping
from typing import Any

from farkas.cli.output import write
from farkas.refusals import one_line
from farkas.words import cleaned


def complain(message: str) -> None:
    """Print one line on standard error, whatever the message holds."""
    with contextlib.suppress(OSError, ValueError):  # standard error closed: nobody listens
        sys.stderr.write(f"farkas: {one_line(message)}\n")
        sys.stderr.flush()


def print_json(data: Mapping[str, Any]) -> None:
    """Print one JSON object; NaN and infinity, which JSON lacks, become null."""
    import msgspec

    from farkas.messages import visible_json

    text = msgspec.json.format(msgspec.json.encode(data, enc_hook=_plain), indent=1).decode()
    write(visible_json(text) + "\n")


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def print_text(text: str) -> None:
    """Print text of several lines; of what others wrote, it holds quotations only."""
    write("".join(f"{cleaned(line)}\n" for line in text.rstrip("\n").split("\n")))


def print_folded(text: str) -> None:
    """Print text of several lines, long ones folded below their begin where room is short."""
    from farkas.cli.layout import folded, room, size

    width = room()
    for line in map(cleaned, text.rstrip("\n").split("\n")):
        begin = line[: len(line) - len(line.lstrip(" "))]
        parts = folded(line.lstrip(" "), width - size(begin), indent="  ")
        write("".join(f"{begin}{part}\n" for part in parts))


def print_document(text: str) -> None:
    """Print JSON as it is in its file, with invisible characters spelt."""
    from farkas.messages import visible_json

    write(visible_json(text.rstrip("\n")) + "\n")
