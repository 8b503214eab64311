"""What is derived from the code and kept in the tree, and the one command that writes it.

Golden texts of programs (`golden`), verdicts of claims (`verdicts`), what solvers were seen to do
(`matrix`).  Tests compare what is kept with the code and name ``make record`` when they differ.
"""

from __future__ import annotations


def advice(*names: str) -> str:
    """Command that renews what is kept of some names.

    >>> advice("mlbroker.offline", "eris.use_is_small")
    'run: make record NAMES="mlbroker.offline eris.use_is_small"'
    """
    return f'run: make record NAMES="{" ".join(names)}"'
