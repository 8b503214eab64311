// Certificates of type linear and infeasible: a program in doubles, multipliers, a point.
//
// Optimise c x + offset over row_lower <= A x <= row_upper, lower <= x <= upper, some columns whole.
// For any multipliers y, c x = y (A x) + (c - y A) x, and each product is at least its value at the
// cheaper end of its range (the dearer, for a maximum).  With c = 0 a positive bound shows that there
// is no point.

const [INTEGER, NUMBER, TEXT, NOTHING, TRUTH, LIST, RECORD] = ["integer", "number", "text", "null", "truth", "list", "record"];

function kindOf(value) {
  if (value === null) return NOTHING;
  if (Array.isArray(value)) return LIST;
  if (value instanceof Map) return RECORD;
  return { bigint: INTEGER, number: NUMBER, string: TEXT, boolean: TRUTH }[typeof value];
}

// Refuse anything but a record with all required keys, no unknown ones, and right types.
function record(value, where, required, optional = {}) {
  need(value instanceof Map, `${where}: no record`);
  for (const key of Object.keys(required)) need(value.has(key), `${where}: lacks ${key}`);
  for (const [key, item] of value) {
    const types = Object.hasOwn(required, key) ? required[key] : Object.hasOwn(optional, key) ? optional[key] : null;
    need(types, `${where}: holds the unknown key ${quoted(key)}`);
    need(types.includes(kindOf(item)), `${where}.${key}: has the wrong type`);
  }
  return value;
}

function whole(value, where, low, high) {
  need(typeof value === "bigint" && value >= low && value <= high, `${where}: not in ${low}..${high}`);
  return Number(value);
}

const LARGEST = BigInt(Number.MAX_VALUE);

function double(value, where) {
  const fits = typeof value === "bigint" ? size(value) <= LARGEST : Number.isFinite(value);
  need(fits, `${where}: holds what is no finite double`);
  return Number(value);
}

function ascending(places, length) {
  return places.every((place, k) => place >= 0 && place < length && (!k || places[k - 1] < place));
}

const HEADER = { farkas: [INTEGER], version: [TEXT], kind: [TEXT, NOTHING], options: [RECORD], instance: [TEXT, NOTHING] };
const HASH = /^[0-9a-f]{64}$/;

// What every certificate says of itself.
function header(tree) {
  need(!tree.has("farkas") || tree.get("farkas") === 1n, "the file.farkas: another version of the file format");
  for (const key of ["form", "instance"]) need((tree.get(key) ?? null) === null || HASH.test(tree.get(key)), `the file.${key}: no SHA-256`);
  for (const key of ["program", "kind"]) {
    const name = tree.get(key) ?? "";
    need([...name].length <= 200 && /^[^\u0000-\u001f\u007f-\u009f]*$/.test(name), `the file.${key}: no line of 200 characters`);
  }
  const [name, kind, options] = [tree.get("program").replace(/^relaxation of /, ""), tree.get("kind") ?? null, [...(tree.get("options") ?? new Map()).values()]];
  const [bare, ...parts] = name.split("[");
  const variant = parts.join("[");
  need(kind === null || bare.startsWith(`${kind}.`), "the file.kind: is not that of the program's name");
  const spelt = variant ? variant.replace(/\]$/, "").split(",") : [];
  const same = !options.length || (options.length === spelt.length && options.every((option, k) => option === spelt[k]));
  need(same, "the file.options: are not those of the program's name");
  if (tree.has("sense")) need(["min", "max"].includes(tree.get("sense")), "the file.sense: neither min nor max");
}

const DATA = { rows: [INTEGER], columns: [INTEGER], entries: [INTEGER], implied: [TRUTH], offset: [NUMBER, INTEGER], data: [TEXT] };

