// The page around the checker: files in, verdicts out; the check itself runs in a worker.
"use strict";

(() => {
  const VERDICTS = { proved: "Proved of the program inside the file", empty: "Nothing claimed", refused: "Refused", unchecked: "Not checked", read: "Instance" };
  const MOST_BYTES = 2 ** 28;
  const part = (name) => document.getElementById(`check-${name}`);
  const held = new Map(); // files by name
  let [worker, turn] = [null, 0];

  function make(name, text = "", className = "") {
    const element = document.createElement(name);
    element.textContent = text;
    if (className) element.className = className;
    return element;
  }

  // Names without marks that a reader cannot see.
  const visible = (name) => name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (mark) => `\\u{${mark.codePointAt(0).toString(16)}}`);

  function card(result) {
    const article = make("article", "", `check-result check-${result.verdict}`);
    const head = make("h3");
    head.append(make("span", VERDICTS[result.verdict], "check-verdict"), `: ${visible(result.name)}`);
    article.append(head, make("p", result.words));
    if (result.notes.length) {
      const list = make("ul");
      list.append(...result.notes.map((note) => make("li", note)));
      article.append(list);
    }
    if (result.lead) article.append(make("p", result.lead));
    if (result.command) {
      const command = make("pre");
      command.append(make("code", result.command));
      article.append(command);
    }
    const exact = Object.entries(result.found ?? {}).filter(([key, value]) => ["lower", "upper", "value"].includes(key) && value);
    if (exact.length) {
      const details = make("details");
      const list = make("dl");
      const titles = { lower: "proved lower bound", upper: "proved upper bound", value: "value of the point" };
      for (const [key, value] of exact) list.append(make("dt", titles[key]), make("dd", value));
      details.append(make("summary", "Exact numbers"), list);
      article.append(details);
    }
    return article;
  }

  function show(results) {
    const read = (one) => one.verdict === "read";
    const inOrder = [...results.filter((one) => !read(one)), ...results.filter(read)];
    part("results").replaceChildren(...inOrder.map(card));
    const counts = Object.keys(VERDICTS).map((key) => [VERDICTS[key].toLowerCase(), results.filter((one) => one.verdict === key).length]);
    part("status").textContent = counts.filter(([, count]) => count).map(([word, count]) => `${word}: ${count}`).join(", ");
    rest();
  }

  function rest() {
    worker?.terminate();
    worker = null;
    part("bar").hidden = true;
    part("clear").hidden = !held.size;
  }

  function stop(words) {
    turn += 1;
    rest();
    part("status").textContent = words;
  }

  function progress([name, place, files, done, all]) {
    part("progress").value = (place + (all ? done / all : 0)) / files;
    part("status").textContent = `Checking ${visible(name)} ...`;
  }

  // Where a page may start no worker, the check runs in the page, which stands still meanwhile.
  function inPage(files, mine) {
    part("status").textContent = "Checking ... the page stands still until it is done.";
    setTimeout(() => { if (mine === turn) show(farkasChecker.judge(files)); }, 50);
  }

  function start(files) {
    const mine = ++turn;
    part("results").replaceChildren();
    part("bar").hidden = false;
    part("progress").value = 0;
    part("status").textContent = "Checking ...";
    try {
      const code = [
        document.getElementById("farkas-checker").textContent,
        "postMessage({ ready: true });",
        "onmessage = ({ data }) => postMessage({ results: farkasChecker.judge(data, (...at) => postMessage({ at })) });",
      ];
      const address = URL.createObjectURL(new Blob(code, { type: "text/javascript" }));
      worker = new Worker(address);
      URL.revokeObjectURL(address);
    } catch {
      inPage(files, mine);
      return;
    }
    let ready = false;
    worker.onmessage = ({ data }) => {
      if (mine !== turn) return;
      if (data.ready) ready = true;
      else if (data.at) progress(data.at);
      else show(data.results);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (mine !== turn) return;
      if (ready) stop("The browser ended the check; nothing was proved.");
      else {
        rest();
        inPage(files, mine);
      }
    };
    worker.postMessage(files);
  }

  let reading = Promise.resolve();
  const add = (files) => { reading = reading.then(() => read(files)); };

  async function read(files) {
    const mine = ++turn;
    rest();
    part("results").replaceChildren();
    for (const file of files) {
      if (file.size > MOST_BYTES) {
        stop(`${visible(file.name)}: more than ${MOST_BYTES} bytes, which this page does not read; nothing was checked.`);
        return;
      }
    }
    try {
      for (const file of files) held.set(file.name, { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
    } catch {
      stop("A file could not be read; nothing was checked.");
      return;
    }
    if (mine === turn && held.size) start([...held.values()]);
  }

  part("files").addEventListener("change", (event) => {
    const files = [...event.target.files];
    event.target.value = ""; // the same file may be chosen again
    add(files);
  });
  part("cancel").addEventListener("click", () => {
    held.clear();
    stop("Stopped; nothing was proved.");
    part("files").focus();
  });
  part("clear").addEventListener("click", () => {
    held.clear();
    part("results").replaceChildren();
    stop("");
    part("files").focus();
  });
  const over = (on) => part("drop").classList.toggle("over", on);
  document.addEventListener("dragover", (event) => { event.preventDefault(); over(true); });
  document.addEventListener("dragleave", () => over(false));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    add([...event.dataTransfer.files]);
  });

  if (typeof farkasChecker === "object") part("status").textContent = "";
  const given = document.getElementById("check-files-given");
  if (given) {
    const { button, files: texts } = JSON.parse(given.textContent);
    const files = texts.map(([name, text]) => new File([text], name));
    part("given").textContent = button;
    part("given").hidden = false;
    part("given").addEventListener("click", () => add(files));
  }
})();
