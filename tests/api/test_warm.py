"""Kernels compiled before anybody waits: which there are, of whom, and what is kept."""

from __future__ import annotations

import ast
import importlib
import types
from pathlib import Path
from typing import Any

import pytest

import farkas
from farkas.api import warm as module
from farkas.api.warm import entries, texts, warm
from farkas.errors import InvalidOption, UnknownName
from farkas.extras import MissingExtra
from farkas.kernels import Kernel


class Machine:
    """What a compiler returns: code that was on disk, or not."""

    def __init__(self, hits: int) -> None:
        self.stats = types.SimpleNamespace(cache_hits={0: hits} if hits else {}, cache_misses={})
        if not hits:
            self.stats.cache_misses = {0: 1}


def fresh(monkeypatch: pytest.MonkeyPatch, hits: int = 0) -> list[str]:
    """Names of kernels that are compiled from now on; the compiler is a fake."""
    names: list[str] = []

    def translate(kernel: Kernel[..., Any], **_: bool) -> Machine:
        names.append(kernel.function.__name__)
        return Machine(hits)

    monkeypatch.setattr("farkas.kernels.machine.translate", translate)
    monkeypatch.setattr("numba.config.DISABLE_JIT", 0)
    again = [(Kernel(kernel.function, kernel.steps), of) for kernel, of in entries()]
    monkeypatch.setattr(module, "entries", lambda: again)
    return names


def every_kernel() -> dict[str, Kernel[..., Any]]:
    found = {}
    for name, text in texts("farkas", farkas.__path__):
        if "@compiled" in text:
            for value in vars(importlib.import_module(name)).values():
                if isinstance(value, Kernel):
                    found[f"{value.__module__}.{value.function.__name__}"] = value
    return found


def test_what_says_nothing_of_its_steps_is_called_by_kernels_alone() -> None:
    known = {f"{kernel.__module__}.{kernel.function.__name__}" for kernel, _ in entries()}
    parts = {name: kernel for name, kernel in every_kernel().items() if name not in known}
    assert len(known) > 20
    assert len(parts) > 20
    assert all(kernel.steps is None for kernel in parts.values())
    inner = {name.rpartition(".")[2] for name in parts}
    for path in Path(farkas.__path__[0]).rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text())):
            if not isinstance(function, ast.FunctionDef) or any(
                "compiled" in ast.unparse(mark) for mark in function.decorator_list
            ):
                continue
            called = {
                node.func.id
                for node in ast.walk(function)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            }
            for name in called & inner:
                source = ".".join(path.relative_to(Path(farkas.__path__[0]).parent).parts)
                scope = vars(importlib.import_module(source.removesuffix(".py")))
                assert not isinstance(scope.get(name), Kernel), (path, name)


def test_kernels_are_of_the_kinds_whose_folders_or_files_they_are_in() -> None:
    of = {f"{kernel.__module__}.{kernel.function.__name__}": kinds for kernel, kinds in entries()}
    assert of["farkas.online.dps.seller.sell_at"] == {"dps"}
    assert of["farkas.certificates.mlbroker_workers.loads"] == {"mlbroker"}
    assert of["farkas.models.coded.completion_times.counts"] == {"coded"}
    assert of["farkas.models.gadget.envelope.envelope"] == {"gadget"}


def test_all_kernels_of_the_kinds_asked_for_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    names, told = fresh(monkeypatch), list[tuple[int, int]]()
    done = warm(["dps"], lambda *step: told.append(step))
    assert {"sell_at", "sell_learning", "sell_to_pairs"} <= set(names)
    assert "best_plan" not in names
    assert len(names) == len(set(names)) == len(done)
    assert told == [(place, len(done)) for place in range(1, len(done) + 1)]
    assert {one.kept for one in done} == {False}
    assert all(one.seconds >= 0 for one in done)
    again = warm(["dps"])
    assert len(names) == len(again)  # they are there
    warm()
    assert {"best_plan", "replies", "sweep", "whole_workers"} <= set(names)


def test_code_that_was_on_disk_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh(monkeypatch, hits=1)
    assert {one.kept for one in warm(["gadget"])} == {True}


def test_a_kind_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh(monkeypatch)
    with pytest.raises(UnknownName, match="unknown kind 'gadgets'; did you mean gadget"):
        warm(["gadgets"])


def test_without_numba_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> None:
        raise MissingExtra("this needs numba: pip install 'farkas[kernels]'")

    monkeypatch.setattr(module, "needed", none)
    with pytest.raises(MissingExtra, match=r"pip install 'farkas\[kernels\]'"):
        warm()


def test_a_compiler_that_is_switched_off_is_not_said_to_compile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = fresh(monkeypatch)
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)
    with pytest.raises(InvalidOption, match="NUMBA_DISABLE_JIT is set"):
        warm(["coded"])
    assert names == []
