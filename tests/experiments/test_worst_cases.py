"""Worst cases: what theorems promise, what is exceeded, and that only what is proved is drawn."""

from __future__ import annotations

import dataclasses
import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

from farkas.adversary.shipped import HowFound, find_statement
from farkas.errors import FileProblem, InvalidOption, NoAnswer, NotACertificate, UnknownName
from farkas.experiments import worst_cases as module
from farkas.experiments.figures import PRESETS, Agreement
from farkas.experiments.figures.drawing import draw
from farkas.experiments.figures.writing import caption, document
from farkas.experiments.pictures.gantt import tops_of
from farkas.experiments.worst_cases import (
    WorstKnown,
    asked,
    case_of,
    cases_of,
    figure_of,
    found_words,
    overview,
    pair_of,
    random_words,
    ratio_words,
)
from tests.experiments.made import copied, proof_of


def case(name: str) -> WorstKnown:
    return case_of(find_statement(name))


def by_name(*cases: WorstKnown) -> dict[str, dict[str, float]]:
    return {
        one.name: {str(x): float(y) for x, y in zip(one.x, one.y, strict=True)}
        for one in figure_of(cases).series
    }


def statement(words: str, *cases: WorstKnown) -> tuple[bool, str]:
    (found,) = [one for one in figure_of(cases).findings if words in one.statement]
    return found.holds, found.note


def forged(folder: Path) -> WorstKnown:
    shipped = copied(folder, "eris.eris")
    data = json.loads(shipped.path.read_text())
    data["ratio"] = "5000"
    shipped.path.write_text(json.dumps(data))
    return case_of(shipped)


def test_eris_exceeds_its_theorem_as_printed() -> None:
    found = case("eris.eris")
    (theorem,) = found.theorems
    assert theorem.reading == "printed"
    assert theorem.factor == pytest.approx(39.863, abs=1e-3)
    assert theorem.exceeded
    assert theorem.guarantee.claim == "eris.competitive_ratio"
    assert found.factor("printed") == theorem.factor
    assert found.factor("repaired") is None
    shown = by_name(found)
    assert shown["worst found, proved"] == {"eris": float(proof_of("eris.eris").ratio)}
    assert shown["theorem, as printed"] == {"eris": theorem.factor}
    assert "theorem, repaired" not in shown
    holds, note = statement("as printed is exceeded", found)
    assert (holds, note.partition(": ")[0]) == (False, "eris.eris")


def test_a_theorem_whose_assumption_is_false_has_no_factor_and_is_not_exceeded() -> None:
    # rates differ between masters, so that the remark on masters alike does not apply
    found = case("coded.simple_greedy")
    assert [theorem.factor for theorem in found.theorems] == [None, None]
    assert not any(theorem.exceeded for theorem in found.theorems)
    assert case("dps.simple").theorems == []


def test_a_witness_of_another_problem_exceeds_nothing() -> None:
    standing = find_statement("eris.eris").prove()
    known = case_of(standing.shipped).theorems[0].guarantee
    assert module._theorem(known, standing).exceeded
    guarantee = dataclasses.replace(known, witnesses=frozenset())
    assert not module._theorem(guarantee, standing).exceeded
    unrepeated = dataclasses.replace(standing, repeats=False)
    assert not module._theorem(known, unrepeated).exceeded
    larger = dataclasses.replace(known, factor=lambda *_: 1e9)
    assert not module._theorem(larger, standing).exceeded


def test_a_forged_statement_is_proved_nowhere_left_out_and_named(tmp_path: Path) -> None:
    found, other = forged(tmp_path), case("eris.learned")
    assert not found.is_proved
    assert not found.beats_random
    assert found_words(found) == "not proved"
    assert not any(theorem.exceeded or theorem.factor for theorem in found.theorems)
    assert "eris" not in by_name(found, other)["worst found, proved"]
    holds, note = statement("every statement is proved", found, other)
    assert not holds
    assert note.startswith("eris.eris: claimed is the ratio 5000")
    assert statement("every statement is proved", other) == (True, "")


def test_what_the_algorithm_does_not_repeat_is_said() -> None:
    found = case("mlbroker.local")
    other = WorstKnown(dataclasses.replace(found.standing, repeats=False), [])
    assert not other.is_proved
    assert found_words(other).endswith(", not repeated here")
    assert statement("decides so again", other) == (False, "mlbroker.local")
    assert "worst found, proved" not in by_name(other)
    assert statement("decides so again", found) == (True, "")


