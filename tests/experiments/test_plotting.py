"""Pictures and rows: every kind, the right instance, nothing of another one."""

from __future__ import annotations

import dataclasses
import math
import pathlib
import sys
import types
from fractions import Fraction as F

import pytest
from msgspec.structs import replace

import farkas
from farkas.adversary.catalogue import find_statement
from farkas.errors import FileProblem, InvalidOption, NoAnswer, NotACertificate
from farkas.experiments.figures.drawing import draw
from farkas.experiments.pictures import Held, Schedule
from farkas.experiments.pictures.gantt import tops_of
from farkas.experiments.plotting import (
    COLUMNS,
    Picture,
    compared,
    framed,
    pair_of,
    slot_figure,
)
from farkas.online.driver import write_run
from farkas.online.run import read_run
from farkas.replay import Replay
from tests.experiments.made import proof_of
from tests.generators.forms import small

RUNS = {
    "coded": "coded.simple_greedy",
    "dps": "dps.learned",
    "eris": "eris.eris",
    "gadget": "gadget.fifo",
    "mlbroker": "mlbroker.local",
}


@pytest.mark.ids(3)
@pytest.mark.parametrize("kind", RUNS)
def test_runs_of_every_kind_are_drawn(kind, tmp_path):
    run = farkas.run(f"{kind}/tiny", RUNS[kind])
    picture = run.plot()
    assert RUNS[kind] in repr(picture)
    assert picture._repr_svg_().lstrip().startswith("<?xml")
    run.plot().save(tmp_path / "run.svg")
    assert (tmp_path / "run.svg").read_text() == picture._repr_svg_()
    rows = picture.rows()
    assert rows
    for row in rows:
        assert tuple(row) == COLUMNS
        assert row["start"] < row["end"]
        assert row["amount"] > 0


def test_rows_say_who_holds_what():
    market = farkas.load("dps/tiny")
    run = farkas.run(market, "dps.learned")
    sold = {f"job {k}" for k, sale in enumerate(run.decisions) if sale["outcome"] == "sold"}
    assert {row["owner"] for row in run.plot().rows()} == sold
    held = {row["owner"]: 0.0 for row in run.plot().rows()}
    for row in run.plot().rows():
        held[row["owner"]] += row["amount"]
    asked = {f"job {k}": job.workers + job.ps for k, job in enumerate(market.jobs)}
    assert held == {owner: asked[owner] for owner in held}


def test_a_run_from_a_file_needs_its_instance_and_no_other(tmp_path):
    drawn = farkas.generate("dps", "small", seed=3)
    write_run(farkas.run(drawn, "dps.learned"), tmp_path / "run.json")
    run = read_run(tmp_path / "run.json")
    with pytest.raises(InvalidOption, match="give it"):
        run.verify()
    with pytest.raises(InvalidOption, match="give its instance"):
        run.plot()
    with pytest.raises(InvalidOption, match="is not that of the run"):
        run.plot(farkas.generate("dps", "small", seed=4))
    assert run.plot(drawn).rows() == farkas.run(drawn, "dps.learned").plot().rows()
    assert run.verify(drawn).ratio == run.ratio


def test_a_shipped_instance_is_found_by_name_and_content(tmp_path):
    write_run(farkas.run("eris/tiny", "eris.eris"), tmp_path / "run.json")
    run = read_run(tmp_path / "run.json")
    assert run.plot().rows()
    other = farkas.load("eris/tiny").replace(transfer_budget=5.0)
    write_run(farkas.run(other, "eris.eris"), tmp_path / "other.json")
    words = f"give its instance tiny, too: none that ships has its sha256 {other.sha256[:12]}"
    with pytest.raises(InvalidOption, match=words):
        read_run(tmp_path / "other.json").plot()


def test_what_a_run_was_made_on_is_no_part_of_it(tmp_path):
    run = farkas.run("eris/tiny", "eris.eris")
    assert run.verify().ratio == run.ratio
    run.save(tmp_path / "run.json")
    assert read_run(tmp_path / "run.json") == run
    assert "made_on" not in (tmp_path / "run.json").read_text()


@pytest.mark.parametrize("path", ["p.svg", pathlib.Path("p.PNG".lower())])
def test_a_path_is_for_saving_a_picture(path):
    run = farkas.run("dps/tiny", "dps.learned")
    with pytest.raises(InvalidOption, match=r"plot\(\)\.save\('p\.(svg|png)'\) writes"):
        run.plot(path)
    with pytest.raises(InvalidOption, match="writes the picture"):
        farkas.plot(path)


