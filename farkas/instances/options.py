"""Settings given by name: checked like instance fields, misspellings answered with the nearest."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import msgspec

from farkas.errors import InvalidInstance, InvalidOption
from farkas.instances.base import Count, Nonnegative, Positive, plain_value
from farkas.messages import named, shown
from farkas.messages.refusals import parsed

S = TypeVar("S", bound="Settings")
N = TypeVar("N", int, float)
Range = tuple[float, float]  #: Lowest and highest value of a uniform draw.
#: Lowest and highest value, both included, of a uniform draw of integers.
WholeRange = tuple[int, int]
NonnegativeRange = tuple[Nonnegative, Nonnegative]
PositiveRange = tuple[Positive, Positive]
CountRange = tuple[Count, Count]
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Units = Annotated[int, msgspec.Meta(ge=0, le=10**6)]
UnitRange = tuple[Units, Units]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Named settings with defaults; subclasses list them as fields."""

    @classmethod
    def given(cls: type[S], what: str, values: Mapping[str, Any]) -> S:
        """Return the defaults with ``values`` on top, by name.

        Raises `InvalidOption`, which begins with ``what``: a name is unknown (the message names the
        nearest) or a value impossible.
        """
        for name in values:
            if name not in cls.__struct_fields__:
                wrong = f"{what} has no setting {shown(name)}"
                raise InvalidOption.near(wrong, name, cls.__struct_fields__)
        for field in msgspec.structs.fields(cls):
            word = values.get(field.name)
            choices = get_args(field.type) if get_origin(field.type) is Literal else ()
            if choices and isinstance(word, str) and word not in choices:
                wrong = f"{what}: {field.name} is one of {', '.join(choices)}, not {named(word)}"
                raise InvalidOption(wrong)
        try:
            plain = {name: plain_value(value, f"$.{name}") for name, value in values.items()}
            settings = msgspec.convert(plain, cls)
        except (msgspec.ValidationError, InvalidInstance) as error:
            raise InvalidOption(f"{what}: {_refused(parsed(error), values)}") from None
        settings.check(what)
        return settings

    def check(self, what: str) -> None:
        """Check what types cannot say; as it stands, that every pair of numbers is a range."""
        for name in self.__struct_fields__:
            self.check_ranges(name, what)

    def check_ranges(self, name: str, what: str) -> None:
        """Refuse a pair of numbers in one setting that runs backwards."""
        _check_ranges(getattr(self, name), f"{what}: {name}")

    def text(self) -> str:
        """All settings as one line of JSON, for descriptions."""
        return msgspec.json.encode(self).decode()


def _refused(text: str, values: Mapping[str, Any]) -> str:
    """Name the setting and its value where a decoder names a path; a deeper path stays."""
    words, at, path = text.partition(" - at `$.")
    name = re.split(r"\W", path)[0]
    if not at or name not in values:
        return text
    said = words[:1].lower() + words[1:]
    unit = " (seconds)" if name.endswith("_seconds") else ""
    deeper = "" if path in (f"{name}`", f"{name}[...]`") else f"{at}{path}"
    return f"{name} = {shown(values[name], 40)}; {said}{unit}{deeper}"


def _check_ranges(value: Any, where: str) -> None:
    """Refuse a pair that runs backwards, at any depth of the lists."""
    if not isinstance(value, tuple):
        return
    if len(value) == 2 and all(isinstance(end, int | float) for end in value):
        if value[0] > value[1]:
            raise InvalidOption(f"{where} = [{value[0]}, {value[1]}]; the lower end comes first")
    else:
        for index, item in enumerate(value):
            _check_ranges(item, f"{where}[{index}]")


def by_name(given: N | dict[str, N], name: str, what: str) -> N:
    """Return one number for all names, or that of ``name``; raises `InvalidOption` without one."""
    if not isinstance(given, dict):
        return given
    if name not in given:
        raise InvalidOption.near(f"{what} of {named(name)} is not given", name, given)
    return given[name]


def require_option(condition: bool, message: str) -> None:
    """Raise `InvalidOption` with ``message`` unless ``condition`` holds."""
    if not condition:
        raise InvalidOption(message)
