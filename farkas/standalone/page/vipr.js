// VIPR 1.0 files, word by word: rows, and rows derived from them.

const MOST_WORK = 2 ** 28;
const MOST_BITS = 2 ** 14;
const integral = (a) => a.d === 1n;

// terms x  >= = <=  side (sense 1, 0, -1) for points that satisfy the assumptions.
class Row {
  constructor(sense, side, terms, needs = new Set()) {
    Object.assign(this, { sense, side, terms, needs });
  }

  // Whether whatever satisfies this row satisfies the other.
  gives(other) {
    const own = sign(this.side.n);
    if (!this.terms.size && (this.sense ? own * this.sense > 0 : own)) return true; // no point does
    const gap = compare(this.side, other.side);
    const follows = other.sense ? gap * other.sense >= 0 : gap === 0;
    return follows && (this.sense === 0 || this.sense === other.sense) && sameTerms(this.terms, other.terms);
  }
}

function sameTerms(a, b) {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [j, x] of a) {
    const y = b.get(j);
    if (!y || !equal(x, y)) return false;
  }
  return true;
}

class Vipr {
  constructor(bytes, progress = () => {}) {
    Object.assign(this, { work: 0, at: 0, progress });
    need(bytes.every((byte) => byte < 128), "no VIPR: not ASCII text");
    const lines = new TextDecoder().decode(bytes).replaceAll("\r", "\n").split("\n");
    let first = 0;
    while (first < lines.length - 1 && /^(%.*|[\t\v\f \u001c-\u001f]*)$/.test(lines[first])) first += 1;
    this.words = lines.slice(first).join("\n").split(/[\t\n\v\f \u001c-\u001f]+/).filter(Boolean);
  }

  fail(problem) {
    throw new Refused(`word ${this.at}: ${problem}`);
  }

  need(fact, problem) {
    if (!fact) this.fail(problem);
  }

  word(...choices) {
    const found = this.words[this.at];
    this.at += 1;
    this.need(found !== undefined, "the end of the file comes too early");
    this.need(!choices.length || choices.includes(found), `unexpected: ${quoted(found, 30)}`);
    return found;
  }

  count(low = 0, high = 10 ** 9) {
    const text = this.word();
    const number = /^-?[0-9]{1,18}$/.test(text) ? Number(text) : NaN;
    this.need(number >= low && number <= high, `${quoted(text, 30)} is not in ${low}..${high}`);
    return number + 0;
  }

  number(infinite = null) {
    const text = this.word();
    if (text === infinite) return null;
    const found = /^([-+]?)([0-9]+)(?:\.([0-9]+)|\/([1-9][0-9]*))?$/.exec(text);
    const short = found && found.slice(2).every((part) => (part ?? "").length <= 2000);
    this.need(short, `${quoted(text, 30)} is no fraction or decimal`);
    const [, way, digits, decimals = "", below = "1"] = found;
    const top = BigInt(digits + decimals) * (way === "-" ? -1n : 1n);
    return frac(top, decimals ? 10n ** BigInt(decimals.length) : BigInt(below));
  }

  terms() {
    const found = new Map();
    for (let left = this.count(0, this.size); left; left -= 1) {
      const j = this.count(0, this.size - 1);
      this.need(!found.has(j), `variable ${j} occurs twice in one row`);
      found.set(j, this.number());
    }
    for (const [j, factor] of found) if (!factor.n) found.delete(j);
    return found;
  }

  row() {
    this.word();
    const sense = "LEG".indexOf(this.word("G", "E", "L")) - 1;
    const side = this.number();
    if (this.words[this.at] !== "OBJ") return new Row(sense, side, this.terms());
    this.word("OBJ");
    return new Row(sense, side, this.objective);
  }

  check() {
    for (const word of ["VER", "1.0", "VAR"]) this.word(word);
    this.size = this.count();
    const names = new Set();
    for (let j = 0; j < this.size; j += 1) names.add(this.word());
    this.need(names.size === this.size, "two variables have one name");
    this.word("INT");
    this.whole = new Set();
    for (let left = this.count(0, this.size); left; left -= 1) this.whole.add(this.count(0, this.size - 1));
    this.word("OBJ");
    this.least = this.word("min", "max") === "min";
    this.objective = this.terms();
    this.word("CON");
    const given = this.count();
    this.count(0, given);
    this.rows = [];
    for (let i = 0; i < given; i += 1) this.rows.push(this.row());
    this.last = new Array(given).fill(-1);
    this.word("RTP");
    const infeasible = this.word("infeas", "range") === "infeas";
    const [lower, upper] = infeasible ? [null, null] : [this.number("-inf"), this.number("inf")];
    this.need(!lower || !upper || compare(lower, upper) <= 0, "an empty range is claimed");
    this.word("SOL");
    this.solutions(infeasible);
    this.word("DER");
    const derived = this.count();
    for (let k = 0; k < derived; k += 1) {
      this.derivation();
      if (k % 64 === 0) this.progress(k, derived);
    }
    this.need(this.at === this.words.length, "text after the last derivation");
    this.conclude(infeasible, lower, upper);
    return { infeasible, lower, upper, implied: 0 };
  }

  solutions(infeasible) {
    this.best = null;
    const count = this.count();
    for (let k = 0; k < count; k += 1) {
      const value = this.solution();
      if (!this.best || (this.least ? compare(value, this.best) < 0 : compare(value, this.best) > 0)) this.best = value;
    }
    this.need(!(count && infeasible), "it claims that there is no point, and holds one");
  }

