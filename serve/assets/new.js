// A new run: a form that is made from the schema of configurations, or the configuration's text. The text is sent, and
// the server's error in a line is shown at the line's field. An existing configuration, of a run or in a file, fills
// the form if the form can express all of it, and is shown as text otherwise.
import { ask, at, fetchWithToken, make, say, send } from "./live.js";
import { know, may } from "./rights.js";

// The keys that most runs set; the rest is folded away.
const COMMON = {
  "": ["name", "title", "game", "seed"],
  sprt: ["preset", "elo0", "elo1", "max_pairs"],
  match: ["pairs", "schedule"],
  tune: ["method", "pairs", "parameter", "verify"],
  selfplay: ["games"],
  bisect: ["good", "bad", "path", "confidence", "max_pairs"],
  campaign: ["base", "patches", "max_pairs", "patch"],
  patch: ["name", "revision", "file", "options"],
  build: ["command", "binary", "bench", "signature"],
  openings: ["source", "file", "plies", "balance"],
  engine: ["name", "player", "cmd", "protocol", "limit", "evaluation", "params", "options"],
  parameter: ["name", "step", "start", "min", "max"],
};
// OPEN: the sections that are unfolded for every job, besides its own.
// BARE: the lists that few users need.
const BARE = ["tune.group", "tune.earlier.parameter", "campaign.patch"];
const OPEN = ["openings", "each", "entrant", "build"];
// Jobs whose engines are built from revisions, and the sections that only they have and that they lack.
const OF_BUILDS = ["bisect", "campaign"], FOR_BUILDS = ["build"], NOT_OF_BUILDS = ["entrant"];
const JOBS = ["sprt", "match", "tune", "selfplay", "learn", "ladder", "league", "scaling", "stage", "gate", "train", "bisect", "campaign", "build", "dev", "base"];
const FIRST = { game: "0.1" };
// The configurations that finished runs suggest, by file name.
const SUGGESTED = { "test.toml": "the test of its tuned values", "bisection.toml": "the bisection of its loss" };

let fields = [], keys = [], lineOf = new Map(), isText = false, draft = null;
// A loaded configuration: it stays unchanged, with its comments, until the form is changed.
let original = null;

// --- the form --------------------------------------------------------------------------------------------------------

// Returns the description of a key without its code marks.
const words = (says) => says.replaceAll("`", "");

let number = 0;
const identity = () => `field-${(number += 1)}`;

// Returns a field: its node, the text that it writes into a section, and the place for its errors.
function plain(schema, path) {
  const id = identity(), problem = make("span", { class: "problem", id: `${id}-problem`, role: "alert" });
  const common = { id, "aria-describedby": `${id}-says ${id}-problem`, "data-path": path };
  let input;
  if (schema.takes === "switch") input = make("select", common, ...["", "true", "false"].map((value) => make("option", { value }, { "": "–", true: "yes", false: "no" }[value])));
  else if (schema.takes === "word") input = make("select", common, make("option", { value: "" }, "–"), ...schema.of.map((word) => make("option", {}, word)));
  else if (schema.takes === "list") input = make("textarea", { ...common, rows: 2, placeholder: "one a line" });
  else input = make("input", { ...common, type: "text", inputmode: { whole: "numeric", number: "decimal" }[schema.takes] });
  if (path in FIRST) input.value = FIRST[path];
  const node = make("div", { class: "field" }, make("label", { for: id }, schema.key), input,
    make("span", { class: "faint", id: `${id}-says` }, words(schema.default ? `${schema.says} Default: ${schema.default}.` : schema.says)), problem);
  const field = { node, problem, input, write: (to) => input.value.trim() !== "" && to.line(schema.key, valueOf(schema.takes, input.value), field),
    fill: (value) => { input.value = typed(schema.takes, value); } };
  return field;
}

// Returns a value of a document as a user would type it into its field.
function typed(takes, value) {
  if (takes === "list" && Array.isArray(value)) return value.join("\n");
  if (typeof value !== "string") return JSON.stringify(value);
  // Text that looks like another type needs quotes.
  return takes === "any" && valueOf("any", value) !== text(value) ? text(value) : value;
}

