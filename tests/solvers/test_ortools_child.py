"""What OR-tools is handed in its process, and how its words are read, held to a stand-in."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from farkas.solvers.ortools_child import _whole_model, answered

WORDS = {
    "engine": "glop", "time_limit": 3.0, "gap": 0.0, "threads": 2, "seed": 9, "log": False,
    "options": {}, "feasibility": False,
}  # fmt: skip
ARRAYS = {
    "cost": np.array([1.0, 2.0]),
    "lower": np.zeros(2),
    "upper": np.array([np.inf, 5.0]),
    "row_lower": np.array([1.0]),
    "row_upper": np.array([np.inf]),
    "starts": np.array([0, 2], dtype=np.int32),
    "columns": np.array([0, 1], dtype=np.int32),
    "values": np.array([1.0, -3.0]),
}


class GlopParameters:
    def __init__(self, **given: Any) -> None:
        self.given = given

    def __str__(self) -> str:
        return str(self.given)


class Glop:
    """Model and solver in one; the last one made is kept."""

    last: Any = None
    ends = "OPTIMAL"

    def __init__(self, name: str = "") -> None:
        self.name, self.said = name, {}
        if name:
            type(self).last = self

    def fill_model_from_sparse_data(self, *parts: Any) -> None:
        type(self).filled = parts

    def __getattr__(self, name: str) -> Any:
        return lambda *given: self.said.setdefault(name, given)

    def status(self) -> Any:
        return SimpleNamespace(name=self.ends)

    def status_string(self) -> str:
        return "in its words"

    def has_solution(self) -> bool:
        return True

    def variable_values(self) -> Any:
        return np.array([1.0, 0.0])

    def dual_values(self) -> Any:
        return np.array([1.0])


@pytest.fixture
def glop(monkeypatch):
    def module(name: str, **parts: Any) -> None:
        made = ModuleType(name)
        made.__dict__.update(parts)
        monkeypatch.setitem(sys.modules, name, made)

    helper = SimpleNamespace(ModelBuilderHelper=Glop, ModelSolverHelper=Glop)
    for name in ("ortools", "ortools.glop", "ortools.linear_solver"):
        module(name, __path__=[])
    module("ortools.linear_solver.python", __path__=[], model_builder_helper=helper)
    module("ortools.glop.parameters_pb2", GlopParameters=GlopParameters)
    return Glop


def test_glop_is_handed_every_array_and_its_options(glop, monkeypatch):
    monkeypatch.setattr(glop, "ends", "OPTIMAL")
    said, found = answered(WORDS, ARRAYS)
    assert (said["status"], said["message"]) == ("optimal", "OPTIMAL in its words")
    assert (found["point"].tolist(), found["duals"].tolist()) == ([1, 0], [1])
    lower, upper, cost, low, high, matrix = glop.filled
    assert (lower.tolist(), upper.tolist(), cost.tolist()) == ([0, 0], [np.inf, 5], [1, 2])
    assert (low.tolist(), high.tolist(), matrix.toarray().tolist()) == ([1], [np.inf], [[1, -3]])
    assert glop.last.name == "glop"
    assert glop.last.said["set_time_limit_in_seconds"] == (3.0,)
    assert glop.last.said["set_solver_specific_parameters"] == (
        str({"random_seed": 9, "num_omp_threads": 2}),
    )
    answered({**WORDS, "time_limit": None}, ARRAYS)
    assert "set_time_limit_in_seconds" not in glop.last.said


@pytest.mark.parametrize(
    ("ends", "costs_are_0", "status"),
    [
        ("INFEASIBLE", False, "either"),  # its presolve calls unbounded programs so
        ("INFEASIBLE", True, "infeasible"),
        ("UNBOUNDED", False, "either"),
        ("NOT_SOLVED", False, "limit"),
        ("FEASIBLE", False, "limit"),
        ("ABNORMAL", False, "numerical"),
        ("MODEL_INVALID", False, "error"),
    ],
)
def test_words_of_glop_are_read(glop, monkeypatch, ends, costs_are_0, status):
    monkeypatch.setattr(glop, "ends", ends)
    said, found = answered({**WORDS, "feasibility": costs_are_0}, ARRAYS)
    assert said["status"] == status
    assert bool(found) is (status == "limit")


class Message:
    """A message of a protocol buffer, as far as it is filled here."""

    def __init__(self) -> None:
        self.parts: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return self.parts.setdefault(name, List() if name != "linear" else Message())


class List(list):
    def add(self) -> Message:
        self.append(Message())
        return self[-1]

    def __getattr__(self, name: str) -> Any:
        return self.__dict__.setdefault(name, List())


def test_cp_sat_is_handed_domains_rows_costs_and_a_start():
    arrays = {name: a.astype(np.int64) for name, a in ARRAYS.items() if np.isfinite(a).all()}
    arrays |= {
        "upper": np.array([7, 5]),
        "row_upper": np.array([9]),
        "cost": np.array([0, 2]),
        "start": np.array([4, 1]),
    }
    model = _whole_model(SimpleNamespace(CpModelProto=Message), arrays)
    assert [v.domain for v in model.variables] == [[0, 7], [0, 5]]
    (row,) = (r.linear for r in model.constraints)
    assert (row.vars, row.coeffs, row.domain) == ([0, 1], [1, -3], [1, 9])
    assert (model.objective.vars, model.objective.coeffs) == ([1], [2])
    assert (model.solution_hint.vars, model.solution_hint.values) == ([0, 1], [4, 1])
