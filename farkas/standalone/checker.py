#!/usr/bin/env python3
"""Check a certificate with nothing but this file: ``python checker.py CERTIFICATE``.

A certificate is a file of type ``linear`` or ``infeasible`` with its program inside, or VIPR 1.0
(suffix ``.vipr``), as ``farkas solve`` and ``farkas check --stand-alone`` write them.  This file
may be copied anywhere: it needs Python 3.9 and no part of farkas.  Numbers are read as exact values
of doubles; every step is in fractions.  Exit code 0: proved, as printed.  1: not.  2: no such file.

The program is: optimise c x + offset over row_lower <= A x <= row_upper, lower <= x <= upper, some
columns whole.  For any multipliers y, c x = y (A x) + (c - y A) x, and each product is at least its
value at the cheaper end of its range (the dearer, for a maximum).  A multiplier that meets an
infinite row side counts as 0; one of c - y A that meets an infinite column end proves nothing.
With c = 0 a positive bound shows that there is no point.

The hash of a program is the SHA-256 of: "farkas form 1", a newline, the sense; rows and columns as
int64; the offset as float64; row starts as int64, column indices as int32; as float64 entries,
costs, lower and upper row sides, lower and upper bounds, then both again with the implied bounds
worked in; and the integrality bits, first column highest.  All little-endian, -0.0 as 0.0.
"""

import base64
import decimal
import hashlib
import json
import math
import os
import re
import struct
import sys
import zlib
from fractions import Fraction as Exact

INT, NUMBER, TEXT, MAYBE_TEXT, NONE = [int], [float, int], [str], [str, type(None)], type(None)
FILE = dict(certificate=TEXT, program=TEXT, form=TEXT, sense=TEXT)
MAYBE = dict(farkas=INT, version=TEXT, kind=MAYBE_TEXT, options=[dict], instance=MAYBE_TEXT)
DATA = dict(rows=INT, columns=INT, entries=INT, implied=[bool], offset=NUMBER, data=TEXT)
VECTOR = dict(size=INT, exponent=INT, positions=[list], numbers=[list])
POINT = dict(objective=TEXT, tolerance=NUMBER, values=TEXT)


class Rejection(Exception):
    """What is wrong, and the exit code."""


def require(fact, words, code=1):
    if not fact:
        raise Rejection(words, code)


def parsed(data):
    """JSON without repeated keys, NaN, infinities, or text that is no Unicode."""

    def once(pairs):
        require(len(dict(pairs)) == len(pairs), "a key occurs twice in one record", 2)
        return dict(pairs)

    try:
        tree = json.loads(data.decode("utf-8"), object_pairs_hook=once)
        json.dumps(tree, ensure_ascii=False, allow_nan=False).encode()  # no half characters
    except (ValueError, RecursionError) as problem:
        raise Rejection(f"no certificate: {problem}", 2)
    return tree


def record(tree, where, required, optional=()):
    """Refuse anything but a record with all required keys, no unknown ones, and right types."""
    require(type(tree) is dict, f"{where} is no record", 2)
    fields = dict(optional, **required)
    require(not (lacks := sorted({*required} - {*tree})), f"{where} lacks {', '.join(lacks)}", 2)
    for key, value in tree.items():
        require(key in fields, f"{where} holds the unknown key {key[:40]!a}", 2)
        require(type(value) in fields[key], f"{where}.{key} has the wrong type", 2)
    return tree


def whole(value, where, low, high):
    require(type(value) is int and low <= value <= high, f"{where}: not in {low}..{high}", 2)
    return value


def double(number, where):
    require(abs(number) <= sys.float_info.max, f"{where} holds what is no finite double")
    return float(number)


def fraction(text, where):
    form = r"-?(0|[1-9][0-9]{0,3999})(/[1-9][0-9]{0,3999})?"
    require(re.fullmatch(form, text), f"{where} is no fraction like -7/2")
    return Exact(text)


def ascending(numbers, size):
    return all(map(int.__lt__, [-1, *numbers], [*numbers, size]))


