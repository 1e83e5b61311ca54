"use strict";

// A run as the page holds it, and the ratios of its contestants.

const format = 2;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const width = 4; // characters of a number
const codeOf = new Uint8Array(128);
for (let i = 0; i < alphabet.length; i++) codeOf[alphabet.charCodeAt(i)] = i;

// logs are the logarithms of a series: NaN for a number that is missing.
function logs({low, step, codes}) {
  const all = new Float64Array(codes.length / width);
  for (let i = 0; i < all.length; i++) {
    let code = 0;
    for (let k = 0; k < width; k++) code = code << 6 | codeOf[codes.charCodeAt(width * i + k)];
    all[i] = code === 0 ? NaN : code === 1 ? -Infinity : low + (code - 2) * step;
  }
  return all;
}

// numbers are those of a series, with the digits that it has.
function numbers(series) {
  return Array.from(logs(series), (l) => Number(Math.exp(l).toPrecision(5)));
}

// placements are the letters of laps, and what they stand for.
const placements = {n: "near", b: "between", f: "far"};

// figure is an estimate with its interval, from a list of the page; null for none.
function figure(list) {
  if (list === null) return null;
  const [estimate, low, high, n] = list;
  return {estimate, low, high, level: low === null ? 0 : 1, n: Math.abs(n), counts: n > 0};
}

class Run {
  constructor(data) {
    if (data.format !== format) throw new Error("the page is of another version than this one");
    Object.assign(this, {name: data.name, facts: data.facts, method: data.method, gates: data.gates, percentiles: data.percentiles});
    this.units = data.units.map((u) => ({...u, lap: u.lap < 0 ? null : u.lap}));
    this.experiments = data.experiments.map((x) => new Experiment(this, x));
  }

  experiment(name) {
    return this.experiments.find((x) => x.name === name);
  }
}

class Experiment {
  constructor(run, data) {
    this.name = data.name;
    this.blocks = data.blocks.map((b) => new Block(run, data.contestants, b));
    this.claims = data.claims ?? [];
    this.claimed = this.blocks[data.claimed];
  }

  block(name) {
    return this.blocks.find((b) => b.name === name);
  }
}

class Block {
  constructor(run, contestants, data) {
    Object.assign(this, {run, name: data.name, title: data.title, judged: data.judged, open: data.open, least: data.least, places: data.places, unmet: data.unmet});
    this.rows = data.rows.map((i, row) => ({...contestants[i], row}));
    this.baseline = data.baseline;
    this.control = data.control;
    this.controls = new Map();
    this.units = (data.units ?? []).map((u) => ({
      ...run.units[u.unit], index: u.unit, controlled: u.controlled,
      figures: u.figures.map(figure),
      values: logs(u.values),
    }));
    this.score = this.units.find((u) => u.index === data.score) ?? this.units[0];
    this.costs = new Map((data.laps ?? []).map((l) => [l.unit, logs(l.costs)]));
    this.curves = data.curves ?? [];
    this.courses = data.courses ?? [];
    // What belongs to forks, laps and turns is in one list for the block: a heat knows
    // where its own begins.
    const next = {fork: 0, lap: 0, turn: 0};
    this.heats = (data.heats ?? []).map((h, index) => {
      const heat = {...h, index, fork: next.fork, lap: next.lap, turn: next.turn};
      next.fork += h.rows.length;
      next.lap += h.laps;
      next.turn += h.laps * h.rows.length;
      return heat;
    });
  }

  row(name) {
    return this.rows.find((r) => r.name === name);
  }

  unit(name) {
    return this.units.find((u) => u.name === name);
  }

  // kept reports whether a turn met every gate.
  kept(turn) {
    return this.unmet === "" || this.unmet[turn] === alphabet[0];
  }

  // gatesOf are the gates that a turn did not meet.
  gatesOf(turn) {
    const bits = this.unmet === "" ? 0 : codeOf[this.unmet.charCodeAt(turn)];
    return this.run.gates.filter((_, i) => bits >> i & 1);
  }

  // has reports whether a lap of the block was at a place.
  has(letter) {
    return this.places.includes(letter);
  }

  // compare is what one row takes of a unit over what another takes, as the study
  // computes it: place is a letter of the laps that count, or "" for all, and gated
  // has turns count that failed a gate. A ratio that is noisy decides nothing.
  compare(unit, a, b, {place = "", gated = false} = {}) {
    if (unit.lap === null) place = "";
    const everywhere = this.observe(unit, a, b, gated);
    const {heats, over, noisy} = place === "" ? everywhere : {...this.heatRatios(unit, a, b, {place, turns: turnsOf(gated)}), noisy: false};
    const {level, minGroup} = this.run.method;
    let iv = interval(heats.map((h) => h.log), place === "" ? level : Math.min(level, highestLevel(heats.length)));
    if (place !== "" && (heats.length < minGroup || everywhere.noisy)) iv = {...iv, low: 0, high: 0, level: 0};
    return {...widened(iv, this.controlOf(unit, gated).widen), heats, over, noisy};
  }

