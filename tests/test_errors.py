"""Messages: types, and how a command ends."""

from __future__ import annotations

import pytest

from farkas import errors
from farkas.errors import Exit, FarkasError, InvalidOption, UnknownName, require_type


def test_an_unknown_name_says_of_what():
    assert str(UnknownName.of("solver", "higs", ["highs"])) == (
        "unknown solver 'higs'; did you mean highs?"
    )


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
