"""What files say of themselves, whatever they hold."""

from __future__ import annotations

import types
from pathlib import Path

import pytest

import farkas
from farkas.adversary.shipped import find_statement
from farkas.errors import FarkasError, FileProblem
from farkas.instances import library, write
from farkas.instances.files import own_kinds
from farkas.online import write_run
from farkas.verbs.shown_files import described, exists, sizes
from tests.generators.forms import small


def test_an_instance_says_its_kind_its_size_and_what_its_file_says(tmp_path: Path) -> None:
    path = str(tmp_path / "mine.json")
    write(library.load("eris/demo"), path)
    role, text, details = described(path)
    assert role == "instance"
    assert "demo, an instance of kind eris" in text
    assert "4 jobs, 3 resources, 2 sites, 4 slots; capacity of a site: gpu 2" in text
    assert 'Its file says of it: "generated, preset small, seed 9' in text
    assert details["sha256"] == library.load("eris/demo").sha256
    assert text.endswith(f"Next: farkas compare {path}")


def test_a_run_is_the_files_word_and_says_what_proves_it(tmp_path: Path) -> None:
    path = str(tmp_path / "run.json")
    write_run(farkas.run("mlbroker/tiny", "mlbroker.local"), path)
    role, text, _ = described(path)
    assert role == "run"
    # 19.4 / 16.8 = 1.15476
    assert "mlbroker.local on tiny, kind mlbroker: it says value 19.4, ratio 1.15476" in text
    assert f"farkas check {path} --instance FILE" in text
    assert "the file's word" in text


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
    assert "farkas figure mlbroker worst --of" in text


def test_a_model_says_its_size_and_what_solves_it(tmp_path: Path) -> None:
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]")
    path = str(tmp_path / "model.mps")
    farkas.save(solution, path)
    role, text, _ = described(path)
    assert role == "model"
    form = solution.form
    assert f"a model of {form.num_rows} rows, {form.num_columns} columns, sense min" in text
    assert f"farkas prove {path}" in text


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b'{"farkas": 1, "kind": "x"}'])
def test_a_file_of_anything_else_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    with pytest.raises(FarkasError, match=r"odd\.json"):
        described(str(path))
    with pytest.raises(FileProblem, match="no such file"):
        described(str(tmp_path / "none.vipr"))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", b"came,gpus\n1,2\n", "a table: farkas import csv"),
        ("s.toml", b'name = "x"\n', "a sweep's configuration: farkas sweep"),
        ("c.json", b'{"algorithms": [], "bound": null}', "a comparison: farkas compare"),
    ],
)
def test_what_other_commands_take_is_named(
    name: str, content: bytes, words: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    _, text, _ = described(str(path))
    assert text.startswith(f"{path}  {words}")


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


def test_a_name_of_a_file_is_known_by_its_suffix(tmp_path: Path) -> None:
    assert exists("none.json")
    assert exists("none.mps.gz")
    assert exists(str(tmp_path))
    assert not exists("eris.eris")


def test_one_of_a_thing_is_not_many() -> None:
    one = types.SimpleNamespace(num_jobs=1, num_sites=2, slots=1)
    assert sizes(one) == "1 job, 2 sites, 1 slot"  # type: ignore[arg-type]
    units = types.SimpleNamespace(num_jobs=0, server_workers=[[1, 2]], server_ps=[[7], [8]])
    said = "0 jobs; capacity of all servers: 3 workers, 15 parameter servers"
    assert sizes(units) == said  # type: ignore[arg-type]


def test_a_run_without_a_ratio_says_none_and_its_seed(tmp_path: Path) -> None:
    path = str(tmp_path / "run.json")
    run = farkas.run("mlbroker/tiny", "mlbroker.local", seed=7)
    run.ratio = None
    write_run(run, path)
    said = f"it says value 19.4, {len(run.decisions)} steps, seed 7"
    assert said in described(path)[1]


def test_a_certificate_of_no_instance_needs_none_to_be_checked(tmp_path: Path) -> None:
    form = small([[1.0]], cost=[1.0], row_lower=[1.0], lower=[0.0], upper=[9.0])
    path = str(tmp_path / "bound.json")
    farkas.save(farkas.solve(form, certify=True), path)
    assert described(path)[1].endswith(f"Prove it: farkas check {path}")