  // observe has the ratios of the heats that count. Where these are too few for an
  // interval it has those of all heats that kept anything, if that is more.
  observe(unit, a, b, gated) {
    const counting = this.heatRatios(unit, a, b, {turns: turnsOf(gated)});
    if (gated || counting.heats.length >= this.run.method.minGroup) return {...counting, noisy: false};
    const kept = this.heatRatios(unit, a, b, {turns: "kept"});
    return kept.heats.length > counting.heats.length ? {...kept, noisy: true} : {...counting, noisy: false};
  }

  // controlOf is what the block's control shows of equals, and so by how much each
  // interval of a unit is widened.
  controlOf(unit, gated) {
    const key = unit.name + gated;
    if (!this.controls.has(key)) this.controls.set(key, this.measureControl(unit, gated));
    return this.controls.get(key);
  }

  measureControl(unit, gated) {
    const none = {widen: 0, measured: null};
    if (this.control < 0 || !unit.controlled) return none;
    const {controlLevel, controlHalfWidth} = this.run.method;
    const {heats, noisy} = this.observe(unit, this.baseline, this.control, gated);
    const ratios = heats.map((h) => h.log);
    const measured = interval(ratios, Math.min(controlLevel, highestLevel(ratios.length)));
    if (measured.level === 0) return {...none, measured};
    const bias = measured.low <= 1 && 1 <= measured.high ? 0 : Math.abs(Math.log(measured.estimate));
    const halfWidth = Math.log(measured.high / measured.low) / 2;
    return {measured, widen: bias + Math.max(0, halfWidth - controlHalfWidth), resolution: noisy ? undefined : Math.expm1(bias + halfWidth)};
  }

  // heatRatios are the logarithms of the ratio in each heat that held both rows, or,
  // where none did, over the baseline in heats of equal number. What must be met to
  // enter is a place and, of turnsOf or "kept", which turns: the kept ones of heats
  // that count, the kept ones of all heats, or all.
  heatRatios(unit, a, b, demand) {
    const together = this.heats.some((h) => h.rows.includes(a) && h.rows.includes(b));
    if (this.baseline < 0 || together) return {heats: this.direct(unit, a, b, demand), over: null};
    const second = this.direct(unit, this.baseline, b, demand);
    const heats = this.direct(unit, a, this.baseline, demand).flatMap((first) =>
      second.filter((s) => s.heat.number === first.heat.number).map((s) => ({heat: s.heat, log: first.log + s.log})));
    return {heats, over: this.rows[this.baseline]};
  }

  direct(unit, a, b, demand) {
    const states = demand.turns === "counting" ? "c" : "cf";
    const ratios = [];
    for (const heat of this.heats) {
      const i = heat.rows.indexOf(a), j = heat.rows.indexOf(b);
      if (i < 0 || j < 0 || !states.includes(heat.states[i]) || !states.includes(heat.states[j])) continue;
      const log = unit.lap === null ?
        unit.values[heat.fork + i] - unit.values[heat.fork + j] :
        this.ofLaps(this.costs.get(unit.lap), heat, i, j, demand);
      if (Number.isFinite(log)) ratios.push({heat, log});
    }
    return ratios;
  }

  // ofLaps is the middle of a heat's laps, or NaN where too few of them enter.
  ofLaps(costs, heat, i, j, {place = "", turns}) {
    const ratios = [];
    for (let lap = 0; lap < heat.laps; lap++) {
      if (place !== "" && this.places[heat.lap + lap] !== place) continue;
      const first = heat.turn + lap * heat.rows.length;
      const log = costs[first + i] - costs[first + j];
      if (Number.isFinite(log) && (turns === "all" || this.kept(first + i) && this.kept(first + j))) ratios.push(log);
    }
    return ratios.length >= this.leastLaps(place, turns) ? hodgesLehmann(ratios) : NaN;
  }

  // leastLaps is how many laps a heat must have. A group of them takes half as many
  // as all of them.
  leastLaps(place, turns) {
    if (turns === "kept") return 1;
    return place === "" ? this.least : Math.floor(this.least / 2);
  }
}

// turnsOf are the turns that the reader has count.
function turnsOf(gated) {
  return gated ? "all" : "counting";
}
