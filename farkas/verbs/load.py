"""Read what a file holds: an instance, a run, a certificate."""

from __future__ import annotations

import os
from typing import Any

from farkas.required import require_type
from farkas.verbs.mistaken import other_instance, role_of


def load(file: str | os.PathLike[str]) -> Any:
    """Read an instance, a run or a certificate, or the shipped instance of a name.

    Runs and certificates are the word of their file until `farkas.check` proves them again.

    Parameters
    ----------
    file
        Path of the file that `farkas.save` or a command wrote, or a name such as
        ``"mlbroker/tiny"``.

    Returns
    -------
    Instance, Run, Certificate or Gap
        What the file holds; of what `farkas.worst` found, its gap.

    Raises
    ------
    FileProblem
        There is no such file, and none of that name ships; or it is something else: the message
        says what, and which command takes it.
    InvalidInstance
        The instance breaks a rule; see `farkas.instances.read`.

    Examples
    --------
    >>> import farkas
    >>> farkas.load("mlbroker/tiny").name
    'tiny'
    """
    require_type(file, (str, os.PathLike), "file")
    if role_of(file)[0] in ("run", "statement", "certificate"):
        from farkas.verbs.check_file import opened  # here: it loads certificates

        return opened(file)
    return other_instance(file)
