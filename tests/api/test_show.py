"""What a name means, in every role it has."""

from __future__ import annotations

import types
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import farkas
from farkas.adversary.catalogue import find_statement
from farkas.api.show import (
    Meaning,
    catalogue,
    columns,
    described,
    documented,
    entries,
    show,
    sizes,
    source_text,
    text_of,
)
from farkas.errors import FileProblem, InvalidInstance, InvalidOption, UnknownName
from farkas.instances import kinds, library, write
from farkas.instances.files import own_kinds
from farkas.instances.generate import generate
from farkas.instances.traces import importers, kinds_of, sources
from farkas.online import write_run
from farkas.quantities import quantities
from tests.generators.forms import small


def roles(name: str) -> list[str]:
    return [entry.role for entry in entries(name)]


def test_a_name_has_as_many_entries_as_meanings() -> None:
    assert roles("coded.expected") == ["program", "algorithm", "quantity"]
    assert roles("gadget.fifo") == ["algorithm"]
    assert roles("mlbroker.relaxed[tight]") == ["program"]
    assert roles("mlbroker.offline[strict]") == ["program", "quantity"]
    assert roles("dps.interval_lp_capped") == roles("mlbroker.one_shot.deploy") == ["quantity"]
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
    written = [entry.module for entry in entries("dps.simple")]
    assert written == ["farkas.online.dps.learning", "farkas.quantities.dps"]
    assert entries("eris.one_shot")[0].to_builtins()["module"] == "farkas.models.eris.one_shot"
    assert "Written" not in show("mlbroker/tiny") + show("eris.one_shot", latex=True)