def test_the_title_is_what_the_decisions_are_worth(tmp_path):
    run = farkas.run("dps/tiny", "dps.learned")
    assert run.plot().pair.title == "dps.learned on tiny earns at least 9.49999999"
    run.value, run.value_exact = 19.0, None
    with pytest.raises(NotACertificate, match="claims the value 19"):
        run.plot()
    cost = farkas.run("mlbroker/tiny", "mlbroker.local")
    assert cost.plot().pair.title.endswith("costs at most 19.4")


def test_what_breaks_requirements_is_said_in_the_title():
    run = farkas.run("dps/tiny", "dps.learned")
    for sale in run.decisions:
        if sale["outcome"] == "sold":
            sale["payment"] *= 1e6
    with pytest.raises(NotACertificate, match="breaks nothing"):
        run.plot()
    run.violations, run.value_exact, run.ratio = ["too much is asked"], None, None
    assert run.plot().pair.title.endswith("breaks requirements")


def test_a_worst_case_is_drawn_from_both_sides():
    proof = find_statement("gadget.las").prove().proof
    picture = proof.plot()
    assert picture.pair == pair_of(proof, again=True)
    found = farkas.worst("gadget.las", "gadget/tiny", seconds=1.0, seed=0)
    assert len(found.plot().pair.layout.sides) == 2
    assert found.plot().title.startswith("gadget.las")


@pytest.mark.slow
def test_optima_comparisons_and_solutions_become_rows():
    best = farkas.optimum("eris/tiny")
    assert best.plot().rows() == best.run.plot().rows() == as_rows(best.to_frame())
    compared = farkas.compare("eris/tiny", ["eris.eris", "eris.liquid"])
    rows = as_rows(compared.to_frame())
    assert [row["algorithm"] for row in rows] == [entry.algorithm for entry in compared.entries]
    assert [row["value"] for row in rows] == [entry.value for entry in compared.entries]
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]")
    found = {row["variable"]: row["value"] for row in as_rows(solution.to_frame())}
    assert found == solution.values()
    with pytest.raises(InvalidOption, match="what becomes rows"):
        farkas.to_frame(3)


def test_files_are_not_believed_in_titles(tmp_path):
    path = tmp_path / "run.json"
    run = farkas.run("mlbroker/tiny", "mlbroker.local")
    run.sense, run.instance = "max", "another"
    run.save(path)
    title = farkas.plot(path, "mlbroker/tiny").title
    assert title == "the file's mlbroker.local on tiny costs at most 19.4"
    assert len(farkas.to_frame(path, "mlbroker/tiny")) > 0


@pytest.mark.slow
def test_decisions_that_no_algorithm_takes_are_the_word_of_their_file(tmp_path):
    path = tmp_path / "gap.json"
    found = farkas.worst("gadget.las", "gadget/tiny", evaluations=300, seed=0)
    found.save(path)
    assert farkas.plot(path).title == found.plot().title
    assert found.plot().title.startswith("gadget.las: ")
    lying = replace(find_statement("gadget.drf").prove().proof.gap)
    reached = replace(lying.reached, decisions=[[] for _ in lying.reached.decisions])
    path.write_bytes(replace(lying, reached=reached, ratio="unbounded").to_json())
    picture = farkas.plot(path)
    assert picture.title == "the file's gadget.drf: unbounded"
    assert picture.pair.heads[0] == "the file's gadget.drf earns 0"


def test_comparisons_are_drawn_and_other_files_named(tmp_path):
    found = farkas.compare("eris/tiny", ["eris.eris", "eris.liquid"])
    picture = found.plot()
    assert picture.title == farkas.plot(found).title == "algorithms on tiny"
    picture.save(tmp_path / "found.svg")
    drawn = (tmp_path / "found.svg").read_text()
    assert all(words in drawn for words in ("eris.eris", "eris.liquid", f"bound: {found.proved}"))
    path = tmp_path / "bound.json"
    farkas.save(farkas.solve("mlbroker/tiny", "mlbroker.relaxed", certify=True), path)
    with pytest.raises(
        FileProblem, match=r"bound\.json is a certificate: farkas check .*; drawn are"
    ):
        farkas.plot(path)
    with pytest.raises(InvalidOption, match="what is drawn"):
        farkas.plot(3)


def as_rows(frame):
    """Rows of a list, or of a frame of whatever library is installed."""
    if isinstance(frame, list):
        return frame
    return frame.to_dict("records") if hasattr(frame, "to_dict") else frame.to_dicts()


