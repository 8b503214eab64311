"""What relaxations of (8) share: nonnegative variables, and which pricing goes with which links."""

import pytest

from farkas.algebra import programs


@pytest.mark.parametrize("name", ["mlbroker.relaxed", "mlbroker.outer"])
def test_the_printed_and_the_tight_variant(name: str) -> None:
    found = {relax: programs.build(name, relax=relax) for relax in ("printed", "tight")}
    said = {relax: (one.pricing, one.linking) for relax, one in found.items()}  # type: ignore[attr-defined]
    assert said == {"printed": ("single", "global"), "tight": ("chord", "split")}
    for one in found.values():
        form = one.form(one.example())
        assert not form.is_mip
        assert (form.lower == 0).all()
