"""What importers share: names and descriptions, counts, and the report."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from farkas.instances import library
from farkas.instances.traces.importer import Account, Imported, Importer


class Two(Importer, frozen=True, kw_only=True):
    """Takes the jobs of a shipped auction, in an order that the seed draws."""

    paths: ClassVar[tuple[str, ...]] = ("beside",)

    beside: str = ""

    def fields(self, path, rng, dropped):
        auction = library.load("eris/tiny")
        dropped["too late"] += 2
        dropped["too large"] += 1
        plain = {name: getattr(auction, name) for name in ("slots", "sites", "resource_names")}
        plain |= {name: getattr(auction, name) for name in ("site_capacity", "chunk_size")}
        plain |= {name: getattr(auction, name) for name in ("price_base_transfer", "jobs")}
        return {
            **plain,
            "name": "two",
            "description": f"made of {path}",
            "transfer_budget": float(rng.random()),
            "price_base_resource": auction.price_base_resource,
        }


def test_an_import_carries_seed_name_and_every_choice_but_no_folder():
    found = Two(beside="/home/somebody/list.csv").run("eris", "trace.csv", 7)
    data = found.instance
    assert (data.name, data.seed) == ("two-7", 7)
    assert data.description == (
        "made of trace.csv; 3 jobs left out: 1 too large, 2 too late; seed 7; "
        'options {"beside":"list.csv"}'
    )
    assert data.transfer_budget == np.random.default_rng(7).random()
    assert found.kept == data.num_jobs
    assert found.report() == (
        f"{data.num_jobs} jobs imported; 3 jobs left out: 1 too large, 2 too late"
    )


def test_a_report_without_losses_is_short():
    assert Imported(library.load("eris/tiny"), 5, Account()).report() == "5 jobs imported"
