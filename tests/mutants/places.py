"""Where a module can be changed so that it does something else."""

import ast
import dataclasses
from pathlib import Path
from typing import Any

SILENT = {"dataclass", "lru_cache", "cache", "compiled"}
"""Calls whose arguments decide how code runs, not what it says."""

GENERIC = {"Annotated", "Literal", "Callable", "NDArray", "dict", "list", "set", "tuple", "type"}


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Place:
    """One change.

    Parameters
    ----------
    module
        Path below the package.
    line, column
        Where it begins; lines from 1.
    operator
        Cosmic-ray's name of the change.
    occurrence
        Which of the places where the operator applies, from 0.
    """

    module: str
    line: int
    column: int
    operator: str
    occurrence: int


def silent(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Ranges (from, to) of what no test could see: types, flags of classes and caches."""
    hidden = (part for node in ast.walk(ast.parse(source)) for part in _unseen(node))
    return [_range(node) for node in hidden]


def _unseen(node: ast.AST) -> list[ast.expr] | list[ast.AST]:
    """Parts of a node that change nothing a test could see."""
    match node:
        case ast.arg(annotation=ast.expr() as kind) | ast.AnnAssign(annotation=kind):
            return [kind]
        case ast.FunctionDef(returns=ast.expr() as kind):
            return [kind]
        case ast.ClassDef():
            return [keyword.value for keyword in node.keywords]
        case ast.Call() if _name(node.func) in SILENT:
            return [node]
        case ast.If() if _name(node.test) == "TYPE_CHECKING":
            return [node]
        case ast.Assign() if _is_type(node.value):
            return [node]
    return []


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _is_type(node: ast.AST) -> bool:
    """Whether an assigned value is an alias of a type: a union or a subscript of names."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr) and _is_type(node.left) and _is_type(node.right)
    if isinstance(node, ast.Subscript):
        return _name(node.value) in GENERIC
    if isinstance(node, ast.Constant):
        return node.value is None
    return isinstance(node, ast.Name) and node.id[:1].isupper() and not node.id.isupper()


def _range(node: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def places(root: Path, module: str) -> dict[tuple[int, int], list[Place]]:
    """Every change of a module that cosmic-ray knows, by where it begins."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    source = (root / "farkas" / module).read_text()
    hidden = silent(source)
    found: dict[tuple[int, int], list[Place]] = {}
    tree = get_ast(source)
    nodes = list(ast_nodes(tree))
    for name in sorted(operator_names()):
        if name.endswith(("VariableReplacer", "VariableInserter", "RemoveDecorator")):
            continue
        operator, occurrence = get_operator(name)(), 0
        for node in nodes:
            for start, _ in operator.mutation_positions(node):
                seen = not any(first <= start < last for first, last in hidden)
                if seen and not (name.endswith("ExceptionReplacer") and _dotted(node)):
                    place = Place(module, start[0], start[1], name, occurrence)
                    found.setdefault(start, []).append(place)
                occurrence += 1
    return found


def _dotted(node: Any) -> bool:
    """Whether an except clause names a class by its module, which cosmic-ray cannot replace."""
    return "." in str(node.get_code())


def mutated(source: str, place: Place) -> str:
    """The module with one change."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    changed = mutate_code(source, get_operator(place.operator)(), place.occurrence)
    return source if changed is None else str(changed)
