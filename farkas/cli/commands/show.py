"""``farkas show``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from farkas.cli.output import Json, print_json, print_text
from farkas.errors import InvalidOption, UnknownName


def command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Program (with variant), algorithm or claim.")
    ],
    latex: Annotated[bool, typer.Option("--latex", help="A program as LaTeX.")] = False,
    as_json: Json = False,
) -> None:
    """Show a program, algorithm, quantity or claim in words and mathematics."""
    from farkas.experiments.quantities import quantities
    from farkas.experiments.solving import program_names
    from farkas.online import algorithms
    from farkas.proofs import claims

    stem = name.partition("[")[0].strip()
    if stem in program_names():
        found = _program(name, latex)
    elif latex:
        raise InvalidOption(f"--latex: {name} is not a program")
    elif name in algorithms:
        found = _algorithm(name)
    elif name in claims:
        found = _claim(name)
    elif name in quantities:
        found = {"role": "quantity", "name": name, "text": quantities[name].doc}
    else:
        known = [*program_names(), *algorithms, *claims, *quantities]
        raise UnknownName.of("name", name, known)
    if as_json:
        print_json(found)
    else:
        print_text(found["text"])


def _program(name: str, latex: bool) -> dict[str, Any]:
    from farkas.experiments.solving import describe, find_program

    program = find_program(name)
    text = describe(program, latex=latex)
    options = {key: list(values) for key, values in program.options().items()}
    return {"role": "program", "name": program.full_name, "options": options, "text": text}


def _algorithm(name: str) -> dict[str, Any]:
    from farkas.online import algorithms

    item = algorithms[name]
    lines = [f"{name}  {item.source}".rstrip(), "", item.doc]
    if item.options:
        lines += ["", "Options (--set):"]
        lines += [f"  {key} = {value}" for key, value in item.options.items()]
    return {
        "role": "algorithm",
        "name": name,
        "source": item.source,
        "options": item.options,
        "text": "\n".join(lines),
    }


def _claim(name: str) -> dict[str, Any]:
    from farkas.proofs import claims

    item = claims[name]
    text = f"{name}  {item.source}\n\n{item.statement}\n\nCheck it: farkas claims {name} --run"
    return {"role": "claim", "name": name, "source": item.source, "text": text}
