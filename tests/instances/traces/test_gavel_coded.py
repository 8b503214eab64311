"""Import of throughputs as kind coded, on a synthetic twin of the format and on the file."""

from __future__ import annotations

import json

import numpy as np
import pytest

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces import import_trace
from farkas.instances.traces.gavel_coded import read_throughputs
from farkas.instances.traces.importer import Account, importers
from farkas.instances.traces.jobs import TraceJob
from farkas.instances.traces.table import seconds
from farkas.relaxations.coded.sharing import shared_optimum
from tests.instances.traces.made import TWIN
from tests.tools.shared import shared


@pytest.fixture
def twin(folder):
    return folder / "twin.json"


def test_rates_are_throughputs_and_shifts_their_inverse(twin):
    imported = import_trace(
        "gavel", twin, "coded", masters=2, k80=1, p100=2, v100=1, rows_per_step=10
    )
    data = imported.instance
    assert [m.name for m in data.masters] == ["a", "e"]
    assert data.rates.tolist() == [[20, 40, 40, 80], [30, 50, 50, 60]]
    assert np.array_equal(data.shifts, 1 / data.rates)
    assert data.time_unit == "s"
    assert (imported.kept, imported.dropped.total()) == (2, 0)


def test_a_missing_throughput_forbids_the_pair(twin):
    table = {**TWIN, "v100": {"('a', 1)": {"null": 8.0}}}
    twin.write_text(json.dumps(table))
    data = import_trace("gavel", twin, "coded", masters=2, k80=1, p100=0, v100=1).instance
    assert data.rate == ((2.0, 8.0), (3.0, None))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k80": 0, "p100": 0, "v100": 0}, "at least one worker"),
        ({"masters": 9}, "masters = 9; 2 are measured"),
        ({"mastres": 2}, "did you mean masters"),
    ],
)
def test_impossible_options_are_refused(twin, options, message):
    with pytest.raises(InvalidOption, match=message):
        import_trace("gavel", twin, "coded", **options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no JSON"),
        ("[]", "no table of throughputs for k80"),
        ('{"k80": {}, "p100": {}, "v100": {}}', "no model that runs alone"),
        (
            '{"k80": {"(\'A3C\', 1)": {"null": 1' + "0" * 400 + "}}}",
            r"k80, A3C: the throughput is too large",
        ),
    ],
)
def test_other_files_are_refused(tmp_path, text, message):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(FileProblem, match=message):
        import_trace("gavel", path, "coded")


def test_the_real_file_becomes_a_solvable_instance():
    path = shared("data", "gavel", "simulation_throughputs.json")
    imported = import_trace("gavel", path, "coded")
    assert imported.instance.rates.shape == (4, 50)
    assert imported == import_trace("gavel", path, "coded")
    assert np.isfinite(shared_optimum(imported.instance).time)


def test_only_models_alone_on_one_gpu_are_measured(twin):
    # b is 0, c runs on two GPUs, d only beside a: none of them is alone at a speed
    assert read_throughputs(twin) == {
        "k80": {"a": 2.0, "e": 3.0},
        "p100": {"a": 4.0, "e": 5.0},
        "v100": {"a": 8.0, "e": 6.0},
    }


def test_models_that_are_not_drawn_are_counted(twin):
    found = import_trace("gavel", twin, "coded", masters=1, k80=1)
    assert (found.kept, found.dropped) == (1, {"not drawn": 1})


ROLES = {"master": "model", "worker": "gpu", "rate": "speed"}
TABLE = "model,gpu,speed,least\na,x,2,0.1\na,y,4,0.2\nb,x,1,0.5\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "speeds.csv"
    path.write_text(TABLE)
    return path


def test_pairs_become_rates_and_missing_ones_are_forbidden(table):
    found = import_trace("csv", table, "coded", map=ROLES, rows={"a": 5, "b": 7})
    data = found.instance
    assert data.rate == ((2.0, 4.0), (1.0, None))
    assert data.shift == ((0.5, 0.25), (1.0, None))
    assert [(m.name, m.rows) for m in data.masters] == [("a", 5), ("b", 7)]
    assert found.report() == "2 masters imported"
    told = import_trace("csv", table, "coded", map={**ROLES, "shift": "least"}).instance
    assert told.shift == ((0.1, 0.2), (0.5, None))
    assert [m.rows for m in told.masters] == [10_000, 10_000]


