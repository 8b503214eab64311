"""Where tests find the case files, traces and sheets that lie beside the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"


def shared(*parts: str) -> Path:
    """``shared("cases", "mlbroker")``; skips the test, naming the path, where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"../shared/{'/'.join(parts)} is not beside this checkout")
    return path


def case_files(kind: str) -> list[Path]:
    """Case files of a kind, for ``parametrize``; empty where they are absent."""
    return sorted((SHARED / "cases" / kind).glob("*.json"))
