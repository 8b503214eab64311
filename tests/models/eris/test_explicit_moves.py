"""Rows of moves that are written one by one, by hand."""

from __future__ import annotations

import numpy as np

from farkas.algebra import programs
from farkas.instances import library


def test_every_chunk_of_a_site_is_moved_somewhere_and_paid_in_workers() -> None:
    tiny = library.load("eris/tiny")
    form = programs.build("eris.offline[explicit]").form(tiny)
    names = [form.column_name(j) for j in range(form.num_columns)]
    families = {block.name: block for block in form.rows}
    assert "enough_workers" not in families
    moves = {tuple(int(part.split("=")[1]) for part in name[6:-1].split(", ")): j
             for j, name in enumerate(names) if name.startswith("moved[")}  # fmt: skip
    # job, slot, from, to: bounded by what the first site stores
    assert all(form.upper[j] == tiny.jobs[i].data[o] for (i, _, o, _), j in moves.items())
    block = families["chunks_of_site_processed"]
    for row, (i, o) in enumerate((i, o) for i in range(tiny.num_jobs) for o in range(tiny.sites)):
        columns, values = form.matrix.row(block.start + row)
        entries = dict(zip(columns.tolist(), values.tolist(), strict=True))
        assert {j for j in entries if names[j].startswith("moved[")} == {
            j for (k, _, at, _), j in moves.items() if (k, at) == (i, o)
        }
        assert all(entries[j] == 1.0 for j in entries if names[j].startswith("moved["))
        done = {value for j, value in entries.items() if names[j].startswith("finished[")}
        assert done == ({-float(tiny.jobs[i].data[o])} if tiny.jobs[i].data[o] else set())
    block = families["enough_workers_for_moves"]
    for row in range(block.start, block.stop):
        columns, values = form.matrix.row(row)
        i, t, r = (int(part.split("=")[1]) for part in form.row_name(row)[25:-7].split(", "))
        for j, value in zip(columns.tolist(), values.tolist(), strict=True):
            if names[j].startswith("moved["):
                assert j in {moves[i, t, o, r] for o in range(tiny.sites)}
                assert value == tiny.jobs[i].epochs
            else:
                assert names[j] == f"workers[job={i}, slot={t}, site={r}]"
                assert value == -tiny.jobs[i].worker_rate
    assert np.isneginf(form.row_lower[block.where]).all()
    assert not form.row_upper[block.where].any()
