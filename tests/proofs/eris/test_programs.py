"""Claims about problems (2) and (3), and how close is equal."""

import msgspec
import pytest

from farkas.proofs.eris.programs import agreement, printed_without_transfer
from farkas.proofs.eris.samples import auction


@pytest.mark.parametrize("unit", [2.0**-40, 1.0, 2.0**40])
def test_agreement_is_relative(unit) -> None:
    sides = [(3 * unit, 3 * unit), (3 * unit, 4 * unit), (4 * unit, 3 * unit)]
    # off by 1 of 4
    assert [agreement(*both, 2 * unit).slack for both in sides] == [0.0, -0.25, -0.25]
    assert agreement(unit, (1 + 9e-6) * unit, unit).holds
    assert not agreement(unit, (1 + 11e-6) * unit, unit).holds
    # nothing against jobs that are worth a unit
    assert agreement(0.0, 1e-9 * unit, unit).holds
    assert not agreement(0.0, 2e-5 * unit, unit).holds


def test_as_printed_a_job_of_the_first_slot_earns_its_best_worth() -> None:
    late = auction("late_arrival")
    assert printed_without_transfer(late) == pytest.approx(0.0, abs=1e-6)
    early = msgspec.structs.replace(late.jobs[0], arrival=0, utility=(10.0, 4.0))
    # worth is that of the last slot in which it may still have workers, so of the first
    assert printed_without_transfer(late.replace(jobs=[early])) == pytest.approx(10.0)
