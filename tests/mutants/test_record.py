"""What is kept of mutants is what the page about trust says."""

import re

import pytest

from tests.mutants.__main__ import present, there_are, there_now, together
from tests.mutants.record import Folder, Module, Survivor, read
from tests.tools.shared import ROOT

PAGE = (ROOT / "docs" / "trust.md").read_text()
KEPT = read()


def test_a_score_leaves_out_what_no_test_could_notice():
    survivors = [Survivor(1, "x", "a -> b", equivalent="why"), Survivor(2, "x", "c -> d")]
    folder = Folder(
        [0], modules={"one.py": Module(9, 7, 5, survivors), "two.py": Module(4, 4, 4, [])}
    )
    assert (folder.tried, folder.killed, folder.equivalent) == (11, 9, 1)
    assert folder.score == 9 / 10


@pytest.mark.parametrize("folder", KEPT.folders)
def test_the_page_about_trust_gives_the_recorded_figures(folder):
    kept = KEPT.folders[folder]
    assert row(folder, kept) in PAGE


def row(name: str, kept: Folder) -> str:
    """Row of the table: the last draw as drawn; then all of them now."""
    effort = sum(survivor.effort != "" for survivor in kept.survivors)
    others = len(kept.survivors) - kept.equivalent - effort
    fresh = "–" if kept.fresh is None else f"{kept.fresh[0]} of {kept.fresh[1]}"
    return (
        f"| {name} | {fresh} | {kept.tried} | {kept.killed} | {kept.killed / kept.tried:.1%} |"
        f" {kept.equivalent} | {effort} | {others} | {kept.score:.1%} |"
    ).replace("%", " %")


def test_the_page_gives_the_number_of_changes_by_hand():
    found = re.search(r"(\d+) changes of formulas by hand", PAGE)
    assert found is not None
    assert int(found[1]) == len(KEPT.by_hand)


@pytest.mark.parametrize("folder", KEPT.folders)
def test_tried_are_noticed_or_named(folder):
    for module, entry in KEPT.folders[folder].modules.items():
        assert (ROOT / "farkas" / module).exists()
        assert entry.killed + len(entry.survivors) == entry.tried <= entry.mutants


def test_certificates_reach_their_floor():
    assert KEPT.folders["certificates"].score >= 0.95


@pytest.mark.parametrize("folder", KEPT.folders)
def test_every_survivor_is_explained(folder):
    kept = KEPT.folders[folder]
    assert all(survivor.equivalent or survivor.effort for survivor in kept.survivors)


def test_another_draw_is_added_and_nothing_is_counted_twice():
    known, new = Survivor(1, "x", "a -> b", effort="why"), Survivor(5, "x", "c -> d")
    again = Survivor(1, "x", "a -> b", effort="why")
    both = together(Module(20, 7, 6, [known]), Module(20, 6, 4, [again, new]))
    assert (both.tried, both.killed, both.mutants) == (12, 10, 20)
    assert [survivor.change for survivor in both.survivors] == ["a -> b", "c -> d"]
    assert both.survivors[0].effort == "why"
    # of 9 places 8 and 8 were drawn: 9 were tried
    few = together(Module(9, 8, 8, []), Module(9, 8, 7, [new]))
    assert (few.tried, few.killed) == (9, 8)


def test_seeds_of_draws_are_kept():
    folder = Folder()
    for seed, more, kept in (
        (1, False, [1]),
        (2, True, [1, 2]),
        (3, False, [3]),
        (None, False, []),
    ):
        folder.drew(seed, more=more)
        assert folder.seeds == kept


def test_a_folder_is_scored_without_the_folders_inside_it():
    modules = there_are(ROOT, "online")
    assert modules
    assert not any(module.startswith("online/gadget") for module in modules)
    assert any(module == "online/driver.py" for module in modules)


def test_survivors_of_lines_that_were_rewritten_are_dropped_and_others_get_their_line(tmp_path):
    (tmp_path / "farkas").mkdir()
    (tmp_path / "farkas" / "one.py").write_text("\n\ndef f(x):\n    return x <= 1\n")
    moved = Survivor(1, "y", "return x <= 1 -> return x < 1", effort="why")
    old = Survivor(2, "y", "return x >= 1 -> return x > 1", effort="why")
    entry = Module(900, 4, 2, [moved, old])
    now = there_now(tmp_path, "one.py", entry)
    assert present(entry, now) == [old]
    assert [(one.line, one.effort) for one in entry.survivors] == [(4, "why")]
    assert 3 <= entry.mutants < 10
    assert (entry.tried, entry.killed) == (3, 2)
    assert now[moved.change][1].endswith("return x < 1\n")