def test_draws_beat_the_search_where_they_are_worse_or_found_it() -> None:
    standing = find_statement("mlbroker.local").prove()
    assert standing.proof is not None
    assert standing.random is not None
    assert standing.ratio is not None
    assert WorstKnown(standing, []).beats_random == (
        standing.random.ratio is not None and standing.ratio >= standing.random.ratio
    )
    swapped = dataclasses.replace(standing, proof=standing.random, random=standing.proof)
    assert not WorstKnown(swapped, []).beats_random
    search = standing.shipped.search
    assert isinstance(search, HowFound)
    drawn = dataclasses.replace(
        standing.shipped, search=HowFound(**{**to_dict(search), "found_by": "draws"})
    )
    assert not WorstKnown(dataclasses.replace(standing, shipped=drawn), []).beats_random
    alone = dataclasses.replace(standing, random=None)
    assert WorstKnown(alone, []).beats_random
    assert random_words(WorstKnown(alone, [])) == "–"


def to_dict(search: HowFound) -> dict[str, object]:
    return {name: getattr(search, name) for name in search.__struct_fields__}


def test_ratios_are_rounded_down() -> None:
    assert ratio_words(Fraction(19999, 10000)) == "1.999"
    assert ratio_words(None) == "unbounded"


def test_all_statements_of_a_kind() -> None:
    names = [case.name for case in cases_of("coded")]
    assert names == sorted(names)
    assert "coded.simple_greedy" in names
    assert cases_of("nobody") == []


def test_unbounded_ratios_are_named_and_drawn_as_arrows() -> None:
    found = case("gadget.fifo")
    assert by_name(found)["worst found, proved"] == {"fifo": math.inf}
    assert statement("every ratio is bounded", found) == (False, "gadget.fifo")
    (axes,) = draw(figure_of([found]), "title", "caption").axes
    assert len([t for t in axes.texts if t.arrow_patch is not None]) >= 1
    assert all(math.isfinite(end) for end in axes.get_ylim())


def test_the_exhibit_is_of_no_paper_and_its_caption_says_nothing_of_print() -> None:
    exhibit = overview("coded")
    data = exhibit.data("reduced")
    words = caption(exhibit, data, PRESETS["reduced"], 0)
    assert "This run" not in words
    assert "every statement is proved: yes" in words
    assert document(exhibit, data, PRESETS["reduced"], 0)["standing"] == str(Agreement.OURS)
    assert exhibit.name == "coded.worst"


def test_a_kind_without_statements_or_that_is_none_is_refused(monkeypatch) -> None:
    with pytest.raises(UnknownName):
        overview("nobody")
    monkeypatch.setattr(module, "statements_of", lambda kind: [])
    with pytest.raises(NoAnswer, match="farkas worst finds some"):
        overview("dps").data()


@pytest.mark.parametrize(
    "name", ["eris.eris", "coded.simple_greedy", "dps.fixed_price", "gadget.drf", "mlbroker.local"]
)
def test_a_pair_says_who_and_what_is_proved(name: str) -> None:
    proof = proof_of(name)
    pair = pair_of(proof, again=True)
    assert pair is not None
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


def test_by_name_with_or_without_kind_and_by_file() -> None:
    proof, pair = asked("eris", "eris.eris")
    again, _ = asked("eris", "eris")
    from_file, other = asked("eris", str(find_statement("eris.eris").path))
    assert proof.ratio == again.ratio == from_file.ratio
    assert pair == other


def test_what_is_not_proved_is_not_drawn(tmp_path: Path) -> None:
    data = json.loads(find_statement("eris.eris").path.read_text())
    data["ratio"] = "5000"
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(data))
    with pytest.raises(NotACertificate, match="claimed is the ratio 5000"):
        asked("eris", str(path))


def test_refusals(tmp_path: Path, monkeypatch) -> None:
    with pytest.raises(UnknownName):
        asked("eris", "eris.nobody")
    with pytest.raises(FileProblem, match="No such file"):
        asked("eris", str(tmp_path / "none.json"))
    (tmp_path / "text.json").write_text("[]")
    with pytest.raises(FileProblem, match="no statement of a gap"):
        asked("eris", str(tmp_path / "text.json"))
    with pytest.raises(InvalidOption, match="is of kind eris, not coded"):
        asked("coded", str(find_statement("eris.eris").path))
    with pytest.raises(NoAnswer, match="farkas worst finds some"):
        asked("nobody", "nobody.algorithm")
    monkeypatch.setattr(module, "pair_of", lambda proof, again: None)
    with pytest.raises(NoAnswer, match="have no picture"):
        asked("eris", "eris.eris")
