"""One page a kind: every program and variant, in words and in mathematics read off its rules."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path

from farkas.algebra import ConvexProgram, PyomoProgram, programs
from farkas.algebra.formulation import Formulation
from farkas.algebra.program import RuleProgram
from farkas.errors import InvalidOption
from farkas.instances import kinds
from farkas_docs.mathml import mathml
from farkas_docs.text import docstring, escaped, fence, page, table

DOCS = Path(__file__).resolve().parents[2]

PAPERS = """One page a paper, written by hand: setting, algorithms, certificates, what holds and
what does not. Beside it its programs, generated from the rules."""


def pages() -> Iterator[tuple[str, str]]:
    """``papers`` and, for every kind that has programs, ``<kind>_programs``."""
    by_kind = {kind: [n for n in programs.names() if programs[n].kind == kind] for kind in kinds()}
    yield "papers", page("Papers", PAPERS, _listing(by_kind))
    for kind, names in by_kind.items():
        intro = (
            "Generated from the rules themselves: what stands here is what is solved. Numbers in "
            f"parentheses are the paper's. On the command line: `farkas show {kind}.NAME --latex`."
        )
        if names:
            parts = [_program(programs[name]) for name in names]
            yield f"{kind}_programs", page(f"Programs of {kind}", intro, *parts)


def _listing(by_kind: Mapping[str, list[str]]) -> str:
    found = []
    for kind, names in by_kind.items():
        found += [f"../{kind}"] if (DOCS / f"{kind}.md").exists() else []
        found += [f"{kind}_programs"] if names else []
    return "\n".join(["```{toctree}", ":maxdepth: 1", "", *found, "```"])


def _program(cls: type[Formulation]) -> str:
    default = cls()
    parts = [f"## {cls.name}", docstring(inspect.getdoc(cls) or "")]
    options = cls.options()
    if options:
        rows = [[f"`{k}`", ", ".join(f"`{v}`" for v in values)] for k, values in options.items()]
        parts.append(table(["option", "values, default first"], rows))
    if isinstance(default, ConvexProgram):
        words = "A convex program, built for CVXPY:\n\n" + fence(default.describe())
        return "\n\n".join([*parts, words])
    if isinstance(default, PyomoProgram):
        parts.append("Neither linear nor convex: built for Pyomo only, with `to_pyomo(instance)`.")
    assert isinstance(default, RuleProgram)
    parts += [f"### {default.full_name}"] if options else []
    parts.append(_whole(default))
    base = _lines(default)
    for variant in _variants(cls):
        parts += [f"### {variant.full_name}", _difference(base, _lines(variant))]
    return "\n\n".join(parts)


def _variants(cls: type[Formulation]) -> Iterator[RuleProgram]:
    """All variants but the default; some combinations are refused by the program itself."""
    options = cls.options()
    for values in itertools.islice(itertools.product(*options.values()), 1, None):
        try:
            variant = cls(**dict(zip(options, values, strict=True)))
        except InvalidOption:
            continue
        assert isinstance(variant, RuleProgram)
        yield variant


def _lines(program: RuleProgram) -> dict[str, tuple[str, str]]:
    """Heading to (sentence, mathematics) of objective, families and domains."""
    body = program.latex().removeprefix("\\begin{align}\n").removesuffix("\n\\end{align}")
    goal, *rest = body.split(" \\\\\n")
    objective = program.objective_rule()
    found = {f"{program.sense} {objective.name}": (objective.doc, goal)}
    families = [*program.families(), *program.expressions()]
    for family, line in zip(families, rest, strict=False):
        over = f" for every {', '.join(f'`{s}`' for s in family.sets)}" if family.sets else ""
        rule = line.removesuffix(r" \notag").partition(r" \tag{")[0]
        found[f"({family.label}) `{family.name}`{over}".removeprefix("() ")] = (family.doc, rule)
    domains = [line.removesuffix(r" \notag") for line in rest[len(families) :]]
    inside = r",\quad ".join(line.removeprefix("& ") for line in domains)
    found["variables"] = ("", inside)
    return found


def _item(heading: str, sentence: str, formula: str) -> str:
    words = f"**{heading}**" + (f": {escaped(sentence)}" if sentence else "")
    drawn = mathml(formula.replace("&", "").strip())
    return f'{words}\n\n```{{raw}} html\n<div class="rule">{drawn}</div>\n```'


def _whole(program: RuleProgram) -> str:
    return "\n\n".join(_item(head, *line) for head, line in _lines(program).items())


def _difference(base: dict[str, tuple[str, str]], other: dict[str, tuple[str, str]]) -> str:
    gone = [head for head in base if head not in other]
    changed = {head: line for head, line in other.items() if base.get(head) != line}
    if not gone and not changed:
        return "Same rules as the default; only data differ."
    parts = []
    if gone:
        parts.append(f"Without {', '.join(gone)}.")
    if changed:
        parts.append("Different from the default, or new:")
    return "\n\n".join([*parts, *(_item(head, *line) for head, line in changed.items())])
