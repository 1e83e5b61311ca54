"use strict";

// What was published, and what the run says of it.

function showClaims({experiment}) {
  byID("claims").hidden = experiment.claims.length === 0;
  if (byID("claims").hidden) return;
  part("claims", "note").textContent = "Judged by all laps whose turns met every gate, at the level that holds for all claims together. What is chosen above changes no verdict.";
  part("claims", "table").replaceChildren(table(["Claim", "Published", "Measured", "Verdict"], experiment.claims.map((c) => claimLine(c, experiment))));
}

function claimLine(claim, experiment) {
  const block = experiment.blocks[claim.block];
  const text = element("td", {}, claim.text);
  if (block !== undefined) {
    const [pair] = claim.pairs;
    const show = element("button", {type: "button", className: "name", textContent: "show"});
    show.addEventListener("click", () => {
      change({block: block.name, unit: block.run.units[claim.unit].name, base: pair.baseline, pick: pair.candidate, heat: -1, place: "", gated: false});
      byID("contestants").scrollIntoView();
    });
    text.append(" ", show);
  }
  const measured = block === undefined ? ["not measured"] : claim.pairs.map((p) => {
    const ratio = figure(p.ratio);
    const names = element("span", {className: "small", textContent: `${p.baseline} over ${p.candidate}`});
    return element("div", {className: "pair"}, ratio === null ? "n/a" : `${times(ratio.estimate)} ${bounds(ratio, times)}`, names);
  });
  return element("tr", {}, text, element("td", {className: "figure"}, publishedRatio(claim.published ?? [])), element("td", {}, ...measured),
    element("td", {}, element("span", {className: "verdict", textContent: claim.verdict}), element("span", {className: "small", textContent: claim.reason})));
}

function publishedRatio([low, high]) {
  if (low === undefined) return "less";
  if (high === undefined) return times(low) + " or more";
  return low === high ? times(low) : `${times(low)} to ${times(high)}`;
}
