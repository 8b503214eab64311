"""``farkas show``."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import re
import sys
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from farkas.cli.options import Json, complete_instance
from farkas.cli.printing import print_json, print_line
from farkas.cli.tables import print_folded, print_table, progress, seconds
from farkas.errors import Exit, FarkasError


def command(
    name: Annotated[
        str | None,
        Argument(
            metavar="[NAME]",
            help="Program (with variant), algorithm, claim, kind, instance, source, solver; FILE;"
            " solvers; install.",
            autocompletion=complete_instance,
        ),
    ] = None,
    keys: Annotated[
        list[str] | None,
        Argument(metavar="[KEY]...", help="Quantities of an instance to compute."),
    ] = None,
    latex: Annotated[bool, Option("--latex", help="A program as LaTeX.")] = False,
    write: Annotated[
        str | None,
        Option(metavar="FILE", help="Write what proves the one quantity that is named."),
    ] = None,
    compiled: Annotated[
        bool, Option("--compile", help="Compile all loops now, of the kinds that are named.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show a program, algorithm, quantity, claim, instance, trace source or solver; all of a kind.

    A name that stands for several of them shows each.  Of a source: columns and settings.  Of a
    file what it holds: an instance, where it is from and what was drawn; a run, a certificate, a
    model.  Without a name: the kinds.

    Behind an instance, names of quantities (or of programs, for their optima) are computed.

    `farkas show solvers` says which solvers are here, what each can do and how to get the others.
    `farkas show install` looks at Python, packages, extras, the folder of machine code and one
    proof from end to end; exit code 1 when something is broken.  `farkas show --compile [KIND]...`
    compiles all loops, so that no later command waits for it.
    """
    if compiled:
        _compile([name, *(keys or ())] if name else [], as_json)
    elif name is not None and (keys or write is not None):
        from farkas.cli.commands.evaluate import command as evaluate

        evaluate(name, keys, write, as_json)
    elif name == "solvers":
        _solvers(as_json)
    elif name == "install":
        _install(as_json)
    else:
        from farkas.verbs.show import entries, text_of

        found = entries(name, latex=latex)
        if as_json:
            first, *also = (entry.to_builtins() for entry in found)
            print_json({**first, "also": also})
        else:
            print_folded(text_of(found))


def _solvers(as_json: bool) -> None:
    """Print the solvers, those behind a bridge after it, as the names that ``--solver`` takes."""
    from farkas.solvers import status

    lines = status(bridged=True)
    if as_json:
        solvers = [
            dict(
                name=s.name, standing=str(s.availability.standing), detail=s.availability.detail,
                most_rows=s.availability.most_rows, most_columns=s.availability.most_columns,
                version=s.version, abilities=list(s.abilities),
            )
            for s in lines
        ]  # fmt: skip
        print_json({"solvers": solvers})
        return
    usable = [
        (s.name, str(s.availability.standing), s.version, ", ".join(s.abilities),
         s.availability.detail)
        for s in lines if s.availability
    ]  # fmt: skip
    columns = ["solver", "standing", "version", "abilities", "note"]
    print_table(f"{len(usable)} solvers to choose from", columns, usable, spare=["version"])
    rest = [(s.name, str(s.availability.standing), s.availability.detail)
            for s in lines if not s.availability]  # fmt: skip
    if rest:
        print_line("")
        print_table(f"{len(rest)} more", ["solver", "standing", "how to get it"], rest)


def _compile(kinds: list[str], as_json: bool) -> None:
    """Compile loops; machine code is kept on disk until farkas is updated."""
    from farkas.verbs.warm import warm

    with progress("compile") as report:
        done = warm(kinds, report)
    if as_json:
        print_json({"kernels": [dataclasses.asdict(one) for one in done]})
        return
    rows = [
        (one.kernel.removeprefix("farkas."), ", ".join(one.kinds), seconds(one.seconds),
         "kept before" if one.kept else "compiled")
        for one in done
    ]  # fmt: skip
    spent = seconds(sum(one.seconds for one in done))
    title = f"{len(done)} kernels are machine code now, {spent} CPU seconds"
    print_table(title, ["kernel", "of kind", "CPU seconds", "machine code"], rows)


#: What was looked at; whether it is fine, absent (nothing needs it) or broken; details; remedy.
Finding = tuple[str, str, str, str]


def _install(as_json: bool) -> None:
    """Print what is here that farkas can use, and how to mend what is not."""
    keys = ("what", "state", "detail", "remedy")
    found = [_python(), *_packages(), _kernels(), _proof()]
    if as_json:
        print_json({"findings": [dict(zip(keys, one, strict=True)) for one in found]})
    else:
        print_table("farkas and what it uses", ["what", "state", "found", "remedy"], found)
        print_line("farkas show solvers says the same of solvers")
    if any(state == "broken" for _, state, _, _ in found):
        raise typer.Exit(Exit.NEGATIVE)


def _python() -> Finding:
    return "Python", "fine", f"{'.'.join(map(str, sys.version_info[:3]))}, {sys.executable}", ""


def _packages() -> list[Finding]:
    """Look for the packages and extras that the metadata of farkas list."""
    missing: dict[str, list[str]] = {}
    if not _here("farkas"):
        return [("packages", "absent", "farkas runs from its checkout", "pip install .")]
    for requirement in importlib.metadata.requires("farkas") or []:
        package = re.split(r"[^\w.-]", requirement)[0]
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)", requirement)
        lacking = missing.setdefault(extra[1] if extra else "", [])
        if package != "farkas" and not _here(package):
            lacking.append(package)
    found: list[Finding] = []
    for name in sorted(missing.keys() - {"dev", "test", "docs", "mutants"}):
        what, remedy = f"extra {name}", f"pip install 'farkas[{name}]'"
        if not name:
            what, remedy = "packages", "pip install ."
        if missing[name]:
            state, detail = "absent" if name else "broken", f"missing: {', '.join(missing[name])}"
            found.append((what, state, detail, remedy))
        else:
            found.append((what, "fine", "all there", ""))
    return found


def _here(package: str) -> bool:
    try:
        return bool(importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return False


def _kernels() -> Finding:
    """Whether machine code is made, and kept for the next time."""
    what = "kernel cache"
    if not _here("numba"):
        detail = "numba is missing: searches of eris and dps are interpreted, results are the same"
        return what, "absent", detail, "pip install 'farkas[kernels]'"
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    for place in [Path(chosen)] if chosen else [Path(__file__).parents[2], Path(cache)]:
        above = next(folder for folder in [place, *place.absolute().parents] if folder.exists())
        if os.access(above, os.W_OK):
            return what, "fine", f"kept below {place}", ""
    remedy = "set NUMBA_CACHE_DIR to a folder that you may write to"
    return what, "broken", "no folder to keep machine code in", remedy


def _proof() -> Finding:
    """Solve, prove and check a shipped program."""
    from farkas.verbs.prove import prove

    try:
        found = prove("mlbroker/tiny", "mlbroker.relaxed[tight]")
    except (FarkasError, ImportError) as error:
        return "a proof", "broken", str(error), "pip install --force-reinstall farkas"
    return "a proof", "fine", found.statement, ""