// Returns a field for free names with their values: lines of two inputs.
function names(schema, path) {
  const rows = make("div", { class: "names" }), problem = make("span", { class: "problem", role: "alert" });
  const add = () => {
    const name = make("input", { type: "text", "aria-label": `${schema.key}: name`, placeholder: "name", "data-path": `${path}.name` });
    const value = make("input", { type: "text", "aria-label": `${schema.key}: value`, placeholder: "value", "data-path": `${path}.value` });
    const row = make("p", { class: "bar" }, name, value, make("button", { type: "button", "aria-label": "Remove", onclick: () => { row.remove(); changed(); } }, "×"));
    rows.append(row);
    return [name, value];
  };
  const node = make("fieldset", {}, make("legend", {}, schema.key, make("span", { class: "faint" }, ` ${words(schema.says)}`)), rows,
    make("button", { type: "button", onclick: () => { add()[0].focus(); } }, `Add to ${schema.key}`), problem);
  const fill = (values) => {
    rows.replaceChildren();
    for (const [key, one] of Object.entries(values)) {
      const [name, value] = add();
      [name.value, value.value] = [key, typed("any", one)];
    }
  };
  const field = { node, problem, input: rows, fill, write: (to) => {
    const pairs = [...rows.children].map((row) => [...row.querySelectorAll("input")].map((input) => input.value.trim())).filter(([name]) => name);
    if (pairs.length) to.section(schema.key, false, field, (inner) => pairs.forEach(([name, value]) => inner.line(bare(name), valueOf("any", value), field)));
  } };
  return field;
}

function section(schema, path, isOpen) {
  const inner = group(schema.of, path, COMMON[{ each: "engine", dev: "engine", base: "engine" }[schema.key] ?? schema.key] ?? null);
  const problem = make("span", { class: "problem", role: "alert" });
  const node = make("details", { class: "section", open: isOpen, "data-section": path }, make("summary", {}, make("b", {}, schema.key), make("span", { class: "faint" }, ` ${words(schema.says)}`)), problem, inner.node);
  const fill = (value) => {
    node.open = true;
    inner.fill(value);
  };
  const field = { node, problem, input: node, fill, write: (to) => to.section(schema.key, false, field, inner.write) };
  return field;
}

function sections(schema, path) {
  const list = make("div", {}), problem = make("span", { class: "problem", role: "alert" }), all = [];
  const add = () => {
    const one = group(schema.of, path, COMMON[schema.key === "entrant" ? "engine" : schema.key] ?? null);
    const own = make("span", { class: "problem", role: "alert" });
    const node = make("fieldset", {}, make("legend", {}, `${schema.key} ${all.length + 1}`), own, one.node,
      make("button", { type: "button", onclick: () => { node.remove(); all.splice(all.indexOf(item), 1); changed(); } }, `Remove this ${schema.key}`));
    const item = { node, problem: own, input: node, write: one.write, fill: one.fill };
    all.push(item);
    fields.push(item);
    list.append(node);
    return node;
  };
  const node = make("div", { class: "section", "data-section": path }, make("h2", {}, schema.key, make("span", { class: "faint" }, ` ${words(schema.says)}`)), problem, list,
    make("button", { type: "button", onclick: () => { add().querySelector("input, select").focus(); changed(); } }, `Another ${schema.key}`));
  const called = BARE.includes(path) ? [] : schema.key !== "entrant" ? [null] : ["tune", "selfplay"].includes(at("job").value) ? ["engine"] : ["dev", "base"];
  for (const name of called) {
    const node = add();
    if (name) node.querySelector('[data-path="entrant.name"]').value = name;
  }
  const fill = (values) => {
    for (const item of all.splice(0)) item.node.remove();
    for (const value of values) {
      add();
      all.at(-1).fill(value);
    }
  };
  return { node, problem, input: node, fill, write: (to) => all.forEach((item) => to.section(schema.key, true, item, item.write)) };
}

// Returns the fields of a section: the common ones, and the others folded away. Without a list all are common.
function group(schemas, path, common) {
  const made = schemas.map((schema) => {
    const own = path ? `${path}.${schema.key}` : schema.key;
    const field = schema.takes === "section" ? section(schema, own, false) : schema.takes === "sections" ? sections(schema, own)
      : schema.takes === "names" ? names(schema, own) : plain(schema, own);
    fields.push(field);
    return { schema, field };
  });
  const isCommon = ({ schema }) => !common || common.includes(schema.key);
  const more = made.filter((one) => !isCommon(one)).map((one) => one.field.node);
  const node = make("div", { class: "fields" }, ...made.filter(isCommon).map((one) => one.field.node),
    more.length ? make("details", { class: "more" }, make("summary", {}, "More"), make("div", { class: "fields" }, ...more)) : null);
  // Plain keys of a section come before its own sections.
  const isPlain = ({ schema }) => !["section", "sections", "names"].includes(schema.takes);
  // Keys that the form does not know are skipped: the text that it makes is compared with the document.
  const fill = (values) => {
    for (const { schema, field } of made) {
      if (!(schema.key in values)) continue;
      field.fill(values[schema.key]);
      for (let at = field.node; at && at !== node; at = at.parentElement) if (at.matches("details")) at.open = true;
    }
  };
  return { node, fill, write: (to) => [...made.filter(isPlain), ...made.filter((one) => !isPlain(one))].forEach((one) => one.field.write(to)) };
}

