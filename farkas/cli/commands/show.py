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
    """Show a program, algorithm, quantity or claim in words and mathematics.

    A name that stands for several of them shows each.
    """
    from farkas.experiments.quantities import quantities
    from farkas.experiments.solving import program_names
    from farkas.online import algorithms
    from farkas.proofs import claims

    stem = name.partition("[")[0].strip()
    found = [_program(name, latex)] if stem in program_names() else []
    if latex and not found:
        raise InvalidOption(f"--latex: {name} is not a program")
    if not latex:
        found += [_algorithm(name)] if name in algorithms else []
        found += [_claim(name)] if name in claims else []
        found += [_quantity(name)] if name in quantities else []
    if not found:
        known = [*program_names(), *algorithms, *claims, *quantities]
        raise UnknownName.of("name", name, known)
    if as_json:
        print_json({**found[0], "also": found[1:]})
    elif len(found) == 1:
        print_text(found[0]["text"])
    else:
        print_text("\n\n".join(f"As {_article(one['role'])}:\n{one['text']}" for one in found))


def _article(role: str) -> str:
    return f"an {role}" if role.startswith("a") else f"a {role}"


def _quantity(name: str) -> dict[str, Any]:
    from farkas.experiments.quantities import quantities

    return {"role": "quantity", "name": name, "text": quantities[name].doc}


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
