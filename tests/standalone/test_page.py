"""The page that checks in a browser: of one mind with `farkas check` and the stand-alone checker.

All files of a test are judged in one load of the page.
"""

from __future__ import annotations

import base64
import functools
import json
import random
from fractions import Fraction
from typing import Any

import msgspec
import pytest

import farkas
from farkas.api.proof_page import proof_page
from farkas.api.stand_alone import stand_alone
from farkas.certificates import certificate_types, check, from_json, to_json
from farkas.certificates.proof import rounded
from farkas.errors import FarkasError
from farkas.exact.solver import prove_form
from farkas.instances import library
from farkas.instances.writing import to_bytes
from farkas.solvers import Answer
from farkas.standalone.checker import Rejection, Vipr, check_certificate, parsed
from tests.fuzz import kinds, linear, trees, truth, vipr
from tests.fuzz.attack import change
from tests.generators.rational import random_integer
from tests.generators.trees import random_tree
from tests.generators.without_ends import ranges
from tests.standalone import test_edges as edges
from tests.standalone.test_checker import EQUAL, NAMES, plain
from tests.tools.browser import chromium

SEEDS = 250
"""Draws of every attack on certificates that hold their program."""

File = tuple[str, bytes]
SIDES = ("lower", "upper", "value")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "check.html"
    path.write_text(proof_page(), encoding="utf-8")
    with chromium() as browser:
        browser.address = path.as_uri()
        browser.open(browser.address)
        yield browser


def judged(page, *lots: list[File]) -> list[list[dict[str, Any]]]:
    """What the page says of lots of files, each dropped together."""
    found: list[list[dict[str, Any]]] = []
    for first in range(0, len(lots), 500):
        block = [
            [(name, base64.b64encode(content).decode()) for name, content in lot]
            for lot in lots[first : first + 500]
        ]
        found += page.run(f"""
            const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
            return {json.dumps(block)}.map((lot) =>
              farkasChecker.judge(lot.map(([name, text]) => ({{ name, bytes: bytes(text) }}))));
        """)
    for results in found:
        for one in results:
            assert one["words"].isprintable()
            assert "could not finish" not in one["words"]
            assert (one["verdict"] in ("proved", "empty")) == ("found" in one)
    return found


def expected(name: str, content: bytes) -> dict[str, Any] | None:
    """What the stand-alone checker proves, of trees `farkas check`; None where it refuses."""
    try:
        if name.endswith(".vipr"):
            return _plain(Vipr(content).check())
        tree = parsed(content)
        if isinstance(tree, dict) and tree.get("certificate") in ("tree", "unbounded"):
            proof = check(from_json(content))
            side = "lower" if proof.sense == "min" else "upper"
            said = {"infeasible": proof.infeasible, side: proof.bound, "value": proof.value}
            return _plain(said) | ({"unbounded": True} if proof.unbounded else {})
        return _plain(check_certificate(tree))
    except (Rejection, FarkasError):
        return None


def _plain(found: dict[str, Any]) -> dict[str, Any]:
    exact = {key: str(found[key]) for key in SIDES if found.get(key) is not None}
    more = {"implied": found.get("implied", 0), "tolerance": float(found.get("tolerance", 0))}
    return {"infeasible": found["infeasible"], **more, **exact}


def said(result: dict[str, Any]) -> dict[str, Any] | None:
    found = result.get("found")
    if found is None:
        return None
    unbounded = {"unbounded": True} if found.get("unbounded") else {}
    return _plain(found) | unbounded


def compare(page, files: list[File]) -> int:
    """Hold the page's verdict on every file against the others'; return how many are proved."""
    proved = 0
    for (name, content), (one,) in zip(
        files, judged(page, *([file] for file in files)), strict=True
    ):
        theirs = expected(name, content)
        assert said(one) == theirs, (content[:2000], one["words"])
        proved += theirs is not None
        for key, words, up in (("lower", "at least", False), ("upper", "at most", True)):
            shown = theirs and theirs.get(key)
            if shown:
                assert f"{words} {rounded(Fraction(shown), up=up)}" in one["words"]
    return proved


