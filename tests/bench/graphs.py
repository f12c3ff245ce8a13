"""Prints what two queues and two-dimensional images could change for networks, from `arenite inspect` and `plan`.

    python3 tests/bench/graphs.py [--program target/release/arenite] MODEL...

chain   the share of multiply-adds on the longest chain of nodes; nodes outside of it could run on a second queue
bytes   KiB of objects for all tensors that nodes write, as buffers: slices of four floats, one extent
images  the same in images of width * batch by height * slices pixels, two extents
"""
import argparse
import json
import subprocess
import tempfile


def ask(program, *arguments):
    """The JSON that the program prints."""
    done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr or done.stdout)
    return json.loads(done.stdout)


def chain(nodes):
    """The share of multiply-adds on the longest chain."""
    until, total = {}, 0
    for node in nodes:
        macs = (node["facts"] or {}).get("macs") or 0
        end = max((until.get(t, 0) for t in node["inputs"]), default=0) + macs
        until.update({t: end for t in node["outputs"]})
        total += macs
    return max(until.values()) / total if total else 1.0


def lives(graph):
    """The first and the last node of each tensor that a node writes."""
    found = {}
    for i, node in enumerate(graph["nodes"]):
        for t in node["inputs"]:
            if t in found:
                found[t][1] = i
        found.update({t: [i, i] for t in node["outputs"]})
    for t in set(graph["outputs"]) & set(found):
        found[t][1] = len(graph["nodes"])
    return found


def kib(program, records):
    """KiB of the objects that greedy-in-order assigns to records of pixels, of 16 bytes each."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write(json.dumps({"records": records}))
        file.flush()
        plan = ask(program, "plan", file.name, "--planner", "greedy-in-order")
    return plan["plans"][0]["total_bytes"] * 16 // 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default="target/release/arenite")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    print("| network | chain | bytes | images | ratio |\n|---|---|---|---|---|")
    for path in args.models:
        graph = ask(args.program, "inspect", path, "--delegate", "none")["subgraphs"][0]
        shapes = {tensor["index"]: tensor["shape"] for tensor in graph["tensors"]}
        one, two = [], []
        for t, (first, last) in lives(graph).items():
            if len(shapes[t]) > 4 or min(shapes[t], default=1) < 1:
                continue
            batch, height, width, channels = [1] * (4 - len(shapes[t])) + shapes[t]
            extents = [batch * width, height * -(-channels // 4)]
            life = {"first_task": first, "last_task": last}
            one.append({"extents": [extents[0] * extents[1]], **life})
            two.append({"extents": extents, **life})
        numbers = kib(args.program, one), kib(args.program, two)
        share = f"{100 * chain(graph['nodes']):.0f} %"
        print(f"| {path} | {share} | {numbers[0]:,} | {numbers[1]:,} | {numbers[1] / max(numbers[0], 1):.2f} |")


if __name__ == "__main__":
    main()
