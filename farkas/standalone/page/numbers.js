// Numbers and files read exactly: fractions, doubles, strict JSON, base64, deflate, SHA-256.

class Refused extends Error {}

function need(fact, words) {
  if (!fact) throw new Refused(words);
}

// A text from a file, short and in ASCII, so that no message can pretend to be another.
function quoted(text, most = 40) {
  const short = text.length > most ? `${text.slice(0, most - 3)}...` : text;
  return JSON.stringify(short).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// ---- fractions: {n, d} in lowest terms, d > 0 ----

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const size = (n) => (n < 0n ? -n : n);

function gcd(a, b) {
  [a, b] = [size(a), size(b)];
  while (b) {
    if (a <= SAFE && b <= SAFE) {
      let [x, y] = [Number(a), Number(b)];
      while (y) [x, y] = [y, x % y];
      return BigInt(x);
    }
    [a, b] = [b, a % b];
  }
  return a;
}

function frac(n, d = 1n) {
  if (d === 1n) return { n, d };
  if (d < 0n) [n, d] = [-n, -d];
  const common = gcd(n, d);
  return common === 1n ? { n, d } : { n: n / common, d: d / common };
}

const ZERO = frac(0n);
const plus = (a, b) => (a.d === 1n && b.d === 1n ? { n: a.n + b.n, d: 1n } : frac(a.n * b.d + b.n * a.d, a.d * b.d));
const times = (a, b) => (a.d === 1n && b.d === 1n ? { n: a.n * b.n, d: 1n } : frac(a.n * b.n, a.d * b.d));
const over = (a, b) => frac(a.n * b.d, a.d * b.n);
const minus = (a) => ({ n: -a.n, d: a.d });
const sign = (n) => (n > 0n ? 1 : n < 0n ? -1 : 0);
const compare = (a, b) => sign(a.n * b.d - b.n * a.d);
const equal = (a, b) => a.n === b.n && a.d === b.d;

function floor(a) {
  const down = a.n / a.d; // cut towards 0
  return frac(a.n < 0n && down * a.d !== a.n ? down - 1n : down);
}
const ceil = (a) => minus(floor(minus(a)));

// A fraction like -7/2 whose parts have so many digits at most.
function fraction(text, where, digits = 4000) {
  const found = /^(-?)(0|[1-9][0-9]*)(?:\/([1-9][0-9]*))?$/.exec(text);
  const fits = found && found[2].length <= digits && (found[3] ?? "").length <= digits;
  need(fits, `${where}: ${quoted(text)} is no fraction like -7/2`);
  return frac(BigInt(found[1] + found[2]), BigInt(found[3] ?? "1"));
}

const written = (a) => (a.d === 1n ? `${a.n}` : `${a.n}/${a.d}`);

// Binary digits of a whole number, without its sign.
function bitLength(n) {
  n = size(n);
  if (n < 4294967296n) return 32 - Math.clz32(Number(n));
  const hex = n.toString(16);
  return 4 * hex.length + 28 - Math.clz32(parseInt(hex[0], 16));
}

// Few digits, never on the wrong side: what is said stays true.
function rounded(a, up, digits = 9) {
  if (!a.n) return "0";
  const negative = a.n < 0n;
  const top = size(a.n);
  let power = top.toString().length - a.d.toString().length;
  const scaled = (k) => (k >= 0 ? [top * 10n ** BigInt(k), a.d] : [top, a.d * 10n ** BigInt(-k)]);
  const below = (k) => { const [n, d] = scaled(k); return n < d; };
  if (below(-power)) power -= 1; // now 10**power <= |a| < 10**(power + 1)
  const [n, d] = scaled(digits - 1 - power);
  let whole = n / d;
  if (whole * d !== n && up !== negative) whole += 1n;
  let text = whole.toString();
  power += text.length - digits; // 99.99... became 100
  text = text.replace(/0+$/, "");
  const minusSign = negative ? "-" : "";
  if (power >= 15 || power < -6) {
    const tail = text.length > 1 ? `.${text.slice(1)}` : "";
    return `${minusSign}${text[0]}${tail}E${power < 0 ? "" : "+"}${power}`;
  }
  if (power < 0) return `${minusSign}0.${"0".repeat(-power - 1)}${text}`;
  const padded = text.padEnd(power + 1, "0");
  const rest = padded.slice(power + 1);
  return `${minusSign}${padded.slice(0, power + 1)}${rest ? `.${rest}` : ""}`;
}

// ---- doubles as n * 2**e ----

const scratch = new DataView(new ArrayBuffer(8));

function dyadic(x) {
  if (Number.isSafeInteger(x)) return { n: BigInt(x), e: 0 };
  scratch.setFloat64(0, x);
  const high = scratch.getUint32(0);
  const exponent = (high >>> 20) & 2047;
  const digits = ((high & 1048575) + (exponent ? 1048576 : 0)) * 4294967296 + scratch.getUint32(4);
  return { n: BigInt(x < 0 ? -digits : digits), e: (exponent || 1) - 1075 };
}

function dyadicSum(a, b) {
  if (a.e === b.e) return { n: a.n + b.n, e: a.e };
  return a.e > b.e
    ? { n: (a.n << BigInt(a.e - b.e)) + b.n, e: b.e }
    : { n: a.n + (b.n << BigInt(b.e - a.e)), e: a.e };
}
const dyadicProduct = (a, b) => ({ n: a.n * b.n, e: a.e + b.e });
const dyadicMinus = (a) => ({ n: -a.n, e: a.e });
const dyadicSize = (a) => ({ n: size(a.n), e: a.e });
const dyadicCompare = (a, b) => sign(dyadicSum(a, dyadicMinus(b)).n);
const dyadicFraction = (a) => (a.e >= 0 ? frac(a.n << BigInt(a.e)) : frac(a.n, 1n << BigInt(-a.e)));

// ---- JSON: whole numbers as BigInt, others as the nearest double, records as Map ----

const DEEPEST = 200;
const LONGEST_INTEGER = 4300;
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class JsonReader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail(problem) {
    const line = this.text.slice(0, this.at).split("\n").length;
    throw new Refused(`no JSON: ${problem} in line ${line}`);
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found && found[0];
  }

  space() {
    this.match(/[ \t\n\r]*/y);
    return this.text[this.at];
  }

  document() {
    const value = this.value(0);
    if (this.space() !== undefined) this.fail("text after the end");
    return value;
  }

  value(depth) {
    if (depth > DEEPEST) this.fail("lists or records are nested too deep");
    const first = this.space();
    if (first === "{") return this.record(depth);
    if (first === "[") return this.list(depth);
    if (first === '"') return this.string();
    const word = this.match(/true|false|null/y);
    if (word) return { true: true, false: false, null: null }[word];
    const number = this.match(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y);
    if (!number) this.fail("what is no value");
    if (/^-?[0-9]+$/.test(number)) {
      if (number.length > LONGEST_INTEGER) this.fail("a number of too many digits");
      return BigInt(number);
    }
    const double = Number(number);
    if (!Number.isFinite(double)) this.fail("a number beyond all doubles");
    return double;
  }

  list(depth) {
    const found = [];
    this.at += 1;
    if (this.space() === "]") this.at += 1;
    else {
      do found.push(this.value(depth + 1));
      while (this.next("]"));
    }
    return found;
  }

  record(depth) {
    const found = new Map();
    this.at += 1;
    if (this.space() === "}") this.at += 1;
    else {
      do {
        if (this.space() !== '"') this.fail("a key that is no text");
        const key = this.string();
        if (found.has(key)) this.fail(`the key ${quoted(key)} stands twice`);
        if (this.space() !== ":") this.fail("a key without a value");
        this.at += 1;
        found.set(key, this.value(depth + 1));
      } while (this.next("}"));
    }
    return found;
  }

  next(end) {
    const mark = this.space();
    if (mark !== "," && mark !== end) this.fail(`neither "," nor "${end}"`);
    this.at += 1;
    return mark === ",";
  }

  string() {
    const parts = [];
    this.at += 1;
    for (;;) {
      parts.push(this.match(/[^"\\\u0000-\u001f]*/y));
      const mark = this.text[this.at];
      this.at += 1;
      if (mark === '"') break;
      if (mark !== "\\") this.fail("a text without an end, or with a control character");
      const code = this.match(/u[0-9a-fA-F]{4}/y);
      const letter = code ? String.fromCharCode(parseInt(code.slice(1), 16)) : ESCAPES[this.text[this.at]];
      if (letter === undefined) this.fail("an unknown escape");
      if (!code) this.at += 1;
      parts.push(letter);
    }
    const found = parts.join("");
    if (/[\ud800-\udfff]/u.test(found)) this.fail("half a character");
    return found;
  }
}

function parsed(bytes) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused("no JSON: not UTF-8 text");
  }
  return new JsonReader(text).document();
}

// ---- bytes ----

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const DIGIT = new Uint8Array(128).fill(255);
for (let i = 0; i < 64; i += 1) DIGIT[DIGITS.charCodeAt(i)] = i;

function base64(text, where) {
  const end = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const length = text.length - end;
  need(text.length % 4 === 0, `${where}: no base64`);
  const found = new Uint8Array((text.length / 4) * 3 - end);
  let [bits, count, at] = [0, 0, 0];
  for (let i = 0; i < length; i += 1) {
    const code = text.charCodeAt(i);
    need(code < 128 && DIGIT[code] < 64, `${where}: no base64`);
    bits = ((bits << 6) | DIGIT[code]) & 16777215;
    count += 6;
    if (count >= 8) {
      count -= 8;
      found[at] = (bits >> count) & 255;
      at += 1;
    }
  }
  return found;
}

// The tables of RFC 1951: extra bits and first value of lengths and distances.
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const LENGTH_FIRST = LENGTH_BITS.map((_, i) => 3 + LENGTH_BITS.slice(0, i).reduce((sum, b) => sum + 2 ** b, 0));
LENGTH_FIRST[28] = 258;
const DISTANCE_BITS = Array.from({ length: 30 }, (_, i) => Math.max(0, (i >> 1) - 1));
const DISTANCE_FIRST = DISTANCE_BITS.map((_, i) => 1 + DISTANCE_BITS.slice(0, i).reduce((sum, b) => sum + 2 ** b, 0));
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

class Inflater {
  constructor(packed, most, where) {
    [this.packed, this.where] = [packed, where];
    this.found = new Uint8Array(most);
    [this.at, this.bits, this.count, this.length] = [0, 0, 0, 0];
  }

  fail() {
    throw new Refused(`${this.where}: cannot be unpacked`);
  }

  take(count) {
    while (this.count < count) {
      if (this.at >= this.packed.length) this.fail();
      this.bits |= this.packed[this.at] << this.count;
      this.at += 1;
      this.count += 8;
    }
    const found = this.bits & ((1 << count) - 1);
    this.bits >>>= count;
    this.count -= count;
    return found;
  }

  put(byte) {
    need(this.length < this.found.length, `${this.where}: holds more than its sizes promise`);
    this.found[this.length] = byte;
    this.length += 1;
  }

  // A canonical prefix code: how many codes of every length, and symbols in their order.
  code(lengths, single) {
    const counts = new Array(16).fill(0);
    for (const length of lengths) counts[length] += 1;
    let left = 1;
    for (let length = 1; length < 16; length += 1) {
      left = 2 * left - counts[length];
      if (left < 0) this.fail();
    }
    const used = lengths.length - counts[0];
    if (left > 0 && !(single && used <= 1 && counts[1] === used)) this.fail();
    const symbols = [];
    for (let length = 1; length < 16; length += 1) lengths.forEach((l, symbol) => { if (l === length) symbols.push(symbol); });
    return { counts, symbols };
  }

  symbol({ counts, symbols }) {
    let [code, first, index] = [0, 0, 0];
    for (let length = 1; length < 16; length += 1) {
      code |= this.take(1);
      const count = counts[length];
      if (code - count < first) return symbols[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    return this.fail();
  }

  codes() {
    const [literals, distances, orders] = [this.take(5) + 257, this.take(5) + 1, this.take(4) + 4];
    if (literals > 286 || distances > 30) this.fail();
    const short = new Array(19).fill(0);
    for (let i = 0; i < orders; i += 1) short[ORDER[i]] = this.take(3);
    const code = this.code(short, false);
    const lengths = [];
    while (lengths.length < literals + distances) {
      const symbol = this.symbol(code);
      if (symbol < 16) lengths.push(symbol);
      else {
        if (symbol === 16 && !lengths.length) this.fail();
        const value = symbol === 16 ? lengths[lengths.length - 1] : 0;
        const count = symbol === 16 ? 3 + this.take(2) : symbol === 17 ? 3 + this.take(3) : 11 + this.take(7);
        for (let i = 0; i < count; i += 1) lengths.push(value);
      }
    }
    if (lengths.length > literals + distances || !lengths[256]) this.fail();
    return [this.code(lengths.slice(0, literals), true), this.code(lengths.slice(literals), true)];
  }

  block(literals, distances) {
    for (;;) {
      let symbol = this.symbol(literals);
      if (symbol < 256) this.put(symbol);
      else if (symbol === 256) return;
      else {
        symbol -= 257;
        if (symbol > 28) this.fail();
        const length = LENGTH_FIRST[symbol] + this.take(LENGTH_BITS[symbol]);
        const way = this.symbol(distances);
        if (!(way < 30)) this.fail();
        const distance = DISTANCE_FIRST[way] + this.take(DISTANCE_BITS[way]);
        if (distance > this.length) this.fail();
        for (let i = 0; i < length; i += 1) this.put(this.found[this.length - distance]);
      }
    }
  }

  stored() {
    [this.bits, this.count] = [0, 0];
    const [length, check] = [this.take(16), this.take(16)];
    if (length !== (check ^ 65535)) this.fail();
    for (let i = 0; i < length; i += 1) this.put(this.take(8));
  }

  run() {
    const [method, flags] = [this.take(8), this.take(8)];
    if ((method & 15) !== 8 || method >> 4 > 7 || (256 * method + flags) % 31 || flags & 32) this.fail();
    const fixed = [0, 144, 256, 280, 288].map((end, i, ends) => new Array(end - (ends[i - 1] ?? 0)).fill([0, 8, 9, 7, 8][i])).flat();
    for (let last = 0; !last; ) {
      last = this.take(1);
      const kind = this.take(2);
      if (kind === 0) this.stored();
      else if (kind === 1) this.block(this.code(fixed, false), this.code(new Array(32).fill(5), false));
      else if (kind === 2) this.block(...this.codes());
      else this.fail();
    }
    [this.bits, this.count] = [0, 0];
    let [low, high] = [1, 0];
    for (let i = 0; i < this.length; i += 1) {
      low = (low + this.found[i]) % 65521;
      high = (high + low) % 65521;
    }
    for (const byte of [high >> 8, high & 255, low >> 8, low & 255]) if (this.take(8) !== byte) this.fail();
    need(this.at === this.packed.length, `${this.where}: bytes after its end`);
    need(this.length === this.found.length, `${this.where}: holds less than its sizes promise`);
    return this.found;
  }
}

// The so many bytes behind base64 and deflate, and not one more.
function inflated(text, bytes, where) {
  const packed = base64(text, where);
  need(bytes <= Math.min(1100 * packed.length, 2 ** 28), `${where}: too short, or longer than 2^28 bytes`);
  return new Inflater(packed, bytes, where).run();
}

function sha256(...parts) {
  const primes = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((p) => n % p)) primes.push(n);
  const root = (p, k) => { // 32 bits behind the point of a root, by bisection in whole numbers
    let [low, high] = [0n, 1n << 40n];
    const power = BigInt(p) << BigInt(32 * k);
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if (middle ** BigInt(k) <= power) low = middle;
      else high = middle;
    }
    return Number(low & 4294967295n) | 0;
  };
  const state = Int32Array.from(primes.slice(0, 8), (p) => root(p, 2));
  const constants = Int32Array.from(primes, (p) => root(p, 3));
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const content = new Uint8Array((((total + 8) >> 6) + 1) << 6);
  let at = 0;
  for (const part of parts) {
    content.set(part, at);
    at += part.length;
  }
  content[total] = 128;
  const view = new DataView(content.buffer);
  view.setUint32(content.length - 8, Math.floor(total / 536870912));
  view.setUint32(content.length - 4, (total << 3) >>> 0);
  const words = new Int32Array(64);
  const turn = (x, n) => (x >>> n) | (x << (32 - n));
  for (let start = 0; start < content.length; start += 64) {
    for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(start + 4 * i);
    for (let i = 16; i < 64; i += 1) {
      const [x, y] = [words[i - 15], words[i - 2]];
      const [s, t] = [turn(x, 7) ^ turn(x, 18) ^ (x >>> 3), turn(y, 17) ^ turn(y, 19) ^ (y >>> 10)];
      words[i] = (words[i - 16] + s + words[i - 7] + t) | 0;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i += 1) {
      const s = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const one = (h + s + ((e & f) ^ (~e & g)) + constants[i] + words[i]) | 0;
      const t = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const two = (t + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => { state[i] = (state[i] + value) | 0; });
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
