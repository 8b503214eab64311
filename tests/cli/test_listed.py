"""What is listed has a sentence about it."""

from __future__ import annotations

from farkas.cli.listed import SORTS
from farkas.experiments.figures import of_kind
from farkas.solvers import status


def test_a_shipped_instance_says_what_it_is_without_its_settings() -> None:
    told = dict(SORTS["instances"]("eris"))
    assert told["eris/tiny"] == "two sites, three jobs; a state for prices"
    assert told["eris/demo"] == "generated, preset small, seed 9"


def test_a_preset_says_how_to_draw_it_and_a_source_what_it_makes() -> None:
    assert ("gadget small", "farkas generate gadget --preset small") in SORTS["presets"]("gadget")
    assert dict(SORTS["sources"](""))["gavel"] == "makes coded"


def test_a_figure_says_how_far_it_agrees_and_a_solver_what_it_can_do() -> None:
    exhibits = {exhibit.name: exhibit for exhibit in of_kind("eris")}
    told = dict(SORTS["figures"]("eris"))
    assert told.keys() == exhibits.keys()
    for name, exhibit in exhibits.items():
        assert told[name] == f"{exhibit.title} ({exhibit.agreement})"
    solvers = dict(SORTS["solvers"](""))
    for line in status():
        assert solvers[line.name].startswith(str(line.availability))
        assert solvers[line.name].endswith(", ".join(line.abilities))
    assert any(line.abilities for line in status())
