"""Places at which a mutant could be noticed, and no others."""

from tests.mutants.places import Place, mutated, places, silent

CODE = '''"""Half 1 of 2."""
import dataclasses
from typing import TYPE_CHECKING

Names = list[str] | None
if TYPE_CHECKING:
    LIMIT = 3

@dataclasses.dataclass(frozen=True)
class Half:
    value: int | None = 7

    def of(self, other: "int | None") -> int | None:
        return other - 1 if other else self.value
'''


def test_types_and_flags_are_passed_over_and_values_are_not() -> None:
    hidden = silent(CODE)
    lines = CODE.splitlines()

    def is_hidden(line: int, text: str) -> bool:
        at = (line, lines[line - 1].index(text))
        return any(first <= at < last for first, last in hidden)

    assert is_hidden(5, "|")
    assert is_hidden(7, "3")
    assert is_hidden(9, "True")
    assert is_hidden(11, "|")
    assert not is_hidden(11, "7")
    assert is_hidden(13, "-> int |"[3:])
    assert not is_hidden(14, "- 1")


def test_a_change_is_made_where_it_was_found(tmp_path) -> None:
    (tmp_path / "farkas").mkdir()
    (tmp_path / "farkas" / "half.py").write_text(CODE)
    found = places(tmp_path, "half.py")
    texts = [mutated(CODE, place) for places_ in found.values() for place in places_]
    lines = set(CODE.splitlines())
    changes = {line for text in texts if text for line in text.splitlines() if line not in lines}
    assert "        return other + 1 if other else self.value" in changes
    assert "        return (other) if other else self.value" in changes
    assert "        return (self.value)" in changes
    assert "    value: int | None = 8" in changes
    assert not any("TYPE" in change or "frozen" in change for change in changes)
    assert mutated(CODE, Place("half.py", 1, 0, "core/AddNot", 99)) is None


def test_what_is_no_module_is_no_mutant():
    code = "def half(value, *, of=2):\n    return value // of\n"
    star = Place("half.py", 1, 16, "core/ReplaceBinaryOperator_Mul_Add", 0)
    changed = mutated(code, star)
    assert changed is None or "*," in changed
