// Certificates of type tree and unbounded: a program in fractions, ends, cuts, branches, leaves.
//
// For a minimum, with V the value of the file's point, if any.  Ends: a row whose other columns lie
// within their ends bounds one more column; row -1 is cost <= V.  Cuts: rows with weights and slacks
// s >= 0, columns measured from an end t >= 0, divided: d t + e s = b; mixed-integer rounding gives
// F(d) t + F(e) s <= floor(b).  Leaves: x <= k and x >= k + 1 cover a whole column's values; multipliers
// bound the costs over the box of a leaf, or contradict it.

const LONGEST_NUMBER = 15000;
const TREE = { ...LINEAR, numbers: [TEXT] };
const SIZE = 2n ** 31n - 1n;

class RationalProgram {
  constructor(tree) {
    record(tree, "data", { size: [INTEGER], text: [TEXT] });
    const length = whole(tree.get("size"), "data.size", 0n, 2n ** 26n);
    const raw = inflated(tree.get("text"), length, "data");
    need(raw.every((byte) => byte < 128), "data: not ASCII text");
    const text = new TextDecoder().decode(raw);
    this.hash = sha256(raw);
    const lines = text.split("\n");
    const head = /^(min|max) (decimal|binary) ([0-9]{1,10}) ([0-9]{1,10}) ([^\s\u001c-\u001f]+)$/.exec(lines[0]);
    need(head, "data: the first line is no head of a program");
    [this.sense, this.numbers] = [head[1], head[2]];
    const [rows, columns] = [Number(head[3]), Number(head[4])];
    need(lines.length === 1 + rows + columns, `data: ${lines.length} lines for ${rows} rows and ${columns} columns`);
    this.offset = fraction(head[5], "data");
    Object.assign(this, { cost: [], lower: [], upper: [], whole: [], rows: [], rowLower: [], rowUpper: [] });
    lines.slice(1, 1 + columns).forEach((line, j) => {
      const words = line.split(" ");
      need(words.length === 4 && ["I", "C"].includes(words[3]), `data: line ${j + 2} is no column`);
      this.cost.push(fraction(words[0], "data"));
      this.lower.push(sideOf(words[1]));
      this.upper.push(sideOf(words[2]));
      this.whole.push(words[3] === "I");
    });
    lines.slice(1 + columns).forEach((line, i) => this.readRow(line, i, columns));
    need(this.text() === text, "data: the program is not in its canonical form");
  }

  readRow(line, i, columns) {
    const words = line.split(" ");
    need(words.length >= 2, `data: row ${i} is none`);
    this.rowLower.push(sideOf(words[0]));
    this.rowUpper.push(sideOf(words[1]));
    let [last, common] = [-1, 0n];
    const row = new Map();
    for (const word of words.slice(2).filter(Boolean)) {
      const found = /^(0|[1-9][0-9]{0,9}):(-?[1-9][0-9]*)$/.exec(word);
      const j = found ? Number(found[1]) : -1;
      need(found && found[2].length <= 4001 && j < columns, `data: row ${i} holds what is no term`);
      need(j > last, `data: the columns of row ${i} do not ascend`);
      last = j;
      row.set(j, frac(BigInt(found[2])));
      common = gcd(common, BigInt(found[2]));
    }
    need(common <= 1n, "data: the program is not in its canonical form");
    this.rows.push(row);
  }

  text() {
    const side = (a) => (a ? written(a) : "-");
    const lines = [`${this.sense} ${this.numbers} ${this.rows.length} ${this.cost.length} ${written(this.offset)}`];
    this.cost.forEach((c, j) => lines.push(`${written(c)} ${side(this.lower[j])} ${side(this.upper[j])} ${this.whole[j] ? "I" : "C"}`));
    this.rows.forEach((row, i) => lines.push(`${side(this.rowLower[i])} ${side(this.rowUpper[i])} ${Array.from(row, ([j, v]) => `${j}:${v.n}`).join(" ")}`));
    return lines.join("\n");
  }

  // As a minimum.
  turned() {
    this.way = this.sense === "min" ? 1 : -1;
    if (this.way < 0) [this.cost, this.offset] = [this.cost.map(minus), minus(this.offset)];
  }
}

const sideOf = (text) => (text === "-" ? null : fraction(text, "data"));

