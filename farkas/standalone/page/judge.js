// What files say, what of it was proved, and what was not.

// Data of an instance as its hash covers it: types make 3 and 3.0 one number, defaults are filled in.
class Canonical {
  constructor(kinds) {
    this.kinds = kinds;
  }

  hash(tree) {
    need(tree.get("farkas") === 1n, "the file.farkas: another version of the file format");
    const kind = tree.get("kind");
    need(typeof kind === "string", "the file: lacks its kind");
    need(Object.hasOwn(this.kinds, kind), `the file.kind: this page knows no kind ${quoted(kind)}`);
    const { fields, ignored } = this.kinds[kind];
    const data = this.struct(tree, fields, "kind", "$");
    for (const key of ignored) data.delete(key);
    data.set("kind", JSON.stringify(kind));
    return { kind, sha: sha256(new TextEncoder().encode(this.joined(data))) };
  }

  joined(data) {
    const keys = [...data.keys()].sort(); // names of fields are ASCII
    return `{${keys.map((key) => `${JSON.stringify(key)}:${data.get(key)}`).join(",")}}`;
  }

  struct(tree, fields, tag, where) {
    need(tree instanceof Map, `${where}: no record`);
    for (const key of tree.keys()) need(Object.hasOwn(fields, key) || key === tag, `${where}: holds the unknown key ${quoted(key)}`);
    return new Map(Object.entries(fields).map(([key, field]) => {
      need(tree.has(key) || "default" in field, `${where}: lacks ${key}`);
      return [key, tree.has(key) ? this.text(tree.get(key), field.type, `${where}.${key}`) : field.default];
    }));
  }

  // Text of a value of a type, one spelling for each.
  text(value, type, where) {
    const kind = kindOf(value);
    if (type === "record" && kind === RECORD) return "{}"; // of what no hash covers
    if (type === "float" && (kind === NUMBER || kind === INTEGER)) return floatText(double(value, where));
    if (type === "int" && kind === INTEGER) return value.toString();
    if (type === "str" && kind === TEXT) return JSON.stringify(value);
    if (type === "bool" && kind === TRUTH) return String(value);
    if (type === "null" && kind === NOTHING) return "null";
    if (type.list && kind === LIST) return `[${value.map((item, k) => this.text(item, type.list, `${where}[${k}]`)).join(",")}]`;
    if (type.tuple && kind === LIST && value.length === type.tuple.length) {
      return `[${value.map((item, k) => this.text(item, type.tuple[k], `${where}[${k}]`)).join(",")}]`;
    }
    if (type.fields && kind === RECORD) {
      const data = this.struct(value, type.fields, type.tag?.[0], where);
      if (type.tag) data.set(type.tag[0], JSON.stringify(type.tag[1]));
      return this.joined(data);
    }
    const one = type.any?.find((choice) => this.takes(value, kind, choice));
    need(one, `${where}: has the wrong type`);
    return this.text(value, one, where);
  }

  takes(value, kind, type) {
    if (type.fields) return kind === RECORD && (!type.tag || value.get(type.tag[0]) === type.tag[1]);
    if (type.list || type.tuple) return kind === LIST;
    return { float: [NUMBER, INTEGER], int: [INTEGER], str: [TEXT], bool: [TRUTH], null: [NOTHING], record: [RECORD] }[type].includes(kind);
  }
}

// Shortest digits that read back as the double, as instance files are hashed.
function floatText(x) {
  if (x === 0) return "0.0";
  const [, way, first, rest = "", power] = /^(-?)([0-9])(?:\.([0-9]+))?e([-+][0-9]+)$/.exec(x.toExponential());
  const exponent = Number(power);
  const digits = first + rest;
  if (exponent < -5 || exponent > 15) return `${way}${first}${rest && `.${rest}`}e${exponent}`;
  if (exponent < 0) return `${way}0.${"0".repeat(-exponent - 1)}${digits}`;
  const padded = digits.padEnd(exponent + 1, "0");
  return `${way}${padded.slice(0, exponent + 1)}.${padded.slice(exponent + 1) || "0"}`;
}