def test_what_is_missing_or_stands_twice_is_named(table):
    with pytest.raises(InvalidOption, match="map worker=COLUMN, rate=COLUMN is missing"):
        import_trace("csv", table, "coded", map={"master": "model"})
    with pytest.raises(InvalidOption, match="no role rat; did you mean rate"):
        import_trace("csv", table, "coded", map={**ROLES, "rat": "least"})
    with pytest.raises(InvalidOption, match="column speed has two roles"):
        import_trace("csv", table, "coded", map={**ROLES, "shift": "speed"})
    with pytest.raises(InvalidOption, match="rows of b is not given"):
        import_trace("csv", table, "coded", map=ROLES, rows={"a": 5})
    table.write_text(TABLE + "a,x,1,1\n")
    with pytest.raises(FileProblem, match="line 5: this pair of master and worker stands twice"):
        import_trace("csv", table, "coded", map=ROLES)
    table.write_text("model,gpu,speed,least\na,x,0,1\n")
    with pytest.raises(FileProblem, match="line 2: speed = '0'; expected a number > 0"):
        import_trace("csv", table, "coded", map=ROLES)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (",x,1,1", "line 5: model is empty"),
        ("c, ,1,1", "line 5: gpu is empty"),
        ("c,x,1e-320,1", "line 5: speed = '1e-320'; expected a rate that has an inverse"),
        ("c,x,1_0,1", "line 5: speed = '1_0'; expected a number"),
    ],
)
def test_a_damaged_line_is_named(table, row, words):
    table.write_text(f"{TABLE}{row}\n")
    with pytest.raises(FileProblem) as caught:
        import_trace("csv", table, "coded", map=ROLES)
    assert str(caught.value).endswith(words)


def test_a_rate_without_an_inverse_needs_a_shift_of_its_own(table):
    table.write_text("model,gpu,speed,least\na,x,1e-309,1e10\n")
    data = import_trace("csv", table, "coded", map={**ROLES, "shift": "least"}).instance
    assert (data.rate, data.shift) == (((1e-309,),), ((1e10,),))


def test_a_table_without_pairs_is_no_cluster(table):
    table.write_text("model,gpu,speed,least\n")
    with pytest.raises(FileProblem, match=r"speeds\.csv: no line below the header$"):
        import_trace("csv", table, "coded", map=ROLES)


def test_rows_of_a_master_that_is_not_there_are_refused(table):
    with pytest.raises(InvalidOption, match="rows: no master bb; did you mean b"):
        import_trace("csv", table, "coded", map=ROLES, rows={"a": 5, "b": 7, "bb": 1})


def test_jobs_are_read_in_file_order_with_their_units(folder):
    found = importers["philly:gadget"]().read(folder / "philly.csv", Account())
    assert [j.num_gpus for j in found] == [2, 4, 1, 1, 0]
    begin = seconds("2017-10-09 08:00:00")
    assert found[1] == TraceJob(begin, 7200.0, 4, 28_800.0, "alpha")
    assert found[1].name == f"alpha@{int(begin)}"


def test_lines_that_lack_a_cell_are_refused_or_left_out(folder):
    path = folder / "philly.csv"
    path.write_text(path.read_text().replace("7200.0,4", ",4").replace("60.0,alpha", "60.0,None"))
    with pytest.raises(FileProblem, match=r"line 3: duration is empty; incomplete=leave_out leav"):
        importers["philly:gadget"]().read(path, Account())
    dropped = Account()
    found = importers["philly:gadget"](incomplete="leave_out").read(path, dropped)
    assert [j.num_gpus for j in found] == [2, 1, 0]
    assert dropped == {"incomplete": 2}
    # other words are missing than the usual ones
    named = importers["philly:gadget"](incomplete="leave_out", missing="beta").read(path, Account())
    assert [j.cluster for j in named] == ["alpha", "None", "alpha"]
