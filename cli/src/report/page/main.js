// The views, and what connects them.
const view = new GraphView(at("canvas"), vertex => pickVertex(vertex, false));
const details = new Details(at("details"), go);
let current = data.subgraphs[0];

// Opens the graph at a subgraph and, unless it is null, at a node.
function go(graph, node) {
  open("graph");
  if (graph !== current) showGraph(graph);
  if (node === null) pickVertex(-1, false); else pickVertex(node, true);
}
function pickVertex(vertex, center) {
  view.pick(vertex, center);
  const node = current.nodes[vertex], port = vertex < 0 || node ? null : view.ports[vertex - current.nodes.length];
  if (node) details.node(current, node);
  else if (port) details.tensor(current, port, vertex < current.nodes.length + current.inputs.length ? "Input" : "Output");
  else details.empty(current);
}
function showGraph(graph) {
  current = graph;
  at("subgraph").value = String(graph.index);
  view.show(graph);
  search("");
  details.empty(graph);
  drawn.delete("nodes");
  drawn.delete("tensors");
}

// Views are built when they are first opened.
const drawn = new Set(["graph"]);
const views = [
  ["graph", "Graph"], ["nodes", "Nodes", root => root.replaceChildren(nodesTable(current, go))],
  ["ops", "Ops", root => root.replaceChildren(opsTable())],
  ["tensors", "Tensors", root => root.replaceChildren(tensorsTable(current))],
  ["memory", "Memory", root => showPlans(root, data.plans)], ["time", "Time", timesView],
  ["differences", "Differences", differencesView], ["model", "Model", modelView]];
// The address names a view, but no element has that id: the browser would scroll to it.
const section = id => at(`view-${id}`);
for (const [id, name] of views) {
  at("tabs").append(make("button", { role: "tab", id: `tab-${id}`, onclick: () => open(id) }, name));
  if (!section(id)) document.querySelector("main").append(make("section", { id: `view-${id}`, hidden: true }));
}
function open(id) {
  const chosen = views.find(v => v[0] === id) || views[0];
  for (const [other] of views) {
    section(other).hidden = other !== chosen[0];
    at(`tab-${other}`).setAttribute("aria-selected", String(other === chosen[0]));
  }
  if (!drawn.has(chosen[0])) {
    drawn.add(chosen[0]);
    chosen[2](section(chosen[0]));
  }
  if (location.hash.slice(1) !== chosen[0]) history.replaceState(null, "", `#${chosen[0]}`);
  if (chosen[0] === "graph") view.resize();
}
addEventListener("hashchange", () => open(location.hash.slice(1)));

// Search: vertices whose op, tensors or number contain the text.
let hits = [], hit = -1;
function search(text) {
  const wanted = text.trim().toLowerCase(), name = t => (current.tensorOf.get(t) || { name: "" }).name.toLowerCase();
  const nodes = current.nodes.filter(n => String(n.index) === wanted || n.op.toLowerCase().includes(wanted) ||
    n.outputs.some(t => name(t).includes(wanted)) || n.inputs.some(t => name(t).includes(wanted))).map(n => n.index);
  const ports = [...current.inputs, ...current.outputs].flatMap((t, i) => name(t).includes(wanted) ? [current.nodes.length + i] : []);
  hits = wanted ? [...nodes, ...ports] : [];
  hit = -1;
  view.found = new Set(hits);
  view.redraw();
  at("matches").textContent = wanted ? number(hits.length) : "";
  if (!wanted) at("search").value = "";
  const label = i => {
    const node = current.nodes[i];
    const tensor = node ? current.tensorOf.get(node.outputs[0]) : view.ports[i - current.nodes.length];
    return node ? `${node.index}  ${visible(node.op)}  ${tensor ? cut(visible(tensor.name), 80) : ""}` : cut(visible(tensor.name), 90);
  };
  at("found").hidden = !wanted || !hits.length;
  at("found").replaceChildren(...hits.slice(0, 50).map((i, k) => make("li", { onmousedown: e => {
    e.preventDefault();
    step(k - hit);
    at("found").hidden = true;
  } }, label(i))));
}
function step(by) {
  if (!hits.length) return;
  hit = (hit + by + hits.length) % hits.length;
  [...at("found").children].forEach((li, i) => li.setAttribute("aria-selected", String(i === hit)));
  pickVertex(hits[hit], true);
}
at("search").addEventListener("input", e => search(e.target.value));
at("search").addEventListener("keydown", e => {
  if (e.key === "Enter" || e.key === "ArrowDown") step(e.shiftKey ? -1 : 1);
  else if (e.key === "ArrowUp") step(-1);
  else if (e.key === "Escape") search("");
  else return;
  e.preventDefault();
});
at("search").addEventListener("blur", () => { at("found").hidden = true; });
at("search").addEventListener("focus", () => { at("found").hidden = !hits.length; });