def test_a_program_says_what_its_variants_are() -> None:
    text = show("dps.offline[capped]")
    assert "\n\nVariants, the first is the default:\n  prices = free, capped, forced\n\n" in text
    assert '"capped" with the budget or, if less,' in text
    inherited = show("dps.interval_lp")  # its base says what rewards are
    assert "  rewards = budget, capped, fixed\n  shape = cliques, scarce\n\n" in inherited
    assert '``rewards``: "budget"' in inherited
    assert "Variants" not in show("eris.one_shot") + show("dps.offline", latex=True)


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


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("mlbroker.offlin", r"did you mean.* mlbroker\.offline"),
        ("gadget/tinny", "did you mean.* gadget/tiny"),
        ("gadgt", "did you mean.* gadget"),
        ("local", r"'local'; did you mean mlbroker\.local\?$"),
        ("phily", "did you mean philly"),
        ("gurobbi", "did you mean gurobi"),
        ("qqqqqq", "neither a name nor a file; farkas list says which"),
        ("dps.qqqqqqqqqq", "farkas show dps lists its names"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_of_its_kind_or_of_all(
    wrong: str, said: str
) -> None:
    with pytest.raises(UnknownName, match=said):
        show(wrong)


def test_latex_is_asked_for_by_a_truth_value() -> None:
    with pytest.raises(InvalidOption, match="latex cannot be 'no': give bool"):
        show("mlbroker.offline", latex="no")  # type: ignore[arg-type]


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


def test_a_run_is_the_files_word_and_says_what_proves_it(tmp_path: Path) -> None:
    path = str(tmp_path / "run.json")
    run = farkas.run("mlbroker/tiny", "mlbroker.local", seed=7)
    write_run(run, path)
    role, text, _ = described(path)
    assert role == "run"
    # 19.4 / 16.8 = 1.15476
    assert "mlbroker.local on tiny, kind mlbroker: it says value 19.4, ratio 1.15476" in text
    assert f"farkas check {path} --instance FILE" in text
    assert f"farkas figure {path} --instance FILE" in text
    assert "the file's word" in text
    run.ratio = None
    write_run(run, path)
    said = f"it says value 19.4, {len(run.decisions)} steps, seed 7"
    assert said in described(path)[1]


def test_a_certificate_says_its_type_and_program(tmp_path: Path) -> None:
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    path = str(tmp_path / "bound.json")
    farkas.save(solution, path)
    role, text, _ = described(path)
    assert role == "certificate"
    assert (
        "of type linear of mlbroker.relaxed[tight,printed] on an instance of kind mlbroker" in text
    )
    assert text.endswith(f"Prove it: farkas check {path} --instance FILE")
    vipr = str(tmp_path / "bound.vipr")
    farkas.save(solution, vipr)
    assert described(vipr)[0] == "certificate"
    assert "VIPR 1.0" in described(vipr)[1]


def test_a_statement_says_who_is_behind_whom() -> None:
    found = find_statement("mlbroker.local")
    role, text, _ = described(str(found.path))
    assert role == "statement"
    assert "mlbroker.local is behind" in text
    assert text.endswith(f"Draw it: farkas figure {found.path}")


def test_a_model_says_its_size_and_what_solves_it(tmp_path: Path) -> None:
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]")
    path = str(tmp_path / "model.mps")
    farkas.save(solution, path)
    role, text, _ = described(path)
    assert role == "model"
    form = solution.form
    assert f"a model of {form.num_rows} rows, {form.num_columns} columns, sense min" in text
    assert f"farkas prove {path}" in text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it ends too early"),
        (b'{"a": ', "it ends too early"),
        (b"x", "invalid character"),
        (b'{"farkas": 1, "kind": "\xff"}', "'utf-8' codec"),
    ],
)
def test_a_damaged_file_is_refused_in_words(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    with pytest.raises(FileProblem, match=rf"odd\.json: is not JSON: {words}") as error:
        described(str(path))
    assert "malformed" not in str(error.value)
    path.write_text('{"algorithms": [], "bound": null}')
    assert described(str(path))[1].startswith(f"{path}  a comparison: farkas compare")
    with pytest.raises(FileProblem, match="no such file"):
        described(str(tmp_path / "none.vipr"))


def test_the_size_of_every_shipped_instance_is_said() -> None:
    for kind in own_kinds():
        for name in library.names(kind):
            said = sizes(library.load(name))
            assert said[0].isdigit(), name
    # the sites of eris/tiny differ, so that only their sum is said
    both = library.load("eris/tiny").site_capacity
    gpus = sum(site[0] for site in both)
    assert f"capacity of all sites: gpu {gpus:g}, " in sizes(library.load("eris/tiny"))
    # servers of 2, 2, 2 and 1 GPUs; nothing limits iterations in a slot
    told = sizes(library.load("gadget/demo"))
    assert told.endswith("capacity of all servers: gpu 7, iterations unlimited")
    market = library.load("dps/demo")
    total = sum(map(sum, market.server_workers))
    assert f"capacity of all servers: {total} workers" in sizes(market)


def test_one_of_a_thing_is_not_many() -> None:
    one = types.SimpleNamespace(num_jobs=1, num_sites=2, slots=1)
    assert sizes(one) == "1 job, 2 sites, 1 slot"  # type: ignore[arg-type]
    units = types.SimpleNamespace(num_jobs=0, server_workers=[[1, 2]], server_ps=[[7], [8]])
    said = "0 jobs; capacity of all servers: 3 workers, 15 parameter servers"
    assert sizes(units) == said  # type: ignore[arg-type]


def test_a_certificate_of_no_instance_needs_none_to_be_checked(tmp_path: Path) -> None:
    form = small([[1.0]], cost=[1.0], row_lower=[1.0], lower=[0.0], upper=[9.0])
    path = str(tmp_path / "bound.json")
    farkas.save(farkas.solve(form, certify=True), path)
    assert described(path)[1].endswith(f"Prove it: farkas check {path}")


@pytest.mark.parametrize("source", sources())
def test_every_setting_and_column_of_a_source_is_shown(source: str) -> None:
    text = source_text(source)
    for kind in kinds_of(source):
        assert f"farkas import {source} FILE --kind {kind}" in text
        for field in importers[f"{source}:{kind}"].__struct_fields__:
            assert f"\n    {field} = " in text


def test_philly_names_its_columns_and_csv_its_roles() -> None:
    assert tuple(columns(importers["philly:eris"])) == importers["philly:gadget"].fixed_columns
    roles = columns(importers["csv:dps"])
    assert roles["gpus"].endswith("--map gpus=COLUMN")
    assert "required" in roles["submit"]


def test_settings_say_what_they_are_and_their_default() -> None:
    importer = importers["philly:dps"]
    told = documented(importer)
    assert told["slot_seconds"] == "Length of a slot."
    assert {f.name for f in msgspec.structs.fields(importer)} <= set(told)
    assert "slot_seconds = 300.0  Length of a slot." in source_text("philly")


def test_show_knows_sources_and_solvers() -> None:
    (source,) = entries("philly")
    assert source.role == "source"
    (solver,) = entries("highs")
    assert solver.role == "solver"
    assert "linear, integer" in solver.text


@pytest.mark.parametrize("listed", [farkas.programs, farkas.algorithms, farkas.library])
def test_kinds_share_out_all_names(listed: Callable[..., list[str]]) -> None:
    every = listed()
    assert every == sorted(every)
    by_kind = {kind: listed(kind) for kind in kinds()}
    for kind, names in by_kind.items():
        assert names
        assert all(name.startswith((f"{kind}.", f"{kind}/")) for name in names)
    assert {name for names in by_kind.values() for name in names} == set(every)


@pytest.mark.parametrize("listed", [farkas.programs, farkas.algorithms, farkas.library])
def test_a_kind_that_does_not_exist_has_no_list(listed: Callable[..., list[str]]) -> None:
    with pytest.raises(UnknownName, match="did you mean mlbroker"):
        listed("mlbrokr")
