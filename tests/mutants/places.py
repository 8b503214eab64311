"""Where a module can be changed so that it does something else."""

import ast
import dataclasses
from pathlib import Path
from typing import Any

from tests.mutants.edits import applied, edits

SILENT = {"dataclass", "lru_cache", "cache", "compiled"}
"""Calls whose arguments decide how code runs, not what it says."""

MEANT = {
    "Add": "Sub Mul", "Sub": "Add", "Mul": "Add Div", "Div": "Mul", "FloorDiv": "Mul Div",
    "Mod": "Mul FloorDiv", "Pow": "Mul", "LShift": "RShift", "RShift": "LShift",
    "BitAnd": "BitOr", "BitOr": "BitAnd", "BitXor": "BitAnd",
    "Lt": "LtE Gt", "LtE": "Lt GtE", "Gt": "GtE Lt", "GtE": "Gt LtE", "Eq": "NotEq LtE",
    "NotEq": "Eq Lt Gt", "Is": "IsNot", "IsNot": "Is", "USub": "UAdd", "Delete": "USub Not Invert",
}  # fmt: skip
"""Operators that a person could have confused; bits of a sum, say, fail at once and only make a
score look better."""

GENERIC = {"Annotated", "Literal", "Callable", "NDArray", "dict", "list", "set", "tuple", "type"}


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Place:
    """One change."""

    module: str  #: Path below the package.
    #: line, column: where it begins; lines from 1.
    line: int
    column: int
    operator: str  #: Cosmic-ray's name of the change.
    #: Which of the places where the operator applies, from 0; of our own, which of all edits.
    occurrence: int


def silent(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Ranges (from, to) of what no test could see: types, flags of classes and caches.

    Neither is tried what a refusal says, because it refuses all the same.
    """
    hidden = (part for node in ast.walk(ast.parse(source)) for part in _unseen(node))
    return [_range(node) for node in hidden]


def _is_meant(operator: str) -> bool:
    """Whether cosmic-ray's operator, ``core/ReplaceBinaryOperator_Add_Sub``, is one of ours."""
    if operator.endswith(("VariableReplacer", "VariableInserter", "RemoveDecorator")):
        return False
    if "Operator_" not in operator:
        return True
    old, new = operator.split("_")[1:]
    return new in MEANT.get(old, "").split()


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
        case ast.Call(keywords=keywords) if _name(node.func) == "zip":
            # never raises where lengths are equal, which right code sees to
            return [keyword.value for keyword in keywords if keyword.arg == "strict"]
        case ast.Raise(exc=ast.Call() as call):
            return [*call.args, *(keyword.value for keyword in call.keywords)]
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
    """Every change of a module, by where it begins: cosmic-ray's, and those of `edits`."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    source = (root / "farkas" / module).read_text()
    hidden, lines = silent(source), source.splitlines()
    found: dict[tuple[int, int], list[Place]] = {}

    def keep(start: tuple[int, int], name: str, occurrence: int) -> None:
        alone = lines[start[0] - 1][start[1] :].startswith("*,")  # keywords from here, no product
        if not alone and not any(first <= start < last for first, last in hidden):
            place = Place(module, start[0], start[1], name, occurrence)
            found.setdefault(start, []).append(place)

    nodes = list(ast_nodes(get_ast(source)))
    for name in filter(_is_meant, sorted(operator_names())):
        operator, occurrence = get_operator(name)(), 0
        for node in nodes:
            for start, _ in operator.mutation_positions(node):
                if not (name.endswith("ExceptionReplacer") and _dotted(node)):
                    keep(start, name, occurrence)
                occurrence += 1
    for number, edit in enumerate(edits(source)):
        keep(edit.begin, edit.name, number)
    return found


def _dotted(node: Any) -> bool:
    """Whether an except clause names a class by its module, which cosmic-ray cannot replace."""
    return "." in str(node.get_code())


def mutated(source: str, place: Place) -> str | None:
    """The module with one change; None if that is no module, or the same one."""
    if place.operator.startswith("own/"):
        changed = applied(source, edits(source)[place.occurrence])
    else:
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        changed = mutate_code(source, get_operator(place.operator)(), place.occurrence) or source
    try:
        same = ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source))
    except SyntaxError:  # a star among parameters is no product
        return None
    return None if same else changed
