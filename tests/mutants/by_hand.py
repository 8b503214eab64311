"""Changes of formulas written by hand, which random operators would not find."""

import functools
import tomllib
from pathlib import Path
from typing import Any

from tests.mutants.trial import Change
from tests.tools.shared import ROOT

HAND = "by_hand"
LIST = Path(__file__).with_name("by_hand.toml")


@functools.cache
def entries() -> dict[str, dict[str, Any]]:
    """Module, old and new text, and tests, by name."""
    return tomllib.loads(LIST.read_text())


def change_of(name: str, root: Path = ROOT) -> Change:
    """The module of an entry with its change; raises `ValueError` unless the old text is unique."""
    entry = entries()[name]
    source = (root / "farkas" / entry["module"]).read_text()
    if (times := source.count(entry["old"])) != 1:
        raise ValueError(f"{name}: its old text is {times} times in {entry['module']}")
    return Change(entry["module"], source.replace(entry["old"], entry["new"]))
