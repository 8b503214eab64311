"""Measured speeds as a coded instance."""

from __future__ import annotations

import pytest

from farkas.errors import FileProblem, InvalidOption
from farkas.instances.traces import import_trace

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
