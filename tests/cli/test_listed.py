"""What is listed has a sentence about it."""

from __future__ import annotations

from farkas.cli.listed import SORTS


def test_a_shipped_instance_says_what_it_is_without_its_settings() -> None:
    told = dict(SORTS["instances"]("eris"))
    assert told["eris/tiny"] == "two sites, three jobs; a state for prices"
    assert told["eris/demo"] == "generated, preset small, seed 9"


def test_a_preset_says_how_to_draw_it_and_a_source_what_it_makes() -> None:
    assert ("gadget small", "farkas generate gadget --preset small") in SORTS["presets"]("gadget")
    assert dict(SORTS["sources"](""))["gavel"] == "makes coded"