function entries(value, where, parts) {
  need(Array.isArray(value) && value.length === parts.length, `${where}: no list of ${parts.length}`);
  value.forEach((part, k) => need(parts[k] === kindOf(part), `${where}: holds a wrong type`));
  return value;
}

// What a leaf may refer to; of what none refers to the numbers are not read.
function weightsOf(one, where) {
  record(one, where, { ray: [TRUTH], denominator: [TEXT], factors: [LIST] });
  for (const pair of one.get("factors")) {
    const [i, text] = entries(pair, where, [INTEGER, TEXT]);
    whole(i, where, 0n, SIZE);
    need(text.length <= 31000, `${where}: no number as text`);
  }
  need(one.get("denominator").length <= 31000, `${where}: no number as text`);
  return one;
}

class TreeChecker {
  constructor(file, progress) {
    Object.assign(this, { file, progress, work: 0, gain: ZERO });
    need((file.get("data") ?? null) !== null, "the file.data: the file holds no program; farkas check FILE --instance INSTANCE --stand-alone WHOLE.json writes one that does");
    const program = new RationalProgram(file.get("data"));
    need(program.hash === file.get("form"), "the file.form: the program inside has another hash than is stated");
    const same = program.sense === file.get("sense") && program.numbers === file.get("numbers");
    need(same, "the file: names another sense or reading of numbers than its program");
    program.turned();
    Object.assign(this, program);
  }

  // ---- steps, counted before they are made ----

  charge(terms, ...numbers) {
    let bits = 0;
    for (const { n, d } of numbers) bits += bitLength(n) + bitLength(d);
    const pieces = Math.floor(bits / 256);
    this.work += 1 + terms + pieces + Math.floor((pieces * pieces) / 64);
    need(this.work <= MOST_WORK, `tree: takes more than ${MOST_WORK} steps to check`);
  }

  plus(total, factor, value) {
    this.charge(0, total, factor, value);
    return plus(total, times(factor, value));
  }

  over(value, divisor) {
    this.charge(0, value, divisor);
    return over(value, divisor);
  }

  read(text, where) {
    need(typeof text === "string" && text.length <= 31000, `${where}: no number as text`);
    const number = fraction(text, where, LONGEST_NUMBER);
    this.charge(0, number);
    return number;
  }

  place(value, where, length) {
    return whole(value, where, 0n, BigInt(length) - 1n);
  }

  // Pairs [place, number as text], which may repeat.
  pairs(list, where, length) {
    need(Array.isArray(list), `${where}: no list`);
    return list.map((pair) => {
      const [j, text] = entries(pair, where, [INTEGER, TEXT]);
      return [this.place(j, where, length), this.read(text, where)];
    });
  }

  sparse(list, where) {
    const found = this.pairs(list, where, this.cost.length);
    need(ascending(found.map(([j]) => j), this.cost.length), `${where}: its columns do not ascend`);
    return new Map(found);
  }

  product(terms, point, total = ZERO) {
    for (const [j, value] of terms) if (value.n && point.has(j)) total = this.plus(total, value, point.get(j));
    return total;
  }

  // ---- a point, a direction ----

  // Exact value, in the program's sense, of a point that keeps everything.
  point() {
    const [list, value] = [this.file.get("point") ?? null, this.file.get("value") ?? null];
    need((list === null) === (value === null), "the file: a value needs a point");
    if (list === null) return null;
    const point = this.sparse(list, "point");
    const inside = (x, low, high, what) => need((!low || compare(low, x) <= 0) && (!high || compare(x, high) <= 0), `point: ${what} is outside`);
    this.cost.forEach((_, j) => {
      const x = point.get(j) ?? ZERO;
      inside(x, this.lower[j], this.upper[j], `column ${j}`);
      need(!this.whole[j] || integral(x), `point: column ${j} is not whole`);
    });
    this.rows.forEach((row, i) => inside(this.product(row, point), this.rowLower[i], this.rowUpper[i], `row ${i}`));
    const found = this.product(this.cost.entries(), point, this.offset);
    const said = this.way > 0 ? found : minus(found);
    need(equal(said, this.read(value, "value")), "value: the point has another one");
    return said;
  }