// The program inside a certificate.
class Packed {
  constructor(tree, sense) {
    record(tree, "data", DATA);
    const [m, n, k] = ["rows", "columns", "entries"].map((key) => whole(tree.get(key), `data.${key}`, 0n, 2n ** 31n - 1n));
    Object.assign(this, { sense, m, n, offset: double(tree.get("offset"), "data.offset") + 0 });
    const lengths = [k, n, m, m, n, n, ...(tree.get("implied") ? [n, n] : [])];
    const start = 8 * (m + 1) + 4 * k;
    const end = start + 8 * lengths.reduce((a, b) => a + b, 0);
    const raw = inflated(tree.get("data"), end + Math.ceil(n / 8), "data");
    const view = new DataView(raw.buffer);
    this.starts = Array.from({ length: m + 1 }, (_, i) => Number(view.getBigInt64(8 * i, true)));
    this.places = Int32Array.from({ length: k }, (_, i) => view.getInt32(8 * (m + 1) + 4 * i, true));
    let at = start;
    const parts = lengths.map((length) => {
      const part = Float64Array.from({ length }, (_, i) => view.getFloat64(at + 8 * i, true) + 0); // no -0
      at += 8 * length;
      return part;
    });
    [this.entries, this.cost, this.rowLower, this.rowUpper, this.lower, this.upper] = parts;
    for (const part of parts.slice(0, 2)) need(part.every(Number.isFinite), "data: an infinite cost or entry, or NaN");
    need(this.entries.every((x) => x !== 0), "data: an entry is 0");
    for (const part of parts) need(!part.some(Number.isNaN), "data: a side or bound is NaN");
    const [low, high] = parts.slice(-2);
    this.tightLower = this.lower.map((x, j) => Math.max(x, low[j]));
    this.tightUpper = this.upper.map((x, j) => Math.min(x, high[j]));
    this.checkRows(k);
    const bits = raw.slice(end);
    if (n % 8) bits[bits.length - 1] &= 0xff00 >> n % 8; // bits of no column
    this.integer = Array.from({ length: n }, (_, j) => Boolean((bits[j >> 3] >> (7 - (j % 8))) & 1));
    this.hash = this.sealed(raw.subarray(0, start), parts.slice(0, 6), bits);
  }

  checkRows(k) {
    const { starts, places, m, n } = this;
    const rising = starts.every((x, i) => Number.isSafeInteger(x) && (i === 0 ? x === 0 : starts[i - 1] <= x));
    need(rising && starts[m] === k, "data: the rows do not follow one another");
    for (let i = 0; i < m; i += 1) {
      for (let t = starts[i]; t < starts[i + 1]; t += 1) {
        const fits = places[t] >= 0 && places[t] < n && (t === starts[i] || places[t - 1] < places[t]);
        need(fits, `data: the columns of row ${i} do not ascend below ${n}`);
      }
    }
  }

  sealed(indices, parts, bits) {
    const doubles = (...arrays) => {
      const out = new DataView(new ArrayBuffer(8 * arrays.reduce((a, b) => a + b.length, 0)));
      let at = 0;
      for (const array of arrays) for (const x of array) { out.setFloat64(at, x, true); at += 8; }
      return new Uint8Array(out.buffer);
    };
    const sizes = new DataView(new ArrayBuffer(16));
    sizes.setBigInt64(0, BigInt(this.m), true);
    sizes.setBigInt64(8, BigInt(this.n), true);
    const head = new TextEncoder().encode(`farkas form 1\n${this.sense}`);
    const numbers = doubles(...parts, this.tightLower, this.tightUpper);
    return sha256(head, new Uint8Array(sizes.buffer), doubles([this.offset]), indices, numbers, bits);
  }

  // The proved bound as n * 2**e, null where nothing is, and how many implied bounds it uses.
  bound(factors, { feasibility = false, implied = true } = {}) {
    const least = feasibility || this.sense === "min";
    let total = dyadic(feasibility ? 0 : this.offset);
    const left = Array.from(this.cost, (c) => dyadic(feasibility ? 0 : c));
    let used = 0;
    for (const [i, factor] of factors) {
      const side = sign(factor.n) > 0 === least ? this.rowLower[i] : this.rowUpper[i];
      if (!Number.isFinite(side)) continue;
      total = dyadicSum(total, dyadicProduct(factor, dyadic(side)));
      const away = dyadicMinus(factor);
      for (let t = this.starts[i]; t < this.starts[i + 1]; t += 1) {
        const j = this.places[t];
        left[j] = dyadicSum(left[j], dyadicProduct(away, dyadic(this.entries[t])));
      }
    }
    const [low, high] = implied ? [this.tightLower, this.tightUpper] : [this.lower, this.upper];
    for (let j = 0; j < this.n; j += 1) {
      if (!left[j].n) continue;
      const atLower = left[j].n > 0n === least;
      const end = (atLower ? low : high)[j];
      if (!Number.isFinite(end)) return { bound: null, used: 0 };
      total = dyadicSum(total, dyadicProduct(left[j], dyadic(end)));
      if (end !== (atLower ? this.lower : this.upper)[j]) used += 1;
    }
    return { bound: total, used };
  }