// What was proved, in words; digits are cut so that the words stay true.
function sentence(found, program) {
  const within = found.implied ? ` among points within the file's implied bounds of ${found.implied} variable${found.implied > 1 ? "s" : ""}` : "";
  if (found.infeasible) return `${program} has no point${within.replace(" among points", "")}.`;
  if (found.unbounded) return `${program} is unbounded: from a point that satisfies it, its value improves for ever.`;
  const ends = [];
  if (found.lower) ends.push(`at least ${rounded(found.lower, false)}`);
  if (found.upper) ends.push(`at most ${rounded(found.upper, true)}`);
  const words = [ends.length ? `The optimal value of ${program}${within} is ${ends.join(" and ")}.` : `Nothing is claimed about the optimal value of ${program}.`];
  if (found.value) {
    const fits = found.tolerance ? `within ${rounded(dyadicFraction(dyadic(found.tolerance)), true)}` : "exactly";
    words.push(`A point that satisfies it ${fits} reaches ${rounded(found.value, Boolean(found.lower))}.`);
  }
  return words.join(" ");
}

// What a file says of its program besides the name; the name agrees with it.
function beside(tree) {
  const kind = tree.get("kind") ?? "";
  const options = Array.from(tree.get("options") ?? [], ([key, value]) => `${quoted(key)}: ${quoted(value)}`);
  const said = [...(kind ? [`kind ${quoted(kind, 200)}`] : []), ...(options.length ? [`options ${options.join(", ").slice(0, 300)}`] : [])];
  return said.length ? ` (${said.join(", ")})` : "";
}

const PROVED_HERE = ["linear", "infeasible", "tree", "unbounded"];

// Read one file: what it is, and what is proved of it.
function judgeOne({ name, bytes }, known, progress) {
  const result = { name, verdict: "refused", words: "", notes: [] };
  try {
    if (name.endsWith(".vipr")) {
      Object.assign(result, { type: "vipr", program: "the program in the VIPR file" });
      result.found = new Vipr(bytes, progress).check();
    } else {
      const tree = parsed(bytes);
      need(tree instanceof Map, "the file: no record");
      readRecord(tree, result, known, progress);
    }
    if (result.found) {
      const said = sentence(result.found, result.program);
      const { infeasible, unbounded, lower, upper } = result.found;
      const claims = infeasible || unbounded || lower || upper;
      Object.assign(result, { verdict: claims ? "proved" : "empty", words: said[0].toUpperCase() + said.slice(1) });
    }
  } catch (problem) {
    const typed = problem instanceof Refused;
    const words = typed ? problem.message : `this page could not finish: ${problem.name}: ${problem.message}`;
    Object.assign(result, { found: undefined, verdict: "refused", words: words.replace(/\s+/g, " ") });
  }
  return result;
}

function readRecord(tree, result, known, progress) {
  const type = tree.get("certificate");
  if (PROVED_HERE.includes(type)) {
    result.type = type;
    result.found = type === "linear" || type === "infeasible" ? proveLinear(tree) : proveTree(tree, progress);
    result.program = `the program that the file calls ${quoted(tree.get("program"), 200)}${beside(tree)}`;
    Object.assign(result, { title: tree.get("program"), instance: tree.get("instance") ?? null });
  } else if (tree.has("algorithm") && tree.has("decisions")) {
    Object.assign(result, { type: "run", verdict: "unchecked" });
    const about = tree.get("manifest") instanceof Map ? tree.get("manifest").get("instance_sha256") : null;
    if (typeof about === "string" && HASH.test(about)) result.instance = about;
    result.words = "This is a run, whose decisions have to be replayed.";
    result.lead = "farkas replays it, and writes its bound as a certificate that this page checks:";
    result.command = `farkas check ${shell(result.name)} --instance INSTANCE.json --stand-alone alone.json`;
  } else if (tree.has("certificate")) {
    need(known.certificates.includes(type), `the file.certificate: ${quoted(String(type))} is no type of certificate`);
    const alone = known.restated.includes(`${tree.get("kind")}.${type}`);
    const words = `A certificate of type ${quoted(type)} holds no program; what it proves follows from its instance by an argument of its own.`;
    Object.assign(result, { type, verdict: "unchecked", words });
    if (HASH.test(tree.get("instance") ?? "")) result.instance = tree.get("instance");
    result.lead = alone ? "farkas checks it, and writes what it proves as a certificate that this page checks:" : "No linear program says what it proves, so that only farkas itself checks it:";
    result.command = `farkas check ${shell(result.name)} --instance INSTANCE.json${alone ? " --stand-alone alone.json" : ""}`;
  } else {
    need(tree.has("kind") && tree.has("farkas"), "the file: neither a certificate nor an instance");
    const { kind, sha } = new Canonical(known.kinds).hash(tree);
    const words = `Its data have the hash ${sha}. Whether they make sense as an instance of ${kind} is not checked here.`;
    Object.assign(result, { type: "instance", verdict: "read", kind, sha, words });
  }
}