  // Whether the last row proves the claim, and a solution reaches it.
  conclude(infeasible, lower, upper) {
    const last = this.rows[this.rows.length - 1] ?? new Row(0, ZERO, new Map());
    const [bound, reached, way] = this.least ? [lower, upper, 1] : [upper, lower, -1];
    if (infeasible || bound) {
      const claim = infeasible ? new Row(1, frac(1n), new Map()) : new Row(way, bound, this.objective);
      this.need(!last.needs.size && last.gives(claim), "the last row does not prove what is claimed");
    }
    this.need(!reached || (this.best && way * compare(reached, this.best) >= 0), "no solution reaches what is claimed");
  }

  solution() {
    this.word();
    const point = this.terms();
    for (const [j, value] of point) this.need(!this.whole.has(j) || integral(value), `a solution is not whole in variable ${j}`);
    this.rows.forEach((row, k) => {
      this.step(row.terms.size, row.side);
      const gap = compare(this.product(row.terms, point), row.side);
      this.need(row.sense ? gap * row.sense >= 0 : gap === 0, `a solution breaks row ${k}`);
    });
    return this.product(this.objective, point);
  }

  product(terms, point) {
    let total = ZERO;
    for (const [j, factor] of terms) if (point.has(j)) total = this.add(total, factor, point.get(j));
    return total;
  }

  add(total, factor, value) {
    this.step(0, total, factor, value);
    const sum = plus(total, times(factor, value));
    this.need(bitLength(sum.n) <= MOST_BITS && bitLength(sum.d) <= MOST_BITS, `a number of over ${MOST_BITS} bits`);
    return sum;
  }

  step(terms, ...numbers) {
    let bits = 0;
    for (const { n, d } of numbers) bits += bitLength(n) + bitLength(d);
    this.work += 1 + terms + Math.floor(bits / 256);
    this.need(this.work <= MOST_WORK, `to prove it takes more than ${MOST_WORK} steps`);
  }

  used() {
    const k = this.count(0, this.rows.length - 1);
    this.need(this.last[k] < 0 || this.last[k] >= this.rows.length, `row ${k} is used after its last use`);
    return k;
  }

  derivation() {
    const here = this.rows.length;
    const stated = this.row();
    this.word("{");
    const reason = this.word("asm", "lin", "rnd", "uns", "sol");
    let found = [];
    if (reason === "asm") stated.needs = new Set([here]);
    else if (reason === "sol") {
      this.need(this.best, `row ${here} rests on a solution, and there is none`);
      found = [new Row(this.least ? -1 : 1, this.best, this.objective)];
    } else if (reason === "uns") found = this.cases(stated);
    else {
      found = [this.combination()];
      stated.needs = found[0].needs;
    }
    if (reason === "rnd") {
      const [{ sense, terms, side }] = found;
      this.need(sense && this.integral(terms), `row ${here} cannot be rounded`);
      found[0].side = sense > 0 ? ceil(side) : floor(side);
    }
    for (const row of found) {
      this.step(stated.terms.size, row.side, stated.side);
      this.need(row.gives(stated), `row ${here} does not follow from its reason`);
    }
    this.word("}");
    this.last.push(this.count(-1));
    this.rows.push(stated);
  }

  // Two rows, each under one of the cases a x <= b, a x >= b + 1.
  cases(stated) {
    const [first, one, second, other] = [this.used(), this.used(), this.used(), this.used()];
    const [low, high] = this.rows[one].sense <= this.rows[other].sense ? [this.rows[one], this.rows[other]] : [this.rows[other], this.rows[one]];
    this.step(low.terms.size, low.side, high.side);
    const apart = equal(high.side, plus(low.side, frac(1n)));
    const fits = low.sense === -1 && high.sense === 1 && apart && sameTerms(low.terms, high.terms);
    this.need(fits && this.integral(low.terms, low.side), `rows ${one} and ${other} are no two cases a x <= b, >= b + 1`);
    const found = [this.rows[first], this.rows[second]];
    this.step(1 + found[0].needs.size + found[1].needs.size);
    stated.needs = new Set([...[...found[0].needs].filter((k) => k !== one), ...[...found[1].needs].filter((k) => k !== other)]);
    return found;
  }

  combination() {
    const [terms, needs, ways] = [new Map(), new Set(), new Set()];
    let side = ZERO;
    const pairs = new Map();
    for (let left = this.count(0, this.rows.length); left; left -= 1) {
      const k = this.used();
      this.need(!pairs.has(k), "a row occurs twice in a combination");
      pairs.set(k, this.number());
    }
    for (const [k, factor] of pairs) {
      const row = this.rows[k];
      this.step(row.needs.size);
      for (const one of row.needs) needs.add(one);
      ways.add(row.sense * sign(factor.n));
      side = this.add(side, factor, row.side);
      for (const [j, value] of row.terms) terms.set(j, this.add(terms.get(j) ?? ZERO, factor, value));
    }
    this.need(!(ways.has(1) && ways.has(-1)), `row ${this.rows.length} adds inequalities of opposite directions`);
    for (const [j, value] of terms) if (!value.n) terms.delete(j);
    return new Row(ways.has(1) ? 1 : ways.has(-1) ? -1 : 0, side, terms, needs);
  }

  integral(terms, side = ZERO) {
    if (!integral(side)) return false;
    for (const [j, value] of terms) if (!this.whole.has(j) || !integral(value)) return false;
    return true;
  }
}