function legend() {
  const colors = new Map(), mode = at("mode").value;
  if (mode === "op" || mode === "place") {
    for (const node of current.nodes) colors.set(mode === "op" ? node.op : place(node.served_by), fills[mode].color(node));
  } else {
    for (const share of [0, 0.25, 0.5, 0.75, 1]) colors.set(share ? `${share * 100} % of the largest` : "0", heat(share));
  }
  at("legend").replaceChildren(...[...colors].sort((a, b) => mode === "op" ? a[0].localeCompare(b[0]) : 0).map(([name, color]) => {
    const box = make("i");
    box.style.background = color;
    return make("span", {}, box, visible(name));
  }));
}

function figures() {
  const sum = of => allNodes.reduce((total, node) => total + (of(node) || 0), 0);
  const buffers = data.subgraphs.flatMap(g => g.tensors).reduce((total, t) => total + (t.constant_bytes || 0), 0);
  const slow = sum(n => n.served_by && n.served_by.kind === "plugin" ? n.share : 0);
  const nodes = data.subgraphs.reduce((total, g) => total + g.node_count, 0);
  const list = [[number(nodes), nodes === 1 ? "node" : "nodes"], buffers ? [bytes(buffers), "of constants"] : null,
    hasMacs ? [count(sum(n => n.macs)), "multiply-accumulates"] : null,
    data.memory ? [bytes(data.memory.arena_bytes), "arena"] : null,
    data.runs ? [time(data.runs.median_ms), "median run"] : null,
    data.runs && delegates.length ? [percent(slow), "of the time on reference ops"] : null];
  at("figures").replaceChildren(...list.filter(Boolean).map(([value, name]) => make("div", {}, make("b", {}, value), make("span", {}, name))));
  const places = [...new Set(allNodes.map(n => place(n.served_by)))];
  const runs = places.map(p => `${p}: ${number(allNodes.filter(n => place(n.served_by) === p).length)}`).join(", ");
  at("about").textContent = [bytes(data.model.bytes), visible(data.model.description || ""), runs].filter(Boolean).join(" · ");
  at("problems").replaceChildren(...(data.error ? [make("p", {}, visible(data.error))] : []),
    ...data.notes.map(note => make("p", { className: "note" }, visible(note))));
}

figures();
at("subgraph").replaceChildren(...data.subgraphs.map(g => new Option(title(g), String(g.index))));
at("subgraphs").hidden = data.subgraphs.length < 2;
at("subgraph").addEventListener("change", e => { showGraph(data.subgraphs[Number(e.target.value)]); legend(); });
const modes = ["op", "place", ...(hasTimes ? ["time"] : []), ...(hasMacs ? ["macs", "bytes"] : [])];
at("mode").replaceChildren(...modes.map(mode => new Option(fills[mode].name, mode)));
at("mode").addEventListener("change", e => { view.mode = e.target.value; legend(); view.redraw(); });
at("in").addEventListener("click", () => view.zoom(1.25));
at("out").addEventListener("click", () => view.zoom(0.8));
at("fit").addEventListener("click", () => view.fit());
if (current) {
  showGraph(current);
  legend();
}
open(location.hash.slice(1) || "graph");
