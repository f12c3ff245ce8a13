// The graph on a canvas. Only what is in view is drawn.
class GraphView {
  constructor(canvas, onPick) {
    Object.assign(this, { canvas, onPick, scale: 1, x: 0, y: 0, graph: null, picked: -1, found: new Set(), mode: "op" });
    this.context = canvas.getContext("2d");
    this.pointers = new Map();
    new ResizeObserver(() => this.resize()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    canvas.addEventListener("wheel", e => this.onWheel(e), { passive: false });
    canvas.addEventListener("pointerdown", e => this.onDown(e));
    canvas.addEventListener("pointermove", e => this.onMove(e));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, e => this.onUp(e));
    canvas.addEventListener("keydown", e => this.onKey(e));
  }
  // Vertices are numbered like the layout: nodes, then inputs, then outputs.
  show(graph) {
    this.graph = graph;
    this.picked = -1;
    const tensors = [...graph.inputs, ...graph.outputs].map(t => graph.tensorOf.get(t));
    this.labels = [...graph.nodes.map(node => visible(node.op)), ...tensors.map(t => t ? named(t.name) : "absent")];
    this.ports = tensors;
    this.start();
  }
  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas, ratio = devicePixelRatio || 1;
    if (!width || !height) return;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    if (this.waiting) this.start();
    // Setting the size clears the canvas, so it is drawn in the same frame.
    this.draw();
  }
  // The whole graph if it is legible, else its beginning.
  start() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.waiting = !width;
    if (this.waiting || !this.graph) return;
    const { layout } = this.graph, whole = Math.min((width - 40) / layout.width, (height - 80) / layout.height);
    if (whole >= 0.6) return this.fit();
    this.scale = Math.min(1, Math.max(0.6, (width - 40) / layout.width));
    const inputs = layout.vertices.slice(this.graph.nodes.length, this.graph.nodes.length + this.graph.inputs.length);
    const [left, top, wide] = inputs[0] || layout.vertices[0] || [0, 0, 0];
    this.x = layout.width * this.scale <= width ? (width - layout.width * this.scale) / 2 : width / 2 - (left + wide / 2) * this.scale;
    this.y = 24 - top * this.scale;
    this.redraw();
  }
  fit() {
    const { clientWidth: width, clientHeight: height } = this.canvas, { layout } = this.graph;
    this.scale = Math.min(1.25, (width - 40) / Math.max(1, layout.width), (height - 80) / Math.max(1, layout.height));
    this.x = (width - layout.width * this.scale) / 2;
    this.y = Math.max(20, (height - 40 - layout.height * this.scale) / 2);
    this.redraw();
  }
  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const scale = Math.min(4, Math.max(0.002, this.scale * factor)), change = scale / this.scale;
    this.x = x - (x - this.x) * change;
    this.y = y - (y - this.y) * change;
    this.scale = scale;
    this.redraw();
  }
  // Selects a vertex and, if asked, moves it into view.
  pick(vertex, center) {
    this.picked = vertex;
    const box = this.graph.layout.vertices[vertex];
    if (center && box) {
      this.scale = Math.max(this.scale, 0.7);
      this.x = this.canvas.clientWidth / 2 - (box[0] + box[2] / 2) * this.scale;
      this.y = this.canvas.clientHeight / 2 - box[1] * this.scale;
    }
    this.redraw();
  }
  redraw() {
    if (!this.asked) this.asked = requestAnimationFrame(() => { this.asked = 0; this.draw(); });
  }
  draw() {
    const { graph, context: c, canvas, scale } = this;
    if (!graph || !canvas.clientWidth) return;
    const style = getComputedStyle(document.documentElement), color = name => style.getPropertyValue(`--${name}`);
    const ratio = devicePixelRatio || 1, { layout } = graph;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, canvas.width, canvas.height);
    c.setTransform(scale * ratio, 0, 0, scale * ratio, this.x * ratio, this.y * ratio);
    const view = { left: -this.x / scale, top: -this.y / scale, right: (canvas.clientWidth - this.x) / scale,
      bottom: (canvas.clientHeight - this.y) / scale };
    const tensors = this.tensorsOf(this.picked);
    this.drawLines(layout.lines.filter(l => !tensors.has(l[0])), view, color("edge"), 1);
    this.drawLines(layout.lines.filter(l => tensors.has(l[0])), view, color("accent"), 2);
    const height = layout.vertex_height;
    layout.vertices.forEach(([x, y, width], i) => {
      if (x > view.right || x + width < view.left || y > view.bottom || y + height < view.top) return;
      this.drawVertex(i, x, y, width, height, color);
    });
  }
  drawLines(lines, view, color, weight) {
    const c = this.context, { scale } = this, coarse = scale < 0.25;
    c.strokeStyle = c.fillStyle = color;
    c.lineWidth = Math.max(weight, 0.6 / scale);
    c.beginPath();
    for (const [, x1, y1, x2, y2, arrow] of lines) {
      if (Math.max(x1, x2) < view.left || Math.min(x1, x2) > view.right) continue;
      if (Math.max(y1, y2) < view.top || Math.min(y1, y2) > view.bottom) continue;
      c.moveTo(x1, y1);
      const end = y2 - (arrow && !coarse ? 6 : 0), middle = (y1 + end) / 2;
      if (coarse || x1 === x2 || y2 < y1) c.lineTo(x2, end); else c.bezierCurveTo(x1, middle, x2, middle, x2, end);
    }
    c.stroke();
    if (coarse) return;
    c.beginPath();
    for (const [, , , x2, y2, arrow] of lines) {
      if (!arrow || x2 < view.left || x2 > view.right || y2 < view.top || y2 - 8 > view.bottom) continue;
      c.moveTo(x2, y2);
      c.lineTo(x2 - 4, y2 - 7);
      c.lineTo(x2 + 4, y2 - 7);
    }
    c.fill();
  }
  drawVertex(i, x, y, width, height, color) {
    const c = this.context, { scale, graph } = this, node = graph.nodes[i];
    const fill = node ? fills[this.mode].color(node) : color("back");
    c.fillStyle = fill;
    c.strokeStyle = i === this.picked ? color("accent") : this.found.has(i) ? color("bad") : color("line");
    c.lineWidth = i === this.picked || this.found.has(i) ? Math.max(3, 2 / scale) : Math.min(1, 0.5 / scale);
    c.beginPath();
    if (scale < 0.25) c.rect(x, y, width, height); else c.roundRect(x, y, width, height, node ? 6 : height / 2);
    c.fill();
    c.stroke();
    if (scale < 0.3) return;
    c.textAlign = "center";
    c.fillStyle = node ? "#14181d" : color("text");
    c.font = "600 12.5px system-ui, sans-serif";
    c.fillText(this.cut(this.labels[i], width - 14), x + width / 2, y + 18);
    const tensor = node ? graph.tensorOf.get(node.outputs[0]) : this.ports[i - graph.nodes.length];
    const second = (node && fills[this.mode].text(node)) || (tensor ? form(tensor) : "");
    c.fillStyle = node ? "#2b3138" : color("dim");
    c.font = "11px system-ui, sans-serif";
    c.fillText(this.cut(second, width - 14), x + width / 2, y + 33);
  }
  cut(text, width) {
    if (this.context.measureText(text).width <= width) return text;
    let keep = Math.max(1, Math.floor(text.length * width / this.context.measureText(text).width) - 1);
    while (keep > 1 && this.context.measureText(`${text.slice(0, keep)}…`).width > width) keep -= 1;
    return `${text.slice(0, keep)}…`;
  }
  // The tensors that a vertex reads and writes.
  tensorsOf(vertex) {
    const { graph } = this, node = graph.nodes[vertex];
    if (node) return new Set([...node.inputs, ...node.outputs]);
    const port = this.ports[vertex - graph.nodes.length];
    return new Set(port ? [port.index] : []);
  }
  vertexAt(e) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const x = (e.clientX - left - this.x) / this.scale, y = (e.clientY - top - this.y) / this.scale;
    const { vertices, vertex_height: height } = this.graph.layout;
    return vertices.findIndex(([vx, vy, width]) => x >= vx && x <= vx + width && y >= vy && y <= vy + height);
  }
  onWheel(e) {
    e.preventDefault();
    const { left, top } = this.canvas.getBoundingClientRect();
    const step = e.deltaY * (e.deltaMode === 1 ? 16 : 1);
    this.zoom(Math.exp(-Math.max(-120, Math.min(120, step)) * 0.003), e.clientX - left, e.clientY - top);
  }
  onDown(e) {
    this.canvas.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    this.moved = 0;
  }
  onMove(e) {
    const last = this.pointers.get(e.pointerId);
    if (!last) {
      if (this.graph) this.canvas.classList.toggle("point", this.vertexAt(e) >= 0);
      return;
    }
    const other = [...this.pointers].find(([id]) => id !== e.pointerId);
    if (other) {
      const { left, top } = this.canvas.getBoundingClientRect(), fixed = other[1];
      const before = Math.hypot(last.x - fixed.x, last.y - fixed.y), now = Math.hypot(e.clientX - fixed.x, e.clientY - fixed.y);
      this.zoom(now / Math.max(1, before), fixed.x - left, fixed.y - top);
    } else {
      this.x += e.clientX - last.x;
      this.y += e.clientY - last.y;
      this.redraw();
    }
    this.moved += Math.abs(e.clientX - last.x) + Math.abs(e.clientY - last.y);
    this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
  }
  onUp(e) {
    if (this.pointers.delete(e.pointerId) && e.type === "pointerup" && this.moved < 5) this.onPick(this.vertexAt(e));
  }
  onKey(e) {
    const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60],
      PageUp: [0, 400], PageDown: [0, -400] };
    if (moves[e.key]) {
      this.x += moves[e.key][0];
      this.y += moves[e.key][1];
      this.redraw();
    } else if (e.key === "+" || e.key === "=") this.zoom(1.25);
    else if (e.key === "-") this.zoom(0.8);
    else if (e.key === "0") this.fit();
    else return;
    e.preventDefault();
  }
}

