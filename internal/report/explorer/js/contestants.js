"use strict";

// The contestants of a block: what each takes, and what the one that the reader
// chose takes of it.

// standings has a line for each contestant that the reader wants to see.
function standings(chosen, other) {
  const lines = standingsOf(chosen).filter(({row}) => shown(row));
  const theirs = other === null ? [] : standingsOf(other);
  for (const line of lines) line.other = theirs.find((l) => l.row.name === line.row.name) ?? null;
  const by = {
    name: (l) => l.row.name, cost: (l) => l.figure?.estimate ?? NaN, "": (l) => -l.ratio.estimate,
  }[view.sort] ?? ((l) => -l.ratio.estimate);
  const rank = (l) => Number.isNaN(by(l)) ? Infinity : by(l);
  lines.sort((a, b) => (view.down ? -1 : 1) * d3.ascending(rank(a), rank(b)));
  return lines;
}

function standingsOf({block, unit, base, how}) {
  return block.rows.map((row) => ({
    row, figure: unit.figures[row.row], ratio: row.row === base.row ? itself : block.compare(unit, base.row, row.row, how),
  })).filter((l) => l.figure !== null || l.ratio.n > 0);
}

// itself is what a contestant takes over what it takes.
const itself = {estimate: 1, low: 1, high: 1, level: 1, n: 0, heats: [], over: null, noisy: false};

// sameIn is what another run has of the choice; null where it has not all of it.
function sameIn(run, {experiment, block, unit, base, how}) {
  const theirs = run.experiment(experiment.name)?.block(block.name);
  const of = {block: theirs, unit: theirs?.unit(unit.name), base: theirs?.row(base.name), how};
  return of.unit && of.base ? of : null;
}

function showContestants(chosen, otherRun) {
  const {block, unit, base, how} = chosen;
  const other = otherRun === null ? null : sameIn(otherRun, chosen);
  const lines = standings(chosen, other);
  byID("contestants").querySelector("h2").textContent = block.title;
  part("contestants", "note").textContent = noteOf(chosen, lines, otherRun, other);
  showRatios(chosen, lines);
  const head = [sorter("Contestant", "name"), sorter(capital(unit.words), "cost"), sorter(`${base.name} over it`, "")];
  if (other !== null) head.push("The other run");
  part("contestants", "table").replaceChildren(table(head, lines.map((l) => lineOf(l, chosen, other !== null))));
}

const capital = (s) => s.slice(0, 1).toUpperCase() + s.slice(1);

// sorter is a column's head that sorts by it, and the other way round when it
// already does.
function sorter(text, column) {
  const sorted = view.sort === column;
  const b = element("button", {type: "button", id: "sort-" + (column || "ratio"), textContent: text + (sorted ? (view.down ? " ↑" : " ↓") : "")});
  b.addEventListener("click", () => change({sort: column, down: sorted && !view.down}));
  return b;
}

function noteOf({block, unit, base, how}, lines, otherRun, other) {
  const words = [`${base.name} over each contestant, paired within ${unit.lap === null ? "heats" : "laps"}, with ${percent(100 * block.run.method.level)} intervals.`];
  if (how.place !== "") words.push(`Only “${placements[how.place]}” laps, by how far apart the CPUs were; what each takes is over all laps.`);
  if (how.gated) words.push("Turns that failed a gate count here. They count for nothing on the other pages.");
  const {resolution, measured} = block.controlOf(unit, how.gated);
  if (resolution !== undefined) words.push(`By the control, this block tells apart ${percent(significant(100 * resolution))}.`);
  else if (measured !== null) words.push("The control has too few heats to say what this block tells apart.");
  if (lines.some((l) => l.ratio.noisy)) words.push(`A ratio with a ~ has fewer than ${block.run.method.minGroup} heats that count: it is over all laps that met the gates, and decides nothing.`);
  const via = lines.find((l) => l.ratio.over !== null);
  if (via) words.push(`Contestants that never ran side by side are compared over ${via.ratio.over.name}, heat by heat: “over ${via.ratio.over.name}”.`);
  if (otherRun !== null) words.push(other === null ? `${otherRun.name} has not measured this.` : `Hollow marks: ${otherRun.name}.`);
  return words.join(" ");
}

