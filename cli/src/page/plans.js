"use strict";
// Draws memory plans into `root`: menus, the picture with its scale, details of a block, and a legend.
function showPlans(root, plans) {
  const number = n => n.toLocaleString("en");
  const make = (name, attributes, ...children) => {
    const node = document.createElement(name);
    Object.assign(node, attributes);
    node.append(...children);
    return node;
  };
  const shape = (name, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  root.classList.add("plans");
  if (!plans.length) {
    root.replaceChildren(make("p", { className: "dim" }, "There is no memory plan."));
    return;
  }
  const problem = make("select", {}), planner = make("select", {}), facts = make("span", {});
  const bytes = make("div", { className: "bytes" }), marks = make("div", { className: "marks" });
  const svg = shape("svg", { preserveAspectRatio: "none", role: "img", "aria-label": "memory over time" });
  const steps = make("div", { className: "steps" });
  const hint = "Point at a rectangle to see its tensor.";
  const detail = make("div", { className: "detail" }, hint), legend = make("div", { className: "legend" });
  const problems = [...new Set(plans.map(p => p.problem))];
  problem.replaceChildren(...problems.map(name => new Option(name, name)));
  root.replaceChildren(
    make("header", {}, make("label", { hidden: problems.length < 2 }, "Problem ", problem),
      make("label", {}, "Planner ", planner), facts),
    make("figure", {}, bytes, svg, marks, steps), detail, legend);

  const ofProblem = () => plans.filter(p => p.problem === problem.value);
  function choose() {
    const kept = planner.value, names = ofProblem();
    const title = p => p.in_use && names.length > 1 ? `${p.planner} (in use)` : p.planner;
    planner.replaceChildren(...names.map(p => new Option(title(p), p.planner)));
    if (names.some(p => p.planner === kept)) planner.value = kept;
    draw();
  }
  function draw() {
    const plan = ofProblem().find(p => p.planner === planner.value);
    const top = Math.max(1, plan.total), end = Math.max(1, plan.end);
    facts.textContent = `${number(plan.total)} bytes, ${(plan.total / Math.max(1, plan.bound)).toFixed(3)} of the bound of ` +
      `${number(plan.bound)}${plan.optimal ? ", optimal" : ""}, planned in ${number(plan.micros)} µs` +
      plan.levels.map(l => `; ${l.name} ends at ${number(l.offset)}`).join("");
    svg.setAttribute("viewBox", `0 0 ${end} 1000`);
    const y = bytes => 1000 - 1000 * bytes / top;
    const line = (kind, bytes) => shape("line", { class: kind, x1: 0, x2: end, y1: y(bytes), y2: y(bytes) });
    svg.replaceChildren(...plan.ticks.map(t => line("tick", t.offset)), ...plan.blocks.filter(b => b.size).map(b => {
      const rect = shape("rect", { x: b.first, y: y(b.offset + b.size), fill: b.color,
        width: b.last + 1 - b.first, height: 1000 * b.size / top });
      rect.addEventListener("mouseenter", () => {
        detail.textContent = `${b.name}\n${b.op}\n${number(b.size)} bytes at ${number(b.offset)}, steps ${b.first} to ${b.last}`;
      });
      return rect;
    }), ...plan.levels.map(l => line("level", l.offset)), line("bound", plan.bound));
    const label = (text, bytes, kind) => {
      const span = make("span", { className: kind, title: text }, text);
      span.style.bottom = `${100 * bytes / top}%`;
      return span;
    };
    bytes.replaceChildren(...plan.ticks.map(t => label(t.name, t.offset, "")));
    marks.replaceChildren(...plan.levels.map(l => label(l.name, l.offset, "level")), label("bound", plan.bound, "bound"));
    steps.replaceChildren(make("span", {}, "step 0"),
      make("span", {}, `right: steps in execution order; up: bytes; red: bytes alive at the busiest step` +
        (plan.levels.length ? "; blue: end of a bank" : "")), make("span", {}, `step ${end - 1}`));
    detail.textContent = hint;
    const colors = new Map(plan.blocks.filter(b => b.op && b.size).map(b => [b.op, b.color]));
    legend.replaceChildren(...[...colors].sort().map(([op, color]) => {
      const box = make("i", {});
      box.style.background = color;
      return make("span", {}, box, op);
    }));
  }
  problem.addEventListener("change", choose);
  planner.addEventListener("change", draw);
  choose();
}
