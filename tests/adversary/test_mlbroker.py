"""Markets mended and made smaller."""

from __future__ import annotations

from farkas.adversary.box import InstanceBox
from farkas.adversary.mlbroker import mend, smaller


def test_windows_data_and_prices_are_mended() -> None:
    job = {"arrival": 2, "departure": 1, "data": [[1.0], [2.0]]}
    late = {"arrival": 1, "departure": 9, "data": [[3.0]]}
    data = {
        "num_slots": 4, "jobs": [job, late], "transfer_price": [[7.0, 1.0], [2.0, 8.0]],
        "base_price": [[1.0, 2.0]], "discount_price": [[3.0, None]],
    }  # fmt: skip
    mend(data)
    assert job == {"arrival": 2, "departure": 2, "data": [[1.0]]}
    assert late == {"arrival": 1, "departure": 3, "data": [[3.0], [3.0], [3.0]]}
    assert data["transfer_price"] == [[0.0, 1.0], [2.0, 0.0]]
    assert data["discount_price"] == [[1.0, None]]
    data["discount_price"] = None
    mend(data)


def test_sites_and_resources_go_from_all_lists() -> None:
    box = InstanceBox.drawn("mlbroker")
    found = [one for one in map(box.built, smaller(box.starts[0])) if one is not None]
    assert {2, 3} == {one.num_sites for one in found}  # type: ignore[attr-defined]
    assert {1, 2} == {one.num_resources for one in found}  # type: ignore[attr-defined]
    assert {2, 3} == {one.num_jobs for one in found}  # type: ignore[attr-defined]
