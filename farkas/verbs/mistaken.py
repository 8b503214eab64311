"""Say what a file is when it was given for something else: an instance, a run, a model, a table."""

from __future__ import annotations

import csv
import os
from typing import TYPE_CHECKING, Any

import msgspec

from farkas.errors import FarkasError, FileProblem
from farkas.forms.model_text import is_model
from farkas.instances import Instance
from farkas.reading import opened, read_record
from farkas.words import named

if TYPE_CHECKING:
    from farkas.verbs.inputs import InstanceOrName

LEADING = 2**16
"""Bytes of a file that no suffix names which are looked at."""
_STORE = b"SQLite format 3\0"


def other_instance(given: InstanceOrName) -> Instance:
    """Return the instance of what is none yet: a shipped name, a path, what was imported.

    Raises
    ------
    FileProblem, InvalidInstance
        There is no such file, or it holds something else; the message says what and which command
        takes it.
    InvalidOption
        Neither an instance nor a name.
    """
    from farkas.instances.library import load_or_read

    if isinstance(given, str | os.PathLike):
        try:
            return load_or_read(given)
        except FarkasError as error:
            raise mistaken(given, error, "instance") from None
    held = imported_instance(given)
    if held is not None:
        return held
    if not hasattr(given, "kind") or not hasattr(given, "sha256"):
        from farkas.required import require_type

        require_type(given, (Instance, str, os.PathLike), "instance")
    return given  # type: ignore[return-value]  # of a caller's own class


def imported_instance(given: object) -> Instance | None:
    """Return the instance in what `farkas.import_trace` returns; None for anything else."""
    held = getattr(given, "instance", None)
    return held if isinstance(held, Instance) and hasattr(given, "told") else None


def mistaken(path: str | os.PathLike[str], error: FarkasError, *wanted: str) -> FarkasError:
    """Return the error to raise about a file: what it is, where that is not what was wanted.

    Parameters
    ----------
    path
        The file.
    error
        What its reader said; returned where nothing better is known.
    wanted
        Roles that were, of those that `role_of` tells.
    """
    role, what = role_of(path)
    if not role and "instance" in wanted:
        return _unknown(path, error)
    if not role or role in wanted:
        return error
    return FileProblem(f"{named(os.fspath(path))} is {what}")


def role_of(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the role of a file, and what it is with what to do with it; nothing if unknown.

    Roles are instance, run, certificate, statement, model, vipr, store, sweep and table.  Nothing
    of the file is believed: it may still be damaged.
    """
    name = named(os.fspath(path))
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if not os.path.isfile(path):
        return "", ""
    if is_model(path):
        return "model", (
            f"a model: farkas prove {name} proves its optimum; check takes it as"
            " --model, farkas.check as model="
        )
    if suffix == ".vipr":
        return "vipr", f"a proof in VIPR, which holds its model: farkas check {name}"
    try:
        with opened(path) as stream:
            first = stream.read(LEADING) or b""
    except FarkasError:
        return "", ""
    if first.startswith(_STORE):
        return "store", f"a store of results: farkas ratios {name}, farkas report {name}"
    if suffix == ".toml":
        return "sweep", f"a sweep's configuration: farkas sweep {name}"
    if first.lstrip().startswith(b"{"):
        return _record(path, name)
    if is_table(first):
        return "table", (
            f"a table: farkas import csv {name} --kind KIND --map submit=COLUMN,... -o FILE.json"
            " makes an instance of it"
        )
    return "", ""


def is_table(text: bytes) -> bool:
    r"""Whether text begins with two lines of as many cells, more than one.

    >>> is_table(b"a,b\n1,2\n"), is_table(b"prose, and\nmore"), is_table(b"a;b\n1;2")
    (True, False, True)
    """
    try:
        lines = text.decode("utf-8-sig", errors="replace").splitlines()[:2]
        counts = {len(row) for row in csv.reader(lines)}
        others = {line.count(mark) for line in lines for mark in ";\t" if mark in line}
    except csv.Error:
        return False
    return (
        len(lines) == 2
        and "\0" not in lines[0]
        and ((len(counts) == 1 and counts != {1}) or (counts == {1} and len(others) == 1))
    )


def _record(path: str | os.PathLike[str], name: str) -> tuple[str, str]:
    """Role of an object in JSON, by its fields."""
    try:
        fields: dict[str, Any] = msgspec.json.decode(read_record(path), type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, ValueError, RecursionError, FarkasError):
        return "", ""
    if "algorithm" in fields:
        return "run", (
            f"a run: farkas check {name} --instance FILE proves it again,"
            f" farkas plot {name} draws it"
        )
    if "statement" in fields:
        return "statement", f"a statement of farkas worst: farkas check {name} proves it again"
    if "certificate" in fields:
        return "certificate", f"a certificate: farkas check {name} proves it again"
    if "algorithms" in fields and "bound" in fields:
        return "comparison", f"a comparison: farkas compare INSTANCE -o {name} writes it again"
    if not fields.keys() >= {"farkas", "kind"}:
        return "", ""
    kind = bytes(fields["kind"]).decode(errors="replace").strip('"')
    return "instance", (
        f"an instance of kind {named(kind)}: farkas run {name} -a ALGORITHM,"
        f" farkas compare {name}, farkas plot {name}"
    )


def _unknown(path: str | os.PathLike[str], error: FarkasError) -> FarkasError:
    """Return the error about a file of no known role; by its suffix it may be meant as a model."""
    suffix = os.path.splitext(os.fspath(path))[1]
    if suffix == ".json" or "is not JSON" not in str(error):
        return error
    ending = f"ends in {named(suffix)}" if suffix else "has no suffix"
    return FileProblem(
        f"{named(os.fspath(path))} {ending} and is no JSON: models end in .mps or .lp, also packed"
        " (.gz, .bz2, .xz, .zip), instances in .json"
    )


def no_store(path: str | os.PathLike[str]) -> FileProblem:
    """Return the error about a file that is no store of results: what it is instead."""
    role, what = role_of(path)
    instead = f"; it is {what}" if role not in ("", "store") else ""
    made = "is no store of results, which farkas sweep makes"
    return FileProblem(f"{named(os.fspath(path))}: {made}{instead}")