  // Every requirement, within the tolerance times its side or unit, whichever is larger.
  point(claim) {
    record(claim, "point", { objective: [TEXT], tolerance: [NUMBER, INTEGER], values: [TEXT] });
    const tolerance = double(claim.get("tolerance"), "point.tolerance");
    need(tolerance >= 0 && tolerance <= 1e-6, "point.tolerance: not between 0 and 1e-6");
    const view = new DataView(inflated(claim.get("values"), 8 * this.n, "point.values").buffer);
    const share = dyadic(tolerance);
    const point = Array.from({ length: this.n }, (_, j) => dyadic(double(view.getFloat64(8 * j, true), "point.values")));
    const units = measured(this);
    point.forEach((x, j) => {
      need(within(x, this.lower[j], this.upper[j], share, units.columns[j]), `point: breaks a bound of column ${j}`);
      need(!this.integer[j] || dyadicCompare(offWhole(x), share) <= 0, `point: is not whole in column ${j}`);
    });
    for (let i = 0; i < this.m; i += 1) {
      let sum = dyadic(0);
      for (let t = this.starts[i]; t < this.starts[i + 1]; t += 1) sum = dyadicSum(sum, dyadicProduct(dyadic(this.entries[t]), point[this.places[t]]));
      need(within(sum, this.rowLower[i], this.rowUpper[i], share, units.rows[i]), `point: breaks row ${i}`);
    }
    const reached = point.reduce((sum, x, j) => dyadicSum(sum, dyadicProduct(dyadic(this.cost[j]), x)), dyadic(this.offset));
    const value = dyadicFraction(reached);
    const same = equal(value, fraction(claim.get("objective"), "point.objective"));
    need(same, `point.objective: the point reaches ${rounded(value, false)}, which is not what is claimed`);
    return { value, tolerance };
  }
}

// How far a number is from the nearest whole one.
function offWhole({ n, e }) {
  if (e >= 0) return dyadic(0);
  const unit = 1n << BigInt(-e);
  const part = ((n % unit) + unit) % unit;
  return { n: 2n * part < unit ? part : unit - part, e };
}

function within(value, low, high, share, unit) {
  if (low === Infinity || high === -Infinity) return false;
  const kept = (gap, side) => {
    const [order, length] = [{ n: 1n, e: unit }, dyadicSize(side)];
    return dyadicCompare(gap, dyadicProduct(share, dyadicCompare(order, length) > 0 ? order : length)) <= 0;
  };
  const below = low === -Infinity || kept(dyadicSum(dyadic(low), dyadicMinus(value)), dyadic(low));
  return below && (high === Infinity || kept(dyadicSum(value, dyadicMinus(dyadic(high))), dyadic(high)));
}

// Binary logarithm of a number rounded down; none (infinity) of 0 and infinity.
function order(x) {
  if (x === 0 || !Number.isFinite(x)) return Infinity;
  const { n, e } = dyadic(x);
  return bitLength(n) - 1 + e;
}