const shell = (name) => (/^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(name) ? name : "FILE");

// Judge all files together: certificates against the instances beside them.
function judge(files, known, progress = () => {}) {
  const results = files.map((file, k) => judgeOne(file, known, (done, all) => progress(file.name, k, files.length, done, all)));
  const instances = results.filter((one) => one.sha);
  for (const one of results) {
    if (one.type === "instance" || (!one.found && one.verdict !== "unchecked")) continue;
    compareInstance(one, instances);
  }
  for (const open of results.filter((one) => one.verdict === "unchecked" && one.instance)) {
    for (const one of results.filter((other) => other.found && other.instance === open.instance && other.verdict === "proved")) {
      open.notes.push(`${quoted(one.name, 60)}, proved beside it, names the same instance. That it follows from this file is not checked.`);
    }
  }
  return results;
}

function compareInstance(one, instances) {
  const short = (hash) => `${hash.slice(0, 12)}...`;
  const match = instances.find((instance) => instance.sha === one.instance);
  const proved = one.verdict === "proved";
  if (one.type === "vipr") {
    one.notes.push("A VIPR file names no instance: that the program in it is that of an instance or model is not proved.");
    if (instances.length) one.notes.push("It was not compared with the instance beside it, since there is nothing to compare.");
    return;
  }
  if (proved) {
    one.notes.push("The program was read from the file: its numbers are what is proved about. That they are the program of that name is the file's word.");
    if (one.found.implied) one.notes.push("That an optimal point lies within the implied bounds is the file's word, too.");
    if (one.found.numbers === "decimal") one.notes.push("Its numbers are the decimals that are written.");
  }
  if (match) {
    one.notes.push(`It states the hash of ${quoted(match.name, 60)}, which any file can state. Nothing else was compared: the instance took no part in the proof.`);
    if (proved) {
      one.lead = "Whether the program inside is the one that this instance has is not known here. farkas rebuilds it from the instance and compares:";
      one.command = `farkas check ${shell(one.name)} --instance ${shell(match.name)}`;
    } else one.command = one.command.replace("INSTANCE.json", shell(match.name));
  } else if (instances.length) {
    const named = one.instance ? `the instance ${short(one.instance)}` : "no instance";
    const given = instances.map((instance) => short(instance.sha)).join(", ");
    const words = `the certificate names ${named}; ${instances.length > 1 ? "those" : "the one"} beside it ${instances.length > 1 ? "hash" : "hashes"} to ${given}`;
    Object.assign(one, { verdict: "refused", words: proved ? `${words}. Of the program inside alone: ${one.words}` : words });
    one.notes = [];
    delete one.found;
    delete one.command;
  } else if (proved && one.instance) {
    one.notes.push(`It names the instance with the hash ${short(one.instance)}. Drop that file, too, to compare.`);
  } else if (proved) one.notes.push("It names no instance.");
}

// A result as plain text, so that it may leave a worker.
function plain(result) {
  const { found, ...rest } = result;
  if (!found) return rest;
  const exact = Object.entries(found).map(([key, value]) => [key, value && typeof value === "object" ? written(value) : value]);
  return { ...rest, found: Object.fromEntries(exact) };
}
