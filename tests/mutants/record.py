"""What is kept of mutants in ``tests/recorded/mutants.json``."""

import msgspec

from farkas.files import require_single
from tests.tools.shared import ROOT

KEPT = ROOT / "tests" / "recorded" / "mutants.json"


class Survivor(msgspec.Struct):
    """A change that no test of its folder notices."""

    #: line, operator, change: where, what kind, and the line before and after.
    line: int
    operator: str
    change: str
    equivalent: str = ""  #: Why no test could notice, written by hand; "" where one could.
    #: Why nothing false can come of it, though a test could notice: it decides how tight a bound
    #: is, how long something takes or how a sentence reads.
    effort: str = ""


class Module(msgspec.Struct):
    """Score of a module: mutants there are, those tried, those noticed, and the others."""

    mutants: int
    tried: int
    killed: int
    survivors: list[Survivor]


class Folder(msgspec.Struct):
    """Scores of a folder's modules."""

    seeds: list[int] = []  #: Of the draws; none if all mutants were tried.
    #: Noticed and tried of the last draw as it was drawn, before tests were sharpened by it.
    fresh: tuple[int, int] | None = None
    modules: dict[str, Module] = {}  #: What is noticed now, by module.

    @property
    def tried(self) -> int:
        """Mutants that were tried."""
        return sum(module.tried for module in self.modules.values())

    @property
    def killed(self) -> int:
        """Those that a test noticed."""
        return sum(module.killed for module in self.modules.values())

    @property
    def survivors(self) -> list[Survivor]:
        """Those that none did."""
        return [survivor for module in self.modules.values() for survivor in module.survivors]

    @property
    def equivalent(self) -> int:
        """Survivors that no test could notice."""
        return sum(survivor.equivalent != "" for survivor in self.survivors)

    @property
    def score(self) -> float:
        """Share noticed of what could be noticed."""
        return self.killed / max(self.tried - self.equivalent, 1)


class Record(msgspec.Struct):
    """Everything that is kept: folders, and which changes by hand were noticed by which test."""

    folders: dict[str, Folder] = {}
    by_hand: dict[str, str] = {}


def read() -> Record:
    """The record; an empty one if there is none."""
    if not KEPT.exists():
        return Record()
    content = KEPT.read_bytes()
    require_single(content, KEPT.name)  # a module that stands twice would lose a score in silence
    return msgspec.json.decode(content, type=Record)


def write(record: Record) -> None:
    """Keep a record."""
    KEPT.write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")