let form = null, fillForm = null;
function build() {
  fields = [];
  original = null;
  const job = at("job").value;
  const builds = OF_BUILDS.includes(job);
  const wanted = keys.filter((schema) => schema.key === job || (builds && FOR_BUILDS.includes(schema.key)) || (!JOBS.includes(schema.key) && !(builds && NOT_OF_BUILDS.includes(schema.key))));
  const top = group(wanted.filter((schema) => !["section", "sections"].includes(schema.takes)), "", COMMON[""]);
  const below = wanted.filter((schema) => ["section", "sections"].includes(schema.takes)).map((schema) => {
    const isOpen = schema.key === job || OPEN.includes(schema.key);
    const field = schema.takes === "section" ? section(schema, schema.key, isOpen) : sections(schema, schema.key);
    fields.push(field);
    return { schema, field, isOpen, isJob: schema.key === job };
  });
  const nodes = (wanted) => below.filter(wanted).map((one) => one.field.node);
  at("sections").replaceChildren(top.node, ...nodes((one) => one.isJob), ...nodes((one) => one.isOpen && !one.isJob), ...nodes((one) => !one.isOpen && one.field.node.matches("div")),
    make("details", { class: "more" }, make("summary", {}, "More sections"), ...nodes((one) => !one.isOpen && one.field.node.matches("details"))));
  form = (to) => { top.write(to); below.forEach((one) => one.field.write(to)); };
  fillForm = (values) => {
    top.fill(values);
    const more = at("sections").querySelector(":scope > details.more");
    for (const { schema, field } of below) {
      if (!(schema.key in values)) continue;
      field.fill(values[schema.key]);
      if (more.contains(field.node)) more.open = true;
    }
  };
  changed();
}

// --- the text --------------------------------------------------------------------------------------------------------

const bare = (key) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));
const text = (value) => JSON.stringify(value).replaceAll("\u007f", "\\u007F");
const isNumber = (value) => /^[+-]?\d(_?\d)*(\.\d(_?\d)*)?([eE][+-]?\d+)?$/.test(value) && !/^[+-]?0\d/.test(value);

