"use strict";

// The statistics of ratios, in logarithms: the estimate of Hodges and Lehmann and
// the interval of Wilcoxon's signed-rank statistic.

// averages are those of each two of xs, each with itself included, sorted.
function averages(xs) {
  const all = new Float64Array(xs.length * (xs.length + 1) / 2);
  let n = 0;
  for (let i = 0; i < xs.length; i++) {
    for (let j = i; j < xs.length; j++) all[n++] = (xs[i] + xs[j]) / 2;
  }
  return all.sort();
}

// middle is the median of what is sorted.
function middle(sorted) {
  const n = sorted.length;
  return (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2;
}

// hodgesLehmann is the middle of the averages of xs; NaN for none.
function hodgesLehmann(xs) {
  return xs.length === 0 ? NaN : middle(averages(xs));
}

const distributions = new Map();

// signedRank is the distribution of the sum of those of the ranks 1..n that an even
// coin picks: the probability of each sum up to n(n+1)/4 or less.
function signedRank(n) {
  if (distributions.has(n)) return distributions.get(n);
  const p = new Float64Array(Math.floor(n * (n + 1) / 4) + 1);
  p[0] = 1;
  for (let rank = 1; rank <= n; rank++) {
    for (let s = p.length - 1; s >= 0; s--) {
      p[s] /= 2;
      if (s >= rank) p[s] += p[s - rank] / 2;
    }
  }
  for (let s = 1; s < p.length; s++) p[s] += p[s - 1];
  distributions.set(n, p);
  return p;
}

// highestLevel is that of the interval between the extremes of n ratios.
function highestLevel(n) {
  return Math.max(0, 1 - 2 ** (1 - n));
}

// interval is that of some ratios, of which it takes the logarithms. Too few for
// the level have an estimate alone, and none an estimate of NaN.
function interval(logs, level) {
  const n = logs.length;
  const none = {estimate: NaN, low: 0, high: 0, n, level: 0};
  if (n === 0) return none;
  const all = averages(logs);
  const iv = {...none, estimate: Math.exp(middle(all))};
  const p = signedRank(n);
  let k = 0;
  while (k < all.length >> 1 && 2 * p[k] <= 1 - level) k++;
  if (k === 0) return iv;
  return {...iv, low: Math.exp(all[k - 1]), high: Math.exp(all[all.length - k]), level: 1 - 2 * p[k - 1]};
}

// widened moves the bounds outwards by a factor of e^x.
function widened(iv, x) {
  return {...iv, low: iv.low * Math.exp(-x), high: iv.high * Math.exp(x)};
}
