"""Relations with two sides."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.algebra import Between
from farkas.algebra.cells import Cells
from farkas.algebra.expressions import Linear, Relation, Term, Trace
from farkas.algebra.tracing import reading
from farkas.errors import RuleError

X = Linear((Term(1.0, Cells(np.array(3), ())),))
Y = Linear((Term(2.0, Cells(np.array(5), ())),), 7.0)


def test_between_takes_parameters_around_one_expression():
    with reading(Trace()):
        found = Between(1, X, 2.5)
        assert (found.lower, found.upper, found.body) == (1, 2.5, X)
        assert isinstance(found, Relation)
        for wrong in ((X, Y, 1), (1, Y, X), (1, 2, 3)):
            with pytest.raises(RuleError, match="takes parameters around one expression"):
                Between(*wrong)