// The units in which columns and rows are measured, as powers of two, from the program's own numbers:
// a column has the smallest order of its bounds and of side / entry (1 where whole); without any, that
// of largest known term / entry, round by round, at last with the objective as a row; a row has the
// mean of its side and terms, at most 16 below its largest; columns fixed at 0 count alone only.
function measured(program) {
  const { m, n, starts, places } = program;
  const clip = (terms) => {
    const known = terms.filter((x) => x < Infinity);
    if (!known.length) known.push(0);
    const mean = Math.floor(known.reduce((a, b) => a + b, 0) / known.length);
    return Math.max(-1000, Math.min(1000, Math.max(mean, known.reduce((a, b) => Math.max(a, b)) - 16)));
  };
  const smaller = (a, b) => Math.min(order(a), order(b));
  const sides = Array.from(program.rowLower, (low, i) => smaller(low, program.rowUpper[i]));
  const lines = Array.from({ length: m }, (_, i) => Array.from({ length: starts[i + 1] - starts[i] }, (_unused, t) => [places[starts[i] + t], order(program.entries[starts[i] + t])]));
  const moves = Array.from(program.lower, (low, j) => low !== 0 || program.upper[j] !== 0);
  const column = Array.from(program.lower, (low, j) => smaller(low, program.upper[j]));
  lines.forEach((line, i) => { for (const [j, x] of line) column[j] = Math.min(column[j], sides[i] - x); });
  for (let j = 0; j < n; j += 1) if (program.integer[j]) column[j] = 0;
  const beside = Array.from({ length: n }, () => []);
  lines.forEach((line, i) => { for (const [j] of line) if (moves[j]) beside[j].push(i); });
  const objective = Array.from(program.cost, (c, j) => [j, order(c)]).filter(([j]) => program.cost[j]);
  for (let lot of [lines, [objective]]) {
    while (lot.length) {
      const fresh = new Map();
      for (const line of lot) {
        const known = line.filter(([j]) => column[j] < Infinity && moves[j]).map(([j, x]) => x + column[j]);
        if (!known.length) continue;
        const most = known.reduce((a, b) => Math.max(a, b));
        for (const [j, x] of line) if (column[j] === Infinity) fresh.set(j, Math.min(fresh.get(j) ?? Infinity, most - x));
      }
      for (const [j, x] of fresh) column[j] = x;
      lot = [...new Set([...fresh.keys()].flatMap((j) => beside[j]))].map((i) => lines[i]);
    }
  }
  const columns = column.map((x) => clip([x]));
  const rows = lines.map((line, i) => {
    const moving = line.filter(([j]) => moves[j]);
    return clip([sides[i], ...(moving.length ? moving : line).map(([j, x]) => x + columns[j])]);
  });
  return { columns, rows };
}

// Exact numbers by position, each a double other than 0.
function vector(tree, length, where) {
  record(tree, where, { size: [INTEGER], exponent: [INTEGER], positions: [LIST], numbers: [LIST] });
  const exponent = whole(tree.get("exponent"), `${where}.exponent`, -1024n, 1074n);
  const [places, numbers] = [tree.get("positions"), tree.get("numbers")];
  need([...places, ...numbers].every((x) => typeof x === "bigint"), `${where}: holds what is no integer`);
  need(tree.get("size") === BigInt(length) && places.length === numbers.length, `${where}: has another size`);
  need(ascending(places, BigInt(length)), `${where}: its positions do not ascend below ${length}`);
  return numbers.map((number, k) => {
    need(number, `${where}: stores a 0`);
    let [odd, power] = [number, -exponent];
    const zeros = bitLength(odd & -odd) - 1;
    odd >>= BigInt(zeros);
    power += zeros;
    const fits = bitLength(odd) <= 53 && power >= -1074 && bitLength(odd) + power <= 1024;
    need(fits, `${where}: number ${k} is no double`);
    return [Number(places[k]), { n: odd, e: power }];
  });
}

const LINEAR = { certificate: [TEXT], program: [TEXT], form: [TEXT], sense: [TEXT] };

function proveLinear(tree) {
  const empty = tree.get("certificate") === "infeasible";
  const [claim, by] = empty ? ["violation", "ray"] : ["bound", "multipliers"];
  const more = empty ? {} : { point: [RECORD, NOTHING] };
  record(tree, "the file", { ...LINEAR, [claim]: [TEXT], [by]: [RECORD] }, { ...HEADER, ...more, data: [RECORD, NOTHING] });
  header(tree);
  need((tree.get("data") ?? null) !== null, "the file.data: the file holds no program; farkas check FILE --instance INSTANCE --stand-alone WHOLE.json writes one that does");
  const program = new Packed(tree.get("data"), tree.get("sense"));
  need(program.hash === tree.get("form"), "the file.form: the program inside has another hash than is stated");
  const claimed = fraction(tree.get(claim), `the file.${claim}`);
  const factors = vector(tree.get(by), program.m, by);
  const { bound, used } = program.bound(factors, { feasibility: empty });
  const least = empty || program.sense === "min";
  const beyond = bound && compare(claimed, dyadicFraction(bound));
  need(bound && (least ? beyond <= 0 : beyond >= 0), `${by}: do not prove the ${claim} ${rounded(claimed, least)}`);
  need(!empty || claimed.n > 0n, "the file.violation: not above 0");
  const found = { infeasible: empty, implied: used };
  if (empty) {
    const stated = program.bound(factors, { feasibility: true, implied: false }).bound;
    if (stated && stated.n > 0n) found.implied = 0;
  } else found[least ? "lower" : "upper"] = claimed;
  if ((tree.get("point") ?? null) !== null) Object.assign(found, program.point(tree.get("point")));
  return found;
}