// How nodes are coloured, and their second line where it is not the shape.
const placeColors = { "reference op": "#f4c08a", constant: "#d3d7dc", "no op found": "#f19a94",
  "not prepared yet": "#dcd3ee", "fused with another node": "#d3d7dc" };
const delegateColors = ["#9ecbf5", "#a8dcb5", "#d9b8ee", "#f2b8cf"];
const delegates = [...new Set(allNodes.map(node => place(node.served_by)).filter(p => p.startsWith("delegate ")))];
const colorOfPlace = name => placeColors[name] || delegateColors[delegates.indexOf(name) % delegateColors.length];
const most = of => allNodes.reduce((most, node) => Math.max(most, of(node)), 1e-9);
const heat = share => `hsl(${Math.round(52 - 40 * share)}, ${Math.round(30 + 60 * share)}%, ${Math.round(90 - 30 * share)}%)`;
const [mostTime, mostMacs, mostBytes] = [most(n => n.ms), most(n => n.macs || 0), most(n => n.weight_bytes || 0)];
const fills = {
  op: { name: "op", color: node => data.colors[node.op] || "#d3d7dc", text: () => "" },
  place: { name: "what runs it", color: node => colorOfPlace(place(node.served_by)), text: node => place(node.served_by) },
  time: { name: "time", color: node => heat(node.ms / mostTime),
    text: node => node.timed ? `${time(node.ms)}, ${percent(node.share)}` : "no time" },
  macs: { name: "multiply-accumulates", color: node => heat((node.macs || 0) / mostMacs),
    text: node => node.macs ? `${count(node.macs)} MACs` : "no MACs" },
  bytes: { name: "constant bytes", color: node => heat((node.weight_bytes || 0) / mostBytes),
    text: node => node.weight_bytes ? bytes(node.weight_bytes) : "no constants" },
};