def drawn(attack: Any, seed: int) -> list[File]:
    """Files that an attack makes; what it says of them is not asked."""
    seen: list[File] = []
    suffix = "vipr" if attack is vipr.vipr else "json"

    def note(*words: Any) -> None:
        seen.append((f"file.{suffix}", words[-1]))

    where = {linear.linear: (linear, "agree"), vipr.vipr: (vipr, "checked")}
    module, name = where.get(attack, (trees, "verdict"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, note)
        for number in range(SEEDS):
            attack(random.Random(f"{seed}-{number}"))
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("attack", [linear.linear, vipr.vipr, trees.tree, trees.unbounded])
def test_attacked_files_have_the_verdict_of_the_other_checkers(page, attack):
    files = drawn(attack, 20261126)
    assert 20 < compare(page, files) < len(files) - 20


def stepped() -> list[File]:
    """Trees with ends, cuts, branches and gains; each step a hair stronger too, and changed."""
    files, rng = [], random.Random(7)
    for seed in range(60):
        made = random_tree(random_integer(seed), seed)
        if made is None:
            continue
        tree = json.loads(to_json(made))
        files.append(encoded(tree))
        way = 1 if tree["sense"] == "min" else -1
        files.append(encoded(tree | {"bound": str(Fraction(tree["bound"]) + way * edges.HAIR)}))
        for cut in tree["cuts"]:
            files.append(changed(tree, cut, "side", str(Fraction(cut["side"]) - edges.HAIR)))
            files.append(changed(tree, cut, "times", str(2 * Fraction(cut["times"]))))
            for part in ("across", "complemented", "rows", "terms"):
                if cut[part]:
                    files.append(changed(tree, cut, part, cut[part][1:]))
        for end in tree["ends"]:
            hair = -edges.HAIR if end[2] else edges.HAIR
            files.append(changed(tree, end, 3, str(Fraction(end[3]) + hair)))
            files.append(changed(tree, end, 2, not end[2]))
        for k in (0, len(tree["tree"]) - 1):
            files.append(encoded(tree | {"tree": tree["tree"][:k] + tree["tree"][k + 1 :]}))
        files += [encoded(change(rng, json.loads(json.dumps(tree)))) for _ in range(12)]
    return files


def changed(tree: Any, part: Any, key: Any, value: Any) -> File:
    """The file with one entry of a part of it changed; the tree stays."""
    before, part[key] = part[key], value
    made = encoded(tree)
    part[key] = before
    return made


@pytest.mark.slow
def test_every_step_of_a_tree_has_the_verdict_of_the_package(page):
    files = stepped()
    trees_of = [json.loads(content) for _, content in files]
    assert sum(bool(tree.get("cuts")) for tree in trees_of) > 300
    assert sum(len(tree.get("tree") or []) > 1 for tree in trees_of) > 300
    assert 200 < compare(page, files) < len(files) - 200


def without_ends() -> list[File]:
    """Trees whose cuts hold whole columns without ends, as they are and forged."""
    files = []
    for seed in range(60):
        made = prove_form(ranges(seed)[0], answer=Answer(solver="nobody")).certificate
        tree = json.loads(to_json(made))
        for cut in tree.get("cuts", []):
            files.append(encoded(tree))
            for shift in (-1, 1):
                files.append(changed(tree, cut, "side", str(Fraction(cut["side"]) + shift)))
            for times in (2, Fraction(1, 3)):  # coefficients need not stay whole
                divisor = str(Fraction(cut["divisor"]) * times)
                files.append(changed(tree, cut, "divisor", divisor))
            files.append(changed(tree, cut, "complemented", [0, 1]))
    return files


@pytest.mark.slow
def test_cuts_of_columns_without_ends_have_the_verdict_of_the_package(page):
    files = without_ends()
    assert 40 < compare(page, files) < len(files) - 40


def encoded(tree: Any) -> File:
    return "file.json", json.dumps(tree).encode()


def around() -> list[File]:
    """Claims that are proved and those one hair beyond, of bounds and rays."""
    files = []
    for of, multipliers, bound in edges.BOUNDS:
        hair = edges.HAIR if of["sense"] == "min" else -edges.HAIR
        files += [edges.linear(of, multipliers, claim) for claim in (bound, bound + hair)]
    for of, _ in edges.IMPLIED:
        files.append(edges.linear(of, [0.0] * of["data"]["rows"], -10))
    for sides, ray, gap in edges.RAYS:
        of = edges.program(edges.ONE, [5.0], offset=100.0, **sides)
        files += [edges.empty(of, ray, claim) for claim in (gap, gap + edges.HAIR, 0, -1)]
        files.append(edges.empty(of, [-y for y in ray], edges.HAIR))
    for (low, high), edge, beyond in edges.SIDES:
        column = edges.linear(edges.program([], [0.0], lower=[low], upper=[high]), [], 0)
        for x in (edge, edges.math.nextafter(edge, beyond)):
            files.append(column | edges.point([x], 0, edges.SHARE))
    for n in (1, 8, 9):
        of = edges.program([], [0.0] * n, lower=[-edges.INF] * n, upper=[1.0] * n, whole=[n - 1])
        for x in (0.5, 1.0):
            files.append(edges.linear(of, [], 0) | edges.point([0.5] * (n - 1) + [x], 0))
    return [encoded(one) for one in files]


def test_every_edge_has_the_verdict_of_the_other_checkers(page):
    files = around() + [encoded(edges.PLAIN | changes) for changes, *_ in edges.WRONG]
    files += [encoded(edges.resealed(edges.PLAIN, edit)) for edit, _ in edges.EDITS]
    files += [encoded(edges.with_data(edges.PLAIN, **changes)) for changes, *_ in edges.SIZES]
    files += [encoded(edges.multiplied(**changes)) for changes, *_ in edges.VECTORS]
    claims = [
        edges.file(objective=f"{way} 2 0 1 1 1", rows=(row,), solutions=solutions, claim=claim)
        for way, row, solutions, claim, _ in edges.CLAIMS
    ]
    steps = [
        edges.file(whole="INT 1 0", rows=(given,), steps=(edges.step(stated, reason),),
                   claim="range -inf inf")
        for given, stated, reason, _ in edges.ONE_STEP
    ]  # fmt: skip
    cases = [edges.two_cases(one, other) for one, other, _ in edges.CASES]
    files += [("file.vipr", text.encode()) for text in (*claims, *steps, *cases)]
    assert compare(page, files) > 50


def test_kind_and_options_must_agree_with_the_name_of_the_program(page):
    tree = json.loads(TREE)
    for certificate in (plain(), tree):
        files = [encoded(certificate | changes) for changes, _ in NAMES]
        compare(page, files)
        results = judged(page, *([file] for file in files))
        assert [one["verdict"] == "proved" for (one,) in results] == [right for _, right in NAMES]
    changes = {"program": "a.b[c]", "kind": "a", "options": {"\u202ex": "c"}}
    ((one,),) = judged(page, [encoded(plain() | changes)])
    with_ = '(kind "a", options "\\u202ex": "c")'
    assert f'the program that the file calls "a.b[c]" {with_} is at least' in one["words"]
    ((one,),) = judged(page, [encoded(plain() | changes | {"options": {"x" * 9999: "c"}})])
    assert len(one["words"]) < 600


@pytest.mark.parametrize(("sense", "shown"), [("min", "0.333333334"), ("max", "0.333333333")])
def test_what_a_point_reaches_is_rounded_to_its_own_side(page, sense, shown):
    of = edges.program([], [1.0], lower=[0.0], upper=[1.0], sense=sense)
    reached = edges.point([1 / 3], Fraction(1 / 3))
    ((one,),) = judged(page, [encoded(edges.linear(of, [], int(sense == "max")) | reached)])
    assert one["words"].endswith(f"A point that satisfies it exactly reaches {shown}.")


def test_implied_bounds_that_are_used_are_called_the_files_word(page):
    (of, _), *_ = edges.IMPLIED
    used = encoded(edges.linear(of, [0.0] * of["data"]["rows"], -10))
    lots = [[used], [encoded(plain())]]
    (one,), (other,) = judged(page, *lots)
    assert [file["found"]["implied"] > 0 for file in (one, other)] == [True, False]
    for file in (one, other):
        said = any("implied bounds is the file's word" in note for note in file["notes"])
        assert said == (file["found"]["implied"] > 0)


GOOD = json.dumps(plain())
TREE = trees.known(trees.numbers("tree")[0])[1]
HOSTILE = [
    "", "[]", "3", "nul", "null", '{"certificate": "linear"}', '{"certificate": ["linear"]}',
    "\ufeff" + GOOD, GOOD + "x", GOOD + GOOD, GOOD[:-1], "[" * 10**5, '{"a":' * 10**5,
    GOOD.replace('"min"', '"min", "sense": "min"'), GOOD.replace('"min"', '"max"'),
    GOOD.replace('"sense"', '"s\\u0065nse"').replace("{", '{"sense": "max", ', 1),
    GOOD.replace('"sense"', '"\u0455ense"'), GOOD.replace('"linear"', '"line\u0430r"'),
    GOOD.replace("{", '{"__proto__": {"bound": "-5"}, ', 1),
    GOOD.replace("{", '{"constructor": 1, ', 1),
    GOOD.replace('"offset": 0.0', '"offset": NaN'),
    GOOD.replace('"offset": 0.0', '"offset": 1e400'),
    GOOD.replace('"offset": 0.0', '"offset": -Infinity'),
    GOOD.replace('"offset": 0.0', '"offset": 1e-400'),
    GOOD.replace('"offset": 0.0', '"offset": 0x0'), GOOD.replace('"offset": 0.0', '"offset": .0'),
    GOOD.replace('"offset": 0.0', '"offset": 00'), GOOD.replace('"offset": 0.0', '"offset": -0'),
    GOOD.replace('"offset": 0.0', '"offset": 5e-324'),
    GOOD.replace('"size": 2', '"size": 2.0'), GOOD.replace('"size": 2', '"size": 2e0'),
    GOOD.replace('"size": 2', '"size": 18446744073709551618'),
    GOOD.replace('"rows": 2', '"rows": 4294967298'), GOOD.replace('"rows": 2', '"rows": true'),
    GOOD.replace('"exponent": ', '"exponent": 9007199254740993'), "9" * 5000,
    *(GOOD.replace('"options": {}', f'"options": {{"x": {sign}{"9" * digits}}}')
      for sign in ("", "-") for digits in (4299, 4300, 4301)),
    GOOD.replace('"bound": "', '"bound": "\u2212'), GOOD.replace('"bound": "', '"bound": " '),
    GOOD.replace('"bound": "', '"bound": "+'), GOOD.replace('"bound": "', '"bound": "0'),
    GOOD.replace('"program": "small"', '"program": "\\ud800"'),
    GOOD.replace('"program": "small"', '"program": "\\ud83d\\ude00"'),
    GOOD.replace('"program": "small"', '"program": "a\\nb"'),
    GOOD.replace('"program": "small"', '"program": "a\tb"'),
    GOOD.replace('"program": "small"', '"program": "' + 200 * "\U0001f600" + '"'),
    GOOD.replace('"program": "small"', '"program": "' + 201 * "x" + '"'),
    GOOD.replace('"form": "', '"form": "0'), GOOD.replace('"form": "', '"form": "\\u0000'),
    GOOD.replace(", ", ",\u00a0"), GOOD.replace(", ", ",\r\n\t "), GOOD.replace(", ", ",\x0b"),
    GOOD.replace('"', "'"), "\x00" + GOOD, GOOD + " \n",
    TREE, TREE.replace('"gain":"', '"gain":"-'), TREE.replace('"tree":[', '"tree":[0,'),
    TREE.replace('"ray":', '"ray":1,"x":'),
    TREE.replace('"numbers":"decimal"', '"numbers":"binary"'),
    TREE.replace('"certificate":"tree"', '"certificate":"unbounded"'),
    TREE.replace('"certificate":"tree"', '"certificate":"Tree"'),
]  # fmt: skip
"""What hostile writers put into JSON, most of it made from a certificate that is right."""


def test_hostile_text_has_the_verdict_of_the_other_checkers(page):
    files = [("file.json", text.encode("utf-8", "surrogatepass")) for text in HOSTILE]
    files.append(("file.json", GOOD.encode("utf-16")))
    files.append(("file.json", GOOD.replace("small", "sm\u00e4ll").encode("latin-1")))
    assert compare(page, files) == 8
    alike = [
        one.replace("1.0", one_more) for one in [EQUAL] for one_more in ("1\uff0e0", "\u0661.0")
    ]
    assert compare(page, [("file.vipr", one.encode()) for one in alike]) == 0


@functools.cache
def honest() -> list[tuple[str, Any, bytes]]:
    """One certificate of every type that holds no program."""
    return [(tag, *kinds.honest(tag, 0)) for tag in sorted(kinds.TARGETS)]


def restated() -> list[tuple[str, Any, bytes]]:
    """What is written of them to stand alone, where that can be."""
    found = []
    for tag, instance, content in honest():
        try:
            found.append((tag, instance, stand_alone(from_json(content), instance).content))
        except FarkasError:
            continue
    return found


@pytest.mark.slow
def test_what_is_written_to_stand_alone_is_proved_with_its_instance(page):
    every = restated()
    assert {tag for tag, _, _ in every} == {"mlbroker_run", "priced_tree"}
    compare(page, [("alone.json", content) for _, _, content in every])
    lots = [
        [("alone.json", content), ("it.json", to_bytes(instance))] for _, instance, content in every
    ]
    other = to_bytes(truth.load("coded/dominant"))
    lots += [[("alone.json", content), ("other.json", other)] for _, _, content in every]
    results = judged(page, *lots)
    for (tag, instance, content), (alone, read) in zip(every, results, strict=False):
        assert alone["verdict"] == "proved", tag
        assert read["sha"] == alone["instance"] == instance.sha256
        assert any("states the hash" in note for note in alone["notes"])
        assert "not known here" in alone["lead"]
        assert alone["command"] == "farkas check alone.json --instance it.json"
        assert said(alone) == expected("alone.json", content)
    for alone, read in results[len(every) :]:
        if alone.get("instance") != read["sha"]:
            assert alone["verdict"] == "refused"
            assert alone["words"].startswith("the certificate names the instance")


@pytest.mark.slow
def test_what_holds_no_program_is_never_called_proved(page):
    names = {tag for tag, _, _ in honest()}
    assert names == set(certificate_types.names()) - {"linear", "infeasible", "tree", "unbounded"}
    run = msgspec.json.encode(farkas.run("dps/tiny", "dps.dps"))
    without = json.dumps({key: value for key, value in plain().items() if key != "data"}).encode()
    lots = [
        [(f"{tag}.json", content), ("it.json", to_bytes(one))] for tag, one, content in honest()
    ]
    results = judged(page, *lots, [("run.json", run)], [("bare.json", without)])
    for tag, (one, _) in zip(sorted(kinds.TARGETS), results, strict=False):
        assert one["verdict"] == "unchecked"
        assert one["words"].startswith("A certificate of type")
        alone = tag in {tag for tag, _, _ in restated()}
        assert ("--stand-alone" in one["command"]) == alone, tag
    assert results[-2][0]["verdict"] == "unchecked"
    words = results[-1][0]["words"]
    assert words.startswith(
        "the file.data: the file holds no program; farkas check FILE --instance"
    )


def test_a_file_that_is_not_checked_says_what_is_proved_beside_it_of_its_instance(page):
    tag, instance, alone = restated()[0]
    mine = next(content for name, _, content in honest() if name == tag)
    other = json.dumps(plain() | {"instance": "0f" * 32}).encode()
    lots = [[("mine.json", mine), ("a.json", beside)] for beside in (alone, other)]
    lots.append([*lots[0], ("other.json", to_bytes(truth.load("coded/dominant")))])
    (one, proved), (bare, _), (wrong, *_) = judged(page, *lots)
    assert proved["instance"] == one["instance"] == instance.sha256
    assert [note for note in one["notes"] if '"a.json", proved beside it' in note]
    assert not bare["notes"]
    assert not wrong["notes"]


def test_instances_have_the_hashes_that_farkas_gives_them(page):
    shipped = [library.load(name) for name in library.names()]
    drawn = [truth.load(f"{kind}/drawn {seed}") for kind in truth.DRAWN for seed in range(6)]
    every = [*shipped, *drawn]
    files = [library.path(name).read_bytes() for name in library.names()]
    files += [to_bytes(instance) for instance in drawn]
    results = judged(page, *([("it.json", content)] for content in files))
    assert [one["sha"] for (one,) in results] == [instance.sha256 for instance in every]


def test_hashes_spell_every_double_as_farkas_does(page):
    rng = random.Random(1)
    doubles = [
        rng.choice([1.0, -1.0]) * rng.random() * 10.0 ** rng.randint(-30, 30) for _ in range(300)
    ]
    doubles += [10.0**k for k in range(-323, 309)] + [5e-324, 1.7976931348623157e308, 0.1, 2.0**53]
    doubles += [float(rng.randint(-(2**70), 2**70)) for _ in range(100)]
    market = json.loads(to_bytes(library.load("dps/tiny")))
    market["price_grid"] = [abs(x) for x in doubles]
    longer = json.dumps(market)
    for old, new in (
        ("0.1,", "0.1000000000000000055511151231257827021181583404541015625,"),
        ("9007199254740992.0", "9007199254740993"),
        ("1e+22", "1" + 22 * "0"),
    ):
        assert old in longer
        longer = longer.replace(old, new)
    ((one,),) = judged(page, [("it.json", longer.encode())])
    instance = farkas.instances.files.read_bytes(longer.encode())
    assert one["sha"] == instance.sha256


def test_an_instance_that_farkas_does_not_read_has_no_hash(page):
    market = json.loads(to_bytes(library.load("dps/tiny")))
    wrong = [
        market | {"horizon": 3.0}, market | {"horizon": "3"}, market | {"more": 1},
        market | {"jobs": 3}, market | {"kind": "toString"}, market | {"farkas": 2},
        {key: value for key, value in market.items() if key != "jobs"},
        market | {"price_cap": True}, market | {"name": 1.0}, market | {"name": None},
        market | {"description": []}, market | {"note": {}}, market | {"public": 1},
        market | {"public": "true"}, market | {"expected": []}, market | {"expected": "x"},
        market | {"bfp_attained": "a"}, market | {"farkas": 1.0}, market | {"farkas": True},
    ]  # fmt: skip
    for (one,) in judged(page, *([encoded(tree)] for tree in wrong)):
        assert one["verdict"] == "refused"
    for tree in wrong:
        with pytest.raises(FarkasError):
            farkas.instances.files.read_bytes(json.dumps(tree).encode())


def test_what_no_hash_covers_changes_none(page):
    market = json.loads(to_bytes(library.load("dps/tiny")))
    more = {
        "name": "other", "description": None, "note": "n", "public": False, "bfp_attained": True,
        "expected": {"a": [1, {"b": None}], "__proto__": 1e300},
    }  # fmt: skip
    ((one,),) = judged(page, [encoded(market | more)])
    read = farkas.instances.files.read_bytes(json.dumps(market | more).encode())
    assert one["sha"] == read.sha256 == library.load("dps/tiny").sha256


def test_nothing_is_compared_with_what_was_not_read(page):
    lot = [("a.json", GOOD.encode()), ("it.json", b'{"farkas": 1, "kind": "dps"}')]
    ((one, it),) = judged(page, lot)
    assert (one["verdict"], it["verdict"]) == ("proved", "refused")
    assert not any("same" in note for note in one["notes"])
    market = ("it.json", to_bytes(library.load("dps/tiny")))
    ((one, _),) = judged(page, [("a.json", GOOD.encode()), market])
    assert one["verdict"] == "refused"
    assert one["words"].startswith("the certificate names no instance; the one beside it hash")
    other = ("other.json", to_bytes(library.load("eris/tiny")))
    mine = json.dumps(plain() | {"instance": "0f" * 32}).encode()
    for content, names in ((GOOD.encode(), "no instance"), (mine, "the instance 0f0f0f0f0f0f...")):
        ((one, first, second),) = judged(page, [("a.json", content), market, other])
        assert (one["verdict"], "found" in one) == ("refused", False)
        hashes = f"{first['sha'][:12]}..., {second['sha'][:12]}..."
        start = f"the certificate names {names}; those beside it hash to {hashes}."
        assert one["words"].startswith(start)
    right = json.dumps(plain() | {"instance": second["sha"]}).encode()
    ((one, _, _),) = judged(page, [("a.json", right), market, other])
    assert one["verdict"] == "proved"
    assert "farkas check a.json --instance other.json" in one["command"]
    ((one, _),) = judged(page, [("a.vipr", EQUAL.encode()), market])
    assert one["verdict"] == "proved"
    assert any("not compared" in note for note in one["notes"])
