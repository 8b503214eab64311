"""Changes of our own: each of them in its place, and the module stays one."""

import ast

import pytest

from tests.mutants.edits import applied, edits

CODE = '''def side(low, high, sizes, up):
    """Ends."""
    if low > high:
        raise ValueError("é")
    ends = "é", up(low) + min(high, 1)
    return max(ends) if low and high else np.floor(sizes)
'''


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("NeverIf", "if (False):"),
        ("DropTerm", 'ends = "é", (up(low))'),
        ("DropTerm", 'ends = "é", (min(high, 1))'),
        ("Unwrap", "(low) + min(high, 1)"),
        ("Opposite", "(down)(low)"),
        ("Opposite", "(max)(high, 1)"),
        ("Opposite", "(np.ceil)(sizes)"),
        ("DropCondition", "if ((high)) else"),
        ("DropCondition", "if ((low)) else"),
        ("OneBranch", "return (max(ends))"),
        ("OneBranch", "return (np.floor(sizes))"),
    ],
)
def test_every_kind_of_change_is_made_in_its_place(name, text):
    found = [applied(CODE, edit) for edit in edits(CODE) if edit.name == f"own/{name}"]
    assert any(text in changed for changed in found)
    for changed in found:
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(CODE))
        assert (
            sum(a != b for a, b in zip(changed.splitlines(), CODE.splitlines(), strict=True)) == 1
        )
