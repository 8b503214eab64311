"""Packed data of a store: a small blob can unfold into more than the memory holds."""

import zlib

from farkas.errors import FileProblem

LARGEST_INFLATED = 2**29
"""Bytes that packed data of a store may unfold into."""


def inflated(packed: bytes, where: str, most: int | None = None) -> bytes:
    """Unpack deflated data of limited size.

    Raises
    ------
    FileProblem
        The data are damaged, or unfold into more than ``most`` bytes
        (:data:`LARGEST_INFLATED` if left out).
    """
    limit = LARGEST_INFLATED if most is None else most
    stream = zlib.decompressobj()
    try:
        raw = stream.decompress(packed, limit + 1)
    except zlib.error:
        raise FileProblem(f"{where}: cannot be decompressed") from None
    if len(raw) > limit:
        raise FileProblem(f"{where}: unfolds into more than {limit} bytes")
    if not stream.eof or stream.unused_data:
        raise FileProblem(f"{where}: cannot be decompressed")
    return raw


def packed(value: object, where: str) -> bytes:
    """Return the packed data of a store's cell; raises `FileProblem` where it holds none."""
    if not isinstance(value, bytes):
        raise FileProblem(f"{where}: is damaged: no data")
    return value
