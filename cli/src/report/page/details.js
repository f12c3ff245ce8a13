// The panel next to the graph: a node or a tensor.
const values = list => make("div", { className: "values" }, list.map(String).join(", "));
function pairs(rows) {
  const list = make("dl");
  for (const [name, value, kind] of rows) {
    if (value !== "" && value !== null && value !== undefined) {
      list.append(make("dt", {}, name), make("dd", { className: kind || "" }, value));
    }
  }
  return list;
}
function quantization(tensor) {
  const q = tensor.quantization;
  if (!q) return "";
  const first = `${q.scales[0]}, zero point ${q.zero_points.length ? q.zero_points[0] : 0}`;
  return tensor.scale_count > 1 ? `${number(tensor.scale_count)} scales along dimension ${q.dimension}; first ${first}` : `scale ${first}`;
}
function difference(row) {
  if (!row) return "";
  if (row.error) return row.error;
  if (!row.differing) return "equal to the reference ops";
  const largest = row.largest === null ? "cannot be subtracted (NaN or infinity)" : row.largest.toPrecision(3);
  return `largest ${largest}, in ${number(row.differing)} of ${plural(row.count, "element")}`;
}
class Details {
  constructor(root, go) { Object.assign(this, { root, go }); }
  empty(graph) {
    this.root.replaceChildren(make("h2", {}, `Subgraph ${title(graph)}`),
      make("p", { className: "dim" }, `${plural(graph.node_count, "node")}, ${plural(graph.tensor_count, "tensor")}`),
      make("p", { className: "dim" }, "Click a node for its tensors, its options and what runs it. Drag to move, scroll to zoom."),
      ...this.tensors("Inputs", graph, graph.inputs), ...this.tensors("Outputs", graph, graph.outputs));
  }
  node(graph, node) {
    const options = (node.options || []).map(o => [o.name, this.option(o), o.is_default ? "default" : ""]);
    this.root.replaceChildren(make("h2", {}, visible(node.op)),
      make("p", { className: "dim" }, `node ${node.index} of subgraph ${graph.index}, version ${node.version}`),
      pairs([["runs on", server(node.served_by)],
        ["time", node.timed ? `${time(node.ms)}, ${percent(node.share)} of all nodes` : ""],
        ["MACs", node.macs ? `${number(node.macs)}` : ""],
        ["constants", node.weight_bytes ? `${bytes(node.weight_bytes)}` : ""]]),
      ...node.refusals.map(r => make("p", { className: "refusal" }, `${visible(r.delegate)} does not run it: ${visible(r.reason)}`)),
      ...(options.length ? [make("h3", {}, "Options"), pairs(options)] : []),
      ...this.tensors("Inputs", graph, node.inputs, node), ...this.tensors("Outputs", graph, node.outputs, node));
    this.root.scrollTop = 0;
  }
  tensor(graph, tensor, kind) {
    this.root.replaceChildren(make("h2", {}, kind), ...this.tensors("Tensor", graph, [tensor.index]));
    this.root.scrollTop = 0;
  }
  option(option) {
    const text = Array.isArray(option.value) ? option.value.join(", ") : String(option.value);
    const called = /subgraph_index$/.test(option.name) && data.subgraphs[option.value];
    if (!called) return visible(text);
    return make("button", { className: "link", onclick: () => this.go(called, null) }, `${text}: open subgraph ${title(called)}`);
  }
  // `node` is on display, so it is not named as a writer or reader.
  tensors(heading, graph, indices, node) {
    if (!indices.length) return [];
    return [make("h3", {}, heading), ...indices.slice(0, 200).map(t => this.one(graph, t, node)),
      indices.length > 200 ? make("p", { className: "dim" }, `and ${number(indices.length - 200)} more`) : null].filter(Boolean);
  }
  one(graph, index, node) {
    const tensor = graph.tensorOf.get(index);
    if (!tensor) return make("div", { className: "tensor dim" }, index < 0 ? "absent" : `tensor ${index}`);
    const writer = graph.writer.get(index), readers = (graph.readers.get(index) || []).filter(i => !node || i !== node.index);
    const link = i => make("button", { className: "link", onclick: () => this.go(graph, i) }, `${visible(graph.nodes[i].op)} (node ${i})`);
    const links = list => {
      const span = make("span");
      list.slice(0, 12).forEach((i, k) => span.append(k ? ", " : "", link(i)));
      if (list.length > 12) span.append(` and ${number(list.length - 12)} more`);
      return span;
    };
    const open = tensor.shape_signature.includes(-1) ? ` of ${tensor.shape_signature.join("×")}` : "";
    return make("div", { className: "tensor" }, make("div", {}, named(tensor.name)),
      make("code", {}, `${tensor.type} ${shapeOf(tensor)}${open}`),
      pairs([["tensor", `${index}, ${tensor.kind}${tensor.sparse ? ", sparse" : ""}`],
        ["quantization", quantization(tensor)],
        ["bytes in file", tensor.constant_bytes === null ? "" : number(tensor.constant_bytes)],
        ["values", tensor.values && tensor.values.length ? values(tensor.values.concat(tensor.constant_bytes && this.count(tensor) > tensor.values.length ? ["…"] : [])) : ""],
        ["written by", writer === undefined || node && writer === node.index ? "" : link(writer)],
        ["read by", readers.length ? links(readers) : ""],
        ["difference", graph.index === (data.differences || {}).subgraph ? difference(differenceOf.get(index)) : ""]]));
  }
  count(tensor) { return tensor.shape.reduce((product, n) => product * n, 1); }
}
