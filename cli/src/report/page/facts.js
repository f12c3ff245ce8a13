// The data, indices over it, and how numbers and names are shown.
const data = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);
// Text is only ever set as text, never as markup.
function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in node) node[key] = value; else node.setAttribute(key, value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}
const number = n => n === null || n === undefined ? "" : n.toLocaleString("en");
const plural = (n, noun) => `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
function scaled(n, units, base) {
  let i = 0;
  while (Math.abs(n) >= base && i + 1 < units.length) { n /= base; i += 1; }
  return `${i === 0 ? number(n) : n.toPrecision(n >= 100 ? 4 : 3)} ${units[i]}`.trim();
}
const bytes = n => n === null || n === undefined ? "" : scaled(n, ["bytes", "KiB", "MiB", "GiB", "TiB"], 1024);
const count = n => n === null || n === undefined ? "" : scaled(n, ["", "k", "M", "G", "T"], 1000);
const inBytes = n => n === null || n === undefined ? "" : `${number(n)} ${n === 1 ? "byte" : "bytes"}`;
const time = ms => ms < 0.1 ? `${(ms * 1000).toPrecision(3)} µs` : `${ms.toPrecision(ms >= 1000 ? 5 : 4)} ms`;
const percent = share => `${share < 0.1 && share > 0 ? "<0.1" : share.toFixed(1)} %`;
// Control characters would be invisible or turn the direction of the text.
const visible = text => text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
  c => `\\u{${c.codePointAt(0).toString(16)}}`);
// Long names are cut in the middle; pointing at them shows the rest.
const cut = (text, most) => text.length <= most ? text : `${text.slice(0, most / 2 - 1)}…${text.slice(1 - most / 2)}`;
const named = text => text === "" ? "(no name)" : visible(text);
const shapeOf = tensor => tensor.shape.length ? tensor.shape.join("×") : "scalar";
const form = tensor => `${tensor.type} ${shapeOf(tensor)}`;

// Who runs a node.
function server(by) {
  if (!by) return "";
  switch (by.kind) {
    case "plugin": return `reference op of ${by.id}${by.others.length ? ` (also in ${by.others.join(", ")})` : ""}`;
    case "folded": return `${by.id}, once: its result is constant`;
    case "delegate": return `delegate ${by.name}, partition ${by.partition}`;
    case "open": return by.candidates.length ? `${by.candidates[0]}, prepared when the model runs` : "prepared when the model runs";
    case "inlined": return `replaced by ${plural(by.nodes.length, "node")}: ${[...new Set(by.nodes.map(server))].join("; ")}`;
    default: return "no op found";
  }
}
// The same in two words, for colours.
function place(by) {
  if (!by) return "not prepared yet";
  switch (by.kind) {
    case "plugin": return "reference op";
    case "folded": return "constant";
    case "delegate": return `delegate ${by.name}`;
    case "open": return "not prepared yet";
    case "inlined": return by.nodes.length ? place(by.nodes[0]) : "fused with another node";
    default: return "no op found";
  }
}

for (const graph of data.subgraphs) {
  graph.tensorOf = new Map(graph.tensors.map(tensor => [tensor.index, tensor]));
  graph.writer = new Map();
  graph.readers = new Map();
  for (const node of graph.nodes) {
    for (const t of node.outputs) graph.writer.set(t, node.index);
    for (const t of node.inputs) {
      if (!graph.readers.has(t)) graph.readers.set(t, []);
      const readers = graph.readers.get(t);
      if (readers[readers.length - 1] !== node.index) readers.push(node.index);
    }
    // Options, multiply-accumulates, bytes of constants.
    Object.assign(node, node.facts);
    node.ms = 0;
    node.share = 0;
    node.timed = false;
  }
}
for (const row of data.runs ? data.runs.nodes : []) {
  const node = row.node === null ? undefined : data.subgraphs[row.subgraph].nodes[row.node];
  if (node) {
    node.ms += row.mean_ms;
    node.share += row.percent;
    node.timed = true;
  }
}
const differenceOf = new Map();
for (const row of data.differences ? data.differences.tensors : []) differenceOf.set(row.tensor, row);
const allNodes = data.subgraphs.flatMap(graph => graph.nodes);
const hasMacs = allNodes.some(node => node.macs !== undefined && node.macs !== null);
const hasTimes = allNodes.some(node => node.timed);
const title = graph => `${graph.index}${graph.name ? `: ${visible(graph.name)}` : ""}`;
