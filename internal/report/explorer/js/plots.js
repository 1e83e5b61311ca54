"use strict";

// What the charts have in common. Colours are those of the style sheet, by role, so
// that a chart needs no new drawing for another theme.

const roles = ["ours", "published", "peer", "floor", "control"];
const roleWords = {ours: "ours", published: "published study's", peer: "other libraries", floor: "floor: the least possible", control: "control: same code again"};
const symbols = {ours: "circle", published: "square", peer: "triangle", floor: "diamond", control: "wye"};
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

// logTicks are round numbers from low to high on a logarithmic axis, about so many.
function logTicks(low, high, many) {
  if (high / low < 4) return d3.ticks(low, high, many);
  const all = [];
  const steps = Math.log10(high / low) > many / 2 ? [1] : [1, 2, 5];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
    for (const s of steps) {
      const v = Number(`${s}e${e}`);
      if (v >= low && v <= high) all.push(v);
    }
  }
  const skip = Math.ceil(all.length / (1.5 * many));
  return all.filter((_, i) => i % skip === 0);
}

// logScale holds all values, which are above 0, with ticks for so many pixels.
function logScale(values, pixels, print, rest) {
  let [low, high] = d3.extent(values);
  const room = Math.max(1.02, (high / low) ** 0.04);
  [low, high] = [low / room, high * room];
  return {type: "log", domain: [low, high], ticks: logTicks(low, high, Math.max(2, Math.floor(pixels / 64))), tickFormat: print, grid: true, ...rest};
}

// plot draws into a box what Plot draws by some options, as wide as there is room.
function plot(box, title, options) {
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
// dragging over the chart, where there is one. name is that of the ends in the view.
function zoom(box, svg, name, [low, high], print) {
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
  const whole = element("button", {type: "button", id: name + "-whole", textContent: "All of it", disabled: view[name].length === 0});
  whole.addEventListener("click", () => change({[name]: []}));
  box.replaceChildren(slider("from", from, (v) => choose(v, to)), slider("to", to, (v) => choose(from, v)), whole);
  if (svg === null) return;
  const x = svg.scale("x");
  const [left, right] = x.range;
  const brush = d3.brushX().touchable(false).extent([[left, 0], [right, svg.height.baseVal.value]]).on("end", ({selection}) => {
    if (selection) choose(x.invert(selection[0]), x.invert(selection[1]));
  });
  d3.select(svg).append("g").attr("class", "brush").call(brush);
}
