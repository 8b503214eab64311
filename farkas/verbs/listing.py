"""Names of what there is, of one kind or of all."""

from farkas.algebra import programs as registered_programs
from farkas.instances import library as shipped
from farkas.instances.files import require_kind
from farkas.online import algorithms as registered_algorithms


def programs(kind: str = "") -> list[str]:
    """Names of the programs, sorted; raises `UnknownName` for a kind that does not exist.

    >>> import farkas
    >>> "mlbroker.relaxed" in farkas.programs("mlbroker")
    True
    """
    return registered_programs.names(_prefix(kind))


def algorithms(kind: str = "") -> list[str]:
    """Names of the algorithms and baselines, sorted; raises `UnknownName` as `programs`.

    >>> import farkas
    >>> farkas.algorithms("gadget")[:3]
    ['gadget.drf', 'gadget.fifo', 'gadget.gadget']
    """
    return registered_algorithms.names(_prefix(kind))


def library(kind: str = "") -> list[str]:
    """Names of the shipped instances, sorted; raises `UnknownName` as `programs`.

    >>> import farkas
    >>> "mlbroker/tiny" in farkas.library("mlbroker")
    True
    """
    _prefix(kind)
    return shipped.names(kind)


def _prefix(kind: str) -> str:
    return f"{require_kind(kind)}." if kind != "" else ""
