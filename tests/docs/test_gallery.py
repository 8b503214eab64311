"""The gallery shows every figure that is computed, each with its picture and how it was made."""

from __future__ import annotations

import struct

import pytest
from farkas_docs import gallery as page

from farkas.experiments.figures import figures, of_kind
from farkas.instances.files import own_kinds
from tests.experiments.figures.made import exhibit, lines
from tests.recorded import gallery as record
from tests.recorded.figures import names
from tests.tools.shared import ROOT

PICTURES = sorted(page.PICTURES.glob("*.png"))


def test_there_is_a_picture_of_every_figure_and_of_nothing_else() -> None:
    assert [path.stem for path in PICTURES] == sorted(names()) == sorted(record.kept())
    assert sum(path.stat().st_size for path in PICTURES) < 3_000_000


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_a_picture_is_wide_enough_to_read(path) -> None:
    content = path.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">I", content[16:20]) == (1050,)


def test_the_page_says_whose_pictures_are_reduced() -> None:
    reduced = {name for name, made in record.kept().items() if made["preset"] == "reduced"}
    assert {name.partition(".")[0] for name in reduced} == {"mlbroker"}
    text = " ".join((ROOT / "docs" / "gallery.md").read_text().split())
    assert "Pictures are of the *full* preset, except for mlBroker's" in text


@pytest.mark.parametrize("kind", own_kinds())
def test_the_page_shows_every_figure_of_a_kind_or_says_why_not(kind: str) -> None:
    text = (ROOT / "docs" / "gallery.md").read_text()
    assert f"{{include}} generated/listings/{kind}_gallery.md" in text
    (shown,) = (text for name, text in page.pages() if name == f"listings/{kind}_gallery")
    for one in of_kind(kind):
        if one.build:
            assert f"](_static/gallery/{one.name}.png)" in shown
            number = one.label.removeprefix("figure")
            assert f"\nfarkas figure {kind} {number} -o figure.png\n" in shown
        else:
            assert one.reason.split("`")[0][:20] in shown


def test_a_figure_stands_beside_what_was_recorded_of_it() -> None:
    said = {"standing": "not reproduced", "findings": [
        {"statement": "falls", "holds": True, "note": "3 to 1", "about": "shape"},
        {"statement": "is 1", "holds": False, "note": "", "about": "value"}]}  # fmt: skip
    made = {"preset": "reduced", "seed": 7, "caption": "one job"}
    shown = page._shown(exhibit(lines()), made, said)
    assert "**not reproduced** at the full preset" in shown
    assert "reduced preset, seed 7" in shown
    assert "One job." in shown
    assert "- falls: holds (3 to 1)\n- is 1: **does not hold**" in shown
    assert "![" not in page._shown(exhibit(lines()), None, None)


@pytest.mark.slow
def test_a_picture_that_is_drawn_again_is_the_same() -> None:
    name = "mlbroker.figure15"
    made = record.kept()[name]
    data = figures[name].data(made["preset"], made["seed"])
    assert data.caption == made["caption"]
    kept = (page.PICTURES / f"{name}.png").read_bytes()
    assert record.drawn(data, figures[name].title) == kept, "make record NAMES=gallery"
