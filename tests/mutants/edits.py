"""Changes of formulas that cosmic-ray does not know: ends of intervals, terms, guards."""

import ast
import dataclasses
from collections.abc import Iterator

OPPOSITE = {
    "min": "max", "minimum": "maximum", "argmin": "argmax", "floor": "ceil", "any": "all",
    "up": "down", "ROUND_FLOOR": "ROUND_CEILING", "lower": "upper", "fmin": "fmax",
    "bisect_left": "bisect_right", "row_lower": "row_upper",
}  # fmt: skip
OPPOSITE |= {there: here for here, there in OPPOSITE.items()}

WRAPPERS = {
    "abs",
    "up",
    "down",
    "floor",
    "ceil",
    "_rounded_up",
    "rounded_down",
    "next_up",
    "sorted",
}
"""Functions of one argument that only move a number to its safe side, or order what they get."""


@dataclasses.dataclass(frozen=True, slots=True)
class Edit:
    """Text that takes the place of an expression."""

    name: str  #: Kind of change.
    #: begin, end: (line, column) of the expression, as `ast` counts.
    begin: tuple[int, int]
    end: tuple[int, int]
    text: str  #: What stands there instead.


def edits(source: str) -> list[Edit]:
    """Every change of a module, in the order of `ast.walk`."""

    def text(node: ast.AST) -> str:
        return ast.get_source_segment(source, node) or ""

    found = []
    for node in ast.walk(ast.parse(source)):
        for name, place, instead in _edits(node, text):
            begin = (place.lineno, place.col_offset)
            end = (place.end_lineno or 0, place.end_col_offset or 0)
            found.append(Edit(f"own/{name}", begin, end, f"({instead})"))
    return found


def _edits(node: ast.AST, text) -> Iterator[tuple[str, ast.expr, str]]:  # type: ignore[no-untyped-def]
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub(), right) if not _is_text(left):
            yield "DropTerm", node, text(left)
            if isinstance(node.op, ast.Add):
                yield "DropTerm", node, text(right)
        case ast.BoolOp(op, values):
            word = " and " if isinstance(op, ast.And) else " or "
            for left_out in values:
                kept = [text(value) for value in values if value is not left_out]
                yield "DropCondition", node, word.join(f"({part})" for part in kept)
        case ast.IfExp(_, body, orelse):
            yield "OneBranch", node, text(body)
            yield "OneBranch", node, text(orelse)
        case ast.If(test):
            yield "NeverIf", test, "False"
        case ast.Call(function, [argument], []) if _called(function) in WRAPPERS:
            if not isinstance(argument, ast.Starred | ast.GeneratorExp):
                yield "Unwrap", node, text(argument)
        case ast.Name(name) | ast.Attribute(_, name) if name in OPPOSITE:
            whole = text(node)
            yield "Opposite", node, whole[: len(whole) - len(name)] + OPPOSITE[name]


def _called(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def applied(source: str, edit: Edit) -> str:
    """The module with the edit; columns of `ast` count bytes."""
    lines = source.encode().splitlines(keepends=True)
    before = b"".join(lines[: edit.begin[0] - 1]) + lines[edit.begin[0] - 1][: edit.begin[1]]
    after = lines[edit.end[0] - 1][edit.end[1] :] + b"".join(lines[edit.end[0] :])
    return (before + edit.text.encode() + after).decode()
