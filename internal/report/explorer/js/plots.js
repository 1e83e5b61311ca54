"use strict";

// What the charts have in common. Colours are those of the style sheet, by role, so
// that a chart needs no new drawing for another theme.

const roles = ["ours", "published", "peer", "plain", "floor", "control"];
const roleWords = {ours: "ours", published: "published study's", peer: "other libraries", plain: "without a library", floor: "floor: the least possible", control: "control: same code again"};
const symbols = {ours: "circle", published: "square", peer: "triangle", plain: "cross", floor: "diamond", control: "wye"};
const dashes = ["none", "7 3", "2 2", "9 3 2 3", "12 4"];
const shades = 5;

const colourOf = (role) => role === "control" ? "var(--published-0)" : `var(--${role}-0)`;

// strokes give each contestant of a block a colour and dashes of its own.
function strokes(block) {
  const seen = {};
  return block.rows.map(({role}) => {
    const n = seen[role] = (seen[role] ?? -1) + 1;
    if (role === "floor") return {stroke: "var(--floor-0)", strokeDasharray: "1 3"};
    if (role === "control") return {stroke: "var(--published-0)", strokeDasharray: "1 2"};
    return {stroke: `var(--${role}-${n % shades})`, strokeDasharray: dashes[(n + Math.floor(n / shades)) % dashes.length]};
  });
}

// mantissas are those that a logarithmic axis may name of each decade, the most
// first.
const mantissas = [[1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9], [1, 1.5, 2, 2.5, 3, 4, 5, 7], [1, 1.5, 2, 3, 5, 7], [1, 1.5, 2, 3, 5], [1, 2, 5], [1, 3], [1]];

// logTicks are as many round numbers from low to high on a logarithmic axis as
// leave a gap of so many pixels between two of them.
function logTicks(low, high, pixels, gap) {
  if (high / low < 2) return d3.ticks(low, high, pixels / gap / 1.5);
  const apart = (a, b) => pixels * Math.log(b / a) / Math.log(high / low);
  const exponents = d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1);
  for (const steps of mantissas) {
    const ticks = exponents.flatMap((e) => steps.map((m) => Number(`${m}e${e}`))).filter((v) => v >= low && v <= high);
    if (d3.pairs(ticks, apart).every((p) => p >= gap)) return ticks;
  }
  const skip = Math.ceil(gap / apart(1, 10));
  return exponents.filter((e) => e % skip === 0).map((e) => Number(`1e${e}`)).filter((v) => v >= low && v <= high);
}

// logScale holds all values, which are above 0, on an axis of so many pixels.
function logScale(values, pixels, gap, print, rest) {
  let [low, high] = d3.extent(values);
  const room = Math.max(1.02, (high / low) ** 0.04);
  [low, high] = [low / room, high * room];
  return {type: "log", domain: [low, high], ticks: logTicks(low, high, pixels, gap), tickFormat: print, grid: true, ...rest};
}

// beside and above are the pixels between the labels of an axis.
const beside = 46, above = 26;

// plot draws into a box what Plot draws by some options, as wide as there is room.
// A logarithmic axis is given the text of its ticks, as d3 would leave some out.
function plot(box, title, options) {
  const {x, y, marks} = options;
  if (x.type === "log") marks.push(Plot.axisX(x.ticks, {text: x.tickFormat}));
  if (y.type === "log") marks.push(Plot.axisY(y.ticks, {text: y.tickFormat}));
  const svg = Plot.plot({
    width: Math.max(300, box.clientWidth), style: {fontSize: "12px", background: "none"}, ariaLabel: title,
    color: {type: "identity"}, opacity: {type: "identity"}, ...options,
  });
  box.replaceChildren(svg);
  return svg;
}

// swatch is a line or a mark for a key.
function swatch(draw) {
  return Plot.plot({width: 26, height: 12, margin: 0, axis: null, x: {domain: [0, 1]}, y: {domain: [0, 1]}, style: {background: "none"}, marks: [draw]});
}

const lineSwatch = (look) => swatch(Plot.line([[0, 0.5], [1, 0.5]], {...look, strokeWidth: 2}));
const dotSwatch = (look) => swatch(Plot.dot([[0.5, 0.5]], {r: 4, ...look}));

// key explains marks: each is a swatch and its text.
function key(box, entries) {
  box.replaceChildren(...entries.map(([mark, text]) => element("span", {}, mark, text)));
}

// tips tell about the mark that is nearest to the pointer.
function tips(data, pointer, channels) {
  return Plot.tip(data, pointer({...channels, title: "tip", fontSize: 12, lineHeight: 1.3}));
}

// zoom lets the reader choose the ends of a chart's axis: with two sliders, and by
// dragging over the chart, where there is one. name is that of the ends in the view,
// and parts are those that a button chooses.
function zoom(box, svg, name, [low, high], print, parts) {
  const [from, to] = view[name].length === 2 ? view[name] : [low, high];
  const choose = (a, b) => {
    const whole = a <= low && b >= high;
    change({[name]: whole || !(a < b) ? [] : [Number(a.toPrecision(4)), Number(b.toPrecision(4))]});
  };
  const slider = (word, value, take) => {
    const input = element("input", {type: "range", id: `${name}-${word}`, min: low, max: high, step: (high - low) / 200, value});
    input.addEventListener("change", () => take(Number(input.value)));
    return element("label", {}, word, input, element("output", {textContent: print(value)}));
  };
  const button = (id, text, a, b) => {
    const e = element("button", {type: "button", id: `${name}-${id}`, textContent: text, disabled: a === from && b === to});
    e.addEventListener("click", () => choose(a, b));
    return e;
  };
  box.replaceChildren(slider("from", from, (v) => choose(v, to)), slider("to", to, (v) => choose(from, v)),
    ...parts.map(([id, text, a, b]) => button(id, text, Math.max(a, low), Math.min(b, high))), button("whole", "All of it", low, high));
  if (svg === null) return;
  const x = svg.scale("x");
  const [left, right] = x.range;
  const brush = d3.brushX().touchable(false).extent([[left, 0], [right, svg.height.baseVal.value]]).on("end", ({selection}) => {
    if (selection) choose(x.invert(selection[0]), x.invert(selection[1]));
  });
  d3.select(svg).append("g").attr("class", "brush").call(brush);
}
