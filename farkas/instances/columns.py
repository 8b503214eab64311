"""Read-only arrays of what the records of an instance say, made when first asked for."""

from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from farkas.instances.base import frozen

Scalar = TypeVar("Scalar", bound=np.generic)


def column(
    records: str, field: str, dtype: type[Scalar], *, width: str = ""
) -> cached_property[npt.NDArray[Scalar]]:
    """Property with one field of every record.

    Parameters
    ----------
    records
        Name of the list of records: ``jobs``.
    field
        Field of a record; an entry that is null becomes infinite.
    width
        For a field that is itself a list: name of the number of its entries.

    Returns
    -------
    Property of shape (records,), or (records, width).
    """

    def read(instance: Any) -> npt.NDArray[Scalar]:
        found = [getattr(record, field) for record in getattr(instance, records)]
        return _array(found, dtype, getattr(instance, width) if width else None)

    return cached_property(read)


def table(field: str, dtype: type[Scalar], *, width: str) -> cached_property[npt.NDArray[Scalar]]:
    """Property with a field that is a list of lists of ``width`` entries.

    Parameters
    ----------
    field, dtype, width
        As for `column`.

    Returns
    -------
    Property of shape (entries, width).
    """

    def read(instance: Any) -> npt.NDArray[Scalar]:
        return _array(getattr(instance, field), dtype, getattr(instance, width))

    return cached_property(read)


def _array(values: Any, dtype: type[Scalar], width: int | None) -> npt.NDArray[Scalar]:
    array = np.array(values, dtype=dtype)
    if np.issubdtype(dtype, np.floating):
        array[np.isnan(array)] = np.inf  # what null became; the numbers themselves are finite
    return frozen(array if width is None else array.reshape(len(values), width), dtype)