def test_rows_say_values_with_their_sign_and_what_each_took():
    form = small([[1.0, 1.0]], cost=[1.0, 1.0], row_lower=[-3.0], lower=[-5.0, 2.0], upper=[9, 2])
    rows = as_rows(farkas.solve(form).to_frame())
    assert [row["value"] for row in rows] == [-5.0, 2.0]
    compared = farkas.compare("eris/tiny", ["eris.eris", "eris.liquid"])
    for row, entry in zip(as_rows(compared.to_frame()), compared.entries, strict=True):
        assert list(row) == ["algorithm", "value", "ratio", "own_ratio", "seconds", "note"]
        assert row["own_ratio"] == entry.own_ratio
        assert (row["seconds"], row["note"]) == (entry.seconds, entry.note)
        assert entry.seconds > 0


def test_rows_are_sorted_by_lane_owner_and_start_side_by_side():
    pair = pair_of(find_statement("gadget.drf").prove().proof, again=True)
    first, second = Held(0, 0, 1, 2, 1.0), Held(0, 0, 3, 4, 2.0)
    other, last = Held(0, 1, 0, 1, 3.0), Held(1, 0, 0, 1, 4.0)
    lanes = {"lanes": ["x", "y"], "tops": [9.0, 9.0], "owners": ["a", "b"], "unit": ""}
    sides = [Schedule([last, other, second, first]), Schedule([first])]
    layout = dataclasses.replace(pair.layout, sides=sides, **lanes)
    rows = Picture.of(dataclasses.replace(pair, layout=layout)).rows()
    assert [row["amount"] for row in rows] == [1.0, 2.0, 3.0, 4.0, 1.0]
    assert rows[2] == dict(zip(COLUMNS, ("x", "b", 0, 1, 3.0, "share"), strict=True))


@pytest.mark.parametrize(("found", "words"), [
    (Replay(F(1), F(1), broken=("job 0 never ends",), endless=True), "never ends"),
    (Replay(F(1), F(1), broken=("too much",)), "breaks requirements"),
    (Replay(F(1, 3), F(2, 3)), "earns at least 0.333333333"),
    (None, "says that it reached 105"),
])  # fmt: skip
def test_the_title_says_what_a_replay_found(monkeypatch, found, words):
    run = farkas.run("eris/tiny", "eris.eris")
    monkeypatch.setattr("farkas.experiments.plotting.audit", lambda run, data: found)
    assert run.plot().title == f"eris.eris on tiny {words}"


def with_ratios(*ratios):
    """Comparison whose entries have these ratios, in order of value."""
    found = farkas.compare("eris/tiny", ["eris.eris", "eris.liquid", "eris.antman"])
    entries = [
        dataclasses.replace(entry, ratio=ratio)
        for entry, ratio in zip(found.entries, ratios, strict=True)
    ]
    return dataclasses.replace(found, entries=tuple(entries))


def test_every_ratio_is_shown_in_order_and_what_has_none_is_named():
    found = with_ratios(F(5, 2), None, 1.25)
    first, second, last = found.entries
    noted = dataclasses.replace(first, note="ratio to 7: its own prices")
    silent = dataclasses.replace(second, note="does not apply")
    data = compared(dataclasses.replace(found, entries=(noted, silent, last)))
    (series,) = data.series
    assert list(series.x) == [first.algorithm, last.algorithm]
    assert list(series.y) == [2.5, 1.25]
    assert data.caption.startswith("The optimum is at most so many times what is earned;")
    assert data.caption.endswith(
        f"Proved bound: {found.proved}.  Without a ratio: {second.algorithm}."
        f"  {first.algorithm}: ratio to 7: its own prices."
    )
    said = compared(farkas.compare("mlbroker/tiny", ["mlbroker.local"])).caption
    assert said.startswith("Costs are at most so many times the optimum;")
    with pytest.raises(NoAnswer, match="no algorithm has a certified ratio"):
        compared(with_ratios(None, None, None))


def test_a_comparison_is_drawn_as_bars_from_optimal_to_each_ratio():
    found = with_ratios(1.0, 1.5, math.inf)
    data = compared(found)
    (axes,) = draw(data, "title", data.caption).axes
    ends = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]
    assert ends == [(1.0, 1.0), (1.0, 1.5), (1.0, axes.get_xlim()[1])]
    heights = [axes.transData.transform((1.0, bar.get_y()))[1] for bar in axes.patches]
    assert heights == sorted(heights, reverse=True)  # the best one is on top
    assert [text.get_text().strip() for text in axes.texts] == ["optimal", "1.5", "unbounded"]
    assert [name.get_text() for name in axes.get_yticklabels()] == [
        entry.algorithm for entry in found.entries
    ]


