"""A plan that may never finish says so wherever its value is shown."""

from __future__ import annotations

from farkas.instances import library
from farkas.verbs.compare import compare


def test_a_split_worker_leaves_one_master_without_rows_and_is_remarked():
    # three equal workers, two masters: the shared one serves one of them, the other never finishes
    found = compare(library.load("coded/split_worker"), ["coded.expected", "coded.brute_force"])
    notes = {entry.algorithm: entry.note for entry in found.entries}
    assert "all masters finish with probability 0 only" in notes["coded.expected"]
    assert notes["coded.brute_force"] == ""
