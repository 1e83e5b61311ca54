"use strict";

// Latency by percentile, and heap over time.

// named are the percentiles that the axis names, in nines: 0, 50, 90, 99 and so on.
const named = [0, Math.log10(2), ...d3.range(1, 9)];

// percentileAt prints the percentile at so many nines.
function percentileAt(depth) {
  const above = 100 * 10 ** -depth;
  return percent(Number((100 - above).toFixed(Math.max(1, Math.floor(depth)))));
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
    ticks: named, parts: [["most", "Up to 99.9 %", 0, 3], ["rest", "From 99.9 % on", 3, end]].filter(() => end > 3), print: percentileAt, label: "percentile of the operations", y: (v) => tick("nanos", v), step: true, log: true,
  });
  const columns = block.run.percentiles.map((p, i) => ({word: p === 0 ? "least" : p === 100 ? "most" : "p" + p, i}))
    .filter(({i}) => curves.some((c) => c.table[i] !== null));
  const at = (v) => v === null ? "" : printed("nanos", v);
  const rows = curves.map((c) => [block.rows[c.row].name, ...columns.map(({i}) => at(c.table[i])), printed("number", c.samples)]);
  part("percentiles", "table").replaceChildren(table(["Contestant", ...columns.map((c) => c.word), "Samples"], rows));
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

const margins = {left: 64, right: 32};

// drawCurves draws a curve for each contestant between the ends that the reader
// chose, which ends names in the view.
function drawCurves(section, ends, block, curves, whole, {ticks, parts = [], print, label, y, step, log}) {
  const box = part(section, "chart");
  const [from, to] = view[ends].length === 2 ? view[ends] : whole;
  const looks = strokes(block);
  const inside = curves.map((c) => ({row: c.row, points: between(c.points, from, to)})).filter((c) => c.points.length > 0);
  key(part(section, "key"), inside.map((c) => [lineSwatch(looks[c.row]), block.rows[c.row].name]));
  if (inside.length === 0) {
    box.replaceChildren("Nothing to show between these ends.");
    zoom(part(section, "zoom"), null, ends, whole, print, parts);
    return;
  }
  const points = inside.flatMap((c) => c.points.map((p) => ({...p, tip: `${block.rows[c.row].name}\n${p.words}`})));
  const marks = inside.map((c) => Plot.line(c.points, {
    x: "x", y: "y", ...looks[c.row], strokeWidth: block.rows[c.row].name === view.pick ? 3 : 1.7, clip: true, curve: step ? "step-after" : "linear", className: "curve",
  }));
  const visible = points.filter((p) => p.x >= from && p.x <= to);
  marks.push(tips(visible, Plot.pointer, {x: "x", y: "y"}));
  const yScale = log ? logScale(points.map((p) => p.y), 280, above, y, {label: null}) : {zero: true, nice: true, grid: true, tickFormat: y, label: null};
  const svg = plot(box, label, {
    height: 340, marginLeft: margins.left, marginRight: margins.right, marginBottom: 38,
    x: {domain: [from, to], ...(ticks ? {ticks: axisTicks(ticks, from, to, box.clientWidth - margins.left - margins.right, print)} : {ticks: Math.max(2, box.clientWidth / 110)}), tickFormat: print, label, grid: true},
    y: yScale, marks,
  });
  zoom(part(section, "zoom"), svg, ends, whole, print, parts);
}

// axisTicks are the named ones between the ends, or round ones where these are
// fewer than two. One whose label would touch that of the one before is left out,
// and one whose label the edge would cut.
function axisTicks(named, from, to, pixels, print) {
  const inside = named.filter((t) => t >= from && t <= to);
  if (inside.length < 2) return d3.ticks(from, to, pixels / 130);
  const half = (t) => 3.5 * print(t).length;
  const apart = (a, b) => pixels * (b - a) / (to - from);
  const kept = [];
  for (const t of inside) {
    const touches = kept.length > 0 && apart(kept.at(-1), t) < half(kept.at(-1)) + half(t) + 8;
    if (!touches && apart(t, to) + margins.right >= half(t)) kept.push(t);
  }
  return kept;
}

// between are the points from one end to the other, and one more at each side, so
// that the curve reaches the ends; none where no line lies between.
function between(points, from, to) {
  const start = points.findLastIndex((p) => p.x <= from), stop = points.findIndex((p) => p.x >= to);
  const some = points.slice(Math.max(0, start), stop < 0 ? undefined : stop + 1);
  return some.length > 1 ? some : [];
}