  direction() {
    const direction = this.sparse(this.file.get("direction"), "direction");
    const leaves = (moved, low, high, what) => need((!low || moved.n >= 0n) && (!high || moved.n <= 0n), `direction: leaves ${what}`);
    for (const [j, moved] of direction) leaves(moved, this.lower[j], this.upper[j], `a bound of column ${j}`);
    this.rows.forEach((row, i) => leaves(this.product(row, direction), this.rowLower[i], this.rowUpper[i], `a side of row ${i}`));
    need(this.product(this.cost.entries(), direction).n < 0n, "direction: does not improve");
  }

  // ---- a tree ----

  check() {
    const { file } = this;
    const text = file.get("bound") ?? null;
    const bound = text === null ? null : this.read(text, "bound");
    const value = this.point();
    const known = value && (this.way > 0 ? value : minus(value));
    this.takeGain(this.read(file.get("gain") ?? "0", "gain"));
    (file.get("ends") ?? []).forEach((step, k) => this.takeEnd(step, known, `ends[${k}]`));
    (file.get("cuts") ?? []).forEach((cut, k) => this.takeCut(cut, `cuts[${k}]`));
    this.weights = (file.get("weights") ?? []).map((one, k) => weightsOf(one, `weights[${k}]`));
    const least = this.leastBound();
    if (!bound) need(!least && !known, "tree: a leaf or the point contradicts that there is none");
    else {
      const claimed = this.way > 0 ? bound : minus(bound);
      need(!least || compare(claimed, least) <= 0, "tree: a leaf proves less than the bound");
      need(known || least, "tree: there is no point to bound");
      need(!known || compare(claimed, known) <= 0, "point: is better than the bound");
    }
    return { bound, value };
  }

  takeGain(gain) {
    for (const [j, c] of this.cost.entries()) {
      this.charge(0, c, gain);
      const fits = !c.n || !gain.n || (this.whole[j] && integral(over(c, gain)));
      need(gain.n >= 0n && fits, `gain: does not divide the cost of column ${j}, or that is not whole`);
    }
    need(gain.n >= 0n, "gain: below 0");
    this.gain = gain;
  }

  takeEnd(step, known, where) {
    const [row, column, upper, text] = entries(step, where, [INTEGER, INTEGER, TRUTH, TEXT]);
    const i = whole(row, where, -1n, BigInt(this.rows.length) - 1n);
    const j = this.place(column, where, this.cost.length);
    const value = this.read(text, where);
    need(i >= 0 || known, `${where}: uses the cost of a point, and there is none`);
    const terms = i < 0 ? new Map([...this.cost.entries()].filter(([, c]) => c.n)) : this.rows[i];
    const sides = i < 0 ? [[plus(known, minus(this.offset)), 1]] : [[this.rowUpper[i], 1], [this.rowLower[i], -1]];
    need(terms.has(j), `${where}: names a column that its row does not hold`);
    const given = sides.some(([side, way]) => {
      const turned = (v) => (way > 0 ? v : minus(v));
      const own = turned(terms.get(j));
      if (!side || (own.n > 0n) !== upper) return false;
      let least = ZERO;
      for (const [k, v] of terms) {
        if (k === j) continue;
        const end = turned(v).n > 0n ? this.lower[k] : this.upper[k];
        if (!end) return false;
        least = this.plus(least, turned(v), end);
      }
      this.charge(0, side, least, own);
      let exact = over(plus(turned(side), minus(least)), own);
      if (this.whole[j]) exact = upper ? floor(exact) : ceil(exact);
      return upper ? compare(value, exact) >= 0 : compare(value, exact) <= 0;
    });
    need(given, `${where}: does not follow from its row`);
    const ends = upper ? this.upper : this.lower;
    if (!ends[j] || (upper ? compare(value, ends[j]) < 0 : compare(value, ends[j]) > 0)) ends[j] = value;
  }

