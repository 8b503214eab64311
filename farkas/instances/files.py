"""Instance files: read strictly, write canonically, one kind's module loaded at a time."""

import functools
import importlib
import os
import pkgutil
from collections.abc import Iterator, Mapping
from typing import Literal, TypeVar

import msgspec

import farkas.instances as package
from farkas import files
from farkas.errors import FileProblem, InvalidInstance, OutsideKindProblem, UnknownName
from farkas.instances.base import Instance
from farkas.messages import named

# Modules of this package that are no kind.  Everything else here is one.
SHARED_MODULES = frozenset(
    {"base", "files", "options", "rounding", "utilities", "variates", "writing"}
)
T = TypeVar("T")


class Header(msgspec.Struct, frozen=True):
    """The two fields that say how to read the rest."""

    farkas: Literal[1]
    kind: str


@functools.cache
def own_kinds() -> tuple[str, ...]:
    """Names of the kinds of this package; finds their modules without importing them."""
    return tuple(
        sorted(
            module.name
            for module in pkgutil.iter_modules(package.__path__)
            if not module.ispkg and module.name not in SHARED_MODULES
        )
    )


def kinds() -> list[str]:
    """Names of all kinds, also of those that other distributions bring."""
    return sorted({*own_kinds(), *_outside_kinds()})


def _outside_kinds() -> Mapping[str, str]:
    from farkas.registry import outside_kinds  # here: own kinds need no entry points

    return outside_kinds()


def require_kind(kind: str) -> str:
    """Return ``kind``; raises `UnknownName` when there is none of that name."""
    if kind in own_kinds():
        return kind
    from farkas.errors import require_type

    require_type(kind, str, "kind")
    if kind not in _outside_kinds():
        raise UnknownName.of("kind", kind, kinds())
    return kind


def kind_class(kind: str) -> type[Instance]:
    """Return the instance class of ``kind``, importing its module (or its package) only.

    Raises `UnknownName`: no kind has that name; `OutsideKindProblem`: the package that brings the
    kind defines no instance class for it.
    """
    require_kind(kind)
    if kind in own_kinds():
        importlib.import_module(f"{package.__name__}.{kind}")
    else:
        from farkas.registry import load_outside

        load_outside(kind)
    for found in _subclasses(Instance):
        if found.__struct_config__.tag == kind:
            return found
    whose = _outside_kinds().get(kind, package.__name__)
    raise OutsideKindProblem(f"kind {kind!r}: {whose} defines no Instance with tag={kind!r}")


def _subclasses(cls: type[Instance]) -> Iterator[type[Instance]]:
    for found in cls.__subclasses__():
        yield found
        yield from _subclasses(found)


def read(path: str | os.PathLike[str]) -> Instance:
    """Read an instance file of any kind.

    Raises `FileProblem`: the file is missing, no regular file, unreadable, too large, or not JSON;
    `InvalidInstance`: a field is missing, unknown, of a wrong type, or breaks a rule of the kind.
    """
    return read_bytes(files.read_record(path), source=named(os.fspath(path)))


def read_bytes(data: bytes, source: str = "instance") -> Instance:
    """Read an instance from the bytes of a file; ``source`` begins every error message."""
    header = _decode(data, Header, source)
    try:
        require_kind(header.kind)
    except UnknownName as error:
        raise InvalidInstance(f"{source}: {error} - at `$.kind`") from None
    files.require_single(data, source, InvalidInstance)
    try:
        return _decode(data, kind_class(header.kind), source)
    except InvalidInstance as error:
        message = str(error)
        if message.startswith(f"{source}: "):
            raise
        raise InvalidInstance(f"{source}: {message}") from None


def _decode(data: bytes, wanted: type[T], source: str) -> T:
    try:
        return msgspec.json.decode(data, type=wanted)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        from farkas.messages.refusals import parsed

        if isinstance(error, msgspec.ValidationError):
            raise InvalidInstance(f"{source}: {parsed(error)}") from None
        raise FileProblem(f"{source}: is {parsed(error)}") from None
    except RecursionError:
        raise FileProblem(f"{source}: lists or objects are nested too deep") from None
