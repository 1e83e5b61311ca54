"use strict";

// Latency by percentile, and heap over time.

// named are the percentiles that the axis names.
const named = [0, 50, 90, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999];

const nines = (p) => -Math.log10(1 - p / 100);
const percent = (v) => v + nbsp + "%";

// percentileAt prints the percentile at so many nines.
function percentileAt(depth) {
  const above = 100 * 10 ** -depth;
  return percent(Number((100 - above).toFixed(Math.max(1, Math.ceil(depth)))));
}

function showPercentiles({block}) {
  const curves = block.curves.filter((c) => shown(block.rows[c.row]));
  byID("percentiles").hidden = block.curves.length === 0;
  if (byID("percentiles").hidden) return;
  const timed = block.open ? "Latency from when each operation was to begin" : "Every operation timed";
  part("percentiles", "note").textContent = `${timed}; the samples of all heats that count together. A curve ends where ten samples lie above.`;
  const all = curves.map((c) => ({row: c.row, points: pointsOf(c)}));
  const end = Math.max(1, d3.max(curves, (c) => c.end) ?? 1);
  drawCurves("percentiles", "tail", block, all, [0, end], {
    ticks: named.map(nines), print: percentileAt, label: "percentile of the operations", y: (v) => tick("nanos", v), step: true, log: true,
  });
  const head = ["Contestant", ...block.run.percentiles.map((p) => p === 0 ? "least" : p === 100 ? "most" : "p" + p), "Samples"];
  const rows = curves.map((c) => [block.rows[c.row].name, ...c.table.map((v) => v === null ? "" : printed("nanos", v)), scaled("number", c.samples, significant)]);
  part("percentiles", "table").replaceChildren(table(head, rows));
}

function pointsOf(curve) {
  const values = numbers(curve.curve);
  return values.map((v, i) => {
    const x = i < values.length - 1 ? i * curve.step : curve.end;
    return {x, y: Math.max(v, 1), words: `${percentileAt(x)}: ${printed("nanos", v)}`};
  });
}

function showHeap({block}) {
  const courses = block.courses.filter((c) => shown(block.rows[c.row]));
  byID("heap").hidden = block.courses.length === 0;
  if (byID("heap").hidden) return;
  part("heap", "note").textContent = "Of each contestant the heat in the middle by its time. What is dead and not swept yet counts.";
  const all = courses.map((c) => {
    const ms = numbers(c.time);
    const points = numbers(c.heap).map((y, i) => ({x: ms[i] / 1e3, y, words: `${printed("seconds", ms[i] / 1e3)}: ${printed("bytes", y)}`}));
    return {row: c.row, points};
  });
  const end = d3.max(all, (c) => d3.max(c.points, (p) => p.x)) || 1;
  drawCurves("heap", "time", block, all, [0, end], {print: (v) => tick("seconds", v), label: "measured time", y: (v) => tick("bytes", v)});
  const rows = courses.map((c) => [block.rows[c.row].name, printed("bytes", c.peak), String(c.cycles), String(c.heats)]);
  part("heap", "table").replaceChildren(table(["Contestant", "Peak of this heat", "Collections", "Heats"], rows));
}

// drawCurves draws a curve for each contestant between the ends that the reader
// chose, which ends names in the view.
function drawCurves(section, ends, block, curves, whole, {ticks, print, label, y, step, log}) {
  const box = part(section, "chart");
  const [from, to] = view[ends].length === 2 ? view[ends] : whole;
  const looks = strokes(block);
  const inside = curves.map((c) => ({row: c.row, points: between(c.points, from, to)})).filter((c) => c.points.length > 0);
  key(part(section, "key"), inside.map((c) => [lineSwatch(looks[c.row]), block.rows[c.row].name]));
  if (inside.length === 0) {
    box.replaceChildren("Nothing to show between these ends.");
    zoom(part(section, "zoom"), null, ends, whole, print);
    return;
  }
  const points = inside.flatMap((c) => c.points.map((p) => ({...p, tip: `${block.rows[c.row].name}\n${p.words}`})));
  const marks = inside.map((c) => Plot.line(c.points, {
    x: "x", y: "y", ...looks[c.row], strokeWidth: block.rows[c.row].name === view.pick ? 3 : 1.7, clip: true, curve: step ? "step-after" : "linear", className: "curve",
  }));
  const visible = points.filter((p) => p.x >= from && p.x <= to);
  marks.push(tips(visible, Plot.pointer, {x: "x", y: "y"}));
  const yScale = log ? logScale(points.map((p) => p.y), 340, y, {label: null}) : {zero: true, nice: true, grid: true, tickFormat: y, label: null};
  const svg = plot(box, label, {
    height: 340, marginLeft: 64, marginRight: 20, marginBottom: 38,
    x: {domain: [from, to], ...(ticks ? {ticks: axisTicks(ticks, from, to, box.clientWidth)} : {ticks: Math.max(2, box.clientWidth / 110)}), tickFormat: print, label, grid: true},
    y: yScale, marks,
  });
  zoom(part(section, "zoom"), svg, ends, whole, print);
}

// axisTicks are the named ones between the ends, or round ones where these are
// fewer than two.
function axisTicks(named, from, to, pixels) {
  const inside = named.filter((t) => t >= from && t <= to);
  return inside.length > 1 ? inside : d3.ticks(from, to, pixels / 130);
}

// between are the points from one end to the other, and one more at each side, so
// that the curve reaches the ends; none where no line lies between.
function between(points, from, to) {
  const start = points.findLastIndex((p) => p.x <= from), stop = points.findIndex((p) => p.x >= to);
  const some = points.slice(Math.max(0, start), stop < 0 ? undefined : stop + 1);
  return some.length > 1 ? some : [];
}
