"""A store to fill, and a theorem to hold against it."""

from __future__ import annotations

import pytest

from farkas.experiments.sweeps import Store
from farkas.experiments.sweeps import guarantees as module
from tests.experiments.sweeps.made import INSTANCES


@pytest.fixture
def stored(tmp_path):
    with Store(tmp_path / "store.sqlite") as store:
        store.add_instances((instance.sha256, instance) for instance in INSTANCES)

        def add(*results):
            for one in results:
                store.add(one)
            return store

        yield add


@pytest.fixture
def theorem(monkeypatch):
    monkeypatch.setattr(module, "guarantees", {})

    def promise(factor, witnesses=("mlbroker.other",), *, expected=False):
        module.guarantees.clear()

        @module.guarantee(
            "mlbroker.one", "printed", source="Theorem", witnesses=witnesses, expected=expected
        )
        def bound(instance, options):
            """Made up for the test."""
            return factor

    return promise
