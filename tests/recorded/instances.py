"""Hashes of generated instances in ``instances.json``: what a seed names, on every machine."""

from __future__ import annotations

import json
from pathlib import Path

from tests.tools import same_everywhere

PATH = Path(__file__).with_name("instances.json")


def kept() -> dict[str, str]:
    found: dict[str, str] = json.loads(PATH.read_text())
    return found


def found() -> dict[str, str]:
    """Hashes as this machine computes them, by kind, preset and seed."""
    return same_everywhere.instances()


def differing(now: dict[str, str]) -> list[str]:
    """Names whose hash is not the kept one, or that only one of the two has."""
    before = kept()
    return sorted(name for name in now.keys() | before.keys() if now.get(name) != before.get(name))


def renew() -> str:
    """Write the hashes; say which have changed."""
    now = found()
    changed = differing(now)
    if not changed:
        return ""
    PATH.write_text(json.dumps(now, indent=1) + "\n")
    return f"instances: other data for {', '.join(changed)}"