  takeCut(cut, where) {
    record(cut, where, { rows: [LIST], divisor: [TEXT], complemented: [LIST], times: [TEXT], terms: [LIST], side: [TEXT] }, { across: [LIST] });
    const [divisor, factor] = [this.read(cut.get("divisor"), where), this.read(cut.get("times"), where)];
    need(divisor.n > 0n && factor.n > 0n, `${where}: divides or multiplies by nothing above 0`);
    const places = (key) => new Set((cut.get(key) ?? []).map((place) => whole(place, `${where}.${key}`, 0n, SIZE)));
    const [across, turned] = [places("across"), places("complemented")];
    const [terms, slacks] = [new Map(), []];
    let total = ZERO;
    for (const [i, weight] of this.pairs(cut.get("rows"), where, this.rows.length)) {
      const way = weight.n > 0n !== across.has(i) ? 1 : -1;
      const side = way > 0 ? this.rowUpper[i] : this.rowLower[i];
      need(side, `${where}: rests on a side that is infinite`);
      total = this.plus(total, weight, side);
      let allWhole = integral(side);
      for (const [j, v] of this.rows[i]) {
        terms.set(j, this.plus(terms.get(j) ?? ZERO, weight, v));
        allWhole &&= this.whole[j];
      }
      slacks.push([i, way, way > 0 ? weight : minus(weight), side, allWhole]);
    }
    const ends = new Map();
    for (const [j, v] of terms) {
      if (!v.n) continue;
      let end = turned.has(j) ? this.upper[j] : this.lower[j];
      if (!end && this.whole[j] && integral(this.over(v, divisor))) end = ZERO; // any whole number gives the same cut
      need(end, `${where}: measures a column from an end that is infinite`);
      need(!this.whole[j] || integral(end), `${where}: measures from a broken end`);
      ends.set(j, end);
      total = this.plus(total, minus(v), end);
    }
    const level = this.over(total, divisor);
    let side = floor(level);
    const part = plus(level, minus(side));
    const rest = plus(frac(1n), minus(part));
    const rounding = (d, isWhole) => { // F of the argument
      this.charge(0, d, part);
      if (!isWhole) return d.n < 0n ? over(d, rest) : ZERO;
      const above = plus(plus(d, minus(floor(d))), minus(part));
      return above.n > 0n ? plus(floor(d), over(above, rest)) : floor(d);
    };
    const found = new Map();
    for (const [j, end] of ends) {
      const turn = turned.has(j) ? minus : (x) => x;
      const value = turn(rounding(this.over(turn(terms.get(j)), divisor), this.whole[j]));
      found.set(j, value);
      side = this.plus(side, value, end);
    }
    for (const [i, way, weight, rowSide, isWhole] of slacks) { // s = way * (side - row)
      const size = rounding(this.over(weight, divisor), isWhole);
      if (!size.n) continue;
      const away = way > 0 ? minus(size) : size;
      side = this.plus(side, away, rowSide);
      for (const [j, v] of this.rows[i]) found.set(j, this.plus(found.get(j) ?? ZERO, away, v));
    }
    const derived = new Map(Array.from(found, ([j, v]) => [j, this.plus(ZERO, v, factor)]));
    this.addCut(cut, derived, this.plus(ZERO, side, factor), where);
  }

  // One more row: what is stated, if it is no stronger than what was derived.
  addCut(cut, derived, side, where) {
    const stated = this.sparse(cut.get("terms"), where);
    for (const v of stated.values()) need(v.n && integral(v), `${where}: is not whole`);
    for (const j of new Set([...derived.keys(), ...stated.keys()])) {
      const off = this.plus(derived.get(j) ?? ZERO, frac(-1n), stated.get(j) ?? ZERO);
      if (!off.n) continue;
      const end = off.n > 0n ? this.lower[j] : this.upper[j];
      need(end, `${where}: is weakened at an end that is infinite`);
      side = this.plus(side, minus(off), end);
    }
    if ([...stated.keys()].every((j) => this.whole[j])) side = floor(side);
    const claimed = this.read(cut.get("side"), where);
    need(compare(claimed, side) >= 0, `${where}: is stronger than what it follows from`);
    this.rows.push(stated);
    this.rowLower.push(null);
    this.rowUpper.push(claimed);
  }

