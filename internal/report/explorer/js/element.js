"use strict";

// element makes an element. Text from a run becomes text and nothing else.
function element(tag, properties = {}, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children.filter((c) => c !== null));
  return e;
}

const byID = (id) => document.getElementById(id);

// part is the element of a class in a section.
const part = (section, name) => byID(section).querySelector("." + name);

// table makes a table of rows of cells, each a text or an element.
function table(head, rows) {
  const th = (cell) => element("th", {scope: "col"}, cell);
  const body = rows.map((r) => r instanceof HTMLElement ? r : element("tr", {}, ...r.map((cell) => element("td", {}, cell))));
  return element("table", {}, element("thead", {}, element("tr", {}, ...head.map(th))), element("tbody", {}, ...body));
}

// options fills a list to choose from: each is a value and its text.
function options(select, all, chosen) {
  select.replaceChildren(...all.map(([value, text]) => element("option", {value, textContent: text, selected: value === chosen})));
}
