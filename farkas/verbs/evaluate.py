"""Named quantities of one instance."""

from __future__ import annotations

from collections.abc import Iterable
from types import NoneType

from farkas import quantities
from farkas.instances import Instance
from farkas.quantities import Value
from farkas.required import require_type
from farkas.verbs.inputs import InstanceOrName, as_instance


def evaluate(instance: InstanceOrName, keys: str | Iterable[str] | None = None) -> dict[str, Value]:
    """Compute named quantities of an instance; those not defined for it are absent.

    Parameters
    ----------
    instance
        An instance, the path of its file, or the name of a shipped one.
    keys
        One name or several, also of programs: their optima; by default those listed under
        "expected" in the instance's file, or every quantity of the kind when the file lists none.

    Raises
    ------
    UnknownName, InvalidOption
        When a key belongs to no quantity of the kind.

    Examples
    --------
    >>> import farkas
    >>> farkas.evaluate("mlbroker/tiny", "mlbroker.offline[strict]")
    {'mlbroker.offline[strict]': 16.8}
    """
    data = as_instance(instance)
    require_type(data, Instance, "instance")
    require_type(keys, (str, Iterable, NoneType), "keys")
    asked = [keys] if isinstance(keys, str) else None if keys is None else list(keys)
    for key in asked or ():
        require_type(key, str, "key")
    return quantities.evaluate(data, asked)
