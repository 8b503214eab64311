"""What figures show at the full preset, in ``docs/ledger/figures.json``.

``make figures`` computes them into ``figures``; this keeps what they find.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from farkas.experiments.figures import figures
from farkas.instances.files import own_kinds
from tests.tools.shared import ROOT

PATH = ROOT / "docs" / "ledger" / "figures.json"
FOLDER = ROOT / "figures"

Entry = dict[str, Any]


def kept() -> dict[str, Entry]:
    found: dict[str, Entry] = json.loads(PATH.read_text()) if PATH.exists() else {}
    return found


def names() -> list[str]:
    """Figures of this package's kinds that are computed."""
    return [
        name for kind in own_kinds() for name in figures.names(f"{kind}.") if figures[name].build
    ]


def found_in(folder: Path) -> dict[str, Entry]:
    """What the files of the full preset in a folder say."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        said = json.loads(path.read_text())
        if said.get("preset") == "full" and said.get("figure") in names():
            found[said["figure"]] = {
                "standing": said["standing"],
                "instances": said["instances"],
                "seed": said["seed"],
                "code": f"farkas {said['farkas']}, sources {said['sources'][:12]}",
                "findings": said["data"]["findings"],
            }
    return found


def renew(folder: Path = FOLDER) -> str:
    """Take over what `make figures` wrote; say what changes."""
    before, now = kept(), found_in(folder)
    changed = sorted(name for name, entry in now.items() if before.get(name) != entry)
    if not changed:
        return f"figures: nothing new in {folder}"
    merged = {name: (before | now)[name] for name in names() if name in before or name in now}
    PATH.write_text(json.dumps(merged, indent=1, ensure_ascii=False) + "\n")
    return f"figures: {', '.join(changed)}"
