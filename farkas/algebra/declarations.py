"""Parameters and variables, and the namespace in which a program declares them."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from farkas.algebra.cells import Cells
from farkas.algebra.expressions import Linear, Term
from farkas.algebra.formulation import Family, Rule
from farkas.algebra.sets import Members, Set, locate_product
from farkas.errors import RuleError, UnknownName
from farkas.forms import Axis, Block
from farkas.numbers import Floats

_WORDS = """
Skip activate active active_blocks active_component_data active_components add_component
all_blocks all_component_data all_components block_data_objects clear clear_suffix_value clone
cname collect_ctypes component component_data_iterindex component_data_objects component_map
component_objects compute_statistics config construct contains_component create_instance ctype
deactivate del_component dim display doc find_component fix_all_vars get_suffix_value getname
id_index_map index index_set is_component_type is_constructed is_expression_type is_indexed
is_logical_type is_named_expression_type is_numeric_type is_parameter_type is_reference
is_variable_type items iteritems iterkeys itervalues keys load local_name model name
nconstraints nobjectives nvariables parent_block parent_component pprint preprocess private_data
reclassify_component_type reconstruct register_private_data_initializer root_block
set_suffix_value set_value solutions statistics to_dense_data transfer_attributes_from type
unfix_all_vars valid_model_component valid_problem_types values write
"""

RESERVED = frozenset(_WORDS.split())


def _over_product(value: npt.ArrayLike, shape: tuple[int, ...], what: str) -> Floats:
    array = np.asarray(value, dtype=np.float64)
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise RuleError(f"{what} has shape {array.shape}, its sets have {shape}") from None


def _key(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


class Param:
    """Numbers over a product of sets.

    Parameters
    ----------
    sets
        Index sets, outermost first; none for a single number, which rules use as ``m.name``.
    values
        Shape (len(set), ...), broadcast if needed; a tuple set counts as one dimension.
    """

    def __init__(self, *sets: Set, values: npt.ArrayLike) -> None:
        self.sets = sets
        self.raw = values
        self.name = ""
        self.values: Floats = np.zeros(0)

    def declared(self, name: str) -> None:
        """Take the name and check the shape."""
        self.name = name
        shape = tuple(len(s) for s in self.sets)
        self.values = _over_product(self.raw, shape, f"parameter {name}")
        if np.isnan(self.values).any():
            raise RuleError(f"parameter {name} holds NaN")

    def __getitem__(self, key: Any) -> Cells:
        where = locate_product(self.sets, _key(key), self.name)
        # C order of the broadcast view is the order of positions
        return Cells(self.values.reshape(-1)[where.values], where.dims)


class Var:
    """Variables over a product of sets.

    Parameters
    ----------
    sets
        Index sets, outermost first; none for a single variable, which rules use as ``m.name``.
    lower, upper
        Bounds; a number or an array of shape (len(set), ...).  The default is nonnegative.
    integer
        Whether the variable takes whole numbers only.
    binary
        Short for ``integer=True, upper=1``.
    implied_lower, implied_upper
        Bounds that some optimal point satisfies although no solver needs to be told; they make
        proofs finite.  Give ``reason``.
    reason
        Why ``upper`` or the implied bounds lose nothing.
    initial
        Value to begin with, for the solvers that Pyomo drives; None where it is of no use.
    doc
        One sentence: meaning and unit.
    """

    def __init__(
        self,
        *sets: Set,
        lower: npt.ArrayLike = 0.0,
        upper: npt.ArrayLike = np.inf,
        integer: bool = False,
        binary: bool = False,
        implied_lower: npt.ArrayLike | None = None,
        implied_upper: npt.ArrayLike | None = None,
        reason: str = "",
        initial: float | None = None,
        doc: str = "",
    ) -> None:
        self.sets = sets
        self.integer = integer or binary
        self.doc = doc
        self.reason = reason
        self.initial = initial
        if binary:
            upper = np.minimum(upper, 1.0)
        self.raw = {"lower": lower, "upper": upper}
        self.raw_implied = {"lower": implied_lower, "upper": implied_upper}
        if any(v is not None for v in self.raw_implied.values()) and not reason:
            raise RuleError("implied bounds need a reason")
        self.name = ""
        self.start = 0
        self.bounds: dict[str, Floats] = {}
        self.implied: dict[str, Floats] = {}

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(s) for s in self.sets)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def binary(self) -> bool:
        """Whether every one of the variables is 0 or 1 by declaration."""
        low, high = self.bounds["lower"], self.bounds["upper"]
        return bool(self.integer and self.size and (low >= 0).all() and (high <= 1).all())

    @property
    def axes(self) -> tuple[Axis, ...]:
        return tuple(s.axis for s in self.sets)

    @property
    def block(self) -> Block:
        return Block(self.name, "", self.start, self.axes, self.doc)

    def declared(self, name: str, start: int) -> None:
        """Take name and first column, and check the shapes."""
        self.name, self.start = name, start
        for side, value in self.raw.items():
            self.bounds[side] = _over_product(value, self.shape, f"{side} bound of {name}")
        for side, implied in self.raw_implied.items():
            if implied is not None:
                what = f"implied {side} bound of {name}"
                self.implied[side] = _over_product(implied, self.shape, what)
        if (self.bounds["lower"] > self.bounds["upper"]).any():
            raise RuleError(f"variable {name} has a lower bound above its upper bound")

    def __getitem__(self, key: Any) -> Linear:
        where = locate_product(self.sets, _key(key), self.name)
        columns = (where.values + self.start).astype(np.int32)
        return Linear((Term(1.0, Cells(columns, where.dims)),))


Declared = Members | Param | Var


class Declarations:
    """The ``m`` of :meth:`Program.declare` and of traced rules.

    Assigning an attribute declares it; reading gives it back.  In rules, a parameter or variable
    without index sets reads as its number or expression.
    """

    def __init__(self) -> None:
        object.__setattr__(self, "_items", {})
        object.__setattr__(self, "_reading", False)

    _items: dict[str, Declared]
    _reading: bool

    def __setattr__(self, name: str, value: object) -> None:
        if self._reading:
            raise RuleError(f"a rule assigns m.{name}; declare everything in declare()")
        if name in self._items:
            raise RuleError(f"{name} is declared twice")
        if name in RESERVED:
            raise RuleError(f"Pyomo keeps the name m.{name} for itself; choose another")
        if isinstance(value, Members):
            value.name = value.name or name
            if isinstance(value, Set):
                value.check_unique()
        elif isinstance(value, Param):
            value.declared(name)
        elif isinstance(value, Var):
            value.declared(name, self.num_columns)
        else:
            raise RuleError(
                f"m.{name} is a {type(value).__name__}; declare a Set, IndexedSet, Param or Var"
            )
        self._items[name] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._items:
            raise UnknownName.of("declaration", f"m.{name}", [f"m.{n}" for n in self._items])
        item = self._items[name]
        if self._reading and isinstance(item, Param | Var) and not item.sets:
            return float(item.values) if isinstance(item, Param) else item[()]
        return item

    def __contains__(self, name: str) -> bool:
        return name in self._items

    def read_only(self) -> None:
        """Switch from declaring to reading by rules."""
        object.__setattr__(self, "_reading", True)

    def each(self) -> list[tuple[str, Declared]]:
        """Names and objects in order of declaration."""
        return list(self._items.items())

    @property
    def variables(self) -> list[Var]:
        return [v for v in self._items.values() if isinstance(v, Var)]

    @property
    def num_columns(self) -> int:
        return sum(v.size for v in self.variables)

    def sets_of(self, names: tuple[str, ...]) -> list[Set]:
        """Index sets of a family by name."""
        found = []
        for name in names:
            item = self._items.get(name)
            if not isinstance(item, Set):
                sets = [n for n, i in self._items.items() if isinstance(i, Set)]
                raise UnknownName.of("index set", name, sets)
            found.append(item)
        return found


class Expression(Family):
    """A named expression: label, index sets and a rule that returns an expression."""

    named = True


def expression(label: str, *sets: str) -> Callable[[Rule], Expression]:
    """Make a method of a :class:`PyomoProgram` a named expression, which rules use as ``m.name``.

    ``label`` is empty where the source does not number it.
    """
    return lambda rule: Expression(label, sets, rule, None)
