// Tables that sort by a click on a column's head. A column is a title, a sort key, and optionally a cell.
function table(columns, rows, { sort = -1, descending = false, pick = null } = {}) {
  const most = 500;
  let limit = most;
  const head = make("tr"), body = make("tbody"), more = make("p");
  const state = { sort, descending };
  columns.forEach((column, i) => head.append(make("th", { className: column.right ? "right" : "" },
    make("button", { onclick: () => {
      state.descending = state.sort === i ? !state.descending : Boolean(column.right || column.bar);
      state.sort = i;
      draw();
    } }, column.title))));
  function cell(column, row) {
    const shown = column.show ? column.show(row) : column.key(row);
    if (column.bar) {
      const bar = make("i");
      bar.style.width = `${Math.max(0, Math.min(100, column.key(row))) * 0.05}em`;
      return make("td", { className: "bar" }, bar, shown);
    }
    if (column.name) return make("td", { className: "name", title: String(shown) }, cut(String(shown), 90));
    return make("td", { className: column.right ? "right" : "" }, shown instanceof Node ? shown : String(shown));
  }
  function draw() {
    let ordered = rows;
    if (state.sort >= 0) {
      const { key } = columns[state.sort], sign = state.descending ? -1 : 1;
      const value = row => { const v = key(row); return v === null || v === undefined || v === "" ? null : v; };
      ordered = rows.map(row => [value(row), row]).sort(([a], [b]) => {
        // Rows without a value come last in both directions.
        if (a === null || b === null) return (a === null) - (b === null);
        return sign * (typeof a === "number" ? a - b : String(a).localeCompare(String(b)));
      }).map(pair => pair[1]);
    }
    [...head.children].forEach((th, i) => {
      if (i === state.sort) th.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    body.replaceChildren(...ordered.slice(0, limit).map(row => {
      const line = make("tr", {}, ...columns.map(column => cell(column, row)));
      if (pick) {
        line.className = "pick";
        line.addEventListener("click", () => pick(row));
      }
      return line;
    }));
    const rest = rows.length - limit;
    more.replaceChildren(...(rest > 0 ? [make("button", { onclick: () => { limit = Infinity; draw(); } }, `Show ${number(rest)} more rows`)] : []));
  }
  draw();
  return make("div", {}, make("div", { className: "wide" }, make("table", {}, make("thead", {}, head), body)), more);
}
const heading = text => make("h2", {}, text);
const dim = text => make("p", { className: "dim" }, text);

function nodesTable(graph, go) {
  const output = node => (graph.tensorOf.get(node.outputs[0]) || {});
  return table([
    { title: "node", right: true, key: node => node.index },
    { title: "op", key: node => node.op, show: node => visible(node.op) },
    { title: "output", name: true, key: node => output(node).name || "", show: node => visible(output(node).name || "") },
    { title: "type and shape", key: node => output(node).shape ? form(output(node)) : "" },
    { title: "runs on", key: node => place(node.served_by) },
    ...(hasTimes ? [{ title: "time", right: true, key: node => node.timed ? node.ms : null, show: node => node.timed ? time(node.ms) : "" },
      { title: "share", bar: true, key: node => node.timed ? node.share : null, show: node => node.timed ? percent(node.share) : "" }] : []),
    ...(hasMacs ? [{ title: "MACs", right: true, key: node => node.macs, show: node => number(node.macs) },
      { title: "constants, bytes", right: true, key: node => node.weight_bytes, show: node => number(node.weight_bytes) }] : []),
  ], graph.nodes, { pick: node => go(graph, node.index) });
}
function opsTable() {
  const sums = new Map();
  for (const node of allNodes) {
    const sum = sums.get(node.op) || { op: node.op, nodes: 0, ms: 0, share: 0, macs: 0, bytes: 0, slow: 0 };
    sum.nodes += 1;
    sum.ms += node.ms;
    sum.share += node.share;
    sum.macs += node.macs || 0;
    sum.bytes += node.weight_bytes || 0;
    sum.slow += node.served_by && node.served_by.kind === "plugin" ? 1 : 0;
    sums.set(node.op, sum);
  }
  const all = [...sums.values()].reduce((sum, op) => sum + op.macs, 0);
  return table([
    { title: "op", key: op => op.op, show: op => visible(op.op) },
    { title: "nodes", right: true, key: op => op.nodes },
    { title: "on reference ops", right: true, key: op => op.slow },
    ...(hasTimes ? [{ title: "time", right: true, key: op => op.ms, show: op => time(op.ms) },
      { title: "share of time", bar: true, key: op => op.share, show: op => percent(op.share) }] : []),
    ...(hasMacs ? [{ title: "MACs", right: true, key: op => op.macs, show: op => number(op.macs) },
      { title: "share of MACs", bar: true, key: op => 100 * op.macs / Math.max(1, all), show: op => percent(100 * op.macs / Math.max(1, all)) },
      { title: "constants, bytes", right: true, key: op => op.bytes, show: op => number(op.bytes) }] : []),
  ], [...sums.values()], { sort: hasTimes ? 3 : 1, descending: true });
}
function tensorsTable(graph) {
  return table([
    { title: "tensor", right: true, key: t => t.index },
    { title: "name", name: true, key: t => t.name, show: t => named(t.name) },
    { title: "type", key: t => t.type },
    { title: "shape", key: t => shapeOf(t) },
    { title: "kind", key: t => t.kind },
    { title: "bytes in file", right: true, key: t => t.constant_bytes, show: t => number(t.constant_bytes) },
    { title: "quantization", name: true, key: t => quantization(t) },
  ], graph.tensors);
}
function timesView(root) {
  const { runs } = data;
  if (!runs) {
    root.replaceChildren(dim(data.error ? "The model did not run." : "The page was made with --no-run."));
    return;
  }
  root.replaceChildren(
    make("p", {}, `${plural(runs.count, "run")} after a first one of ${time(runs.first_ms)}: min ${time(runs.min_ms)}, median ${time(runs.median_ms)}.`),
    dim(`Inputs: ${runs.inputs.map(i => `${named(i.name)} (${visible(i.source)})`).join(", ") || "none"}. For exact times use “arenite bench”.`),
    heading("Nodes, in execution order"),
    dim("A delegate's step may compute several nodes; its time is shown at the node that writes the step's output."),
    table([
      { title: "op", key: row => row.op, show: row => visible(row.op) },
      { title: "output", name: true, key: row => row.output, show: row => named(row.output) },
      ...(data.subgraphs.length > 1 ? [{ title: "subgraph", right: true, key: row => row.subgraph }] : []),
      { title: "runs", right: true, key: row => row.runs },
      { title: "mean", right: true, key: row => row.mean_ms, show: row => time(row.mean_ms) },
      { title: "min", right: true, key: row => row.min_ms, show: row => time(row.min_ms) },
      { title: "share", bar: true, key: row => row.percent, show: row => percent(row.percent) },
    ], runs.nodes));
}
function differencesView(root) {
  const found = data.differences;
  if (!found) {
    root.replaceChildren(dim(data.runs ? "No delegate runs a node, so there is nothing to compare." :
      data.error ? "The model did not run." : "The page was made with --no-run."));
    return;
  }
  const columns = [
    { title: "tensor", name: true, key: row => row.name, show: row => named(row.name) },
    { title: "largest difference", right: true, key: row => row.error || row.largest === null ? null : row.largest,
      show: row => row.error ? "" : row.largest === null ? "NaN" : row.largest === 0 ? "0" : row.largest.toPrecision(3) },
    { title: "largest value", right: true, key: row => row.magnitude, show: row => row.differing ? row.magnitude.toPrecision(3) : "" },
    { title: "at element", right: true, key: row => row.differing ? row.at : null, show: row => row.differing ? number(row.at) : "" },
    { title: "elements that differ", right: true, key: row => row.differing,
      show: row => row.error ? "" : make("span", { className: row.differing ? "" : "good" }, `${number(row.differing)} of ${number(row.count)}`) },
    { title: "", name: true, key: row => row.error || "", show: row => visible(row.error || "") },
  ];
  const by = { title: "written by", key: row => row.by, show: row => visible(row.by) };
  root.replaceChildren(
    dim("The model ran once on its delegates and once on the reference ops, with the same inputs. Differences are between real values: quantized elements are dequantized."),
    heading("Outputs"), table(columns, found.outputs),
    heading("Outputs of nodes and partitions, in execution order"),
    found.note ? dim(`Only outputs were compared: ${visible(found.note)}`) :
      found.tensors.length ? table([columns[0], by, ...columns.slice(1)], found.tensors) : dim("None."));
}
function modelView(root) {
  const parts = [], { model } = data;
  parts.push(heading("File"), pairs([["path", visible(model.path || "")], ["size", inBytes(model.bytes)],
    ["schema version", String(model.schema)], ["description", visible(model.description || "")], ["report by", `arenite ${data.version}`]]));
  const ports = list => list.map(p => `${named(p.name)} (tensor ${p.tensor})`).join(", ");
  if (data.signatures.length) {
    parts.push(heading("Signatures"), table([
      { title: "key", name: true, key: s => s.key, show: s => named(s.key) }, { title: "subgraph", right: true, key: s => s.subgraph },
      { title: "inputs", name: true, key: s => ports(s.inputs) }, { title: "outputs", name: true, key: s => ports(s.outputs) }], data.signatures));
  }
  if (data.metadata.length) {
    parts.push(heading("Metadata"), table([{ title: "name", name: true, key: m => m.name, show: m => named(m.name) },
      { title: "bytes", right: true, key: m => m.bytes, show: m => number(m.bytes) },
      { title: "text", name: true, key: m => m.text || "", show: m => visible((m.text || "").slice(0, 300)) }], data.metadata));
  }
  if (data.memory) {
    parts.push(heading("Memory"), pairs([["planner", data.memory.planner], ["arena", inBytes(data.memory.arena_bytes)],
      ["lower bound of the arena", inBytes(data.memory.lower_bound)], ["persistent", inBytes(data.memory.persistent_bytes)],
      ["delegates", inBytes(data.memory.delegate_bytes)], ["devices", data.memory.device_bytes ? inBytes(data.memory.device_bytes) : ""],
      ["tensors of dynamic shape", data.memory.dynamic_bytes ? inBytes(data.memory.dynamic_bytes) : ""]]));
  }
  for (const facts of data.facts) {
    parts.push(heading(`Delegate ${visible(facts.delegate)}, subgraph ${facts.subgraph}, partition ${facts.partition}`),
      pairs(facts.facts.map(f => [visible(f.key), typeof f.value !== "number" ? visible(f.value) : f.unit === "ns" ? time(f.value / 1e6) : `${number(f.value)} ${f.unit || ""}`])));
  }
  if (data.left_out.length) {
    parts.push(heading("Delegates that were skipped"), ...data.left_out.map(l => make("p", {}, `${visible(l.delegate)}: ${visible(l.reason)}`)));
  }
  root.replaceChildren(...parts);
}
