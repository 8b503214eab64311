"""What bounds dedicated assignments is beyond no optimum, and has the same one."""

import pytest

from tests.offline.bounds import bounds, closed


@pytest.mark.parametrize("instance", ["coded/tiny", "coded/demo"])
def test_workers_by_type_have_the_same_optimum(instance):
    found, best, _ = bounds(instance, "coded.assignment")
    assert closed(found, best) == {"coded.assignment_by_type"}