  // Least bound of the leaves; null where none has a point.
  leastBound() {
    const items = this.file.get("tree");
    const path = []; // column, end to restore, where its second side begins (null once it is open)
    let [least, ended] = [null, false];
    items.forEach((item, at) => {
      need(!ended, "tree: goes on after its last leaf");
      if (at % 16 === 0) this.progress(at, items.length);
      if (Array.isArray(item)) {
        const [column, text] = entries(item, `tree[${at}]`, [INTEGER, TEXT]);
        const j = this.place(column, `tree[${at}]`, this.cost.length);
        const k = this.read(text, `tree[${at}]`);
        need(this.whole[j] && integral(k), `tree[${at}]: branches where no column is whole`);
        path.push([j, this.upper[j], k]);
        if (!this.upper[j] || compare(k, this.upper[j]) < 0) this.upper[j] = k;
        return;
      }
      const bound = this.leaf(this.weights[this.place(item, `tree[${at}]`, this.weights.length)], `tree[${at}]`);
      if (bound && (!least || compare(bound, least) < 0)) least = bound;
      ended = this.nextSide(path);
    });
    need(ended, "tree: ends before its last leaf");
    return least;
  }

  nextSide(path) {
    while (path.length) {
      const [j, end, k] = path.pop();
      if (!k) this.lower[j] = end;
      else {
        this.upper[j] = end;
        path.push([j, this.lower[j], null]);
        const next = plus(k, frac(1n));
        if (!this.lower[j] || compare(next, this.lower[j]) > 0) this.lower[j] = next;
        return false;
      }
    }
    return true;
  }

  // Bound over the box that the ends are; null where it has no point.
  leaf(weights, where) {
    const below = this.read(weights.get("denominator"), where);
    need(below.n > 0n && integral(below), `${where}: its denominator is not above 0`);
    const [moved, ray] = [new Map(), weights.get("ray")];
    let total = ZERO;
    for (const [i, factor] of this.pairs(weights.get("factors"), where, this.rows.length)) {
      need(integral(factor), `${where}: a multiplier is not whole`);
      const side = factor.n > 0n ? this.rowLower[i] : this.rowUpper[i];
      need(side, `${where}: a multiplier meets a side that is infinite`);
      total = this.plus(total, factor, side);
      for (const [j, v] of this.rows[i]) moved.set(j, this.plus(moved.get(j) ?? ZERO, factor, v));
    }
    this.charge(this.cost.length);
    const costs = ray ? Array.from(moved.keys(), (j) => [j, ZERO]) : this.cost.entries();
    for (const [j, cost] of costs) {
      const push = moved.get(j) ?? ZERO;
      if (!cost.n && !push.n) continue;
      const pull = this.plus(minus(push), below, cost);
      if (!pull.n) continue;
      const end = pull.n > 0n ? this.lower[j] : this.upper[j];
      if (!end) {
        total = null;
        break;
      }
      total = this.plus(total, pull, end);
    }
    if (ray) {
      need((total && total.n > 0n) || this.crossed(), `${where}: a ray contradicts nothing`);
      return null;
    }
    need(total, `${where}: a leaf has no finite bound`);
    const above = this.over(total, below);
    return plus(this.offset, this.gain.n ? times(this.gain, ceil(this.over(above, this.gain))) : above);
  }

  crossed() {
    this.charge(this.lower.length + this.rowLower.length);
    const over = (low, high) => low.some((a, k) => a && high[k] && compare(a, high[k]) > 0);
    return over(this.lower, this.upper) || over(this.rowLower, this.rowUpper);
  }
}

function proveTree(file, progress) {
  const unbounded = file.get("certificate") === "unbounded";
  const own = unbounded
    ? [{ ...TREE, value: [TEXT], point: [LIST], direction: [LIST] }, {}]
    : [{ ...TREE, tree: [LIST] }, { bound: [TEXT, NOTHING], value: [TEXT, NOTHING], point: [LIST, NOTHING], gain: [TEXT], ends: [LIST], cuts: [LIST], weights: [LIST] }];
  record(file, "the file", own[0], { ...HEADER, data: [RECORD, NOTHING], ...own[1] });
  header(file);
  need(["decimal", "binary"].includes(file.get("numbers")), "the file.numbers: neither decimal nor binary");
  const checker = new TreeChecker(file, progress);
  const common = { implied: 0, tolerance: 0, numbers: file.get("numbers") };
  if (unbounded) {
    const value = checker.point();
    checker.direction();
    return { ...common, infeasible: false, unbounded, value };
  }
  const { bound, value } = checker.check();
  const side = file.get("sense") === "min" ? "lower" : "upper";
  return { ...common, infeasible: bound === null, [side]: bound, ...(value ? { value } : {}) };
}
