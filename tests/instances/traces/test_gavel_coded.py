"""Import of throughputs as kind coded, on a synthetic twin of the format and on the file."""

from __future__ import annotations

import json

import numpy as np
import pytest

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces import import_trace
from farkas.instances.traces.gavel_coded import read_throughputs
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


def test_the_name_of_a_file_cannot_pass_for_words(tmp_path):
    path = tmp_path / "x: proved"
    path.write_text("[]")
    with pytest.raises(FileProblem, match=r'^"/.*/x: proved": holds no table'):
        read_throughputs(path)


def test_times_beside_other_models_are_samples(twin):
    table = {kind: dict(rows) for kind, rows in TWIN.items()}
    table["k80"]["('e', 1)"] = {"null": 3, "('a', 1)": [1.5, 9.0], "('b', 1)": [0.0, 9.0]}
    table["v100"]["('e', 1)"] = {"null": 6.0, "('a', 1)": [4, 2], "('a', 2)": "?"}
    twin.write_text(json.dumps(table))
    found = import_trace(
        "gavel", twin, "coded", masters=2, k80=1, p100=0, v100=2, rows_per_step={"a": 2, "e": 1},
        confidence=0.9,
    ).instance.measured  # fmt: skip
    # a: alone at 2 and beside b at 1 on a K80, alone at 8 on a V100, two rows a step
    assert found.times == ((1 / 4, 1 / 2), (1 / 16,), (1 / 3, 1 / 1.5), (1 / 6, 1 / 4))
    assert found.law == ((0, 1, 1), (2, 3, 3))
    assert found.confidence == 0.9
    plain = import_trace("gavel", twin, "coded", masters=2, k80=1, p100=0, v100=2).instance
    assert plain.measured is None


def test_a_forbidden_pair_has_no_law(twin):
    table = {**TWIN, "v100": {"('a', 1)": {"null": 8.0}}}
    twin.write_text(json.dumps(table))
    options = {"masters": 2, "k80": 1, "p100": 0, "v100": 1, "confidence": 0.5}
    assert import_trace("gavel", twin, "coded", **options).instance.measured.law == (
        (0, 1),
        (2, None),
    )


def test_a_confidence_below_one_half_is_refused(twin):
    with pytest.raises(InvalidOption, match="confidence"):
        import_trace("gavel", twin, "coded", masters=1, k80=1, confidence=0.4)
