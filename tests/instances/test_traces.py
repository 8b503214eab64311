"""The door to importers: sources, kinds, and names that do not exist."""

from __future__ import annotations

import pytest

from farkas.errors import FileProblem, InvalidOption, UnknownName
from farkas.instances.traces import import_trace, kinds_of, sources


def test_sources_and_their_kinds_are_those_registered():
    assert sources() == ["alibaba", "csv", "gavel", "philly"]
    assert kinds_of("philly") == ["dps", "eris", "gadget", "mlbroker"]
    assert kinds_of("alibaba") == ["dps"]
    assert kinds_of("nobody") == []


def test_unknown_sources_and_kinds_name_the_known_ones():
    with pytest.raises(UnknownName, match="unknown trace source 'phily'; did you mean philly"):
        import_trace("phily", "absent.csv", "mlbroker")
    with pytest.raises(UnknownName, match="kind made from philly 'mlbrokr'; did you mean mlbroker"):
        import_trace("philly", "absent.csv", "mlbrokr")


def test_an_unknown_option_names_the_importer_and_the_nearest_option(tmp_path):
    message = "import philly to gadget has no setting 'netwrok'; did you mean network"
    (tmp_path / "a.csv").touch()
    with pytest.raises(InvalidOption, match=message):
        import_trace("philly", tmp_path / "a.csv", "gadget", netwrok="x")


def test_a_missing_trace_is_named_and_not_a_file_beside_it(tmp_path):
    with pytest.raises(FileProblem, match=r"nope\.csv: no such file"):
        import_trace("alibaba", tmp_path / "nope.csv", "dps")
