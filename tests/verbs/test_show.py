"""What a name means, in every role it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from farkas.algebra import programs
from farkas.errors import FileProblem, InvalidInstance, InvalidOption, UnknownName
from farkas.instances import kinds
from farkas.instances.generate import generate
from farkas.instances.writing import write
from farkas.online import algorithms
from farkas.proofs import claims
from farkas.quantities import quantities
from farkas.verbs.show import Meaning, catalogue, entries, show, text_of


def roles(name: str) -> list[str]:
    return [entry.role for entry in entries(name)]


def test_a_name_has_as_many_entries_as_meanings() -> None:
    assert roles("coded.expected") == ["program", "algorithm", "quantity"]
    assert roles("gadget.fifo") == ["algorithm", "quantity"]
    assert roles("mlbroker.relaxed[tight]") == ["program", "quantity"]
    assert roles("mlbroker.outer[tight]") == ["program"]
    assert roles("eris.payoff_bound_full[0]") == ["quantity"]
    assert roles("coded.hidden_convexity") == ["claim"]
    assert roles("mlbroker/tiny") == ["instance"]
    assert roles("mlbroker") == ["kind"]


def test_several_meanings_are_told_apart_and_one_needs_no_heading() -> None:
    two = [Meaning("algorithm", "a", "Fast."), Meaning("quantity", "a", "Its value.")]
    assert text_of(two) == "As an algorithm:\nFast.\n\nAs a quantity:\nIts value."
    assert text_of(two[:1]) == "Fast."


def test_each_meaning_says_the_module_that_it_is_written_in() -> None:
    assert show("eris.one_shot").endswith("Written in farkas.models.eris.one_shot.")
    assert show("eris.individually_rational").endswith("Written in farkas.proofs.eris.incentives.")
    written = [entry.module for entry in entries("gadget.las")]
    assert written == ["farkas.online.gadget.fixed_rings", "farkas.quantities.gadget"]
    assert entries("eris.one_shot")[0].to_builtins()["module"] == "farkas.models.eris.one_shot"
    assert "Written" not in show("mlbroker/tiny") + show("eris.one_shot", latex=True)


def test_the_overview_counts_the_names_of_every_kind() -> None:
    text = str(show())
    for kind in kinds():
        count = len(catalogue(kind)["claims"])
        assert f"{kind}: " in text
        assert f"{count} claims" in text


def test_a_kind_lists_its_names_with_their_first_sentence() -> None:
    lines = show("gadget").splitlines()
    whole = "Fixed rings in order of arrival; the first that does not fit ends the slot."
    assert f"  gadget.fifo  {whole}" in lines
    assert any(line.startswith("  gadget/tiny") for line in lines)
    assert not any("mlbroker." in line for line in lines)


def test_the_catalogue_is_what_is_registered() -> None:
    found = catalogue("dps")
    assert found["programs"] == programs.names("dps.")
    assert found["algorithms"] == algorithms.names("dps.")
    assert found["claims"] == claims.names("dps.")
    assert found["quantities"] == quantities.names("dps.")
    assert "dps/tiny" in found["instances"]
    assert set(catalogue()["claims"]) > set(found["claims"])


def test_an_algorithm_names_its_options_and_a_claim_how_to_check_it() -> None:
    assert "  epsilon = 0.0" in show("mlbroker.fractional").splitlines()
    claim = show("coded.hidden_convexity")
    assert "Check it: farkas claims coded.hidden_convexity --run" in claim.splitlines()


def test_latex_is_of_the_program_alone() -> None:
    (entry,) = entries("coded.expected", latex=True)
    assert entry.role == "program"
    assert "\\" in entry.text
    with pytest.raises(InvalidOption, match=r"gadget\.fifo is not a program"):
        entries("gadget.fifo", latex=True)
    with pytest.raises(InvalidOption, match="gadget is not a program"):
        entries("gadget", latex=True)


def test_an_unknown_name_is_answered_with_the_nearest_of_all_roles() -> None:
    for wrong, right in {
        "mlbroker.offlin": "mlbroker.offline", "gadget/tinny": "gadget/tiny", "gadgt": "gadget",
    }.items():  # fmt: skip
        with pytest.raises(UnknownName, match=f"did you mean.* {right}"):
            entries(wrong)


def test_an_interactive_session_shows_the_text_itself() -> None:
    assert repr(show("mlbroker/tiny")) == str(show("mlbroker/tiny"))


def test_plain_data_hold_role_name_details_and_text() -> None:
    meaning = Meaning("algorithm", "a", "Fast.", {"source": "A VI"})
    assert meaning.to_builtins() == {
        "role": "algorithm", "name": "a", "source": "A VI", "text": "Fast.",
    }  # fmt: skip


def test_latex_is_asked_for_by_a_truth_value() -> None:
    with pytest.raises(InvalidOption, match="latex cannot be 'no': give bool"):
        show("mlbroker.offline", latex="no")  # type: ignore[arg-type]


def test_an_unknown_name_of_a_kind_is_answered_within_the_kind() -> None:
    with pytest.raises(UnknownName, match=r"'local'; did you mean mlbroker\.local\?$"):
        show("local")
    with pytest.raises(UnknownName) as caught:
        show("dps.nosuch")
    assert "coded" not in str(caught.value)


def test_first_sentences_are_whole() -> None:
    for kind in kinds():
        for line in show(kind).splitlines():
            assert not line.endswith((";", ":")) or line.endswith("s:"), line


def test_a_file_shows_the_instance_in_it(tmp_path: Path) -> None:
    drawn = generate("mlbroker", "small", seed=3).replace(description="Made for a test.")
    file = tmp_path / "market.json"
    write(drawn, file)
    (entry,) = entries(str(file))
    assert (entry.role, entry.details) == ("instance", {"sha256": drawn.sha256})
    first, _, size, _, last, *_ = entry.text.splitlines()
    assert size.startswith(f"{drawn.num_jobs} jobs, ")
    assert first == f"{file}  {drawn.name}, an instance of kind mlbroker"
    assert last == 'Its file says of it: "Made for a test."'
    speaking = drawn.replace(name="x\nproved: all", description='a"\naccepted: \x1b[31mall')
    write(speaking, file)
    (entry,) = entries(str(file))
    assert entry.text.splitlines() == [
        f'{file}  "x\\nproved: all", an instance of kind mlbroker',
        "",
        size,
        "",
        'Its file says of it: "a\\"\\naccepted: \\x1b[31mall"',
        "",
        f"Next: farkas compare {file}",
    ]
    write(drawn, file)
    with pytest.raises(FileProblem, match=r"missing\.json: no such file"):
        show("missing.json")
    file.write_text("{}")
    with pytest.raises(InvalidInstance, match=r"market\.json: .*required field"):
        show(str(file))


def test_a_quantity_says_the_module_of_farkas_that_it_is_written_in() -> None:
    for kind in kinds():
        for name in quantities.names(f"{kind}."):
            (entry,) = [one for one in entries(name) if one.role == "quantity"]
            assert entry.module.startswith("farkas."), name
    assert roles("eris.one_shot[0,1,2]") == ["quantity"]
    with pytest.raises(InvalidOption, match="no variant 'tigth'"):
        entries("mlbroker.relaxed[tigth]")


def test_a_name_that_resembles_nothing_is_told_where_names_are_listed() -> None:
    with pytest.raises(UnknownName, match="neither a name nor a file; farkas list says which"):
        show("qqqqqq")
    with pytest.raises(UnknownName, match="did you mean philly"):
        show("phily")
    with pytest.raises(UnknownName, match="did you mean gurobi"):
        show("gurobbi")
    with pytest.raises(UnknownName, match="farkas show dps lists its names"):
        show("dps.qqqqqqqqqq")
