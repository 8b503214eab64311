"""A folder with one small file of every public format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.instances.traces import made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    texts = {
        "philly.csv": made.PHILLY, "prices.csv": made.PRICES, "pods.csv": made.PODS,
        "openb_node_list_gpu_node.csv": made.NODES, "net.graphml": made.GRAPHML,
        "twin.json": json.dumps(made.TWIN),
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path
