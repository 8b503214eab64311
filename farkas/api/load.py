"""What files hold: read as what they are, and said where they were given for something else."""

from __future__ import annotations

import csv
import os
from typing import TYPE_CHECKING, Any

from farkas.errors import FarkasError, FileProblem, require_type
from farkas.files import is_model, opened, read_record
from farkas.instances import Instance
from farkas.messages import named

if TYPE_CHECKING:
    from farkas.api.inputs import InstanceOrName

LEADING = 2**16  #: Bytes of a file that no suffix names which are looked at.
STORE = b"SQLite format 3\0"
#: Fields that tell what an object in JSON is; the first that has them all.
RECORDS = {
    "run": {"algorithm"},
    "statement": {"statement"},
    "certificate": {"certificate"},
    "comparison": {"algorithms", "bound"},
    "instance": {"farkas", "kind"},
}
#: What a file is, by its role, and what takes it.
SAID = {
    "model": "a model: farkas prove {0} proves its optimum; check takes it as --model,"
    " farkas.check as model=",
    "vipr": "a proof in VIPR, which holds its model: farkas check {0}",
    "store": "a store of results: farkas sweep {0} --ratios sums it up",
    "sweep": "a sweep's configuration: farkas sweep {0}",
    "table": "a table: farkas import csv {0} --kind KIND --map submit=COLUMN,... -o FILE.json makes"
    " an instance of it",
    "run": "a run: farkas check {0} --instance FILE proves it again, farkas figure {0} --instance"
    " FILE draws it",
    "statement": "a statement of farkas worst: farkas check {0} proves it again",
    "certificate": "a certificate: farkas check {0} proves it again",
    "comparison": "a comparison: farkas compare INSTANCE -o {0} writes it again",
    "instance": "an instance of kind {1}: farkas run {0} -a ALGORITHM, farkas compare {0}",
}


def load(file: str | os.PathLike[str]) -> Any:
    """Read an instance, a run or a certificate, or the shipped instance of a name.

    Runs and certificates are the word of their file until `farkas.check` proves them again.

    Parameters
    ----------
    file
        Path of the file that `farkas.save` or a command wrote, or a name such as
        ``"mlbroker/tiny"``.

    Returns
    -------
    Instance, Run, Certificate or Gap
        What the file holds; of what `farkas.worst` found, its gap.

    Raises
    ------
    FileProblem
        There is no such file, and none of that name ships; or it is something else: the message
        says what, and which command takes it.
    InvalidInstance
        The instance breaks a rule; see `farkas.instances.read`.

    Examples
    --------
    >>> import farkas
    >>> farkas.load("mlbroker/tiny").name
    'tiny'
    """
    require_type(file, (str, os.PathLike), "file")
    if role_of(file)[0] in ("run", "statement", "certificate"):
        from farkas.api.check import opened  # here: it loads certificates

        return opened(file)
    return other_instance(file)


def other_instance(given: InstanceOrName) -> Instance:
    """Return the instance of what is none yet: a shipped name, a path, what was imported.

    Raises `FileProblem` or `InvalidInstance`: there is no such file, or it holds something else;
    the message says what and which command takes it; `InvalidOption`: neither an instance nor a
    name.
    """
    from farkas.instances.library import load_or_read

    if isinstance(given, str | os.PathLike):
        try:
            return load_or_read(given)
        except FarkasError as error:
            raise mistaken(given, error, "instance") from None
    held = imported_instance(given)
    if held is None and not (hasattr(given, "kind") and hasattr(given, "sha256")):
        require_type(given, (Instance, str, os.PathLike), "instance")
    return held or given  # type: ignore[return-value]  # of a caller's own class


def imported_instance(given: object) -> Instance | None:
    """Return the instance in what `farkas.import_trace` returns; None for anything else."""
    held = getattr(given, "instance", None)
    return held if isinstance(held, Instance) and hasattr(given, "told") else None


def mistaken(path: str | os.PathLike[str], error: FarkasError, *wanted: str) -> FarkasError:
    """Return the error to raise about a file: what it is, where that is none of the wanted roles.

    ``error`` is what its reader said, returned where nothing better is known.
    """
    role, what = role_of(path)
    name, suffix = named(os.fspath(path)), os.path.splitext(os.fspath(path))[1]
    if role and role not in wanted:
        return FileProblem(f"{name} is {what}")
    if role or "instance" not in wanted or suffix == ".json" or "is not JSON" not in str(error):
        return error
    ending = f"ends in {named(suffix)}" if suffix else "has no suffix"
    return FileProblem(
        f"{name} {ending} and is no JSON: models end in .mps or .lp, also packed"
        " (.gz, .bz2, .xz, .zip), instances in .json"
    )


def no_store(path: str | os.PathLike[str]) -> FileProblem:
    """Return the error about a file that is no store of results: what it is instead."""
    role, what = role_of(path)
    instead = f"; it is {what}" if role not in ("", "store") else ""
    made = "is no store of results, which farkas sweep makes"
    return FileProblem(f"{named(os.fspath(path))}: {made}{instead}")


def role_of(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the role of a file, and what it is with what to do with it; nothing if unknown.

    Nothing of the file is believed: it may still be damaged.
    """
    role, kind = _role(path)
    return role, SAID[role].format(named(os.fspath(path)), kind) if role else ""


def _role(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Role of a file, and of an instance its kind."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if not os.path.isfile(path):
        return "", ""
    if is_model(path) or suffix == ".vipr":
        return "vipr" if suffix == ".vipr" else "model", ""
    try:
        with opened(path) as stream:
            first = stream.read(LEADING) or b""
        if first.startswith(STORE) or suffix == ".toml":
            return "store" if first.startswith(STORE) else "sweep", ""
        if not first.lstrip().startswith(b"{"):
            return "table" if is_table(first) else "", ""
        from farkas.api.check import fields_of

        fields = fields_of(read_record(path))
    except FarkasError:
        return "", ""
    role = next((role for role, those in RECORDS.items() if those <= fields.keys()), "")
    kind = bytes(fields["kind"]).decode(errors="replace").strip('"') if role == "instance" else ""
    return role, named(kind)


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
