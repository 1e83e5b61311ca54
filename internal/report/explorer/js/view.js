"use strict";

// What the reader has chosen. It stands in the address, so that a link keeps it:
// what is as at first is left out.

const first = {
  experiment: "", block: "", unit: "", base: "", // names; "" is what the run shows first
  place: "",          // a letter of placements; "" for all laps
  gated: false,       // turns that failed a gate count
  hide: [],           // roles
  find: "",           // in names and words
  sort: "", down: false, // column; "" for the ratio
  pick: "",           // contestant whose heats are shown
  heat: -1,           // whose laps are shown, by its place in the block
  tail: [], time: [], // ends of the zoomed axes
  theme: "",          // light or dark; "" for the system's
};

const view = {...first};

// address is the view as the part of an address behind #.
function address() {
  const q = new URLSearchParams();
  for (const key of Object.keys(first)) {
    if (String(view[key]) !== String(first[key])) q.set(key, String(view[key]));
  }
  return q.toString();
}

// takeAddress takes the view from the part of an address behind #.
function takeAddress(hash) {
  const q = new URLSearchParams(hash.replace(/^#/, ""));
  for (const [key, usual] of Object.entries(first)) {
    const text = q.get(key);
    if (text === null) view[key] = usual;
    else if (typeof usual === "boolean") view[key] = text === "true";
    else if (typeof usual === "number") view[key] = Number(text);
    else if (key === "hide") view[key] = text.split(",");
    else if (Array.isArray(usual)) view[key] = ends(text.split(",").map(Number));
    else view[key] = text;
  }
}

// ends are two numbers of which the first is the lower; none for others.
function ends([low, high]) {
  return Number.isFinite(low) && low < high && high < Infinity ? [low, high] : [];
}

// choice is what the view shows of a run: what the view does not name, or names
// and the run has not, is what the run shows first.
function choice(run) {
  const experiment = run.experiment(view.experiment) ?? run.experiments[0];
  const block = experiment.block(view.block) ?? experiment.claimed;
  const unit = block.unit(view.unit) ?? block.score;
  const base = block.row(view.base) ?? block.rows[Math.max(0, block.baseline)];
  const place = unit?.lap !== null && Object.hasOwn(placements, view.place) && block.has(view.place) ? view.place : "";
  const others = block.rows.filter((r) => r !== base);
  const counting = others.filter((r) => r.role !== "floor" && unit?.figures[r.row]?.counts);
  const pick = block.row(view.pick) ?? counting.find((r) => r.role === "ours") ?? counting[0] ?? others[0] ?? base;
  return {experiment, block, unit, base, pick, how: {place, gated: view.gated}};
}

// shown reports whether the reader wants to see a contestant.
function shown(row) {
  const words = [row.name, row.role, row.about, row.holds].join(" ").toLowerCase();
  return !view.hide.includes(row.role) && view.find.toLowerCase().split(" ").every((w) => words.includes(w));
}
