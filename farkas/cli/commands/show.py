"""``farkas show``, ``list``, ``demo``; and ``evaluate``, by which case files are evaluated."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from farkas.cli.options import InstanceFile, Json, complete_instance, complete_kind
from farkas.cli.printing import complain, print_json, print_line, print_text
from farkas.cli.tables import (
    folded,
    print_folded,
    print_table,
    progress,
    promised,
    promised_ratio,
    room,
    seconds,
)
from farkas.errors import Exit, FarkasError, InvalidOption, NotApplicable, UnknownName
from farkas.messages import named


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
    dual: Annotated[
        bool, Option("--dual", help="Multipliers and constraints of a program's linear dual.")
    ] = False,
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
    elif name in SORTS and name != "solvers":
        list_names(name, keys[0] if keys else "", as_json)
    elif name is not None and dual:
        from farkas.api.dual import dual_words

        words = dual_words(name)
        print_json({"name": name, "text": words}) if as_json else print_folded(words)
    elif name is not None and keys:
        evaluate(name, keys, as_json)
    elif name == "solvers":
        _solvers(as_json)
    elif name == "install":
        _install(as_json)
    else:
        from farkas.api.show import entries, text_of

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
    from farkas.api.warm import warm

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
    python = f"{'.'.join(map(str, sys.version_info[:3]))}, {sys.executable}"
    found = [("Python", "fine", python, ""), *_packages(), _kernels(), _proof()]
    if as_json:
        print_json({"findings": [dict(zip(keys, one, strict=True)) for one in found]})
    else:
        print_table("farkas and what it uses", ["what", "state", "found", "remedy"], found)
        print_line("farkas show solvers says the same of solvers")
    if any(state == "broken" for _, state, _, _ in found):
        raise typer.Exit(Exit.NEGATIVE)


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
    from farkas.api.prove import prove

    try:
        found = prove("mlbroker/tiny", "mlbroker.relaxed[tight]")
    except (FarkasError, ImportError) as error:
        return "a proof", "broken", str(error), "pip install --force-reinstall farkas"
    return "a proof", "fine", found.statement, ""


ROLES = ("instances", "algorithms", "programs", "claims", "quantities")
SORTS = ("kinds", *ROLES, "sources", "presets", "figures", "solvers")


def list_names(
    sort: Annotated[
        str,
        Argument(metavar="[SORT]", help=f"{', '.join(SORTS)}.", autocompletion=lambda: list(SORTS)),
    ] = "",
    kind: Annotated[
        str, Argument(metavar="[KIND]", help="Of one kind.", autocompletion=complete_kind)
    ] = "",
    as_json: Json = False,
) -> None:
    """List what there is, of one kind or of all, with a sentence about each.

    `farkas show NAME` says more about any of them.
    """
    from farkas.instances.files import require_kind

    if sort and sort not in SORTS:
        raise UnknownName.of("sort", sort, SORTS)
    if kind:
        require_kind(kind)
    if kind and sort == "solvers":
        raise InvalidOption("solvers are of no kind; write farkas list solvers")
    if sort:
        lines = list(_lines(sort, kind))
    else:
        lines = [(one, f"farkas list {one}{' [KIND]' * (one != 'solvers')}") for one in SORTS]
    if as_json:
        entries = [{"name": name, "about": words} for name, words in lines]
        print_json({sort or "sorts": entries})
        return
    of = f" of {kind}" if kind and sort != "kinds" else ""
    print_table(f"{len(lines)} {sort or 'sorts'}{of}", ["", ""], lines)


def _lines(sort: str, kind: str) -> Iterator[tuple[str, str]]:
    """Names of a sort, each with its first sentence."""
    from farkas.api.show import catalogue, hint
    from farkas.instances import kinds

    if sort in ROLES:
        yield from ((name, hint(sort, name)) for name in catalogue(kind)[sort])
    elif sort == "sources":
        from farkas.instances.traces import kinds_of, sources

        for name in sources():
            if not kind or kind in kinds_of(name):
                yield name, f"makes {', '.join(kinds_of(name))}"
    elif sort == "solvers":
        from farkas.solvers import status

        for one in status():
            yield one.name, ", ".join([str(one.availability), *one.abilities])
    else:
        for each in [kind] if kind else kinds():
            yield from _of_kind(sort, each)


def _of_kind(sort: str, kind: str) -> Iterator[tuple[str, str]]:
    """Presets or figures of a kind, or how much of everything it has."""
    if sort == "presets":
        from farkas.instances.generate import generators, presets

        for name in presets(kind) if kind in generators() else []:
            yield f"{kind} {name}", f"farkas generate {kind} --preset {name}"
    elif sort == "figures":
        from farkas.experiments.figures import of_kind

        for exhibit in of_kind(kind):
            yield exhibit.name, f"{exhibit.title} ({exhibit.agreement})"
    else:
        from farkas.api.show import catalogue

        yield kind, ", ".join(f"{len(names)} {role}" for role, names in catalogue(kind).items())


def evaluate(
    file: InstanceFile,
    keys: Annotated[
        list[str] | None,
        Argument(metavar="[KEY]...", help="Quantities; by default those the file expects."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute named quantities of an instance.

    The name of a program, also with a variant, is the quantity of its optimum.

    Without keys: those listed under "expected" in the file, or everything defined for the kind.
    The expected values themselves are never looked at.  A quantity that is not defined for the
    instance is absent; standard error says why.
    """
    from farkas.api.inputs import as_instance
    from farkas.quantities import evaluate_all, find
    from farkas.quantities.evaluation import wanted_keys

    instance = as_instance(file)
    for key in keys or ():
        find(key, instance.kind)  # a misspelt key is refused before any work
    wanted = wanted_keys(instance) if not keys else list(dict.fromkeys(keys))
    values, codes = {}, []
    with progress("evaluate") as report:
        for done, outcome in enumerate(evaluate_all(instance, wanted)):
            report(done + 1, len(wanted))
            if outcome.error is None:
                values[outcome.key] = outcome.value
            elif keys or not isinstance(outcome.error, NotApplicable):
                codes.append(_explain(outcome.key, outcome.error))
    if as_json:
        print_json(values)
    else:
        print_table(named(instance.name or file), ["quantity", "value"], list(values.items()))
    serious = [code for code in codes if code is not None]
    if serious or (codes and not values):
        raise typer.Exit(max(serious, default=Exit.NO_ANSWER))


