"""Where both checkers say yes and where no: each edge from both sides.

Nothing but the second checker comes from the package: certificates are packed and sealed below as
the stand-alone checker's docstring describes them, and every bound was computed by hand.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import itertools
import json
import math
import re
import struct
import subprocess
import sys
import tracemalloc
import zlib
from fractions import Fraction as F

import pytest

from farkas.certificates import check, check_vipr, from_json
from farkas.errors import FarkasError
from farkas.standalone import checker
from farkas.standalone.checker import Rejection, Row, Vipr, check_file, sentence

pytestmark = pytest.mark.ids(99)  # all rows of all tables: each takes a millisecond

INF = math.inf
HAIR = F(1, 10**30)
SHARE = 2.0**-20
"""A tolerance of which multiples are doubles."""


def packed(raw):
    return base64.b64encode(zlib.compress(raw)).decode()


def layout_of(m, k):
    return f"<{m + 1}q{k}i"


def program(rows, cost, *, low=None, high=None, lower=None, upper=None, tight=None, whole=(),
            offset=0.0, sense="min"):  # fmt: skip
    """Data, hash and sense of a program; rows as {column: entry}, columns >= 0 by default.

    ``tight`` gives implied bounds, ``whole`` the whole columns.
    """
    m, n, k = len(rows), len(cost), sum(map(len, rows))
    low, high = low or [-INF] * m, high or [INF] * m
    lower, upper = lower or [0.0] * n, upper or [INF] * n
    starts = list(itertools.accumulate(map(len, rows), initial=0))
    head = struct.pack(layout_of(m, k), *starts, *(j for row in rows for j in sorted(row)))
    numbers = [row[j] for row in rows for j in sorted(row)] + [*cost, *low, *high, *lower, *upper]
    bits = bytearray(-(-n // 8))
    for j in whole:
        bits[j // 8] |= 0x80 >> j % 8
    implied_lower, implied_upper = tight or (lower, upper)
    worked = [max(a, b) for a, b in zip(lower, implied_lower, strict=True)]
    worked += [min(a, b) for a, b in zip(upper, implied_upper, strict=True)]
    seal = hashlib.sha256(f"farkas form 1\n{sense}".encode() + struct.pack("<qqd", m, n, offset))
    seal.update(head + doubles([*numbers, *worked]) + bits)
    stored = [*numbers, *(tight[0] + tight[1] if tight else [])]
    data = {
        "rows": m, "columns": n, "entries": k, "implied": tight is not None, "offset": offset,
        "data": packed(head + doubles(stored) + bytes(bits)),
    }  # fmt: skip
    return {"sense": sense, "data": data, "form": seal.hexdigest(), "program": "p"}


def doubles(numbers):
    return struct.pack(f"<{len(numbers)}d", *(x + 0.0 for x in numbers))


def vector(numbers):
    kept = {i: F(y) for i, y in enumerate(numbers) if y}
    exponent = max([y.denominator.bit_length() - 1 for y in kept.values()], default=0)
    units = [int(y * 2**exponent) for y in kept.values()]
    return {"size": len(numbers), "exponent": exponent, "positions": [*kept], "numbers": units}


def linear(of, multipliers, bound, **more):
    by = vector(multipliers)
    return of | {"certificate": "linear", "bound": str(bound), "multipliers": by} | more


def empty(of, ray, violation, **more):
    by = vector(ray)
    return of | {"certificate": "infeasible", "violation": str(violation), "ray": by} | more


def point(values, objective, tolerance=0.0):
    return {"point": {"objective": str(objective), "tolerance": tolerance,
                      "values": packed(doubles(values))}}  # fmt: skip


def other(prove):
    """What the checker of the package proves; None where it refuses, in one short line."""
    words = ""
    try:
        return prove()
    except FarkasError as refusal:
        words = str(refusal)
    assert words.isprintable()
    assert 0 < len(words) < 400
    return None


def check_certificate(certificate):
    """What both checkers prove."""
    content = json.dumps(certificate).encode()
    proof = other(lambda: check(from_json(content)))
    try:
        found = checker.check_certificate(certificate)
    except Rejection:
        assert proof is None
        raise
    assert proof is not None
    said = (proof.infeasible, proof.implied, proof.value, proof.tolerance, proof.bound)
    bound = found.get("lower" if proof.sense == "min" else "upper")
    value, tolerance = found.get("value"), found.get("tolerance", 0.0)
    assert said == (found["infeasible"], found["implied"], value, tolerance, bound)
    return found


def no(certificate, words="", code=1):
    with pytest.raises(Rejection) as refusal:
        check_certificate(certificate)
    assert words in refusal.value.args[0]
    assert refusal.value.args[1] == code


ONE = [{0: 2.0}]
BOTH = dict(low=[4.0], high=[6.0], lower=[0.0], upper=[9.0])
FREE = dict(lower=[-INF], upper=[INF])

BOUNDS = [
    # 4 <= 2 x <= 6, 0 <= x <= 9, x or -x + 1/2
    (program(ONE, [1.0], **BOTH), [0.5], F(2)),
    (program(ONE, [1.0], **BOTH), [0.25], F(1)),
    (program(ONE, [1.0], **BOTH), [1.0], F(4 - 9)),
    (program(ONE, [1.0], **BOTH), [-0.5], F(-3)),
    (program(ONE, [1.0], **BOTH), [0.0], F(0)),
    (program(ONE, [-1.0], offset=0.5, **BOTH), [-0.5], F(-5, 2)),
    (program(ONE, [-1.0], offset=0.5, **BOTH), [0.0], F(-17, 2)),
    (program(ONE, [1.0], sense="max", **BOTH), [0.5], F(3)),
    (program(ONE, [1.0], sense="max", **BOTH), [0.0], F(9)),
    (program(ONE, [1.0], sense="max", **BOTH), [-0.5], F(-2 + 18)),
    (program(ONE, [-1.0], sense="max", offset=0.5, **BOTH), [-0.5], F(-3, 2)),
    (program(ONE, [1.0], sense="max", **BOTH), [1.0], F(6)),
    # a multiplier that meets an infinite side counts as 0
    (program(ONE, [1.0], high=[6.0]), [0.5], F(0)),
    (program(ONE, [1.0], low=[4.0]), [-0.5], F(0)),
    (program(ONE, [1.0], low=[4.0], upper=[9.0], sense="max"), [0.5], F(9)),
    (program(ONE, [1.0], high=[6.0], upper=[9.0], sense="max"), [-0.5], F(9)),
    # no bound of the column is needed where nothing of the cost is left
    (program(ONE, [1.0], low=[4.0], **FREE), [0.5], F(2)),
    (program(ONE, [1.0], high=[6.0], sense="max", **FREE), [0.5], F(3)),
    # bounds that are used have the side of the cost that is left, implied or not
    (program(ONE, [1.0], lower=[1.0], tight=([3.0], [INF])), [0.0], F(3)),
    (program(ONE, [1.0], lower=[1.0], tight=([0.0], [INF])), [0.0], F(1)),
    (program(ONE, [-1.0], upper=[8.0], tight=([0.0], [5.0])), [0.0], F(-5)),
    (program(ONE, [-1.0], upper=[8.0], tight=([0.0], [9.0])), [0.0], F(-8)),
    # two rows and two columns, of which each meets its own
    (program([{0: 1.0, 1: 2.0}, {1: -1.0}], [1.0, 1.0], low=[3.0, -4.0], high=[INF, -1.0],
             upper=[7.0, 5.0]), [0.5, -0.25], F(3, 2) + F(1, 4) - F(5, 4)),
    (program([], [2.0], lower=[-3.0]), [], F(-6)),
]  # fmt: skip


@pytest.mark.parametrize(("of", "multipliers", "bound"), BOUNDS, ids=range(len(BOUNDS)))
def test_a_bound_is_proved_up_to_the_last_unit(of, multipliers, bound):
    side, better = ("lower", 1) if of["sense"] == "min" else ("upper", -1)
    for claim in (bound, bound - better * HAIR, bound - 5 * better):
        found = check_certificate(linear(of, multipliers, claim))
        assert found[side] == claim
        assert not found["infeasible"]
    for claim in (bound + better * HAIR, bound + 5 * better):
        no(linear(of, multipliers, claim), "do not prove the bound")


@pytest.mark.parametrize(
    ("sense", "cost", "range_of_x"),
    [
        ("min", 1.0, (-INF, 9.0)), ("min", -1.0, (0.0, INF)),
        ("max", 1.0, (0.0, INF)), ("max", -1.0, (-INF, 9.0)),
    ],
)  # fmt: skip
def test_what_is_left_of_a_cost_at_an_infinite_bound_proves_nothing(sense, cost, range_of_x):
    lower, upper = range_of_x
    of = program(ONE, [cost], low=[-99.0], high=[99.0], lower=[lower], upper=[upper], sense=sense)
    no(linear(of, [0.0], -(10**300) if sense == "min" else 10**300), "do not prove")


IMPLIED = [
    (program(ONE, [1.0], lower=[1.0], tight=([3.0], [INF])), 1),
    (program(ONE, [1.0], lower=[1.0], tight=([1.0], [2.0])), 0),
    (program(ONE, [-1.0], upper=[8.0], tight=([0.0], [5.0])), 1),
    (program(ONE, [-1.0], upper=[8.0], tight=([7.0], [8.0])), 0),
    (program([], [1.0, -1.0, 0.0, 1.0], upper=[8.0] * 4,
             tight=([1.0, 1.0, 1.0, 0.0], [8.0, 7.0, 7.0, 7.0])), 2),
    (program([], [1.0, 1.0], tight=([3.0, 4.0], [INF, INF])), 2),
]  # fmt: skip


@pytest.mark.parametrize(("of", "used"), IMPLIED, ids=range(len(IMPLIED)))
def test_implied_bounds_that_are_used_are_counted(of, used):
    found = check_certificate(linear(of, [0.0] * of["data"]["rows"], -10))
    assert found["implied"] == used


RAYS = [
    (dict(low=[4.0], upper=[1.0]), [1.0], 2),
    (dict(high=[-4.0], lower=[-1.0], upper=[INF]), [-1.0], 2),
    (dict(high=[-4.0]), [-0.5], 2),
]


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize(("sides", "ray", "gap"), RAYS, ids=range(len(RAYS)))
def test_a_ray_proves_its_violation_and_none_beyond_it(sides, ray, gap, sense):
    # costs and offsets do not count, nor does the sense
    of = program(ONE, [5.0], offset=100.0, sense=sense, **sides)
    for claim in (F(gap), F(gap) - HAIR, HAIR):
        found = check_certificate(empty(of, ray, claim))
        assert found["infeasible"]
        assert (found.get("lower"), found.get("upper"), found["implied"]) == (None, None, 0)
    for claim in (F(gap) + HAIR, F(0), F(-1)):
        no(empty(of, ray, claim), "do not prove the violation" if len(ray) > 1 else "violation")
    no(empty(of, [-y for y in ray], HAIR), "violation")


def test_rays_that_need_an_implied_bound_say_so_and_others_do_not():
    stated = program(ONE, [1.0], low=[4.0], upper=[1.0], tight=([0.0], [0.5]))
    assert check_certificate(empty(stated, [1.0], 3))["implied"] == 0
    touching = program(ONE, [1.0], low=[4.0], upper=[2.0], tight=([0.0], [0.5]))
    assert check_certificate(empty(touching, [1.0], 3))["implied"] == 1
    nearly = program(ONE, [1.0], low=[4.0], upper=[1.75], tight=([0.0], [0.5]))
    assert check_certificate(empty(nearly, [1.0], 3))["implied"] == 0
    # a bound on a program without points needs what it uses all the same: 4 - 0.5
    assert check_certificate(linear(stated, [1.0], F(7, 2)))["implied"] == 1
    no(empty(stated, [1.0], 3, point=None), "unknown key", 2)


SIDES = [
    # two sides, the last point that counts as keeping them, and the way out
    ((3.0, INF), 3.0 - 3 * SHARE, -INF),
    ((-INF, 3.0), 3.0 + 3 * SHARE, INF),
    ((-5.0, INF), -5.0 - 5 * SHARE, -INF),
    ((-INF, -5.0), -5.0 + 5 * SHARE, INF),
    ((0.0, 8.0), -8 * SHARE, -INF),
    ((-8.0, 0.0), 8 * SHARE, INF),
]


@pytest.mark.parametrize(("sides", "edge", "beyond"), SIDES, ids=range(len(SIDES)))
@pytest.mark.parametrize("of_a_row", [False, True])
def test_a_point_may_miss_a_side_by_its_share_and_no_more(sides, edge, beyond, of_a_row):
    low, high = ([side] for side in sides)
    if of_a_row:
        of = program([{0: 1.0}], [1.0], low=low, high=high, lower=[-9.0], upper=[9.0])
        claim, place = linear(of, [0.0], -9), "row 0"
    else:
        claim, place = linear(program([], [0.0], lower=low, upper=high), [], 0), "column 0"
    for x, fits in ((edge, True), (math.nextafter(edge, beyond), False)):
        made = claim | point([x], F(x) if of_a_row else 0, SHARE)
        if fits:
            found = check_certificate(made)
            assert (found["value"], found["tolerance"]) == (F(x) * of_a_row, SHARE)
        else:
            no(made, place)


@pytest.mark.parametrize("x", [-7, -1, 0, 1, 2, 1000])
@pytest.mark.parametrize("way", [-1, 1])
def test_a_whole_column_may_be_off_by_the_tolerance_itself(x, way):
    of = program([], [0.0], lower=[-INF], upper=[INF], whole=[0])
    edge = x + way * SHARE
    assert check_certificate(linear(of, [], 0) | point([edge], 0, SHARE))["value"] == 0
    no(linear(of, [], 0) | point([math.nextafter(edge, way * INF)], 0, SHARE), "whole in column 0")
    no(linear(of, [], 0) | point([x + 0.5], 0, SHARE), "whole in column 0")
    part = program([], [0.0], lower=[-INF], upper=[INF])
    assert check_certificate(linear(part, [], 0) | point([x + 0.5], 0))["value"] == 0


def test_every_whole_column_has_its_own_bit():
    for j in range(19):
        of = program([], [0.0] * 19, lower=[-INF] * 19, upper=[INF] * 19, whole=[j])
        for other in range(19):
            made = linear(of, [], 0) | point([0.5 * (i == other) for i in range(19)], 0)
            if other == j:
                no(made, f"not whole in column {j}")
            else:
                assert check_certificate(made)["value"] == 0


@pytest.mark.parametrize("sides", [(INF, INF), (-INF, -INF), (3.0, 2.0)])
@pytest.mark.parametrize("x", [0.0, 2.5, -1e300, 1e300])
def test_nothing_lies_in_an_empty_range(sides, x):
    column = program([], [0.0], lower=[sides[0]], upper=[sides[1]])
    no(linear(column, [], 0) | point([x], 0, SHARE), "breaks a bound of column 0")
    row = program([{0: 1.0}], [0.0], low=[sides[0]], high=[sides[1]], **FREE)
    no(linear(row, [0.0], 0) | point([x], 0, SHARE), "breaks row 0")


def test_tolerances_lie_between_0_and_a_millionth():
    of = linear(program([], [1.0]), [], 0)
    for tolerance in (0, 0.0, 5e-324, 1e-6):
        assert check_certificate(of | point([3.0], 3, tolerance))["tolerance"] == tolerance
    for tolerance in (-5e-324, math.nextafter(1e-6, 1), 1, 3):
        no(of | point([3.0], 3, tolerance), "the tolerance", 2)


def test_what_a_point_reaches_is_claimed_to_the_last_unit():
    of = linear(program([], [1.0, -3.0], offset=0.5, upper=[9.0, 9.0]), [], -99)
    assert check_certificate(of | point([2.0, 0.25], F(7, 4)))["value"] == F(7, 4)
    for other in (F(7, 4) + HAIR, F(7, 4) - HAIR, F(5, 4), 2):
        no(of | point([2.0, 0.25], other), "reaches 1.75")
    for words in ("1,75", "1.75", "7/04", "07/4", "+7/4", "7/0", "7/4\n", "", "--7/4"):
        no(of | point([2.0, 0.25], words), "no fraction like")
    for wrong in ([2.0], [2.0, 0.25, 0.0]):
        no(
            of | point(wrong, F(7, 4)),
            "does not hold 16 bytes" if len(wrong) < 2 else "point.values",
        )
    no(of | point([2.0, INF], F(7, 4)), "no finite double")
    no(of | point([2.0, math.nan], F(7, 4)), "no finite double")


def test_units_decide_what_counts_as_kept():
    of = linear(program([], [0.0], upper=[8.0]), [], 0)
    assert check_certificate(of | point([-8 * SHARE], 0, SHARE))["value"] == 0
    no(of | point([math.nextafter(-8 * SHARE, -1)], 0, SHARE), "a bound of column 0")


def with_data(of, **changes):
    return of | {"data": of["data"] | changes}


def restated(of, edit):
    """The certificate with other bytes behind its program; the hash stays."""
    raw = bytearray(zlib.decompress(base64.b64decode(of["data"]["data"])))
    edit(raw)
    return with_data(of, data=packed(bytes(raw)))


TWO_ROWS = program([{0: 1.0, 1: 2.0}, {1: 3.0}], [1.0, 1.0], low=[1.0, 1.0])
PLAIN = linear(TWO_ROWS, [0.25, 0.0], F(1, 4))


def put(layout, at, *values):
    return lambda raw: struct.pack_into(layout, raw, at, *values)


def resealed(of, edit):
    """The same with the hash that an unchecked reader would compute."""
    changed = restated(of, edit)
    raw = zlib.decompress(base64.b64decode(changed["data"]["data"]))
    m, n = changed["data"]["rows"], changed["data"]["columns"]
    tail = raw[len(raw) - -(-n // 8) :]
    seal = hashlib.sha256(b"farkas form 1\nmin" + struct.pack("<qqd", m, n, 0.0))
    body = raw[: len(raw) - len(tail)]
    seal.update(body + body[len(body) - 16 * n :] + tail)
    return changed | {"form": seal.hexdigest()}


def test_an_unchanged_program_is_sealed_alike():
    assert check_certificate(resealed(PLAIN, lambda raw: None))["lower"] == F(1, 4)


EDITS = [
    (put("<3q", 0, 1, 2, 3), "do not follow one another"),
    (put("<3q", 0, 0, 2, 2), "do not follow one another"),
    (put("<3q", 0, -1, 2, 3), "do not follow one another"),
    (put("<3q", 0, 0, 4, 3), "do not follow one another"),
    (put("<3q", 0, 0, -1, 3), "do not follow one another"),
    (put("<3q", 0, 0, 3, 2), "do not follow one another"),
    (put("<3q", 0, 0, 2, 4), "do not follow one another"),
    (put("<3i", 24, 0, 0, 1), "do not ascend"),
    (put("<3i", 24, 1, 0, 1), "do not ascend"),
    (put("<3i", 24, 0, 2, 1), "do not ascend"),
    (put("<3i", 24, -1, 1, 1), "do not ascend"),
    (put("<3i", 24, 0, 1, 2), "do not ascend"),
    (put("<3i", 24, 0, 1, -1), "do not ascend"),
    (put("<d", 36, 0.0), "an entry 0"),
    (put("<d", 44, -0.0), "an entry 0"),
    (put("<d", 52, INF), "an infinite cost or entry"),
    (put("<d", 36, -INF), "an infinite cost or entry"),
    (put("<d", 60, INF), "an infinite cost or entry"),
    (put("<d", 68, -INF), "an infinite cost or entry"),
    *[(put("<d", at, math.nan), "NaN") for at in range(36, 140, 8)],
]


@pytest.mark.parametrize(("edit", "words"), EDITS)
def test_programs_that_are_none_are_refused_whatever_they_state(edit, words):
    no(resealed(PLAIN, edit), words)


def test_rows_may_be_empty_and_may_share_columns():
    of = program([{0: 1.0}, {0: 1.0}], [1.0], low=[1.0, 1.0])
    assert check_certificate(linear(of, [0.5, 0.5], 1))["lower"] == 1
    for rows, low, ray in (
        ([{}, {0: 1.0}], [1.0, -1.0], [1.0, 0.0]), ([{0: 1.0}, {}], [-1.0, 1.0], [0.0, 1.0]),
    ):  # fmt: skip
        of = program(rows, [1.0], low=low)  # 0 >= 1 is no row that a point satisfies
        assert check_certificate(empty(of, ray, 1))["infeasible"]


def test_data_are_as_long_as_they_state_and_not_a_byte_longer():
    raw = zlib.decompress(base64.b64decode(PLAIN["data"]["data"]))
    whole = zlib.compress(raw)

    def stored(content):
        return with_data(PLAIN, data=base64.b64encode(content).decode())

    assert check_certificate(stored(whole))["lower"] == F(1, 4)
    no(stored(zlib.compress(raw[:-1])), "does not hold")
    no(stored(zlib.compress(raw + b"\0")), "does not hold")
    no(stored(whole + b"\0"), "does not hold")
    no(stored(whole[:-1]), "does not hold")  # without the last byte of its sum
    no(stored(whole[:-1] + bytes([whole[-1] ^ 1])), "no deflated")
    no(stored(b""), "too short")
    no(with_data(PLAIN, data="\u00e4" + PLAIN["data"]["data"]), "no deflated")
    no(
        with_data(PLAIN, data=PLAIN["data"]["data"][:9] + "\n" + PLAIN["data"]["data"][9:]),
        "no def",
    )


@pytest.mark.slow
def test_little_text_cannot_hold_much():
    """Deflate makes a thousand bytes of one at most; more is refused before it is unpacked."""
    zeros = 40_000
    of = program([], [0.0] * zeros)
    assert check_certificate(linear(of, [], 0))["lower"] == 0  # 1000 bytes for one are possible
    no(with_data(linear(of, [], 0), columns=10**9), "too short")
    # a point of no column holds no byte; ten million are not unpacked to see that there are more
    none = linear(program([], []), [], 0)
    assert check_certificate(none | point([], 0))["value"] == 0
    long = {"objective": "0", "tolerance": 0, "values": packed(bytes(10**7))}
    tracemalloc.start()
    no(none | {"point": long}, "does not hold 0 bytes")
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_no_part_holds_more_than_a_quarter_of_a_gigabyte():
    text = base64.b64encode(bytes(250_000)).decode()
    for size, said in ((2**28, "no deflated"), (2**28 + 1, "longer than 2..28 bytes")):
        with pytest.raises(Rejection, match=said):
            checker.inflated(text, size, "data")


def flip(raw, bit):
    raw[-1] ^= bit


def test_bits_of_no_column_are_none():
    for n in range(1, 18):
        of = program([], [0.0] * n, lower=[-INF] * n, upper=[INF] * n, whole=[0, n - 1])
        made = linear(of, [], 0)
        room = (1 << (-n % 8)) - 1

        def fill(raw, room=room):
            raw[-1] |= room

        assert check_certificate(restated(made, fill))["lower"] == 0
        no(restated(made, functools.partial(flip, bit=1 << (-n % 8))), "another hash")


def test_minus_0_is_0():
    made = with_data(linear(program([{0: 1.0}], [1.0], low=[0.0]), [0.5], 0), offset=-0.0)
    assert check_certificate(made)["lower"] == 0

    def negative(raw):
        struct.pack_into("<d", raw, 16 + 4 + 8 + 8, -0.0)  # after starts, index, entry, cost

    assert check_certificate(restated(made, negative))["lower"] == 0


WRONG = [
    (dict(certificate="eris"), "no certificate of type", 2),
    (dict(certificate=1), "no certificate of type", 2),
    (dict(farkas=2), "another version", 2),
    (dict(farkas=0), "another version", 2),
    (dict(farkas=1.0), "wrong type", 2),
    (dict(farkas=True), "wrong type", 2),
    (dict(form="0" * 63), "no SHA-256", 2),
    (dict(form="0" * 65), "no SHA-256", 2),
    (dict(form="A" * 64), "no SHA-256", 2),
    (dict(form="0" * 64), "another hash", 1),
    (dict(instance="f" * 63), "no SHA-256", 2),
    (dict(instance=1), "wrong type", 2),
    (dict(kind="k" * 201), "a name is no line", 2),
    (dict(kind="a\x1fb"), "a name is no line", 2),
    (dict(kind="a\x7fb"), "a name is no line", 2),
    (dict(kind="a\x9fb"), "a name is no line", 2),
    (dict(program="a\0"), "a name is no line", 2),
    (dict(program="k" * 201), "a name is no line", 2),
    (dict(program=None), "wrong type", 2),
    (dict(sense="least"), "neither min nor max", 2),
    (dict(sense="max"), "another hash", 1),
    (dict(options={"a": {}}), "contradict the name", 1),
    (dict(options={"a": 1, "b": []}), "contradict the name", 1),
    (dict(options=[]), "wrong type", 2),
    (dict(data=None), "holds no program", 1),
    (dict(bound=None), "wrong type", 2),
    (dict(bound="1/4 "), "no fraction", 1),
    (dict(violation="1"), "unknown key", 2),
    (dict(ray={}), "unknown key", 2),
    (dict(multipliers=[]), "wrong type", 2),
    (dict(point=[]), "wrong type", 2),
    (dict(point={}), "lacks objective", 2),
]


@pytest.mark.parametrize(("changes", "words", "code"), WRONG, ids=range(len(WRONG)))
def test_records_that_are_wrong_are_refused_with_their_code(changes, words, code):
    no(PLAIN | changes, words, code)


@pytest.mark.parametrize(
    "changes",
    [
        dict(farkas=1), dict(instance="0f" * 32), dict(instance=None),
        dict(kind="k" * 198, program="k" * 198 + ".p"), dict(kind=None), dict(options={}),
        dict(kind="a b~\xa0", program="a b~\xa0."), dict(program="p" * 200), dict(version="9"),
        dict(point=None),
    ],
)  # fmt: skip
def test_what_does_not_matter_is_let_through(changes):
    assert check_certificate(PLAIN | changes)["lower"] == F(1, 4)


@pytest.mark.parametrize("key", ["certificate", "program", "form", "sense", "bound", "multipliers"])
def test_what_must_be_there_is_missed(key):
    words = "no certificate of type" if key == "certificate" else f"the file lacks {key}"
    no({name: value for name, value in PLAIN.items() if name != key}, words, 2)


SIZES = [
    (dict(rows=-1), "not in 0..", 2), (dict(rows=2**31), "not in 0..", 2),
    (dict(rows=2**31 - 1), "too short", 1),
    (dict(columns=-1), "not in 0..", 2), (dict(entries=-1), "not in 0..", 2),
    (dict(rows=3), "too short|does not hold|follow", 1), (dict(entries=2), "does not hold", 1),
    (dict(implied=1), "wrong type", 2), (dict(offset="0"), "wrong type", 2),
    (dict(offset=1.0), "another hash", 1), (dict(offset=10**400), "no finite double", 1),
    (dict(offset=INF), "no finite double", 1), (dict(more=0), "unknown key", 2),
    (dict(rows=2.0), "wrong type", 2),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words", "code"), SIZES)
def test_sizes_and_offsets_of_data(changes, words, code):
    with pytest.raises(Rejection, match=words) as refusal:
        check_certificate(with_data(PLAIN, **changes))
    assert refusal.value.args[1] == code


def multiplied(**changes):
    return PLAIN | {"multipliers": PLAIN["multipliers"] | changes}


VECTORS = [
    (dict(size=1), "another size", 1), (dict(size=3), "another size", 1),
    (dict(numbers=[]), "another size", 1), (dict(positions=[]), "another size", 1),
    (dict(numbers=[1, 1]), "another size", 1), (dict(positions=[2]), "do not ascend", 1),
    (dict(positions=[-1]), "do not ascend", 1), (dict(numbers=[0]), "0, or no double", 1),
    (dict(positions=[0, 0], numbers=[1, 1]), "do not ascend", 1),
    (dict(positions=[1, 0], numbers=[1, 1]), "do not ascend", 1),
    (dict(numbers=[1.0]), "no integers", 2), (dict(positions=[True]), "no integers", 2),
    (dict(numbers=[2**53 + 1]), "or no double", 1), (dict(numbers=[-(2**53) - 1]), "or no", 1),
    (dict(numbers=[2**1100]), "no finite double", 1),
    (dict(exponent=1075), "not in -1024..1074", 2),
    (dict(exponent=-1025), "not in -1024..1074", 2),
    (dict(exponent=1074, numbers=[2**1074 + 1]), "or no double", 1),
    (dict(exponent=None), "wrong type", 2), (dict(other=1), "unknown key", 2),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words", "code"), VECTORS)
def test_multipliers_that_are_none_are_refused(changes, words, code):
    no(multiplied(**changes), words, code)


def test_multipliers_may_have_every_exponent():
    bounded = program(ONE, [0.0], high=[4.0], upper=[2.0])
    by = {"size": 1, "exponent": -971, "positions": [0], "numbers": [1 - 2**53]}
    most = F(sys.float_info.max)
    largest = linear(bounded, [0.0], -4 * most) | {"multipliers": by}
    assert check_certificate(largest)["lower"] == -4 * most
    tiny = multiplied(exponent=1074, numbers=[1]) | {"bound": str(F(1, 2**1074))}
    assert check_certificate(tiny)["lower"] == F(1, 2**1074)
    by = {"size": 1, "exponent": -1023, "positions": [0], "numbers": [-1]}
    made = linear(bounded, [0.0], -(2**1025)) | {"multipliers": by}
    assert check_certificate(made)["lower"] == -(2**1025)
    no(made | {"multipliers": by | {"exponent": -1024}}, "no finite double")


def test_fractions_have_four_thousand_digits_at_most():
    of = linear(program([], [1.0]), [], 0)
    for text in ("-" + "9" * 4000, "-1/" + "9" * 4000, "-" + "9" * 4000 + "/" + "7" * 4000, "0/7"):
        assert check_certificate(of | {"bound": text})["lower"] == F(text)
    for text in ("-" + "9" * 4001, "-1/" + "9" * 4001, "-01", "-1/07", "-1/", "/2", "-1/-2", "1e0"):
        no(of | {"bound": text}, "no fraction")


def test_only_records_are_records():
    for tree in ([], None, "x", [("a", 1)]):
        with pytest.raises(Rejection, match="it is no record") as refusal:
            checker.record(tree, "it", {})
        assert refusal.value.args[1] == 2
    assert checker.record({}, "it", {}) == {}


def test_sums_have_so_many_bits_at_most():
    for bits, fits in ((2**14, True), (2**14 + 1, False)):
        for value in (F(2) ** (bits - 1), F(-(2 ** (bits - 1))), F(1, 2 ** (bits - 1))):
            if fits:
                assert checker.Vipr(b"").add(F(0), F(1), value) == value
            else:
                with pytest.raises(Rejection, match="bits") as refusal:
                    checker.Vipr(b"").add(F(0), F(1), value)
                assert refusal.value.args[1] == 2


def test_a_row_gives_what_follows_from_it_and_nothing_else():
    """Against the meaning: every x in halves from -4 to 4 that satisfies one satisfies the other.

    Rows of other terms are never given, unless nothing satisfies the first.
    """

    def holds(row, x):
        gap = sum(factor * x for factor in row.terms.values()) - row.side
        return gap == 0 if row.sense == 0 else gap * row.sense >= 0

    kinds = [
        Row(sense, F(side, 2), terms)
        for sense in (-1, 0, 1) for side in range(-4, 5) for terms in ({}, {0: F(1)})
    ]  # fmt: skip
    points = [F(i, 2) for i in range(-8, 9)]
    for row, other in itertools.product(kinds, repeat=2):
        follows = all(holds(other, x) for x in points if holds(row, x))
        alike = row.terms == other.terms
        absurd = not any(holds(row, x) for x in points)
        if row.gives(other):
            assert follows, (vars(row), vars(other))
        elif row.sense == other.sense and alike:
            assert not follows or not row.terms
        assert not absurd or row.gives(other)
        if alike and row.terms and row.sense in (0, other.sense):
            assert bool(row.gives(other)) == follows
    assert not Row(1, F(5), {0: F(1)}).gives(Row(1, F(5), {1: F(1)}))
    assert not Row(1, F(5), {0: F(1)}).gives(Row(1, F(5), {0: F(2)}))
    assert not Row(1, F(5), {0: F(1)}).gives(Row(1, F(5), {}))


@pytest.fixture(autouse=True, scope="module")
def vipr_file(tmp_path_factory):
    """Where `vipr` writes what both checkers read."""
    FILES.append(tmp_path_factory.mktemp("vipr") / "file.vipr")


FILES = []


def vipr(text):
    """What both checkers prove of a VIPR file."""
    FILES[-1].write_bytes(text.encode())
    proof = other(lambda: check_vipr(FILES[-1]))
    try:
        found = Vipr(text.encode()).check()
    except Rejection:
        assert proof is None
        raise
    assert proof is not None
    ends = {"infeasible": proof.infeasible, "lower": proof.lower, "upper": proof.upper}
    assert found == ends
    return found


def refuse(text, words="", code=1):
    with pytest.raises(Rejection) as refusal:
        vipr(text)
    assert words in refusal.value.args[0]
    assert refusal.value.args[1] == code


def file(*, variables="VAR 2 x y", whole="INT 2 0 1", objective="min 2 0 1 1 1", rows=("G 1 OBJ",),
         bounds=None, claim="range 1 inf", solutions=(), steps=()):  # fmt: skip
    """A VIPR file; rows and steps without their names."""
    lines = ["VER 1.0", variables, whole, f"OBJ {objective}"]
    lines.append(f"CON {len(rows)} {len(rows) if bounds is None else bounds}")
    lines += [f"c{i} {row}" for i, row in enumerate(rows)]
    lines += [f"RTP {claim}", f"SOL {len(solutions)}"]
    lines += [f"s{i} {solution}" for i, solution in enumerate(solutions)]
    lines.append(f"DER {len(steps)}")
    lines += [f"d{i} {step}" for i, step in enumerate(steps)]
    return "\n".join(lines) + "\n"


ON_X = dict(objective="min 1 0 1")


def step(row, reason, last="-1"):
    return f"{row} {{ {reason} }} {last}"


CLAIMS = [
    # objective, row or rows, solutions, claim, whether it is proved
    ("min", "G 1 OBJ", (), "range 1 inf", True),
    ("min", "G 1 OBJ", (), "range 1/2 inf", True),
    ("min", "G 1 OBJ", (), "range 3/2 inf", False),
    ("min", "G 1 OBJ", (), "range -inf inf", True),
    ("min", "E 1 OBJ", (), "range 1 inf", True),
    ("min", "E 1 OBJ", (), "range 3/2 inf", False),
    ("min", "L 1 OBJ", (), "range 1 inf", False),
    ("min", "L 1 OBJ", (), "range -inf inf", True),
    ("min", "G 1 OBJ", ("2 0 1 1 1",), "range 1 2", True),
    ("min", "G 1 OBJ", ("2 0 1 1 1",), "range 1 3", True),
    ("min", "G 1 OBJ", ("2 0 1 1 1",), "range 1 3/2", False),
    ("min", "G 1 OBJ", ("2 0 1 1 1", "1 0 1"), "range 1 1", True),
    ("min", "G 1 OBJ", ("1 0 1", "2 0 1 1 1"), "range 1 1", True),
    ("min", "G 1 OBJ", (), "range 1 2", False),
    ("min", "G 1 OBJ", ("1 0 1",), "range -inf 1", True),
    ("min", "G 1 OBJ", ("1 0 1",), "range -inf 1/2", False),
    ("max", "L 3 OBJ", (), "range -inf 3", True),
    ("max", "L 3 OBJ", (), "range -inf 4", True),
    ("max", "L 3 OBJ", (), "range -inf 5/2", False),
    ("max", "E 3 OBJ", (), "range -inf 3", True),
    ("max", "G 3 OBJ", (), "range -inf 3", False),
    ("max", "L 3 OBJ", ("1 0 2",), "range 2 3", True),
    ("max", "L 3 OBJ", ("1 0 2",), "range 5/2 3", False),
    ("max", "L 3 OBJ", ("1 0 2", "1 0 3"), "range 3 3", True),
    ("max", "L 3 OBJ", ("1 0 3", "1 0 2"), "range 3 3", True),
    ("max", "L 3 OBJ", ("1 0 2",), "range 2 inf", True),
    ("max", "L 3 OBJ", (), "range 2 3", False),
    ("max", "L 3 OBJ", (), "range -inf inf", True),
    ("max", "L 3 OBJ", (), "infeas", False),
    ("min", "G 1 0", (), "infeas", True),
    ("min", "G 1/9 0", (), "infeas", True),
    ("min", "L -1 0", (), "infeas", True),
    ("min", "E 1 0", (), "infeas", True),
    ("min", "E -1 0", (), "infeas", True),
    ("min", "G 0 0", (), "infeas", False),
    ("min", "G -1 0", (), "infeas", False),
    ("min", "E 0 0", (), "infeas", False),
    ("min", "L 1 0", (), "infeas", False),
    ("min", "G 1 0", (), "range 77 inf", True),
    ("min", "G 1 OBJ", ("1 0 1",), "infeas", False),
]


@pytest.mark.parametrize(("way", "row", "solutions", "claim", "proved"), CLAIMS)
def test_claims_follow_from_the_last_row_and_the_solutions(way, row, solutions, claim, proved):
    text = file(objective=f"{way} 2 0 1 1 1", rows=(row,), solutions=solutions, claim=claim)
    if not proved:
        refuse(text)
        return
    ends = claim.split()[1:] or ["-inf", "inf"]
    lower, upper = (None if "inf" in word else F(word) for word in ends)
    assert vipr(text) == {"infeasible": claim == "infeas", "lower": lower, "upper": upper}


def test_a_file_without_rows_claims_nothing():
    assert vipr(file(rows=(), claim="range -inf inf"))["lower"] is None
    refuse(file(rows=(), claim="range 0 inf"), "last row")
    refuse(file(rows=(), claim="infeas"), "last row")
    # min 0 is at least 0, which the other checker does not see without a row
    for objective, claim in (("min 0", "range 0 inf"), ("max 0", "range -inf 0")):
        alone = Vipr(file(rows=(), objective=objective, claim=claim).encode())
        found = alone.check()
        assert (found["lower"], found["upper"]) == ((0, None) if claim[-3:] == "inf" else (None, 0))
    refuse(file(rows=(), objective="min 0", claim="range 1 inf"), "last row")
    refuse(file(rows=(), objective="max 0", claim="range -inf -1"), "last row")


def test_ranges_may_be_a_point_and_not_empty():
    refuse(file(claim="range 1 1/2"), "an empty range", 2)
    assert vipr(file(claim="range 1 1", solutions=("1 0 1",)))["upper"] == 1
    refuse(file(claim="infeas", rows=("G 0 0",), solutions=("0",)), "holds one")
    refuse(file(claim="range inf 1"), "no fraction", 2)
    refuse(file(claim="range 1 -inf"), "no fraction", 2)


ONE_STEP = [
    # whole columns, given rows, a step, whether it follows
    # lin: signs by sense, sides to the unit
    ("G 2 1 0 1", "G 2 1 0 1", "lin 1 0 1", True),
    ("G 2 1 0 1", "G 1 1 0 1", "lin 1 0 1", True),
    ("G 2 1 0 1", "G 5/2 1 0 1", "lin 1 0 1", False),
    ("G 2 1 0 1", "L 2 1 0 1", "lin 1 0 1", False),
    ("G 2 1 0 1", "E 2 1 0 1", "lin 1 0 1", False),
    ("G 2 1 0 1", "L -2 1 0 -1", "lin 1 0 -1", True),
    ("G 2 1 0 1", "L -3 1 0 -1", "lin 1 0 -1", False),
    ("G 2 1 0 1", "G -2 1 0 -1", "lin 1 0 -1", False),
    ("L 2 1 0 1", "L 2 1 0 1", "lin 1 0 1", True),
    ("L 2 1 0 1", "L 3/2 1 0 1", "lin 1 0 1", False),
    ("L 2 1 0 1", "G -2 1 0 -1", "lin 1 0 -1", True),
    ("L 2 1 0 1", "G -3/2 1 0 -1", "lin 1 0 -1", False),
    ("L 2 1 0 1", "L -2 1 0 -1", "lin 1 0 -1", False),
    ("E 2 1 0 1", "E 2 1 0 1", "lin 1 0 1", True),
    ("E 2 1 0 1", "E -2 1 0 -1", "lin 1 0 -1", True),
    ("E 2 1 0 1", "G -2 1 0 -1", "lin 1 0 -1", True),
    ("E 2 1 0 1", "L -2 1 0 -1", "lin 1 0 -1", True),
    ("E 2 1 0 1", "E 3 1 0 1", "lin 1 0 1", False),
    ("G 2 1 0 1", "G 1 1 0 1/2", "lin 1 0 1/2", True),
    ("G 2 1 0 1", "G 1 1 0 1", "lin 1 0 1/2", False),
    ("G 2 1 0 1", "L -1 1 0 -1/2", "lin 1 0 -1/2", True),
    ("G 2 1 0 1", "G -1 1 0 -1/2", "lin 1 0 -1/2", False),
    ("L 2 1 0 1", "G -1/5 1 0 -1/10", "lin 1 0 -1/10", True),
    ("L 2 1 0 1", "L -1/5 1 0 -1/10", "lin 1 0 -1/10", False),
    ("G 2 1 0 1", "G 0 0", "lin 1 0 0", True),
    ("G 2 1 0 1", "E 0 0", "lin 1 0 0", True),
    ("G 2 1 0 1", "E 0 0", "lin 0", True),
    ("G 2 1 0 1", "G 1 0", "lin 0", False),
    ("G 2 1 0 1", "G 2 2 0 1 1 0", "lin 1 0 1", True),
    ("G 2 1 0 1", "G 2 2 0 1 1 1", "lin 1 0 1", False),
    ("G 2 1 0 1", "G 2 1 1 1", "lin 1 0 1", False),
    # rnd: to the next whole side in the row's own direction, of whole columns and factors
    ("G 3/2 1 0 1", "G 2 1 0 1", "rnd 1 0 1", True),
    ("G 3/2 1 0 1", "G 1 1 0 1", "rnd 1 0 1", True),
    ("G 3/2 1 0 1", "G 3 1 0 1", "rnd 1 0 1", False),
    ("G 2 1 0 1", "G 2 1 0 1", "rnd 1 0 1", True),
    ("G 2 1 0 1", "G 3 1 0 1", "rnd 1 0 1", False),
    ("L 3/2 1 0 1", "L 1 1 0 1", "rnd 1 0 1", True),
    ("L 3/2 1 0 1", "L 0 1 0 1", "rnd 1 0 1", False),
    ("L -3/2 1 0 1", "L -2 1 0 1", "rnd 1 0 1", True),
    ("G -3/2 1 0 1", "G -1 1 0 1", "rnd 1 0 1", True),
    ("G -3/2 1 0 1", "G 0 1 0 1", "rnd 1 0 1", False),
    ("G 3/2 1 0 1", "L -2 1 0 -1", "rnd 1 0 -1", True),
    ("G 3/2 1 1 1", "G 2 1 1 1", "rnd 1 0 1", False),
    ("G 3/2 2 0 1 1 1", "G 2 2 0 1 1 1", "rnd 1 0 1", False),
    ("G 3/4 1 0 1/2", "G 1 1 0 1/2", "rnd 1 0 1", False),
    ("G 3/4 1 0 1/2", "G 2 1 0 1", "rnd 1 0 2", True),
    ("G 3/4 1 0 -1/2", "G 1 1 0 -1/2", "rnd 1 0 1", False),
    ("G 3/4 1 0 -3/2", "G 1 1 0 -3/2", "rnd 1 0 1", False),
    ("G 3/4 1 0 -2", "G 1 1 0 -2", "rnd 1 0 1", True),
    ("E 3/2 1 0 1", "E 2 1 0 1", "rnd 1 0 1", False),
    ("E 2 1 0 1", "E 2 1 0 1", "rnd 1 0 1", False),
    ("E 2 1 0 1", "E 0 1 0 1", "rnd 1 0 1", False),
]


@pytest.mark.parametrize(("given", "stated", "reason", "follows"), ONE_STEP)
def test_one_step_from_one_row(given, stated, reason, follows):
    """Column 0 is whole, column 1 is not."""
    text = file(whole="INT 1 0", rows=(given,), steps=(step(stated, reason),),
                claim="range -inf inf")  # fmt: skip
    if follows:
        assert not vipr(text)["infeasible"]
    else:
        refuse(text)


TWO = ("G 2 1 0 1", "L 5 1 1 1", "E 1 2 0 1 1 1")


@pytest.mark.parametrize(
    ("stated", "reason", "words"),
    [
        ("G -3 2 0 1 1 -1", "lin 2 0 1 1 -1", ""),
        ("G -2 2 0 1 1 -1", "lin 2 0 1 1 -1", "does not follow"),
        ("L 3 2 0 -1 1 1", "lin 2 0 -1 1 1", ""),
        ("G 7 2 0 1 1 1", "lin 2 0 1 1 1", "opposite directions"),
        ("G 3 2 0 2 1 1", "lin 2 0 1 2 1", ""),
        ("G 1 1 1 -1", "lin 2 0 1 2 -1", ""),
        ("G 0 1 1 -1", "lin 2 2 -1 0 1", ""),
        ("G 2 1 1 -1", "lin 2 0 1 2 -1", "does not follow"),
        ("L 6 2 0 1 1 2", "lin 2 1 1 2 1", ""),
        ("L 4 1 0 -1", "lin 2 1 1 2 -1", ""),
        ("G 2 1 0 1", "lin 2 0 1 1 0", ""),
        ("G 2 1 0 1", "lin 3 0 1 1 0 2 0", ""),
    ],
)
def test_one_step_from_several_rows(stated, reason, words):
    text = file(rows=TWO, steps=(step(stated, reason),), claim="range -inf inf")
    if words:
        refuse(text, words)
    else:
        vipr(text)


def test_rows_are_named_once_in_a_combination_and_exist():
    for reason in ("lin 2 0 1 0 1", "lin 4 0 1 1 0 2 0 0 0", "lin 1 3 1", "lin 1 -1 1", "lin -1"):
        refuse(file(rows=TWO, steps=(step("G 2 1 0 1", reason),), claim="range -inf inf"), "", 2)


def test_a_row_is_used_until_its_last_use_and_not_later():
    def two_steps(last):
        first = step("G 2 1 0 1", "lin 1 0 1", last)
        return file(rows=TWO, steps=(first, *[step("G 2 1 0 1", "lin 1 3 1")] * 2),
                    claim="range -inf inf")  # fmt: skip

    for last in ("-1", "5", "6"):
        assert not vipr(two_steps(last))["infeasible"]
    for last in ("0", "3", "4"):
        refuse(two_steps(last), "after its last use", 2)
    refuse(two_steps("-2"), "", 2)


CASES = [
    # what the two cases assume, and whether x <= b or x >= b + 1 is certain
    ("L 0 1 0 1", "G 1 1 0 1", True),
    ("G 1 1 0 1", "L 0 1 0 1", True),
    ("L -3 1 0 2", "G -2 1 0 2", True),
    ("L 0 1 0 1", "G 2 1 0 1", False),
    ("L 0 1 0 1", "G 0 1 0 1", False),
    ("L 1/2 1 0 1", "G 3/2 1 0 1", False),
    ("L -1/2 1 0 1", "G 1/2 1 0 1", False),
    ("L 0 1 0 1/2", "G 1 1 0 1/2", False),
    ("L 0 1 0 -1/2", "G 1 1 0 -1/2", False),
    ("L 0 1 1 1", "G 1 1 1 1", False),
    ("L 0 1 0 1", "G 1 1 0 2", False),
    ("L 0 1 0 1", "L 1 1 0 1", False),
    ("G 0 1 0 1", "G 1 1 0 1", False),
    ("E 0 1 0 1", "G 1 1 0 1", False),
    ("L 0 1 0 1", "E 1 1 0 1", False),
    ("L 0 0", "G 1 0", True),
    ("L 1 0", "G 0 0", False),
]


def two_cases(one, other):
    """Column 0 is whole, column 1 is not; row 0 holds in both cases."""
    steps = (
        step(one, "asm"), step(other, "asm"), step("G 2 1 0 1", "lin 2 0 1 1 0"),
        step("G 2 1 0 1", "lin 2 0 1 2 0"), step("G 2 1 0 1", "uns 3 1 4 2"),
    )  # fmt: skip
    return file(whole="INT 1 0", rows=("G 2 1 0 1",), steps=steps, claim="range 2 inf", **ON_X)


@pytest.mark.parametrize(("one", "other", "certain"), CASES)
def test_two_cases_are_whole_and_next_to_each_other(one, other, certain):
    if certain:
        assert vipr(two_cases(one, other))["lower"] == 2
    else:
        refuse(two_cases(one, other), "no two cases")


def branching(reason, last="G 2 1 0 1", claim="range 2 inf"):
    """Rows 1 and 2 assume, 3 rests on 1, 4 on 2, 5 on a third assumption too; 7 joins them."""
    steps = (
        step("L 0 1 0 1", "asm"), step("G 1 1 0 1", "asm"), step("G 2 1 0 1", "lin 2 0 1 1 0"),
        step("G 2 1 0 1", "lin 2 0 1 2 0"), step("G 9 1 0 1", "asm"),
        step("G 2 1 0 1", "lin 2 4 1 5 0"), step(last, reason),
    )  # fmt: skip
    return file(rows=("G 2 1 0 1",), steps=steps, claim=claim, **ON_X)


@pytest.mark.parametrize(
    ("reason", "proved"),
    [
        ("uns 3 1 4 2", True), ("uns 4 2 3 1", True), ("uns 3 1 6 2", False),
        ("uns 6 2 3 1", False), ("uns 4 1 3 2", False), ("uns 0 1 0 2", True),
        ("uns 3 1 0 2", True), ("uns 0 1 4 2", True), ("uns 4 1 0 2", False),
        ("uns 0 1 3 2", False), ("lin 1 3 1", False), ("lin 1 4 1", False), ("lin 1 0 1", True),
        ("rnd 1 3 1", False), ("asm", False), ("lin 2 0 1 3 0", False),
    ],
)  # fmt: skip
def test_what_rests_on_an_assumption_proves_nothing_until_both_cases_do(reason, proved):
    if proved:
        assert vipr(branching(reason))["lower"] == 2
    else:
        refuse(branching(reason), "the last row does not prove")
        assert vipr(branching(reason, claim="range -inf inf"))["lower"] is None


def test_joining_two_cases_takes_as_many_steps_in_either_order():
    one, other = (
        Vipr(branching(reason, claim="range -inf inf").encode())
        for reason in ("uns 3 1 6 2", "uns 6 2 3 1")
    )
    one.check()
    other.check()
    assert one.work == other.work


def test_a_proof_takes_no_more_steps_than_it_may():
    Vipr(b"", most=1).step(0)
    with pytest.raises(Rejection, match="more than 0 steps"):
        Vipr(b"", most=0).step(0)


def test_both_cases_must_give_what_is_joined():
    refuse(branching("uns 3 1 4 2", last="G 3 1 0 1"), "does not follow")
    refuse(branching("uns 5 1 4 2", last="G 9 1 0 1"), "does not follow")
    refuse(branching("uns 4 1 5 2", last="G 9 1 0 1"), "does not follow")
    assert vipr(branching("uns 3 1 4 2", last="G 1 1 0 1", claim="range 1 inf"))["lower"] == 1


@pytest.mark.parametrize(
    ("way", "row", "follows"),
    [
        ("min", "L 5 OBJ", True), ("min", "L 6 OBJ", True), ("min", "L 9/2 OBJ", False),
        ("min", "G 5 OBJ", False), ("min", "E 5 OBJ", False),
        ("max", "G 7 OBJ", True), ("max", "G 6 OBJ", True), ("max", "G 15/2 OBJ", False),
        ("max", "L 7 OBJ", False), ("max", "E 7 OBJ", False),
    ],
)  # fmt: skip
def test_a_cut_off_keeps_the_best_solution_and_no_more(way, row, follows):
    text = file(objective=f"{way} 1 0 1", rows=("G 2 1 0 1",), solutions=("1 0 5", "1 0 7"),
                steps=(step(row, "sol"),), claim="range -inf inf")  # fmt: skip
    if follows:
        assert not vipr(text)["infeasible"]
    else:
        refuse(text, "does not follow")
    refuse(text.replace("SOL 2\ns0 1 0 5\ns1 1 0 7", "SOL 0"), "there is none")


@pytest.mark.parametrize(
    ("row", "x", "fits"),
    [
        ("G 2 1 0 3", "2/3", True), ("G 2 1 0 3", "1/2", False), ("G 2 1 0 3", "1", True),
        ("L 2 1 0 3", "2/3", True), ("L 2 1 0 3", "1", False), ("L 2 1 0 3", "0", True),
        ("E 2 1 0 3", "2/3", True), ("E 2 1 0 3", "1", False), ("E 2 1 0 3", "0", False),
        ("G 0 1 0 1", "-1", False), ("L 0 1 0 1", "-1", True), ("G -1 1 0 1", "-1", True),
    ],
)  # fmt: skip
def test_solutions_keep_every_row(row, x, fits):
    text = file(whole="INT 1 1", rows=("G -9 1 1 1", row), solutions=(f"1 0 {x}",),
                claim="range -inf inf")  # fmt: skip
    if fits:
        assert not vipr(text)["infeasible"]
    else:
        refuse(text, "a solution breaks row 1")


def test_solutions_are_whole_where_they_must_be():
    def with_solution(x, y):
        return file(whole="INT 1 1", rows=(), solutions=(f"2 0 {x} 1 {y}",), claim="range -inf inf")

    assert vipr(with_solution("1/2", "-3"))["lower"] is None
    assert vipr(with_solution("1/2", "4/2"))["lower"] is None
    refuse(with_solution("1", "1/2"), "not whole in variables [1]")
    refuse(with_solution("1", "-1.5"), "not whole in variables [1]")
    many = file(variables="VAR 5 a b c d e", whole="INT 5 0 1 2 3 4", rows=(),
                solutions=("5 0 1/2 1 1/2 2 1/2 3 1/2 4 1/2",), claim="range -inf inf")  # fmt: skip
    refuse(many, "variables [0, 1, 2]")


NUMBERS = [
    ("7", True), ("+7", True), ("-7", True), ("007", True), ("7.50", True), ("-7/2", True),
    ("7/10", True), ("0.0", True), ("7" * 2000, True), ("7" * 2001, False),
    ("1." + "7" * 2000, True),
    ("1." + "7" * 2001, False), ("1/" + "7" * 2000, True), ("1/" + "7" * 2001, False),
    ("7/", False), ("7.", False), (".5", False), ("1/0", False), ("1/07", False), ("1/-2", False),
    ("1e3", False), ("0x1", False), ("inf", False), ("nan", False), ("1_0", False), ("--1", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "fits"), NUMBERS, ids=range(len(NUMBERS)))
def test_numbers_of_vipr_files(text, fits):
    made = file(rows=(f"L {text} OBJ",), claim="range -inf inf")
    if fits:
        assert vipr(made)["lower"] is None
    else:
        refuse(made, "is no fraction or decimal", 2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("VER 1.0", "VER 1.1"), ("VER", "VERS"), ("VAR 2", "VAR 3"), ("VAR 2", "VAR -1"),
        ("VAR 2", "VAR 1000000001"), ("VAR 2 x y", "VAR 2 x x"), ("INT 2 0 1", "INT 2 0 2"),
        ("INT 2 0 1", "INT 3 0 1 1"), ("INT 2 0 1", "INT 1 -1"), ("INT 2", "INTS 2"),
        ("OBJ min", "OBJ best"), ("OBJ min 2 0 1 1 1", "OBJ min 2 0 1 0 1"),
        ("OBJ min 2 0 1 1 1", "OBJ min -1"), ("OBJ min 2 0 1 1 1", "OBJ min 1 -1 1"),
        ("G 1 OBJ", "G 1 -1"), ("G 1 OBJ", "G 1 1 -1 1"), ("INT 2 0 1", "INT -1"),
        ("OBJ min 2 0 1 1 1", "OBJ min 1 2 1"), ("OBJ min 2 0 1 1 1", "OBJ min 3 0 1 1 1 1 1"),
        ("CON 1 1", "CON 1 2"), ("CON 1 1", "CON 1 -1"), ("CON 1 1", "CON 2 1"),
        ("G 1 OBJ", "N 1 OBJ"), ("G 1 OBJ", "G 1 OBJS"), ("RTP range", "RTP ranges"),
        ("SOL 0", "SOL -1"), ("SOL 0", "SOL 1"), ("DER 1", "DER 2"), ("DER 1", "DER 0"),
        ("{ lin", "( lin"), ("{ lin", "{ lun"), ("1 } -1", "1 ) -1"), ("-1\n", "-1 more\n"),
        ("-1\n", "-2\n"), ("-1\n", "\n"), ("VAR 2 x y", "VAR 2 x \u00e4"),
        ("DER 1", "DER 0001000000000000000"), ("DER 1", "DER +1"), ("VAR 2", "VAR 2.0"),
    ],
)  # fmt: skip
def test_words_that_do_not_belong_are_refused(old, new):
    text = file(steps=(step("G 1 OBJ", "lin 1 0 1"),))
    assert vipr(text)["lower"] == 1
    assert old in text
    refuse(text.replace(old, new, 1), "", 2)


def test_counts_end_at_a_thousand_million():
    refuse(file().replace("DER 0", "DER 1000000000"), "the end of the file", 2)
    refuse(file().replace("DER 0", "DER 1000000001"), "not in 0..1000000000", 2)
    assert vipr(file(whole="INT 0"))["lower"] == 1


def test_remarks_come_first_and_lines_may_end_anyhow():
    text = file()
    for before in ("% a remark\n", "\n \n%\n% VER 2.0\n", "  \n"):
        assert vipr(before + text)["lower"] == 1
    assert vipr(text.replace("\n", "\r\n"))["lower"] == 1
    assert vipr(text.replace("\n", "\r"))["lower"] == 1
    refuse(text.replace("VAR", "% x\nVAR"), "unexpected: '%'", 2)
    refuse("", "the end of the file", 2)
    refuse("VER 1.0 VAR 2 x", "the end of the file", 2)


def test_the_objective_of_a_row_is_the_files_own():
    text = file(objective="min 1 1 2", rows=("G 1 1 1 1",), claim="range 2 inf",
                steps=(step("G 2 OBJ", "lin 1 0 2"),))  # fmt: skip
    assert vipr(text)["lower"] == 2
    refuse(text.replace("G 2 OBJ", "G 3 OBJ"), "does not follow")


def test_sums_of_combinations_stay_short():
    huge = "1/" + "7" * 2000
    other = "1/" + "3" * 1999 + "1"
    third = "1/" + "9" * 1999 + "7"
    rows = (f"E {huge} 1 0 1", f"E {other} 1 0 1", f"E {third} 1 0 1")
    sums = step("E 0 0", "lin 3 0 1 1 1 2 1")
    refuse(file(rows=rows, steps=(sums,), claim="range -inf inf"), "bits", 2)
    rows = (f"E 0 1 0 {huge}", f"E 0 1 0 {other}", f"E 0 1 0 {third}")
    refuse(file(rows=rows, steps=(sums,), claim="range -inf inf"), "bits", 2)


SENTENCES = [
    (dict(lower=F(2, 3), upper=None), "is at least 0.666666666666"),
    (dict(lower=None, upper=F(2, 3)), "is at most 0.666666666667"),
    (dict(lower=F(-2, 3), upper=None), "is at least -0.666666666667"),
    (dict(lower=F(2, 3), upper=F(2, 3)), "is at least 0.666666666666 and at most 0.666666666667"),
    (dict(lower=None, upper=None), "is not bounded"),
    (dict(lower=F(100), upper=None), "is at least 100"),
    (dict(lower=F(-(10**15)), upper=None), "is at least -1000000000000000"),
    (dict(lower=F(10**16), upper=None), "is at least 1E+16"),
    (dict(lower=F(1, 10**6), upper=None), "is at least 0.000001"),
    (
        dict(lower=F(1, 10**7), upper=F(2, 3 * 10**7)),
        "is at least 1E-7 and at most 6.66666666667E-8",
    ),
    (
        dict(lower=F(10**15 - 1), upper=F(10**15 - 1)),
        "is at least 999999999999000 and at most 1000000000000000",
    ),
]


@pytest.mark.parametrize(("found", "words"), SENTENCES)
def test_sentences_round_each_bound_to_its_side(found, words):
    said = sentence({"infeasible": False} | found)
    assert said == f"the optimal value of the program in the VIPR file {words}"


def test_sentences_tell_what_was_used_and_how_well_a_point_fits():
    found = {"program": "p", "infeasible": False, "implied": 0, "lower": F(1)}
    name = 'the program that the file calls "p"'
    assert sentence(found) == f"the optimal value of {name} is at least 1"
    assert sentence(found | {"implied": 3}) == (
        f"the optimal value of {name}, within the file's implied bounds of 3 columns, is at least 1"
    )
    assert sentence({"program": "p", "infeasible": True, "implied": 0, "lower": None}) == (
        f"{name} has no point"
    )
    assert sentence(found | {"value": F(2, 3), "tolerance": 1 / 3}) == (
        f"the optimal value of {name} is at least 1; a point that satisfies it within "
        "0.333333333334 reaches 0.666666666667"
    )
    assert sentence({**found, "upper": F(1), "lower": None, "value": F(2, 3), "tolerance": 0}) == (
        f"the optimal value of {name} is at most 1; a point that satisfies it exactly "
        "reaches 0.666666666666"
    )


@pytest.mark.ids(3)
@pytest.mark.parametrize(
    ("name", "content", "code", "words"),
    [
        ("a.json", json.dumps(PLAIN), 0, 'proved: the optimal value of the program that the file '
         'calls "p" is at least 0.25\n'),
        ("a.vipr", file(), 0, "proved: the optimal value of the program in the VIPR file is at "
         "least 1\n"),
        ("a.json", json.dumps(PLAIN | {"bound": "1"}), 1,
         "refused: the multipliers do not prove the bound 1\n"),
        ("a.vipr", file(claim="range 2 inf"), 1,
         "refused: the last row does not prove what is claimed\n"),
        ("a.vipr", "", 2, "refused: unexpected: 'the end of the file'\n"),
        ("a.json", "", 2, "refused: no certificate: Expecting value: line 1 column 1 (char 0)\n"),
    ],
)  # fmt: skip
def test_the_command_says_so_and_exits_so(name, content, code, words, tmp_path):
    path = tmp_path / name
    path.write_text(content)
    command = [sys.executable, "-I", checker.__file__]
    done = subprocess.run([*command, path], capture_output=True, text=True, check=False)
    said = (words, "") if code == 0 else ("", words)
    assert (done.returncode, done.stdout, done.stderr) == (code, *said)
    for wrong in ([], [str(path), str(path)]):
        done = subprocess.run([*command, *wrong], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "refused: usage: checker.py CERTIFICATE\n"
    for ask in ("--help", "-h"):
        done = subprocess.run([*command, ask], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert "``python checker.py CERTIFICATE``" in done.stdout.splitlines()[0]
        assert "Exit code 0: proved" in done.stdout
        assert len(done.stdout.splitlines()) == 6


def test_files_are_regular_and_not_too_large(tmp_path, monkeypatch):
    missing = str(tmp_path / "n\u00f6ne\n.json")
    for path, words in (
        (str(tmp_path), "no regular file"),
        (missing, "there is no file .*xf6ne"),
    ):
        with pytest.raises(Rejection, match=words) as refusal:
            check_file(path)
        assert refusal.value.args[1] == 2
        assert refusal.value.args[0].isprintable()
    path = tmp_path / "a.json"
    path.write_text(json.dumps(PLAIN))
    for size, fits in ((2**30, True), (2**30 + 1, False)):
        monkeypatch.setattr("os.path.getsize", lambda path, size=size: size)
        if fits:
            assert check_file(str(path))["lower"] == F(1, 4)
            continue
        with pytest.raises(Rejection, match="no regular file"):
            check_file(str(path))


def test_json_is_read_strictly():
    for text, words in (
        ('{"a": 1, "a": 1}', "twice"), ('[{"b": {"a": 1, "a": 2}}]', "twice"),
        ('{"a": NaN}', "range float"), ('{"a": -Infinity}', "range float"),
        ("1e999", "range float"),
        ('"\\ud800"', "no certificate"), ("\xff", "no certificate"), ("{", "no certificate"),
    ):  # fmt: skip
        with pytest.raises(Rejection, match=words) as refusal:
            checker.parsed(text.encode("latin-1"))
        assert refusal.value.args[1] == 2
    assert checker.parsed(b'{"a": [1, 0.5, "\\u00e4", null]}') == {"a": [1, 0.5, "\xe4", None]}
    assert type(checker.parsed(b"1e300")) is float


def test_words_that_are_quoted_are_cut():
    long = "x" * 99
    with pytest.raises(Rejection, match=f"unknown key '{'x' * 40}'\""):
        check_certificate(PLAIN | {long: 1})
    refuse(file().replace("VER", long), f"unexpected: {'x' * 30!r}", 2)
    refuse(file(rows=(f"G {long} OBJ",)), f"{'x' * 30!r} is no fraction", 2)
    with pytest.raises(Rejection, match=re.escape(f"{'x' * 30!r}: not in")):
        vipr(file().replace("CON 1", f"CON {long}"))


def test_a_tree_is_refused_with_what_turns_it_into_vipr():
    words = "no certificate of type linear or infeasible"
    more = '; check what "farkas check FILE --stand-alone NEW.vipr" writes of it'
    for tag, said in (("tree", words + more), ("unbounded", words), (["tree"], words)):
        with pytest.raises(Rejection) as refusal:
            check_certificate({"certificate": tag})
        assert refusal.value.args == (said, 2)


@pytest.mark.parametrize("tree", [None, [], ["linear"], "linear", 3, True])
def test_what_is_no_record_is_no_certificate(tree):
    no(tree, "no certificate of type linear or infeasible", 2)
