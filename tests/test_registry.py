"""A name loads what belongs to its owner, and nothing else."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path

import pytest

from farkas import registry
from farkas.errors import OutsideKindProblem, UnknownName
from farkas.instances import library
from farkas.models.coded.kernel import Pairs
from farkas.models.gadget.forest import forest
from farkas.registry import Registry, load_package, load_part, once

MODULE = """
from shelf import things
things.add("{name}", "{name}")
"""


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[str]:
    """Registry of a package with the owners ``ant`` (two modules), ``antler`` and ``bee``."""
    package = tmp_path / "shelf"
    package.mkdir()
    (package / "__init__.py").write_text(
        'from farkas.registry import Registry\nthings = Registry("thing", "shelf")\n'
    )
    for module, name in {
        "ant": "ant.small",
        "ant_more": "ant.large",
        "antler": "antler.bone",
        "bee": "bee.wing",
    }.items():
        (package / f"{module}.py").write_text(MODULE.format(name=name))
    monkeypatch.syspath_prepend(str(tmp_path))
    import shelf

    yield shelf.things
    for name in [name for name in sys.modules if name.partition(".")[0] == "shelf"]:
        del sys.modules[name]


def loaded() -> set[str]:
    return {name for name in sys.modules if name.startswith("shelf.")}


def test_a_name_loads_the_module_that_a_table_names_and_no_other(shelf: Registry[str]) -> None:
    sys.modules["shelf"].HOMES = {"ant.large": "ant_more"}
    assert shelf["ant.large"] == "ant.large"
    assert loaded() == {"shelf.ant_more"}
    assert shelf.names("ant.") == ["ant.large", "ant.small"]


def test_a_name_loads_the_module_of_that_name_in_the_package_of_its_owner(
    shelf: Registry[str], tmp_path: Path
) -> None:
    for module in ("__init__", "tusk", "trunk"):
        file = tmp_path / "shelf" / "elephant" / f"{module}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text("" if module == "__init__" else MODULE.format(name=f"elephant.{module}"))
    assert shelf["elephant.tusk"] == "elephant.tusk"
    assert loaded() == {"shelf.elephant", "shelf.elephant.tusk"}
    assert shelf["elephant.trunk"] == "elephant.trunk"


def test_a_name_without_a_module_loads_all_modules_of_its_owner(
    shelf: Registry[str], tmp_path: Path
) -> None:
    # antler begins with the same letters and belongs to somebody else
    computed = MODULE.replace('"{name}", "{name}"', '"ant." + "huge", 3')
    (tmp_path / "shelf" / "ant_huge.py").write_text(computed)
    assert shelf["ant.huge"] == 3
    assert loaded() == {"shelf.ant", "shelf.ant_more", "shelf.ant_huge"}


def test_a_part_says_whether_there_is_one(shelf: Registry[str]) -> None:
    assert load_part("shelf", "ant")
    assert not load_part("shelf", "an")
    assert loaded() == {"shelf.ant", "shelf.ant_more"}
    load_package("shelf")
    assert loaded() == {"shelf.ant", "shelf.ant_more", "shelf.antler", "shelf.bee"}


def test_names_of_a_prefix_load_its_owner_only(shelf: Registry[str]) -> None:
    assert shelf.names("bee.") == ["bee.wing"]
    assert loaded() == {"shelf.bee"}
    assert shelf.names() == ["ant.large", "ant.small", "antler.bone", "bee.wing"]
    assert shelf.names("ant") == ["ant.large", "ant.small", "antler.bone"]


def test_asking_for_what_an_owner_does_not_have_loads_nobody_else(shelf: Registry[str]) -> None:
    assert "bee.sting" not in shelf
    assert shelf.get("bee.sting") is None
    assert 3 not in shelf
    assert loaded() == {"shelf.bee"}


def test_an_unknown_name_is_answered_with_the_nearest_of_its_owner(shelf: Registry[str]) -> None:
    with pytest.raises(UnknownName, match=r"unknown thing 'bee.wings'; did you mean bee.wing\?"):
        shelf["bee.wings"]
    with pytest.raises(UnknownName, match=r"thing 'ant.bone'; known: ant.large, ant.small$"):
        shelf["ant.bone"]
    assert loaded() == {"shelf.ant", "shelf.ant_more", "shelf.bee"}


def test_an_unknown_name_without_an_owner_is_answered_with_the_nearest_of_all(
    shelf: Registry[str],
) -> None:
    for wrong in ("antlr.bone", "bone"):
        with pytest.raises(UnknownName, match=r"did you mean antler.bone\?"):
            shelf[wrong]


def test_a_name_of_nobody_looks_everywhere(shelf: Registry[str]) -> None:
    shelf.add("stray", "a thing without an owner")
    assert shelf["stray"]
    assert "cat" not in shelf
    assert len(shelf) == len(list(shelf)) == 5


def test_two_things_of_one_name_are_refused_and_the_same_thing_is_not(
    shelf: Registry[str],
) -> None:
    thing = "one object"
    assert shelf.add("bee.x", thing) is shelf.add("bee.x", thing) is thing
    with pytest.raises(ValueError, match=r"two things are called 'bee\.x'"):
        shelf.add("bee.x", "another object")
    assert shelf.register("bee.y")(thing) is thing


def test_a_module_that_fails_is_tried_again(shelf: Registry[str], tmp_path: Path) -> None:
    broken = tmp_path / "shelf" / "cow.py"
    broken.write_text("raise RuntimeError('not yet')\n")
    with pytest.raises(RuntimeError, match="not yet"):
        shelf.get("cow.milk")
    broken.write_text(MODULE.format(name="cow.milk"))
    sys.modules.pop("shelf.cow", None)
    assert shelf["cow.milk"] == "cow.milk"


def test_the_package_of_an_outside_kind_is_imported_once_it_is_asked_for(
    shelf: Registry[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outsider"
    outside.mkdir()
    (outside / "__init__.py").write_text(MODULE.format(name="owl.eye"))
    monkeypatch.setattr(registry, "outside_kinds", lambda: {"owl": "outsider", "elk": "absent"})
    assert "outsider" not in sys.modules
    assert shelf["owl.eye"] == "owl.eye"
    with pytest.raises(OutsideKindProblem, match="kind 'elk': absent cannot be imported"):
        shelf.get("elk.horn")
    del sys.modules["outsider"]


class Thing:
    def __init__(self, size: int) -> None:
        self.size = size

    def __eq__(self, other: object) -> bool:  # equal things must still be told apart
        return isinstance(other, Thing)

    __hash__ = None  # and never hashed


def test_an_object_is_looked_at_once_and_equal_ones_are_told_apart() -> None:
    seen = []

    @once
    def doubled(thing: Thing) -> int | None:
        seen.append(thing.size)
        return 2 * thing.size or None

    one, other, none = Thing(1), Thing(2), Thing(0)
    assert [doubled(one), doubled(other), doubled(none)] == [2, 4, None]
    assert [doubled(one), doubled(other), doubled(none)] == [2, 4, None]  # also nothing is kept
    assert seen == [1, 2, 0]


def test_results_die_with_their_object_and_never_answer_for_a_later_one() -> None:
    kept = []

    @once
    def box(thing: Thing) -> Thing:
        made = Thing(thing.size)
        kept.append(weakref.ref(made))
        return made

    for size in range(200):  # addresses of the dead are used again
        assert box(Thing(size)).size == size
    gc.collect()
    assert [found() for found in kept] == [None] * 200


def test_instances_carry_no_results_of_other_modules() -> None:
    data, cluster = library.load("coded/demo"), library.load("gadget/demo")
    assert Pairs.of(data) is Pairs.of(data)
    assert forest(cluster) is forest(cluster)
    assert not {"_pairs", "_forest"} & (set(vars(data)) | set(vars(cluster)))
