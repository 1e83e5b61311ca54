"use strict";

// The heats of one comparison over the run, and the laps of one heat.

function showHeats(chosen) {
  const {block, unit, base, pick, how} = chosen;
  const box = part("heats", "chart");
  const title = byID("heats").querySelector("h2");
  if (pick === base) {
    title.textContent = "Heats";
    part("heats", "note").textContent = `Choose a contestant other than ${base.name} in the table above: its heats are shown here.`;
    box.replaceChildren();
    key(part("heats", "key"), []);
    return;
  }
  title.textContent = `${base.name} over ${pick.name}, heat by heat`;
  const iv = block.compare(unit, base.row, pick.row, how);
  const points = heatPoints(chosen);
  part("heats", "note").textContent = iv.n === 0 ? "No heat counts." :
    `${iv.noisy ? "~" + nbsp : ""}${times(iv.estimate)} ${bounds(iv, times)} over ${plural(iv.n, "heat")}${iv.over === null ? "" : ", by way of " + iv.over.name}. Choose a heat to see its laps.`;
  if (points.length === 0) {
    box.replaceChildren();
    key(part("heats", "key"), []);
    return;
  }
  const stroke = colourOf(pick.role);
  const marks = [Plot.ruleY([1], {stroke: "var(--muted)"})];
  if (iv.estimate > 0) marks.push(Plot.ruleY([iv.estimate], {stroke}));
  if (iv.level > 0) marks.push(Plot.rect([iv], {y1: "low", y2: "high", fill: stroke, fillOpacity: 0.15}));
  marks.push(
    Plot.dot(points, {x: "number", y: "ratio", r: 6, stroke, fill: (p) => p.counts ? stroke : "var(--paper)", strokeWidth: 1.5, className: "pick"}),
    Plot.dot(points.filter((p) => p.heat.index === view.heat), {x: "number", y: "ratio", r: 10, stroke: "var(--ink)"}),
    tips(points, Plot.pointer, {x: "number", y: "ratio"}));
  const last = d3.max(block.heats, (h) => h.number);
  const svg = plot(box, "ratio of each heat", {
    height: 220, marginLeft: 56, marginBottom: 38,
    x: {label: "heat", domain: [0.5, last + 0.5], ticks: wholes(last), tickFormat: String},
    y: logScale([...points.map((p) => p.ratio), 1, ...(iv.level > 0 ? [iv.low, iv.high] : [])], 160, above, timesTick, {label: "ratio"}), marks,
  });
  d3.select(svg).selectAll(".pick circle").attr("tabindex", 0).attr("role", "button").attr("aria-label", (i) => "laps of heat " + points[i].number)
    .on("click", (_, i) => change({heat: points[i].heat.index}))
    .on("keydown", (e, i) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); change({heat: points[i].heat.index}); } });
  const keys = [];
  if (points.some((p) => p.counts)) keys.push([dotSwatch({fill: stroke, stroke}), "a heat that counts"]);
  if (points.some((p) => !p.counts)) keys.push([dotSwatch({stroke, fill: "var(--paper)"}), "a heat that does not: too few turns met every gate"]);
  if (iv.level > 0) keys.push([swatch(Plot.rect([0], {fill: stroke, fillOpacity: 0.15})), "interval over all heats"]);
  key(part("heats", "key"), keys);
}

// heatPoints are the heats that count, then those that kept anything, then those
// that have only turns that failed a gate.
function heatPoints({block, unit, base, pick, how}) {
  const place = unit.lap === null ? "" : how.place;
  const points = [];
  for (const turns of new Set([turnsOf(how.gated), "kept", "all"])) {
    const counts = turns === turnsOf(how.gated);
    for (const {heat, log} of block.heatRatios(unit, base.row, pick.row, {place, turns}).heats) {
      if (points.some((p) => p.heat === heat)) continue;
      const tip = `heat ${heat.number}: ${times(Math.exp(log))}${counts ? "" : "\ndoes not count"}`;
      points.push({heat, counts, number: heat.number, ratio: Math.exp(log), tip});
    }
  }
  return points;
}

// wholes are about ten whole numbers from 1 to the last.
function wholes(last) {
  return d3.ticks(1, last, 10).filter(Number.isInteger);
}