def _explain(key: str, error: Exception) -> Exit | None:
    """Say on standard error why a key has no value; exit code unless it is merely undefined."""
    if isinstance(error, NotApplicable):
        complain(str(error))
        return None
    if isinstance(error, FarkasError):
        complain(f"{key}: {error}")
        return error.exit_code
    complain(f"{key}: internal error: {type(error).__name__}: {error}")
    return Exit.INTERNAL_ERROR


WIDEST = 100  #: Characters of a line of prose.


def demo(as_json: Json = False) -> None:
    """Show a certified online run and an offline solve of every kind, on shipped instances.

    The ratio is value over proved bound for costs, proved bound over value for rewards: however
    good the unknown optimum is, the value is within that factor.
    """
    from farkas.experiments import demo as shown

    with progress("demo") as report:
        lines = shown.demo(report)
    if as_json:
        print_json({"demo": [dataclasses.asdict(line) for line in lines]})
        return
    columns = ["instance", "algorithm or program", "value", "proved bound", "certified ratio",
               "what", "wall seconds"]  # fmt: skip
    rows = [
        (
            line.instance, line.what,
            promised(line.value, up=None if line.is_optimal else line.sense == "min", digits=6),
            promised(line.bound, up=None if line.is_optimal else line.sense == "max", digits=6),
            promised_ratio(line.ratio), line.measure, seconds(line.seconds),
        )
        for line in lines
    ]  # fmt: skip
    print_table("farkas demo", columns, rows, spare=["wall seconds"])
    print_text("\n" + folded(shown.proved(lines), min(room(), WIDEST)))
