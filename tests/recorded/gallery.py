"""Pictures of the gallery, in ``docs/_static/gallery``, and how they were made.

A figure whose numbers `make figures` has computed is drawn from them; any other with the reduced
preset, unless there is a picture of the full one already.
"""

from __future__ import annotations

import io
import json
import sys
from typing import Any

from farkas.experiments.figures import figures
from farkas.experiments.figures.drawing import draw
from farkas.experiments.figures.exhibit import PRESETS, Figure, Table, spread
from farkas.experiments.figures.writing import MEASURED, kept_in
from farkas.experiments.style import styled
from tests.recorded.figures import FOLDER, names
from tests.tools.shared import ROOT

sys.path.append(str(ROOT / "docs" / "_ext"))  # `make record` is not run by pytest, which knows it

from farkas_docs.gallery import KEPT, PICTURES

DOTS = 150
"""Per inch: sharp on a page of 46 letters' width, and small."""
COLOURS = 64


def kept() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    return found


def drawn(data: Figure | Table, title: str) -> bytes:
    """Picture without a caption, which stands on the page: the same data give the same bytes."""
    from PIL import Image

    buffer = io.BytesIO()
    with styled():
        draw(data, title, "").savefig(buffer, format="png", dpi=DOTS)
    few = Image.open(buffer).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small = io.BytesIO()
    few.save(small, format="png", optimize=True)
    return small.getvalue()


def renew(full: frozenset[str] | None = None) -> str:
    """Draw every figure; say which pictures changed.

    Parameters
    ----------
    full
        Names that are drawn with the full preset; those that `make figures` wrote, if not given.
    """
    chosen = frozenset(p.stem for p in FOLDER.glob("*.json")) if full is None else full
    before, now, changed = kept(), {}, []
    PICTURES.mkdir(exist_ok=True)
    for name in names():
        preset = "full" if name in chosen else "reduced"
        path = PICTURES / f"{name}.png"
        if preset == "reduced" and before.get(name, {}).get("preset") == "full":
            now[name] = before[name]
            continue
        with kept_in(FOLDER / MEASURED):
            data = figures[name].data(preset)
        now[name] = {"preset": preset, "seed": 0, "caption": data.caption}
        if isinstance(data, Figure) and any(line.low is not None for line in data.series):
            count = PRESETS[preset].instances
            now[name]["around"] = f"Means of {count} instances; around them {spread(count)}."
        picture = drawn(data, figures[name].title)
        if not path.exists() or path.read_bytes() != picture:
            path.write_bytes(picture)
            changed.append(name)
    KEPT.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n")
    for old in set(PICTURES.glob("*.png")) - {PICTURES / f"{name}.png" for name in now}:
        old.unlink()
    return f"gallery: {', '.join(changed)}" if changed else ""