// showLaps shows what each contestant of a heat took in each lap.
function showLaps({block, unit, base, pick}) {
  const heat = block.heats[view.heat];
  const costs = unit.lap === null ? undefined : block.costs.get(unit.lap);
  byID("laps").hidden = heat === undefined || costs === undefined;
  if (byID("laps").hidden) return;
  byID("laps").querySelector("h2").textContent = `The laps of heat ${heat.number}`;
  lapTools(block, heat);
  const looks = strokes(block);
  const laps = [];
  const measure = block.run.units[unit.lap];
  for (let lap = 0; lap < heat.laps; lap++) {
    heat.rows.forEach((row, i) => {
      const turn = heat.turn + lap * heat.rows.length + i;
      if (!Number.isFinite(costs[turn])) return;
      const cost = Math.exp(costs[turn]), unmet = block.gatesOf(turn), where = placements[block.places[heat.lap + lap]] ?? "not visible";
      laps.push({
        row, lap: lap + 1, cost, where, kept: unmet.length === 0,
        tip: `${block.rows[row].name}, lap ${lap + 1}\n${printed(measure.quantity, cost)}\nCPUs: ${where}${unmet.length > 0 ? "\nfailed: " + unmet.join(", ") : ""}`,
      });
    });
  }
  const visible = heat.rows.filter((row) => shown(block.rows[row]) || row === base.row || row === pick.row);
  drawLaps(laps.filter((l) => visible.includes(l.row)), visible, measure, looks, {block, base, pick});
}

// lapTools go from heat to heat.
function lapTools(block, heat) {
  const go = (text, index) => {
    const b = element("button", {type: "button", textContent: text, disabled: block.heats[index] === undefined});
    b.addEventListener("click", () => change({heat: index}));
    return b;
  };
  const alike = block.heats.filter((h) => h.part === heat.part);
  const at = alike.indexOf(heat);
  const hide = element("button", {type: "button", textContent: "Hide the laps"});
  hide.addEventListener("click", () => change({heat: -1}));
  part("laps", "tools").replaceChildren(go("Heat before", alike[at - 1]?.index), go("Heat after", alike[at + 1]?.index), hide);
}

function drawLaps(laps, rows, measure, looks, {block, base, pick}) {
  const box = part("laps", "chart");
  part("laps", "note").textContent = `${capital(measure.words)} in each turn; the contestants of a lap took turns one after another. Hollow: a gate was not met. At the foot, how far apart the CPUs were.`;
  if (laps.length === 0) {
    box.replaceChildren("No turn to show.");
    key(part("laps", "key"), []);
    return;
  }
  const marks = [];
  for (const row of rows) {
    const main = row === base.row || row === pick.row;
    const of = laps.filter((l) => l.row === row);
    const {stroke} = looks[row];
    marks.push(
      Plot.line(of, {x: "lap", y: "cost", ...looks[row], strokeWidth: main ? 2.2 : 1.2, strokeOpacity: main ? 1 : 0.7}),
      Plot.dot(of, {x: "lap", y: "cost", stroke, fill: (l) => l.kept ? stroke : "var(--paper)", r: main ? 3.5 : 2.5}));
  }
  const placed = d3.groups(laps, (l) => l.lap).map(([, all]) => all[0]);
  for (const where of Object.values(placements)) {
    marks.push(Plot.dot(placed.filter((l) => l.where === where), {x: "lap", frameAnchor: "bottom", dy: -3, symbol: "square", fill: `var(--${where})`, r: 3.5}));
  }
  marks.push(tips(laps, Plot.pointer, {x: "lap", y: "cost"}));
  plot(box, "cost of each lap", {
    height: 340, marginLeft: 60, marginBottom: 38, insetBottom: 14,
    x: {label: "lap", ticks: wholes(d3.max(laps, (l) => l.lap)), tickFormat: String, inset: 6},
    y: logScale(laps.map((l) => l.cost), 270, above, (v) => tick(measure.quantity, v), {label: null}), marks,
  });
  const present = Object.values(placements).filter((w) => placed.some((l) => l.where === w));
  key(part("laps", "key"), [
    ...rows.map((row) => [lineSwatch(looks[row]), block.rows[row].name]),
    ...present.map((w) => [dotSwatch({symbol: "square", fill: `var(--${w})`}), "CPUs " + w]),
  ]);
}
