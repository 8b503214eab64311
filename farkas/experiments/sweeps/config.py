"""What a sweep runs: instances times algorithms times seeds and options."""

from __future__ import annotations

import contextlib
import glob
import itertools
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from farkas.api.load import mistaken
from farkas.errors import FileProblem, InvalidOption
from farkas.files import read_record
from farkas.instances import Instance, read
from farkas.instances.generate import generate
from farkas.messages import cut, named
from farkas.messages.refusals import parsed, suggestion

LARGEST_CONFIG = 2**20  #: Bytes of a configuration file.

MOST_DOTS = 500  #: Dots on one line of it.

LONGEST_TASK = 1e8  #: Seconds, about three years.

MOST_TASKS = 10**6  #: Tasks of a sweep; also seeds, values of settings and instances.

#: Files that one pattern may match; ``/**/*`` would go through a whole machine.
MOST_FILES = 100_000

Settings = dict[str, Any]
Seeds = list[int] | str


class Instances(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One source of instances: files, or a generator."""

    files: list[str] = []  #: Paths or patterns, relative to the configuration file.
    #: kind, preset: generator and its preset.
    kind: str = ""
    preset: str = "small"
    seeds: Seeds = "0..0"  #: Seeds of the generator: a list, or text ``"0..19"``.
    settings: Settings = {}  #: Settings of the generator; a list means every one of its values.


class Algorithms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One algorithm with the seeds and options to run."""

    name: str  #: Algorithm; it runs on the instances of its kind.
    seeds: Seeds = "0..0"  #: Seeds of the run.
    options: Settings = {}  #: Options by name; a list means every one of its values.


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sweep."""

    name: str  #: Title of the sweep.
    #: File of the results, relative to the configuration file; if left out, ``sweep.sqlite`` of
    #: ``sweep.toml``.
    store: str = ""
    timeout: float = 600.0  #: Seconds after which a task is stopped and recorded as overlong.
    instances: list[Instances]
    algorithms: list[Algorithms] = []


def read_config(path: str | os.PathLike[str]) -> Config:
    """Read a sweep from a TOML file; raises `FileProblem` or `InvalidOption`."""
    content, where = read_record(path, LARGEST_CONFIG), named(os.fspath(path))
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.count(b".") > MOST_DOTS:  # reading a dotted key takes time of its length squared
            raise FileProblem(f"{where}: line {number} holds more than {MOST_DOTS} dots; wrap it")
    try:
        config = msgspec.toml.decode(content, type=Config)
    except msgspec.ValidationError as error:
        raise InvalidOption(f"{where}: {_refused(parsed(error))}") from None
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        problem = FileProblem(f"{where}: is no TOML: {parsed(error)}")
        raise mistaken(path, problem, "sweep") from None
    _check(config, where)
    return config


#: Tables of a sweep that are written [[NAME]].
TABLES = {"instances": Instances, "algorithms": Algorithms}


def _refused(text: str) -> str:
    """Name the table of a sweep where a decoder names a path, and what could stand in it."""
    words, _, path = text.partition(" - at `$")
    place = path.strip("`.")
    name = re.split(r"\W", place)[0]
    said = (f"{place}: " if place else "") + words[:1].lower() + words[1:]
    found = re.match(r"unknown field `(\w+)`", words)
    if found is not None:
        known = TABLES.get(name, Config).__struct_fields__
        return said + suggestion(found[1], known)
    whole = re.fullmatch(r"\w+(\[(\d+|\.\.\.)\])?", place)  # the table, and no setting in it
    if whole and name in TABLES and words.startswith(("Expected an object", "Expected a list")):
        example = {"instances": 'files = ["PATH.json"] or kind = "KIND"'}.get(name, 'name = "NAME"')
        return f"{place} is no table; write [[{name}]] and below it {example}"
    return said


def _check(config: Config, where: str) -> None:
    if not 0 < config.timeout <= LONGEST_TASK:
        raise InvalidOption(
            f"{where}: timeout = {config.timeout}; give seconds above 0 and up to {LONGEST_TASK:g}"
        )
    if not config.algorithms:
        raise InvalidOption(f"{where}: names no algorithm; add [[algorithms]]")
    for n, source in enumerate(config.instances):
        if bool(source.files) == bool(source.kind):
            raise InvalidOption(f"{where}: instances[{n}] needs either files or a kind to generate")


def seeds(given: Seeds) -> list[int]:
    """Seeds as a list.

    >>> seeds("3..5")
    [3, 4, 5]
    """
    if isinstance(given, list):
        if not given:
            raise InvalidOption("seeds = [] holds none; leave it out for seed 0")
        wrong = [seed for seed in given if not 0 <= seed < 2**63]
        if wrong:
            raise InvalidOption(f"seeds: {cut(str(wrong[0]), 60)} is none; give 0 to 2^63 - 1")
        return given
    ends = re.fullmatch(r"\s*([0-9]{1,18})\s*\.\.\s*([0-9]{1,18})\s*", given)
    if ends is None:
        raise InvalidOption(f"seeds = {cut(given, 60)!r}; write a list or 'first..last'")
    found = range(int(ends[1]), int(ends[2]) + 1)
    if not found:
        raise InvalidOption(f"seeds = {cut(given, 60)!r} holds none; the smaller one comes first")
    if len(found) > MOST_TASKS:
        raise InvalidOption(
            f"seeds = {cut(given, 60)!r}: {len(found)} seeds; {MOST_TASKS} are the most"
        )
    return list(found)


def product(settings: Settings) -> Iterator[Settings]:
    """Every combination of the listed values.

    >>> list(product({"a": [1, 2], "b": 3}))
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    choices = [value if isinstance(value, list) else [value] for value in settings.values()]
    if [] in choices:
        empty = named(list(settings)[choices.index([])])
        raise InvalidOption(f"{empty} = [] holds no value to try; leave it out")
    if math.prod(map(len, choices)) > MOST_TASKS:
        raise InvalidOption(
            f"more than {MOST_TASKS} combinations of {', '.join(map(named, settings))}"
        )
    for values in itertools.product(*choices):
        yield dict(zip(settings, values, strict=True))


def instances(config: Config, folder: Path) -> Iterator[Instance]:
    """Every instance of the sweep, in order.

    Raises `FileProblem`, `InvalidInstance` or `InvalidOption` from reading and generating; a
    pattern that matches nothing is a FileProblem.
    """
    for source in config.instances:
        if source.files:
            for pattern in source.files:
                if "\0" in pattern:
                    raise FileProblem(f"files: {pattern!r}: a file name holds no null character")
                matching = glob.iglob(str(folder / pattern), recursive=True)
                found = sorted(itertools.islice(matching, MOST_FILES + 1))
                if len(found) > MOST_FILES:
                    raise FileProblem(f"files: {pattern[:80]!a}: matches more than {MOST_FILES}")
                if not found:
                    raise FileProblem(
                        f"{named(str(folder / pattern))}: no such file{_near(folder, pattern)}"
                    )
                yield from (read(path) for path in found)
        else:
            for settings, seed in itertools.product(product(source.settings), seeds(source.seeds)):
                yield generate(source.kind, source.preset, seed, **settings)


def _near(folder: Path, pattern: str) -> str:
    parent, names = (folder / pattern).parent, []
    with contextlib.suppress(OSError):  # no folder, none of ours, or no name of one
        names = [path.name for path in parent.iterdir()]
    return suggestion(Path(pattern).name, names) if names else ""
