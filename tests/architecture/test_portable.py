"""What decides instances, runs and certificates takes no bits from the machine.

Ruff forbids the functions of numpy and the C library (TID251 in pyproject.toml); this is about what
it cannot see.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.tools.shared import ROOT

FOLDERS = (
    "algebra", "certificates", "duals", "forms", "instances", "models", "online", "portable",
    "proofs", "relaxations", "rounding",
)  # fmt: skip
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / "farkas" / folder).rglob("*.py"))
VARIATES = {
    "beta", "binomial", "chisquare", "dirichlet", "exponential", "gamma", "geometric", "gumbel",
    "laplace", "logistic", "lognormal", "multinomial", "multivariate_normal", "negative_binomial",
    "normal", "pareto", "poisson", "rayleigh", "standard_exponential", "standard_gamma",
    "standard_normal", "standard_t", "triangular", "uniform", "vonmises", "wald", "weibull", "zipf",
}  # fmt: skip
PRODUCTS = {
    "duals/dualize.py": "sparse",
    "forms/feasibility.py": "sparse",
    "models/coded/loads.py": "CVXPY's",
    "models/coded/surrogate.py": "CVXPY's",
    "online/coded/code.py": "LAPACK decodes them; no run holds them",
    "online/coded/execution.py": "LAPACK decodes them; no run holds them",
    "proofs/gadget/rounding.py": "sparse",
    "relaxations/coded/sca.py": "CVXPY's",
    "relaxations/gadget/workers.py": "CVXPY's",
    "relaxations/mlbroker/regularized.py": "CVXPY's",
}
"""Modules that may write ``@``, and whose products these are."""


def short(path: Path) -> str:
    return str(path.relative_to(ROOT / "farkas"))


@pytest.mark.parametrize("path", SOURCES, ids=short)
def test_variates_and_products_have_an_order_of_their_own(path: Path) -> None:
    products = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and node.attr in VARIATES:
            owner = ast.unparse(node.value).split(".")[-1]
            assert owner != "rng", f"line {node.lineno}: draw with farkas.portable.draws"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            products.append(node.lineno)
    if short(path) in PRODUCTS:
        assert products, f"{short(path)} multiplies no more; take it off the list"
    else:
        assert not products, f"lines {products}: multiply with farkas.portable.sums"