@pytest.mark.parametrize(("ratios", "log"), [
    ((1.0, 2.0, 20.0), False), ((1.0, 2.0, 21.0), True), ((1.0, 2.0, math.inf), False),
    ((math.inf, math.inf, math.inf), False),
])  # fmt: skip
def test_far_ratios_are_on_a_logarithmic_axis(ratios, log):
    assert compared(with_ratios(*ratios)).y.log is log


@pytest.mark.parametrize("there", ["pandas", "polars", "neither", "both"])
def test_frames_come_from_the_library_that_is_there(monkeypatch, there):
    for name in ("pandas", "polars"):
        frames = types.ModuleType(name)
        frames.DataFrame = lambda data, name=name: (name, data)
        monkeypatch.setitem(sys.modules, name, frames if there in (name, "both") else None)
    rows = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    found = framed(rows, ("a", "b"))
    first = "pandas" if there == "both" else there
    assert found == (rows if there == "neither" else (first, {"a": [1, 3], "b": [2, 4]}))


@pytest.mark.parametrize("name", ["mlbroker.fractional", "eris.eris", "dps.simple"])
def test_the_last_slot_of_a_run_is_worth_what_the_run_is(name: str) -> None:
    run = farkas.run(farkas.generate(name.partition(".")[0], "small", 0), name)
    value, bound = slot_figure(run, "value").series
    assert len(value.x) == len(value.y) > 0
    assert value.y[-1] == pytest.approx(run.value)
    assert float(bound.y[-1]) == pytest.approx(float(run.certificate.fraction))


def test_slots_are_drawn_as_value_and_bound_or_as_their_ratio() -> None:
    run = farkas.run("coded/tiny", "coded.expected")
    value, ratio = (slot_figure(run, what) for what in ("value", "ratio"))
    assert [one.name for one in value.series] == ["value so far", "proved bound so far"]
    assert value.series[0].y[0] == pytest.approx(run.value)
    assert value.series[1].y[0] == pytest.approx(float(run.certificate.fraction))
    assert [one.y[0] for one in ratio.series] == [pytest.approx(run.ratio, rel=1e-6)]
    assert b"slot by slot" in run.plot(slots="value").drawn(".svg")
    assert "at most" in value.caption
    assert F(value.series[1].y[0]) <= run.certificate.fraction  # rounded to its proved side
    run.__dict__.pop("made_on")  # as it is read from a file
    read = slot_figure(run, "value")
    assert [one.name for one in read.series] == ["value so far", "bound so far"]
    assert read.caption == "The numbers are the word of the run's file."
    with pytest.raises(InvalidOption, match="slots = 'both'"):
        run.plot(slots="both")
    run.steps = []
    with pytest.raises(NoAnswer, match=r"no slot of the run of coded\.expected has a ratio"):
        run.plot(slots="ratio")


@pytest.mark.parametrize(
    "name", ["eris.eris", "coded.simple_greedy", "dps.fixed_price", "gadget.drf", "mlbroker.local"]
)
def test_a_pair_says_who_and_what_is_proved(name: str) -> None:
    proof = proof_of(name)
    pair = pair_of(proof, again=True)
    assert pair.title.startswith(f"{name}: ")
    verb = "costs" if proof.sense == "min" else "earns"
    assert pair.heads[0].startswith(f"{name} {verb} ")
    assert pair.heads[1].startswith(f"{proof.gap.witness.algorithm} {verb} ")
    assert "unbounded" in pair.title or f"{float(proof.ratio or 0):.1f}"[:-2] in pair.title
    layout = pair.layout
    assert len(layout.sides) == 2
    for side in layout.sides:
        for block in side.blocks:
            assert 0 <= block.lane < len(layout.lanes)
            assert 0 <= block.owner < len(layout.owners)
            assert layout.begin <= block.start < block.end <= layout.end
            assert block.amount > 0
        room = tops_of(side.blocks, len(layout.lanes))
        assert all(
            most <= top * (1 + 1e-9)
            for lane, (most, top) in enumerate(zip(room, layout.tops, strict=True))
            if any(block.lane == lane for block in side.blocks)
        )


def test_decisions_are_the_algorithms_only_where_it_decides_so_again():
    proof = find_statement("eris.eris").prove().proof
    ours, theirs = (pair_of(proof, again=again) for again in (True, False))
    assert theirs.title == f"the file's {ours.title}"
    assert theirs.heads == (f"the file's {ours.heads[0]}", ours.heads[1])