// Returns a value in TOML. An invalid number is written as text, so that the server reports it.
function valueOf(takes, typed) {
  const value = typed.trim();
  if (takes === "switch") return value;
  if (takes === "whole" || takes === "number") return isNumber(value) ? value : text(value);
  if (takes === "list") return `[${value.split("\n").map((line) => line.trim()).filter(Boolean).map(text).join(", ")}]`;
  if (takes === "any") return isNumber(value) || ["true", "false"].includes(value) || /^["[]/.test(value) ? value : text(value);
  return text(value);
}

// Lines of TOML, each with its field.
class Lines {
  constructor(path = []) { Object.assign(this, { path, own: [], below: [] }); }
  line(key, value, field) { this.own.push([`${key} = ${value}`, field]); }
  section(key, isOneOfMany, field, write) {
    const inner = new Lines([...this.path, key]);
    write(inner);
    const name = inner.path.join(".");
    const head = isOneOfMany ? [[`[[${name}]]`, field]] : inner.own.length || (field.node.dataset.section === at("job").value) ? [[`[${name}]`, field]] : [];
    const all = [...head, ...inner.own, ...(inner.below.length && (head.length || inner.own.length) ? inner.below : inner.below.slice(inner.below[0]?.[0] === "" ? 1 : 0))];
    if (all.length) this.below.push(["", null], ...all);
  }
  all() { return [...this.own, ...this.below]; }
}

let due = null, madeText = "";
function changed() {
  if (!isText) {
    const lines = new Lines();
    form(lines);
    const all = lines.all();
    while (all.length && all[0][0] === "") all.shift();
    const made = all.length ? `${all.map(([line]) => line).join("\n")}\n` : "";
    lineOf = original === null ? new Map(all.map(([, field], index) => [index + 1, field])) : new Map();
    at("toml").value = original ?? made;
    madeText = made;
  }
  at("start").disabled = true;
  draft = null;
  clearTimeout(due);
  due = setTimeout(check, 300);
}

function clear() {
  for (const field of fields) {
    if (field.problem.textContent) field.problem.textContent = "";
    field.input.removeAttribute("aria-invalid");
  }
  at("problem").hidden = true;
  say(at("asks"), "");
}

function complain(wrong) {
  clear();
  const says = [wrong.error, wrong.label, wrong.help].filter((part) => part && part !== "here").join("; ");
  const field = isText ? null : lineOf.get(wrong.line);
  if (field) {
    for (let node = field.node; node; node = node.parentElement) if (node.matches?.("details")) node.open = true;
    say(field.problem, says);
    field.input.setAttribute("aria-invalid", "true");
  }
  at("problem").hidden = false;
  say(at("problem"), wrong.line ? `Line ${wrong.line}, column ${wrong.column}: ${says}` : says);
}

async function check() {
  const toml = at("toml").value;
  try {
    const found = await send("/api/control/check", { toml });
    if (toml !== at("toml").value) return;
    clear();
    say(at("asks"), `A ${found.kind} of ${found.game}, called ${found.name}: ${found.entrants.join(", ")}.`);
    draft = toml;
    at("start").disabled = false;
  } catch (error) {
    if (toml === at("toml").value) complain(error.body ?? { error: error.message });
  }
}

function edit(isNowText) {
  isText = isNowText;
  at("edit").setAttribute("aria-pressed", String(isText));
  say(at("edit"), isText ? "Back to the form" : "Edit as text");
  at("toml").readOnly = !isText;
  at("form").hidden = isText;
  document.body.classList.toggle("as-text", isText);
  changed();
}

at("edit").addEventListener("click", () => {
  edit(!isText);
  if (isText) at("toml").focus();
});

// --- a configuration that is there already ---------------------------------------------------------------------------

// Whether two documents are equal.
function isSame(one, two) {
  if (typeof one !== "object" || typeof two !== "object" || one === null || two === null) return one === two;
  const [names, others] = [Object.keys(one), Object.keys(two)];
  return names.length === others.length && Array.isArray(one) === Array.isArray(two) && names.every((name) => name in two && isSame(one[name], two[name]));
}

async function documentOf(toml) {
  return (await send("/api/control/read", { toml })).document;
}

// Fills the form with a document, and returns whether the form expresses the same.
async function isFilled(document) {
  const job = [...at("job").options].map((option) => option.value).find((job) => job in document);
  if (!job) return false;
  at("job").value = job;
  build();
  // The defaults for a new configuration do not apply to this one.
  for (const path of Object.keys(FIRST)) if (!(path in document)) at("sections").querySelector(`[data-path="${path}"]`).value = "";
  fillForm(document);
  changed();
  return isSame(document, await documentOf(madeText).catch(() => null));
}

// Loads a configuration from `from`.
async function takeIn(toml, from) {
  let isForm = false;
  try {
    isForm = await isFilled(await documentOf(toml));
  } catch { /* it is shown as text, with what is wrong with it */ }
  original = isForm ? toml : null;
  if (!isForm) at("toml").value = toml;
  edit(!isForm);
  say(at("taken"), isForm ? `Taken from ${from}.` : `Taken from ${from}. The form cannot say all of it: it is shown as text.`);
}

at("file").addEventListener("change", async () => {
  const [file] = at("file").files;
  if (!file) return;
  try {
    await takeIn(await file.text(), file.name);
  } catch (error) {
    complain({ error: `${file.name} cannot be read: ${error.message}` });
  }
});

// Handles `?from=RUN`, with `&as=FILE` for a suggestion of a run.
async function takeFromRun() {
  const query = new URLSearchParams(location.search), run = query.get("from");
  if (!run) return;
  const file = query.get("as") ?? "config.toml";
  const response = await fetchWithToken(`/api/runs/${encodeURIComponent(run)}/config/${encodeURIComponent(file)}`);
  if (!response.ok) throw new Error((await response.json().catch(() => ({}))).error ?? `the server answered ${response.status}`);
  await takeIn(await response.text(), file === "config.toml" ? run : `${run}: ${SUGGESTED[file] ?? file}`);
}

// One key for each text: a request that is sent twice starts one run.
const keyOf = new Map();
at("start").addEventListener("click", async () => {
  const toml = draft;
  if (!toml) return;
  at("start").disabled = true;
  if (!keyOf.has(toml)) keyOf.set(toml, Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16)).join("-"));
  try {
    await send("/api/control/start", { toml, priority: Math.trunc(Number(at("priority").value)) || 0, key: keyOf.get(toml) });
    location.href = "/";
  } catch (error) {
    complain(error.body ?? { error: error.message });
    at("start").disabled = false;
  }
});

at("form").addEventListener("submit", (event) => event.preventDefault());
at("form").addEventListener("input", (event) => {
  original = null;
  if (event.target.id === "job") build(); else changed();
});
at("form").addEventListener("click", (event) => { if (event.target.closest("button")) original = null; }, true);
at("toml").addEventListener("input", changed);

const control = await ask("/api/control");
know(control);
if (control.control && !may("start")) {
  say(at("says"), `To start runs needs the right "start", and you have "${control.you.right}".`);
} else if (control.control) {
  keys = (await ask("/api/control/schema")).keys;
  at("new").hidden = false;
  build();
  await takeFromRun().catch((error) => say(at("taken"), error.message));
} else {
  say(at("says"), "This server only shows runs. One that starts them is made by: spar serve --control --token-file FILE");
}