def inflated(text, size, where):
    """The ``size`` bytes behind base64 and deflate, and not one more."""
    try:
        packed = base64.b64decode(text.encode("ascii"), validate=True)
        fits = size <= min(1100 * len(packed), 2**28)  # 1032 bytes of one are possible
        require(fits, f"{where} is too short, or longer than 2**28 bytes")
        raw = (engine := zlib.decompressobj()).decompress(packed, size + 1)
    except (ValueError, zlib.error):
        raise Rejection(f"{where} is no deflated base64", 1)
    fits = len(raw) == size and engine.eof and not engine.unused_data
    require(fits, f"{where} does not hold {size} bytes")
    return raw


class PackedArray:  # the linear program of a certificate, as lists of doubles
    def __init__(self, tree, sense):
        record(tree, "data", DATA)
        m, n, k = (whole(tree[name], name, 0, 2**31 - 1) for name in ("rows", "columns", "entries"))
        self.sense, self.offset = sense, double(tree["offset"], "offset") + 0.0
        sizes = [m + 1, k, k, n, m, m, n, n] + ([n, n] if tree["implied"] else [])
        layout = f"<{m + 1}q{k}i{sum(sizes[2:])}d"
        size = struct.calcsize(layout)
        raw = bytearray(inflated(tree["data"], size + -(-n // 8), "data"))
        numbers = [x if x else 0 for x in struct.unpack(layout, raw[:size])]  # no -0.0
        parts = [numbers[sum(sizes[:i]) :][:one] for i, one in enumerate(sizes)]
        starts, places, entries, self.cost = parts[:4]
        self.row_lower, self.row_upper, self.lower, self.upper = parts[4:8]
        self.tight_lower = list(map(max, self.lower, parts[-2]))
        self.tight_upper = list(map(min, self.upper, parts[-1]))
        self.integer = [bool(raw[size + j // 8] >> (7 - j % 8) & 1) for j in range(n)]
        fits = all(map(math.isfinite, entries + self.cost)) and not any(map(math.isnan, numbers))
        require(fits and all(entries), "NaN, an infinite cost or entry, or an entry 0")
        rising = starts[0] == 0 and starts[-1] == k and all(map(int.__le__, starts, starts[1:]))
        require(rising, "the rows do not follow one another")
        self.rows = []
        for begin, end in zip(starts, starts[1:]):
            require(ascending(places[begin:end], n), "the columns of a row do not ascend")
            self.rows.append(list(zip(places[begin:end], entries[begin:end])))
        if n % 8:
            raw[-1] &= 0xFF00 >> n % 8  # bits of no column
        head = f"farkas form 1\n{sense}".encode() + struct.pack("<qqd", m, n, self.offset)
        numbers[sum(sizes[:8]) :] = self.tight_lower + self.tight_upper
        layout = f"<{m + 1}q{k}i{len(numbers) - k - m - 1}d"
        self.hash = hashlib.sha256(head + struct.pack(layout, *numbers) + raw[size:]).hexdigest()

    def bound(self, multipliers, feasibility, implied=True):
        """The proved bound (of min 0 for ``feasibility``), and how many implied bounds it uses."""
        least, stated = feasibility or self.sense == "min", (self.lower, self.upper)
        ends = (self.tight_lower, self.tight_upper) if implied else stated
        total, used = Exact(0 if feasibility else self.offset), 0
        reduced = [Exact(0 if feasibility else cost) for cost in self.cost]
        for i, factor in multipliers.items():
            end = self.row_lower[i] if (factor > 0) == least else self.row_upper[i]
            if math.isfinite(end):
                total += factor * Exact(end)
                for j, entry in self.rows[i]:
                    reduced[j] -= factor * Exact(entry)
        for j, rate in enumerate(reduced):
            if rate:
                dear = (rate > 0) != least
                end = ends[dear][j]
                if math.isinf(end):
                    return -math.inf if least else math.inf, 0
                total += rate * Exact(end)
                used += end != stated[dear][j]
        return total, used

    def check_point(self, claim):
        """Every requirement, within the tolerance times its side or unit, whichever is larger."""
        size, tolerance = len(self.cost), double(claim["tolerance"], "point.tolerance")
        require(0 <= tolerance <= 1e-6, "the tolerance is not between 0 and 1e-6", 2)
        values = struct.unpack(f"<{size}d", inflated(claim["values"], 8 * size, "point.values"))
        point, share = [Exact(double(x, "the point")) for x in values], Exact(tolerance)
        columns, rows = units(self)
        for j, x in enumerate(point):
            fits = within(x, self.lower[j], self.upper[j], share, columns[j])
            require(fits, f"the point breaks a bound of column {j}")
            off = abs(x - round(x)) if self.integer[j] else 0
            require(off <= share, f"the point is not whole in column {j}")
        lines = *self.rows, enumerate(self.cost)
        *sums, reached = (sum((Exact(a) * point[j] for j, a in x), Exact(0)) for x in lines)
        for i, total in enumerate(sums):
            fits = within(total, self.row_lower[i], self.row_upper[i], share, rows[i])
            require(fits, f"the point breaks row {i}")
        reached += Exact(self.offset)
        same = reached == fraction(claim["objective"], "point.objective")
        require(same, f"the point reaches {shown(reached)}, which is not what is claimed")
        return {"value": reached, "tolerance": tolerance}


def within(value, low, high, share, unit):
    if low == math.inf or high == -math.inf:
        return False
    gaps = [(Exact(low) - value, low)] if low > -math.inf else []
    gaps += [(value - Exact(high), high)] if high < math.inf else []
    return all(gap <= share * max(Exact(2) ** unit, abs(Exact(side))) for gap, side in gaps)


def units(program):
    """Binary orders in which columns and rows are measured, by the program's own numbers.

    The order of a number is its binary logarithm rounded down, 0 and infinity have none.  A column
    has the smallest of its bounds and of side / entry; a whole one 0; one without that of largest
    known term / entry, round by round, then with the objective as a row.  A row has the mean of its
    side and terms, rounded down, at most 16 below its largest; fixed at 0 is a term alone only."""

    def order(*numbers):
        return min(math.frexp(x)[1] - 1 if x and math.isfinite(x) else math.inf for x in numbers)

    def clipped(terms):
        known = [x for x in terms if x < math.inf] or [0]
        return max(-1000, min(1000, max(sum(known) // len(known), max(known) - 16)))

    sides = list(map(order, program.row_lower, program.row_upper))
    lines = [[(j, order(x)) for j, x in row] for row in program.rows]
    moves = [low != 0 or high != 0 for low, high in zip(program.lower, program.upper)]
    column = list(map(order, program.lower, program.upper))
    for side, j, entry in [(i, *term) for i, line in zip(sides, lines) for term in line]:
        column[j] = min(column[j], side - entry)
    column = dict(enumerate(0 if i else c for i, c in zip(program.integer, column)))
    beside = [[] for _ in column]
    for j, i in [(j, i) for i, line in enumerate(lines) for j, _ in line if moves[j]]:
        beside[j].append(i)
    for lot in lines, [[(j, order(c)) for j, c in enumerate(program.cost) if c]]:
        while lot:  # a line is due again only when a term became known: all rounds are one reading
            new = {}
            for line in lot:
                known = [x + column[j] for j, x in line if column[j] < math.inf and moves[j]]
                for j, x in [term for term in line if known and column[term[0]] == math.inf]:
                    new[j] = min(new.get(j, math.inf), max(known) - x)
            column.update(new)
            lot = [lines[i] for i in {i for j in new for i in beside[j]}]
    column = [clipped([c]) for c in column.values()]
    terms = [[term for term in line if moves[term[0]]] or line for line in lines]
    return column, [clipped([i, *(x + column[j] for j, x in t)]) for i, t in zip(sides, terms)]


def check_certificate(tree):
    """Prove a certificate of type ``linear`` or ``infeasible``; return what is proved."""
    tag = tree.get("certificate") if type(tree) is dict else None
    words = "no certificate of type linear or infeasible"
    if tag == "tree":  # of farkas prove
        words += '; check what "farkas check FILE --stand-alone NEW.vipr" writes of it'
    require(tag in ("linear", "infeasible"), words, 2)
    empty = tag == "infeasible"
    claim, by = ("violation", "ray") if empty else ("bound", "multipliers")
    more = {"data": [dict, NONE], **({} if empty else {"point": [dict, NONE]})}
    record(tree, "the file", {**FILE, claim: [str], by: [dict]}, {**MAYBE, **more})
    require(tree.get("farkas", 1) == 1, "another version of the file format", 2)
    for known in {tree["form"], tree.get("instance")} - {None}:
        require(re.fullmatch("[0-9a-f]{64}", known), "a hash is no SHA-256", 2)
    for name in (tree["program"], tree.get("kind") or ""):
        require(re.fullmatch("[^\x00-\x1f\x7f-\x9f]{,200}", name), "a name is no line", 2)
    require(tree["sense"] in ("min", "max"), "the sense is neither min nor max", 2)
    bare, _, variant = tree["program"].removeprefix("relaxation of ").partition("[")
    spelt = variant.removesuffix("]").split(",") if variant else []
    same = tree.get("kind") is None or bare.startswith(f"{tree['kind']}.")
    same = same and list(tree.get("options", {}).values()) in ([], spelt)
    require(same, "kind or options contradict the name of the program")
    require(tree.get("data") is not None, "the file holds no program")
    program = PackedArray(tree["data"], tree["sense"])
    require(program.hash == tree["form"], "the program has another hash than is stated")
    claimed, least = fraction(tree[claim], claim), empty or program.sense == "min"
    factors = vector(tree[by], len(program.rows), by)
    proved, implied = program.bound(factors, empty)
    fits = (claimed <= proved if least else claimed >= proved) and (claimed > 0 or not empty)
    require(fits, f"the {by} do not prove the {claim} {shown(claimed)}")
    implied *= not empty or program.bound(factors, True, implied=False)[0] <= 0
    found = {key: tree.get(key) for key in ("program", "kind", "options")}
    found.update(infeasible=empty, implied=implied)
    found["lower" if least else "upper"] = None if empty else claimed
    if tree.get("point") is not None:
        found.update(program.check_point(record(tree["point"], "point", POINT)))
    return found


def vector(tree, size, where):
    """Exact numbers by position; each must be a double."""
    record(tree, where, VECTOR)
    exponent = whole(tree["exponent"], f"{where}.exponent", -1024, 1074)
    places, numbers = tree["positions"], tree["numbers"]
    require(all(type(x) is int for x in places + numbers), f"{where} holds no integers", 2)
    require(tree["size"] == size and len(places) == len(numbers), f"{where} has another size")
    require(ascending(places, size), f"the positions of {where} do not ascend")
    found = {place: number / Exact(2) ** exponent for place, number in zip(places, numbers)}
    for exact in found.values():
        require(exact and double(exact, where) == exact, f"{where}: 0, or no double")
    return found


class Row:
    """``terms x  >= = <=  side`` (sense 1, 0, -1) for points that satisfy the assumptions."""

    def __init__(self, sense, side, terms, needs=frozenset()):
        self.sense, self.side, self.terms, self.needs = sense, side, terms, needs

    def gives(self, other):
        """Whether whatever satisfies this row satisfies the other."""
        absurd = not self.terms and (self.side * self.sense > 0 or (not self.sense and self.side))
        gap = self.side - other.side
        follows = gap * other.sense >= 0 if other.sense else gap == 0
        alike = self.terms == other.terms and self.sense in (0, other.sense)
        return absurd or (alike and follows)


class Vipr:  # a VIPR 1.0 file, word by word
    def __init__(self, data, most=2**28):
        self.work, self.most = 0, most  # steps: terms touched, pieces of 256 bits of their numbers
        require(data.isascii(), "not ASCII text", 2)
        rest = re.sub(r"\A((%[^\n]*|[^\S\n]*)\n)*", "", data.decode().replace("\r", "\n"))
        self.words = rest.split()[::-1]

    def word(self, *choices):
        found = self.words.pop() if self.words else "the end of the file"
        require(found in choices if choices else " " not in found, f"unexpected: {found[:30]!r}", 2)
        return found

    def count(self, low=0, high=10**9):
        fits = re.fullmatch("-?[0-9]{1,18}", text := self.word())
        return whole(int(text) if fits else None, repr(text[:30]), low, high)

    def number(self, infinite=None):
        text = self.word()
        form = r"[-+]?[0-9]{1,2000}(\.[0-9]{1,2000}|/[1-9][0-9]{0,1999})?"
        fits = text == infinite or re.fullmatch(form, text)
        require(fits, f"{text[:30]!r} is no fraction or decimal", 2)
        return None if text == infinite else Exact(text)

    def terms(self):
        found = {}
        for _ in range(self.count(0, self.size)):
            j = self.count(0, self.size - 1)
            require(j not in found, f"variable {j} occurs twice in one row", 2)
            found[j] = self.number()
        return {j: factor for j, factor in found.items() if factor}

    def row(self):
        self.word()
        sense, side = "LEG".index(self.word("G", "E", "L")) - 1, self.number()
        whole_objective = self.words[-1:] == ["OBJ"] and self.word()
        return Row(sense, side, self.objective if whole_objective else self.terms())

    def check(self):
        self.word("VER"), self.word("1.0"), self.word("VAR")
        self.size = self.count()
        names = {self.word() for _ in range(self.size)}
        require(len(names) == self.size, "two variables have one name", 2)
        self.word("INT")
        self.whole = {self.count(0, self.size - 1) for _ in range(self.count(0, self.size))}
        self.least = self.word("OBJ") and self.word("min", "max") == "min"
        self.objective = self.terms()
        self.word("CON"), self.count(0, given := self.count())
        self.rows = [self.row() for _ in range(given)]
        self.last = [-1] * given
        infeasible = self.word("RTP") and self.word("infeas", "range") == "infeas"
        lower, upper = (None, None) if infeasible else (self.number("-inf"), self.number("inf"))
        require(lower is None or upper is None or lower <= upper, "an empty range is claimed", 2)
        values = self.word("SOL") and [self.solution() for _ in range(self.count())]
        require(not (values and infeasible), "claims that there is no point, and holds one")
        self.best = (min if self.least else max)(values) if values else None
        self.word("DER")
        for _ in range(self.count()):
            self.derivation()
        require(not self.words, "text after the last derivation", 2)
        last = self.rows[-1] if self.rows else Row(0, Exact(0), {})
        bound, reached, way = (lower, upper, 1) if self.least else (upper, lower, -1)
        claim = Row(1, Exact(1), {}) if infeasible else Row(way, bound, self.objective)
        fits = (bound is None and not infeasible) or (not last.needs and last.gives(claim))
        require(fits, "the last row does not prove what is claimed")
        reaches = reached is None or (values and way * (reached - self.best) >= 0)
        require(reaches, "no solution reaches what is claimed")
        return {"infeasible": infeasible, "lower": lower, "upper": upper}

    def solution(self):
        point = self.word() and self.terms()
        off = [j for j, value in point.items() if j in self.whole and value.denominator > 1]
        require(not off, f"a solution is not whole in variables {off[:3]}")
        for k, row in enumerate(self.rows):
            self.step(len(row.terms), row.side)
            gap = self.product(row.terms, point) - row.side
            require(gap * row.sense >= 0 if row.sense else gap == 0, f"a solution breaks row {k}")
        return self.product(self.objective, point)

    def product(self, terms, point):
        total = Exact(0)
        for j in filter(point.__contains__, terms):
            total = self.add(total, terms[j], point[j])
        return total

    def add(self, total, factor, value):
        self.step(0, total, factor, value)
        total += factor * value
        require(not max(abs(total.numerator), total.denominator) >> 2**14, "over 2**14 bits", 2)
        return total

    def step(self, terms, *numbers):
        lengths = (n.numerator.bit_length() + n.denominator.bit_length() for n in numbers)
        self.work += 1 + terms + sum(lengths) // 256
        require(self.work <= self.most, f"to prove it takes more than {self.most} steps")

    def used(self):
        k = self.count(0, len(self.rows) - 1)
        require(not 0 <= self.last[k] < len(self.rows), f"row {k} is used after its last use", 2)
        return k

    def derivation(self):
        here, stated = len(self.rows), self.row()
        reason = self.word("{") and self.word("asm", "lin", "rnd", "uns", "sol")
        found = []
        if reason == "asm":
            stated.needs = frozenset([here])
        elif reason == "sol":
            require(self.best is not None, f"row {here} rests on a solution, and there is none")
            found = [Row(-1 if self.least else 1, self.best, self.objective)]
        elif reason == "uns":
            first, one, second, other = (self.used() for _ in range(4))
            low, high = sorted((self.rows[one], self.rows[other]), key=lambda row: row.sense)
            self.step(len(low.terms), low.side, high.side)
            fits = (low.sense, high.sense, high.side - low.side) == (-1, 1, 1)
            fits = fits and low.terms == high.terms and self.integral(low.terms, low.side)
            require(fits, f"rows {one} and {other} are no two cases a x <= b, >= b + 1")
            found = [self.rows[first], self.rows[second]]
            self.step(1 + len(found[0].needs) + len(found[1].needs))
            stated.needs = (found[0].needs - {one}) | (found[1].needs - {other})
        else:
            found = [self.combination()]
            stated.needs = found[0].needs
        if reason == "rnd":
            way = found[0].sense
            require(way and self.integral(found[0].terms), f"row {here} cannot be rounded")
            found[0].side = Exact(way * math.ceil(way * found[0].side))
        for row in found:
            self.step(len(stated.terms), row.side, stated.side)
            require(row.gives(stated), f"row {here} does not follow from its reason")
        self.last.append(self.word("}") and self.count(-1))
        self.rows.append(stated)

    def combination(self):
        side, terms, needs, ways = Exact(0), {}, frozenset(), {0}
        pairs = [(self.used(), self.number()) for _ in range(self.count(0, len(self.rows)))]
        require(len(dict(pairs)) == len(pairs), "a row occurs twice in a combination", 2)
        for row, factor in ((self.rows[k], factor) for k, factor in pairs):
            self.step(len(row.needs))
            needs |= row.needs
            ways.add(row.sense * ((factor > 0) - (factor < 0)))
            side = self.add(side, factor, row.side)
            for j, value in row.terms.items():
                terms[j] = self.add(terms.get(j, Exact(0)), factor, value)
        require(len(ways) < 3, f"row {len(self.rows)} adds inequalities of opposite directions")
        return Row(sum(ways), side, {j: value for j, value in terms.items() if value}, needs)

    def integral(self, terms, side=1):
        return self.whole.issuperset(terms) and all(x == int(x) for x in (side, *terms.values()))


def shown(value, rounding=decimal.ROUND_HALF_EVEN):
    context = decimal.Context(prec=12, rounding=rounding)
    digits = context.divide(decimal.Decimal(value.numerator), value.denominator).normalize()
    return f"{digits:f}" if -7 < digits.adjusted() < 16 else str(digits)


def sentence(found):
    """What was proved, in words; digits are cut so that the words stay true."""
    down, up = decimal.ROUND_FLOOR, decimal.ROUND_CEILING
    lower, upper, reached = (found.get(key) for key in ("lower", "upper", "value"))
    name, implied = "the program in the VIPR file", found.get("implied")
    if "program" in found:
        name = f"the program that the file calls {json.dumps(found['program'])}"
        more = {key: found[key] for key in ("kind", "options") if found.get(key)}
        name += f" with {json.dumps(more)[:300]}" if more else ""
    name += f", within the file's implied bounds of {implied} columns," if implied else ""
    if found["infeasible"]:
        return f"{name} has no point"
    ends = [] if lower is None else [f"at least {shown(lower, down)}"]
    ends += [] if upper is None else [f"at most {shown(upper, up)}"]
    words = f"the optimal value of {name} is {' and '.join(ends) or 'not bounded'}"
    if reached is not None:
        fits = f"within {shown(Exact(found['tolerance']), up)}" if found["tolerance"] else "exactly"
        reached = shown(reached, down if lower is None else up)
        words += f"; a point that satisfies it {fits} reaches {reached}"
    return words


def check_file(path):
    """Prove the file's claim; return what is proved, or raise Rejection."""
    try:
        require(os.path.exists(path), f"there is no file {path!a}", 2)
        fits = os.path.isfile(path) and os.path.getsize(path) <= 2**30
        require(fits, "no regular file of at most 2**30 bytes", 2)
        with open(path, "rb") as file:
            data = file.read()
    except OSError as problem:
        raise Rejection(f"cannot be read: {problem.strerror}", 2)
    return Vipr(data).check() if path.endswith(".vipr") else check_certificate(parsed(data))


if __name__ == "__main__":
    if sys.argv[1:] in (["-h"], ["--help"]):
        sys.exit(print(*__doc__.split("\n\n")[:2], sep="\n\n"))  # 0: print returns None
    try:
        require(len(sys.argv) == 2, "usage: checker.py CERTIFICATE", 2)
        print(f"proved: {sentence(check_file(sys.argv[1]))}")
    except Rejection as problem:
        print(f"refused: {problem.args[0]}", file=sys.stderr)
        sys.exit(problem.args[1])
