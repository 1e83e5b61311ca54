"use strict";

// Numbers are printed as the other pages print them.

const nbsp = "\u00a0";

// scales are the units of measurement that a reader knows, the smallest first.
const scales = {
  number: [[1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"], [1e12, "T"]],
  nanos: [[1, nbsp + "ns"], [1e3, nbsp + "µs"], [1e6, nbsp + "ms"], [1e9, nbsp + "s"]],
  bytes: [[1, nbsp + "B"], [1e3, nbsp + "kB"], [1e6, nbsp + "MB"], [1e9, nbsp + "GB"]],
  share: [[1, nbsp + "%"]],
};

// rounded is what toFixed or toExponential prints, but with a half that is exact
// rounded to the even digit, as Go rounds it; both round it up.
function rounded(v, method, places) {
  const half = new RegExp(`^\\d+\\.\\d{${places}}50*(e|$)`).test(v[method](100));
  return v[method](places).replace(/^([\d.]*)([13579])(?=e|$)/, (all, before, last) => half ? before + (last - 1) : all);
}

// significant has three significant digits.
function significant(v) {
  if (v === 0) return "0";
  const [digits, exponent] = rounded(v, "toExponential", 2).split("e");
  const near = Number(`${digits}e${exponent}`);
  if (near >= 1e6 || near < 1e-4) {
    return digits + "e" + exponent[0] + exponent.slice(1).padStart(2, "0");
  }
  return near.toFixed(Math.max(2 - Number(exponent), 0));
}

// short has no zeros at the end.
function short(v) {
  return String(Number(significant(v)));
}

function scaled(quantity, v, print) {
  if (quantity === "seconds") [quantity, v] = ["nanos", v * 1e9];
  if (quantity === "share") v *= 100;
  const [size, name] = scales[quantity].findLast(([size], i) => i === 0 || v >= size * 0.9995);
  return print(v / size) + name;
}

// printed is a value in a unit that a person would choose.
function printed(quantity, v) {
  const whole = (quantity === "number" || quantity === "bytes") && Number.isInteger(v) && v < 1000;
  return scaled(quantity, v, whole ? short : significant);
}

// tick is a value for an axis.
function tick(quantity, v) {
  return scaled(quantity, v, short);
}

// times is a ratio.
function times(v) {
  return rounded(v, "toFixed", v >= 100 ? 0 : v >= 10 ? 1 : v < 0.1 ? 3 : 2);
}

// timesTick is a ratio for an axis.
function timesTick(v) {
  return v < 0.001 ? v.toExponential(0) : v < 1e4 ? short(v) : tick("number", v);
}

function percent(v) {
  return v + nbsp + "%";
}

function plural(n, noun) {
  return n === 1 ? "1 " + noun : n + " " + noun + "s";
}

// bounds are those of an interval, or how few heats leave it without any.
function bounds(iv, print) {
  return iv.level > 0 ? "[" + print(iv.low) + "," + nbsp + print(iv.high) + "]" : "(" + plural(iv.n, "heat") + ")";
}
