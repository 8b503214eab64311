"""Random instances with the published settings of each kind, one module a kind.

A module ``<kind>`` holds ``Published`` (a `Settings` whose defaults are the published values, with
every unpublished choice under a name of its own), ``PRESETS`` (changes by preset name) and
``draw(settings, rng)``, which returns the fields of the instance.  A kind of another distribution
has the same in the module ``generate`` of its package.
"""

import importlib
import pkgutil
import sys
from types import ModuleType, NoneType
from typing import Any

import numpy as np

from farkas.errors import InvalidOption, UnknownName, require_seed, require_type
from farkas.instances.base import Instance
from farkas.instances.files import kind_class
from farkas.instances.options import Settings
from farkas.registry import load_outside, outside_kinds


def generate(
    kind: str, preset: str = "published", seed: int = 0, *, name: str | None = None, **settings: Any
) -> Instance:
    """Draw an instance; the same arguments give the same instance on every machine.

    Parameters
    ----------
    kind
        For example ``"mlbroker"``.
    preset
        ``"published"``, ``"small"`` or another of `presets`.
    seed
        Seed of the numpy generator, >= 0.
    name
        Name of the instance; kind, preset and seed if left out.
    settings
        Changes on top of the preset, see `settings_of`.

    Raises
    ------
    UnknownName
        The kind has no generator.
    InvalidOption
        The preset or a setting does not exist, or a value is impossible.
    """
    require_type(kind, str, "kind")
    require_type(preset, str, "preset")
    require_type(name, (str, NoneType), "name")
    require_seed(seed)
    module = _module(kind)
    changes = _preset(kind, module, preset)
    chosen = module.Published.given(f"generator {kind}", {**changes, **settings})
    try:
        with np.errstate(over="raise"):
            fields = module.draw(chosen, np.random.default_rng(seed))
    except (FloatingPointError, OverflowError) as error:
        message = f"generator {kind}: a number is too large: {error}; give smaller settings"
        raise InvalidOption(message) from None
    return kind_class(kind).build(
        name=name or f"{kind}-{preset}-{seed}",
        seed=seed,
        description=f"generated, preset {preset}, seed {seed}, settings {chosen.text()}",
        **fields,
    )


def generators() -> list[str]:
    """Kinds of this package that have a generator."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def presets(kind: str) -> list[str]:
    """Names of the presets of a kind."""
    return ["published", *sorted(_module(kind).PRESETS)]


def settings_of(kind: str, preset: str = "published") -> Settings:
    """Return the settings of a preset, by name and with their values."""
    module = _module(kind)
    chosen: Settings = module.Published.given(f"generator {kind}", _preset(kind, module, preset))
    return chosen


def _module(kind: str) -> ModuleType:
    if kind in generators():
        return importlib.import_module(f"{__name__}.{kind}")
    if kind in outside_kinds():
        load_outside(kind)
        name = f"{outside_kinds()[kind]}.generate"
        if name in sys.modules:
            return sys.modules[name]
    raise UnknownName.of("generator", kind, generators())


def _preset(kind: str, module: ModuleType, preset: str) -> dict[str, Any]:
    known: dict[str, dict[str, Any]] = {"published": {}, **module.PRESETS}
    if preset not in known:
        raise InvalidOption.near(f"generator {kind} has no preset {preset!r}", preset, known)
    return known[preset]
