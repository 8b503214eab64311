"""Messages: types, and how a command ends."""

from __future__ import annotations

from farkas import errors
from farkas.errors import Exit, FarkasError, UnknownName


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
