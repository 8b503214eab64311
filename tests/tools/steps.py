"""Steps of symbolic proofs under changed formulas: a step that no change breaks proves nothing."""

from __future__ import annotations

import ast
import contextlib
import inspect
import textwrap
from collections.abc import Callable, Collection, Iterator
from typing import Any

import sympy as sp

from farkas.proofs import trials

SWAPS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}

UNCHANGED = ("proved", "shipped", "symbols")
"""Calls whose arguments are no formulas."""


class _Change(ast.NodeTransformer):
    """Change the formula at one place: a sign, an operation, a number, what is named or called."""

    def __init__(self, place: int, named: Collection[str]) -> None:
        self.left = place
        self.named = named
        self.done = False

    def _here(self) -> bool:
        self.left -= 1
        self.done |= self.left == -1
        return self.left == -1

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func).rpartition(".")[2] in UNCHANGED:
            return node
        if ast.unparse(node.func) not in self.named:
            return self.generic_visit(node)
        if self._here():
            return ast.copy_location(ast.BinOp(node, ast.Pow(), ast.Constant(2)), node)
        node.args = [self.visit(part) for part in node.args]
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        swap = SWAPS.get(type(node.op))
        if swap is not None and self._here():
            return ast.copy_location(ast.BinOp(node.left, swap(), node.right), node)
        return self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.USub) and self._here():
            return node.operand
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.named and isinstance(node.ctx, ast.Load) and self._here():
            return ast.copy_location(ast.BinOp(node, ast.Pow(), ast.Constant(2)), node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is int and self._here():
            return ast.copy_location(ast.Constant(node.value + 1), node)
        return node


def _definition(check: Callable[[], Any]) -> ast.Module:
    module = ast.parse(textwrap.dedent(inspect.getsource(check)))
    (function,) = module.body
    assert isinstance(function, ast.FunctionDef)
    function.decorator_list = []
    # samples after the last step take time and try none
    while function.body and not any(map(_is_step, ast.walk(function.body[-1]))):
        function.body.pop()
    return module


def _is_step(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("require", "require_zero")


def _gives(formula: Any) -> bool:
    """Whether a function gives a formula: farkas says so by returning anything from anything."""
    said = getattr(formula, "__annotations__", {})
    return inspect.isfunction(formula) and bool(said) and set(said.values()) <= {Any, "Any"}


def _symbols(module: ast.Module) -> set[str]:
    """Local names of symbols."""
    return {
        name.id
        for node in ast.walk(module)
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("sp.symbols(")
        for name in ast.walk(node.targets[0])
        if isinstance(name, ast.Name)
    }


def changed(check: Callable[[], Any]) -> Iterator[ast.Module]:
    """The check with one place of its formulas changed, for every such place."""
    named = {n for n, of in check.__globals__.items() if isinstance(of, sp.Expr) or _gives(of)}
    named |= _symbols(_definition(check))
    place = 0
    while True:
        change = _Change(place, named)
        module = change.visit(_definition(check))
        if not change.done:
            return
        yield ast.fix_missing_locations(module)
        place += 1


def broken_steps(
    check: Callable[[], Any],
    module: ast.Module | None = None,
    wanted: Collection[str] | None = None,
) -> dict[str, bool]:
    """Names of the steps of a check, and whether each breaks; of the unchanged one without module.

    Every step that is wanted is tried, also after one that breaks; what is computed between them
    may fail.
    """
    module = ast.fix_missing_locations(module or _definition(check))
    found: dict[str, bool] = {}

    def tried(how: Callable[..., None]) -> Callable[..., None]:
        def each(**steps: Any) -> None:
            for name, step in steps.items():
                if wanted is not None and name not in wanted:
                    continue
                try:
                    how(**{name: step})
                except trials.NotProved:
                    found[name] = True
                else:
                    found.setdefault(name, False)

        return each

    names = dict(check.__globals__)
    names["require_zero"] = tried(trials.require_zero)
    names["require"] = tried(trials.require)
    exec(compile(module, inspect.getfile(check), "exec"), names)
    with contextlib.suppress(Exception):  # a changed formula may be none at all
        names[check.__name__]()
    return found


def unbreakable(check: Callable[[], Any]) -> list[str]:
    """Steps of a proof that hold whatever is changed in its formulas."""
    left = set(broken_steps(check))
    for module in changed(check):
        if not left:
            break
        left -= {name for name, broke in broken_steps(check, module, left).items() if broke}
    return sorted(left)
