"""Messages: types, and how a command ends."""

from __future__ import annotations

import pytest

from farkas import errors
from farkas.errors import (
    Exit,
    FarkasError,
    InvalidOption,
    UnknownName,
    require_progress,
    require_seed,
    require_share,
    require_type,
)


def test_an_unknown_name_says_of_what():
    assert str(UnknownName.of("solver", "higs", ["highs"])) == (
        "unknown solver 'higs'; did you mean highs?"
    )


def test_every_error_ends_a_command_as_its_cause_deserves():
    codes = {
        name: cls.exit_code
        for name, cls in vars(errors).items()
        if isinstance(cls, type) and issubclass(cls, FarkasError)
    }
    others = {name: int(code) for name, code in codes.items() if code is not Exit.BAD_INPUT}
    # 1: something was found wanting; 3: there is no answer; all else is bad input, 2
    assert others == {"NotACertificate": 1, "NoVerdict": 1, "SolverUnavailable": 3, "NoAnswer": 3}
    assert int(Exit.BAD_INPUT) == 2


@pytest.mark.parametrize("given", [None, print, dict])
def test_progress_is_a_function_or_none(given):
    require_progress(given)
    with pytest.raises(InvalidOption, match=r"progress cannot be \[\]: give a function or None"):
        require_progress([])


@pytest.mark.parametrize("seed", [-3, 1.0, "1", True, None])
def test_a_seed_is_a_whole_number_from_zero_on(seed):
    require_seed(0)
    with pytest.raises(InvalidOption, match=r"^seed "):
        require_seed(seed)


def test_a_seed_of_more_digits_than_python_writes_is_refused_all_the_same():
    with pytest.raises(InvalidOption, match=r"seed has \d+ bits; 1024 are the most"):
        require_seed(-(10**5000))


@pytest.mark.parametrize(
    ("value", "expected", "message"),
    [
        ("x", int, "seed cannot be 'x': give int, not str"),
        (True, int, "seed cannot be True: give int, not bool"),
        (None, (str, int), "seed cannot be None: give str or int, not NoneType"),
        ("a" * 50, int, f"seed cannot be '{'a' * 18}...{'a' * 17}': give int, not str"),
    ],
)
def test_a_wrong_type_is_said_in_one_short_line(value, expected, message):
    with pytest.raises(InvalidOption) as caught:
        require_type(value, expected, "seed")
    assert str(caught.value) == message


def test_a_number_of_more_digits_than_python_writes_is_refused_all_the_same():
    with pytest.raises(InvalidOption, match="name cannot be <int>: give str, not int"):
        require_type(10**5000, str, "name")


def test_a_right_type_passes_and_truth_values_only_where_they_are_asked_for():
    require_type(3, int, "seed")
    require_type(True, bool, "log")
    require_type("x", (int, str), "name")


@pytest.mark.parametrize("share", [0, 0.0, 0.5, 1 - 2**-53])
def test_shares_are_0_or_more_and_below_1(share):
    require_share(share, "gap")

    with pytest.raises(InvalidOption, match=r"^gap = <int>; give a share"):
        require_share(10**5000, "gap")


@pytest.mark.parametrize("share", [-1, 1, 1.0, -5e-324, float("nan"), float("inf"), True])
def test_what_is_no_share_is_refused(share):
    with pytest.raises(InvalidOption, match=r"^gap (= .*; give a share|cannot be True)"):
        require_share(share, "gap")