function showRatios({unit, base}, lines) {
  const box = part("contestants", "chart");
  const points = lines.filter((l) => l.ratio.estimate > 0);
  if (points.length === 0) {
    box.replaceChildren("No heat counts, or none is shown.");
    key(part("contestants", "key"), []);
    return;
  }
  const row = (l, iv) => ({
    name: l.row.name, role: l.row.role, estimate: iv.estimate, low: iv.low || iv.estimate, high: iv.high || iv.estimate, sure: sure(iv),
    tip: `${l.row.name}: ${times(iv.estimate)} ${iv === itself ? "" : bounds(iv, times)}\n${l.figure ? printed(unit.quantity, l.figure.estimate) : ""}`,
  });
  const ours = points.map((l) => row(l, l.ratio));
  const theirs = points.filter((l) => l.other?.ratio.estimate > 0).map((l) => row(l, l.other.ratio));
  const all = [...ours, ...theirs];
  const marks = [Plot.ruleX([1], {stroke: "var(--muted)"})];
  const dy = theirs.length > 0 ? -6 : 0; // ours above theirs
  for (const role of roles) {
    const stroke = colourOf(role);
    const of = (some) => some.filter((r) => r.role === role);
    marks.push(
      Plot.ruleY(of(ours), {y: "name", x1: "low", x2: "high", stroke, strokeWidth: 2, dy}),
      Plot.dot(of(ours), {y: "name", x: "estimate", symbol: symbols[role], fill: stroke, fillOpacity: (r) => r.sure ? 1 : 0.4, r: 5, dy, className: "ratios"}),
      Plot.ruleY(of(theirs), {y: "name", x1: "low", x2: "high", stroke, strokeWidth: 1, dy: 6}),
      Plot.dot(of(theirs), {y: "name", x: "estimate", symbol: symbols[role], stroke, fill: "var(--paper)", r: 4, dy: 6, className: "others"}));
  }
  marks.push(tips(ours, Plot.pointerY, {x: "estimate", y: "name"}));
  const width = d3.max(points, (l) => l.row.name.length) * 7.2 + 14;
  plot(box, "ratios of the contestants", {
    height: 46 + (theirs.length > 0 ? 34 : 24) * points.length, marginLeft: width, marginRight: 16, marginBottom: 40,
    x: logScale(all.flatMap((r) => [r.low, r.high, 1]), box.clientWidth - width - 16, beside, timesTick, {label: `${base.name} over it; ${unit.better === "higher" ? "left" : "right"} of 1 is better`}),
    y: {domain: points.map((l) => l.row.name), label: null, tickSize: 0}, marks,
  });
  key(part("contestants", "key"), roles.filter((role) => points.some((l) => l.row.role === role)).map((role) =>
    [dotSwatch({symbol: symbols[role], fill: colourOf(role)}), roleWords[role]]));
}

// lineOf is a row of the table.
function lineOf(l, {unit, base, pick}, compared) {
  const {row, figure, ratio, other} = l;
  const name = element("button", {type: "button", className: "name", textContent: row.name, title: "show its heats"});
  name.addEventListener("click", () => change({pick: row.name, heat: -1}));
  const about = [row.about, row.holds && `Its caller holds ${row.holds}.`].filter(Boolean).join(" ");
  const cells = [
    element("td", {}, name, element("span", {className: "role", textContent: roleWords[row.role] ?? row.role}), element("span", {className: "small", textContent: about})),
    costCell(unit, figure), ratioCell(ratio, row === base),
  ];
  if (compared) cells.push(other === null ? element("td", {}, "not measured") : bothCell(unit, other, ratio, row === base));
  const tr = element("tr", {className: row === pick ? "picked" : ""}, ...cells);
  tr.dataset.contestant = row.name;
  return tr;
}

function costCell(unit, figure) {
  if (figure === null) return element("td", {className: "figure faint"}, "n/a");
  const print = (v) => printed(unit.quantity, v);
  return element("td", {className: "figure" + (figure.counts ? "" : " faint")},
    (figure.counts ? "" : "~" + nbsp) + print(figure.estimate), element("span", {className: "interval", textContent: bounds(figure, print)}));
}

// sure reports whether an interval may decide something.
const sure = (iv) => iv.level > 0 && !iv.noisy;

function ratioCell(iv, self) {
  if (self) return element("td", {className: "figure faint"}, "1");
  if (!(iv.estimate > 0)) return element("td", {className: "figure faint"}, "n/a");
  const note = bounds(iv, times) + (iv.over === null ? "" : " over " + iv.over.name);
  return element("td", {className: "figure" + (sure(iv) ? "" : " faint")}, (iv.noisy ? "~" + nbsp : "") + times(iv.estimate), element("span", {className: "interval", textContent: note}));
}

// bothCell is what another run says, and whether it is another thing.
function bothCell(unit, theirs, ratio, self) {
  const cell = ratioCell(theirs.ratio, self);
  if (theirs.figure !== null) cell.prepend(printed(unit.quantity, theirs.figure.estimate) + ", ");
  const apart = sure(ratio) && sure(theirs.ratio) && (ratio.high < theirs.ratio.low || theirs.ratio.high < ratio.low);
  if (apart) cell.append(element("span", {className: "small verdict", textContent: "the intervals lie apart"}));
  return cell;
}
