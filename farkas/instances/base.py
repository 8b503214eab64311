"""What all instances share: header, strict numbers, shape checks, content hash."""

import functools
import hashlib
import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from farkas.errors import InvalidInstance
from farkas.messages import ShowsItself, method, named, number_of
from farkas.numbers import Array

Nonnegative = Annotated[float, msgspec.Meta(ge=0.0)]
Positive = Annotated[float, msgspec.Meta(gt=0.0)]
Index = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Count = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
Row = tuple[Nonnegative, ...]
Matrix = tuple[Row, ...]

LARGEST_EXACT = 2.0**53  #: Beyond this a double no longer holds every integer.
DEEPEST = 16  #: Levels of lists and records, of which no kind has more.


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of an instance, for example one job.  Unknown fields are refused."""


class Instance(
    ShowsItself,
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    dict=True,
    weakref=True,
    tag_field="kind",
):
    """Header of every instance file; each kind is a subclass with its own fields.

    Arrays that programs need are properties made at the point of use, so the stored fields stay
    plain tuples that compare and hash.  The constructor checks how the fields fit together;
    `build` and `replace` check their types as well.
    """

    #: Fields that change no result and so take no part in the content hash.
    bookkeeping: ClassVar[frozenset[str]] = frozenset(
        {"farkas", "name", "description", "public", "note", "expected"}
    )

    farkas: Literal[1] = 1  #: Version of the file format.
    name: str = ""  #: For people; never read by an algorithm.
    seed: int | None = None  #: Seed of the generator that made the instance, if one did.
    description: str | None = None  #: Where the data come from, and every choice made on the way.
    #: public, note, expected: bookkeeping of collections of instances, ignored everywhere.
    public: bool | None = None
    note: str | None = None
    expected: dict[str, Any] | None = None

    save = method("save")

    def __repr__(self) -> str:
        return f"<{self.kind} instance {named(self.name)}, sha256 {self.sha256[:12]}>"

    def _details(self) -> dict[str, object]:
        fields = ((name, getattr(self, name)) for name in self.__struct_fields__)
        shown = {
            name: number_of(len(value), "entries", "entry") if isinstance(value, tuple) else value
            for name, value in fields
            if name == "description" or name not in self.bookkeeping
        }
        return {**shown, "sha256": self.sha256}

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Check what no single field's type can say; raises `InvalidInstance`."""

    @property
    def kind(self) -> str:
        """The kind's name, as in the file."""
        return str(type(self).__struct_config__.tag)

    @classmethod
    def build(cls, **fields: Any) -> Self:
        """Make an instance from Python values as strictly as from a file; raises `InvalidInstance`.

        Sequences and numpy arrays stand for JSON lists.
        """
        tag = str(cls.__struct_config__.tag)
        plain = {
            name: value if is_plain(value) else plain_value(value, f"$.{name}")
            for name, value in fields.items()
        }
        try:
            return msgspec.convert({"kind": tag, **plain}, cls, from_attributes=True)
        except msgspec.ValidationError as error:
            from farkas.messages.refusals import parsed

            raise InvalidInstance(parsed(error)) from None

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed, checked like a new instance."""
        return self.build(**{**msgspec.structs.asdict(self), **changes})

    def canonical(self) -> bytes:
        """Return the data that decide results, in one fixed spelling."""
        data = {
            name: msgspec.Raw(_written(value, f"$.{name}"))
            for name, value in msgspec.structs.asdict(self).items()
            if name not in self.bookkeeping
        }
        return msgspec.json.encode({"kind": self.kind, **data}, order="sorted")

    @functools.cached_property
    def sha256(self) -> str:
        """Hash of `canonical`: equal data have equal hashes whatever their name or notes."""
        return hashlib.sha256(self.canonical()).hexdigest()

    def __hash__(self) -> int:
        return hash(self.sha256)


#: What no file in UTF-8 can hold: half of a pair of code units, or a byte that was no text.
_HALF = re.compile("[\ud800-\udfff]")


#: A JSON path: text, or a path and the key or place below it; only a refusal puts it into words.
Where = str | tuple[Any, Any]


def plain_value(value: Any, where: Where) -> Any:
    """Turn ``value`` into what JSON can hold; NaN, infinity and foreign objects are refused.

    ``where`` is the JSON path for the error message.
    """
    kind = type(value)
    if kind is int or kind is bool or value is None:
        return value
    if kind is float:
        if not math.isfinite(value):
            raise InvalidInstance(f"Expected a finite number, got {value} - at `{_path(where)}`")
        return value + 0.0  # -0.0 and 0.0 are one number
    if isinstance(value, msgspec.Struct):
        # `to_builtins` keeps a record's tag, so that unions of records survive the way back.
        return plain_value(msgspec.to_builtins(value), where)
    if isinstance(value, np.ndarray | np.generic):
        return plain_value(value.tolist(), where)
    if isinstance(value, float):
        return plain_value(float(value), where)
    if isinstance(value, str) and not value.isascii() and _HALF.search(value):
        raise InvalidInstance(f"Expected text, got half a character - at `{_path(where)}`")
    if isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain_value(item, (where, str(key))) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain_value(item, (where, index)) for index, item in enumerate(value)]
    raise InvalidInstance(f"Expected a JSON value, got {kind.__name__} - at `{_path(where)}`")


def is_plain(value: Any) -> bool:
    """Whether `plain_value` would change nothing of a list: one of records, rows or numbers.

    Long lists are looked at level by level, which takes a fifth of the time.
    """
    level: list[Any] = value if type(value) is list else [None]
    for _ in range(DEEPEST):  # a list may hold itself
        if not level:
            return True
        kinds = set(map(type, level))
        if kinds <= {int, bool, float}:
            text = msgspec.json.encode(level)
            return b"null" not in text and b"-0.0" not in text  # what NaN and infinity become
        if kinds == {dict}:
            names = itertools.chain.from_iterable(set(map(tuple, level)))  # records share them
            if not set(map(type, names)) <= {str}:
                return False
            level = list(itertools.chain.from_iterable(map(dict.values, level)))
        elif kinds == {list}:
            level = list(itertools.chain.from_iterable(level))
        else:
            return False
    return False


def _written(value: Any, where: str) -> bytes:
    """Write what `plain_value` makes of a value, with names in order."""
    try:
        text = msgspec.json.encode(value, order="sorted")
    except (TypeError, UnicodeEncodeError):
        text = b"null"
    if b"null" in text or b"-0.0" in text:  # null may stand for a number that is not finite
        text = msgspec.json.encode(plain_value(value, where), order="sorted")
    return text


def _path(where: Where) -> str:
    if isinstance(where, str):
        return where
    above, last = _path(where[0]), where[1]
    return f"{above}[{last}]" if isinstance(last, int) else f"{above}.{last}"


def require(condition: bool, message: str) -> None:
    """Raise `InvalidInstance` with ``message`` unless ``condition`` holds."""
    if not condition:
        raise InvalidInstance(message)


def require_length(values: Sequence[Any], length: int, where: str, per: str) -> None:
    """Check that a list has one entry for each ``per``.

    >>> require_length((1.0,), 2, "$.demand", "resource")
    Traceback (most recent call last):
    farkas.errors.InvalidInstance: Expected 2 entries (one per resource), got 1 - at `$.demand`
    """
    if len(values) != length:
        some = "1 entry" if length == 1 else f"{length} entries"
        raise InvalidInstance(f"Expected {some} (one per {per}), got {len(values)} - at `{where}`")


def require_shape(
    values: Sequence[Any], shape: Sequence[int], where: str, per: Sequence[str]
) -> None:
    """Check nested lists against ``shape``; ``per`` names each axis."""
    require_length(values, shape[0], where, per[0])
    if len(shape) > 1:
        for index, value in enumerate(values):
            require_shape(value, shape[1:], f"{where}[{index}]", per[1:])


def frozen(values: npt.ArrayLike, dtype: npt.DTypeLike = np.float64) -> Array:
    """Return a read-only array, safe to cache and to share."""
    array = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


Scalar = TypeVar("Scalar", bound=np.generic)


def column(
    records: str, field: str, dtype: type[Scalar], *, width: str = ""
) -> cached_property[npt.NDArray[Scalar]]:
    """Property with one field of every record, shape (records,), or (records, width).

    ``records`` is the name of their list, ``width`` that of the number of entries of a field that
    is itself a list.  An entry that is null becomes infinite.
    """

    def read(instance: Any) -> npt.NDArray[Scalar]:
        found = [getattr(record, field) for record in getattr(instance, records)]
        return _array(found, dtype, getattr(instance, width) if width else None)

    return cached_property(read)


def length(records: str) -> cached_property[int]:
    """Property with the number of entries of a list."""
    return cached_property(lambda instance: len(getattr(instance, records)))


def table(field: str, dtype: type[Scalar], *, width: str) -> cached_property[npt.NDArray[Scalar]]:
    """Property with a field that is a list of lists, shape (entries, width); see `column`."""

    def read(instance: Any) -> npt.NDArray[Scalar]:
        return _array(getattr(instance, field), dtype, getattr(instance, width))

    return cached_property(read)


def _array(values: Any, dtype: type[Scalar], width: int | None) -> npt.NDArray[Scalar]:
    array = np.array(values, dtype=dtype)
    if np.issubdtype(dtype, np.floating):
        array[np.isnan(array)] = np.inf  # what null became; the numbers themselves are finite
    return frozen(array if width is None else array.reshape(len(values), width), dtype)


def require_nowhere(bad: Array, message: str, where: str) -> None:
    """Refuse the first place at which ``bad`` holds, naming its path below ``where``.

    >>> require_nowhere(np.array([[False, True]]), "Expected a load", "$.loads")
    Traceback (most recent call last):
    farkas.errors.InvalidInstance: Expected a load - at `$.loads[0][1]`
    """
    for place in np.argwhere(bad)[:1].tolist():
        path = "".join(f"[{index}]" for index in place)
        raise InvalidInstance(f"{message} - at `{where}{path}`")


def require_sorted(values: Iterable[float], where: str, field: str) -> None:
    """Check that ``field`` never decreases along the list at ``where``."""
    last = -math.inf
    for index, value in enumerate(values):
        if value < last:
            raise InvalidInstance(
                f"Expected {field} {value} >= {last} of the entry before - at `{where}[{index}]`"
            )
        last = value
