"use strict";

// The page: its controls, and what it shows of the view.

const run = new Run(JSON.parse(byID("data").textContent));
let other = null; // the run to compare with

// change takes what the reader chose, and shows it.
function change(choices) {
  Object.assign(view, choices);
  const hash = address();
  history.replaceState(null, "", hash === "" ? location.pathname + location.search : "#" + hash);
  show();
}

// show draws all of the page. What had the focus keeps it.
function show() {
  const focused = document.activeElement?.id;
  document.documentElement.dataset.theme = view.theme;
  byID("theme").textContent = {light: "Theme: light", dark: "Theme: dark"}[view.theme] ?? "Theme: the system's";
  const chosen = choice(run);
  showControls(chosen);
  for (const id of ["contestants", "heats"]) byID(id).hidden = chosen.unit === undefined;
  if (chosen.unit !== undefined) {
    showContestants(chosen, other);
    showHeats(chosen);
    showLaps(chosen);
  } else {
    byID("laps").hidden = true;
  }
  showPercentiles(chosen);
  showHeap(chosen);
  showClaims(chosen);
  if (focused) byID(focused)?.focus();
}

function showControls({experiment, block, unit, base, how}) {
  options(byID("experiment"), run.experiments.map((x) => [x.name, x.name]), experiment.name);
  options(byID("block"), experiment.blocks.map((b) => [b.name, b.title + (b.judged ? " (judged)" : "")]), block.name);
  options(byID("unit"), block.units.map((u) => [u.name, u.words]), unit?.name);
  options(byID("base"), block.rows.map((r) => [r.name, r.name]), base.name);
  const lapwise = unit !== undefined && unit.lap !== null;
  for (const input of byID("place").querySelectorAll("input")) {
    input.checked = input.value === how.place;
    input.disabled = input.value !== "" && !(lapwise && block.has(input.value));
    input.parentElement.classList.toggle("off", input.disabled);
  }
  byID("gated").checked = view.gated;
  for (const input of byID("roles").querySelectorAll("input")) {
    input.checked = !view.hide.includes(input.value);
    input.parentElement.hidden = !block.rows.some((r) => r.role === input.value);
  }
  if (byID("find").value !== view.find) byID("find").value = view.find;
}

// check is a box or a button of several with its text.
function check(type, name, value, text) {
  const input = element("input", {type, name, value, id: `${name}-${value || "all"}`});
  return element("label", {className: "check"}, input, text);
}

function build() {
  byID("run").textContent = titleOf(run);
  document.title = "hotpath: " + run.name;
  byID("place").append(...["", ...Object.keys(placements)].map((v) => check("radio", "place", v, v === "" ? "all laps" : placements[v])));
  byID("roles").append(...roles.map((role) => check("checkbox", "role", role, roleWords[role])));
  const elsewhere = {pick: "", heat: -1, tail: [], time: []};
  const on = (id, event, choices) => byID(id).addEventListener(event, (e) => change(choices(e.target)));
  on("experiment", "change", (e) => ({...elsewhere, experiment: e.value, block: "", unit: "", base: "", place: ""}));
  on("block", "change", (e) => ({...elsewhere, block: e.value, unit: "", base: ""}));
  on("unit", "change", (e) => ({unit: e.value}));
  on("base", "change", (e) => ({base: e.value}));
  on("place", "change", (e) => ({place: e.value}));
  on("gated", "change", (e) => ({gated: e.checked}));
  on("roles", "change", () => ({hide: roles.filter((role) => !byID("role-" + role).checked)}));
  on("find", "input", (e) => ({find: e.value}));
  on("theme", "click", () => ({theme: {"": "light", light: "dark", dark: ""}[view.theme] ?? ""}));
  on("reset", "click", () => ({...first}));
  byID("controls").addEventListener("submit", (e) => e.preventDefault());
  byID("file").addEventListener("change", (e) => compareWith(e.target.files[0]));
  byID("close").addEventListener("click", () => take(null, ""));
  addEventListener("hashchange", () => { takeAddress(location.hash); show(); });
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; show(); } });
  explain();
}

// compareWith reads the run that another page of this kind holds.
async function compareWith(file) {
  if (file === undefined) return;
  try {
    const page = new DOMParser().parseFromString(await file.text(), "text/html");
    const data = page.getElementById("data");
    if (data === null) throw new Error("it is no page of this kind");
    const theirs = new Run(JSON.parse(data.textContent));
    take(theirs, `Compared with ${titleOf(theirs)}. A link does not keep it: open the file again.`);
  } catch (err) {
    take(null, `${file.name} cannot be compared with: ${err.message}`);
  }
  byID("file").value = "";
}

// titleOf is a run's name and the first of its facts.
function titleOf({name, facts}) {
  return `${name}: ` + facts.slice(0, 3).map((f) => `${f.name} ${f.value}`).join(", ");
}

function take(theirs, message) {
  other = theirs;
  byID("message").textContent = message;
  byID("close").hidden = other === null;
  show();
}

// explain tells the method by the numbers that the run was measured with.
function explain() {
  const {level, minGroup, controlLevel, controlHalfWidth, near, far} = run.method;
  byID("method").querySelector(".text").replaceChildren(...[
    "The contestants of a heat are processes that live side by side and measure in turns, one at a time. A lap is one turn of each, in an order shuffled anew, so that what the machine does slowly is the same for all of a lap.",
    `A ratio is paired: within each lap, then the middle of a heat's laps (Hodges and Lehmann's estimate), then the same over the heats, with the ${percent(100 * level)} interval of Wilcoxon's signed-rank statistic. Quantiles and counts, which only a whole process has, are paired by heat. What each contestant takes is the median over heats with its interval.`,
    `One contestant of a block runs a second time as its control. By what its ${percent(100 * controlLevel)} interval is off 1, and by what it is wider than ${percent(100 * controlHalfWidth)} to each side, every interval of the block is widened.`,
    `CPUs are near where a cache line takes less than ${near} ns from one to the other, and far from ${far} ns on. A group of laps has an interval from ${minGroup} heats on.`,
    "A turn counts if it met every gate: conditions of what the machine did meanwhile, fixed before the run. Turns that did not are kept and drawn hollow.",
  ].map((text) => element("p", {textContent: text})), table(["The machine and the run", ""], run.facts.map((f) => [f.name, f.value])));
}

build();
takeAddress(location.hash);
show();
