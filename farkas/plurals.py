"""Numbers of things, in the singular for one."""


def number_of(count: int, things: str, one: str = "") -> str:
    """Return a number and what is counted.

    Parameters
    ----------
    things
        Their name in the plural.
    one
        In the singular, where that is not the plural without its last letter.

    Examples
    --------
    >>> number_of(1, "jobs"), number_of(0, "masters"), number_of(1, "entries", "entry")
    ('1 job', '0 masters', '1 entry')
    """
    return f"{count} {(one or things.removesuffix('s')) if count == 1 else things}"
