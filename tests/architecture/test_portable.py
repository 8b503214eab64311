"""What decides instances, runs and certificates takes no bits from the machine.

Ruff forbids the functions of numpy and the C library (TID251 in pyproject.toml); this is about what
it cannot see.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.tools.sources import FARKAS, MODULES, nodes

FOLDERS = (
    "algebra", "certificates", "duals", "forms", "instances", "models", "online", "portable",
    "proofs", "relaxations", "rounding",
)  # fmt: skip
SOURCES = [path for path in MODULES if path.relative_to(FARKAS).parts[0] in FOLDERS]
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
    return str(path.relative_to(FARKAS))


@pytest.mark.slow
def test_variates_have_an_order_of_their_own() -> None:
    drawn = [
        f"{short(path)}:{node.lineno}"
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and node.attr in VARIATES
        if ast.unparse(node.value).split(".")[-1] == "rng"
    ]
    assert not drawn, "draw with farkas.portable.draws"


@pytest.mark.slow
def test_products_have_an_order_of_their_own() -> None:
    products = {
        short(path): [
            node.lineno
            for node in nodes(path)
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
        ]
        for path in SOURCES
    }
    strange = {name: lines for name, lines in products.items() if lines and name not in PRODUCTS}
    assert not strange, "multiply with farkas.portable.products"
    gone = [name for name in PRODUCTS if not products.get(name)]
    assert not gone, "these multiply no more; take them off the list"
