"""Compares arenite's GPU delegates with PyTorch on one device, taking turns: python gpu.py ZOO [--arenite PROGRAM] [--delegate NAME]… [--seconds S]

PROGRAM has both delegates: `cargo build --release -p arenite-cli --features opencl,vulkan`. ZOO has the models of zoo.py. PyTorch runs
networks of the same shapes from torchvision, in f32, on its first GPU, or on the processor where there is none: beside PoCL and llvmpipe.
Of each network the table has the median times, and both as a part of the peak: the best product of 4096 × 4096 matrices that PyTorch does
there. A second table has the time of each kind of kernel, and what depthwise convolutions and all other products reach of the peak.

Exit status: 0; 77 without PyTorch, 1 if a delegate does not run.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

try:
    import torch
    import torchvision
except ImportError as error:
    print(f"skipped: {error}; pip install torch torchvision", file=sys.stderr)
    sys.exit(77)

NETWORKS = ["mobilenet_v2", "mobilenet_v3_large", "efficientnet_b0", "resnet50"]
DEPTHWISE = {"depthwise_conv_2d"}
DENSE = {"conv_2d", "tiled", "winograd_inverse", "winograd_transform", "batch_matmul"}
ROUNDS = 5


def timed(call, device, seconds):
    """Times of calls, in ms."""
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        if device.type == "cuda":
            torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
    return times


def peak(device, seconds):
    """Operations per ms."""
    a, b = (torch.randn(4096, 4096, device=device) for _ in range(2))
    return 2 * 4096**3 / min(timed(lambda: a @ b, device, seconds))


def operations(network, x):
    """Operations, two per product: of depthwise convolutions, and of other convolutions and dense layers."""
    counts = [0, 0]

    def add(layer, _, y):
        is_depthwise = getattr(layer, "groups", 1) > 1
        counts[0 if is_depthwise else 1] += 2 * layer.weight[0].numel() * y.numel()

    layers = [layer for layer in network.modules() if isinstance(layer, (torch.nn.Conv2d, torch.nn.Linear))]
    hooks = [layer.register_forward_hook(add) for layer in layers]
    network(x)
    for hook in hooks:
        hook.remove()
    return counts


def arenite(options, model, delegate, profile=False):
    command = [options.arenite, "bench", model, "--delegate", delegate, "--seconds", options.seconds, "--json"]
    command += ["--profile"] if profile else []
    run = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{delegate}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def kernels(profile):
    """The time of one run by kind, in ms."""
    sums = {}
    for step in profile["ops"]:
        kind = step["op"].split(": ")[-1]
        sums[kind] = sums.get(kind, 0.0) + step["mean_ms"]
    return sorted(sums.items(), key=lambda item: -item[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("zoo", type=pathlib.Path)
    parser.add_argument("--arenite", default="target/release/arenite")
    parser.add_argument("--delegate", action="append", help="opencl or vulkan, with options after a colon")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    options = parser.parse_args()
    delegates = options.delegate or ["opencl", "vulkan"]
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    best = peak(device, options.seconds)
    name = torch.cuda.get_device_name() if device.type == "cuda" else "the processor"
    print(f"PyTorch {torch.__version__} on {name}: peak {best / 1e9:.2f} T/s\n")
    print(f"| network | PyTorch | {' | '.join(delegates)} |\n|---|---|{'---|' * len(delegates)}")
    details = []
    for network in options.networks:
        model = options.zoo / f"{network}_f32.tflite"
        torch_network = getattr(torchvision.models, network)(weights=None).eval().to(device)
        x = torch.randn(1, 3, 224, 224, device=device)
        times = {who: [] for who in ["PyTorch", *delegates]}
        with torch.inference_mode():
            work = operations(torch_network, x)
            for _ in range(ROUNDS):
                times["PyTorch"] += timed(lambda: torch_network(x), device, options.seconds)
                for delegate in delegates:
                    times[delegate].append(arenite(options, model, delegate)["median_ms"])
        cells = [f"{(ms := statistics.median(t)):.2f} ms, {100 * sum(work) / ms / best:.1f} %" for t in times.values()]
        print(f"| {network} | {' | '.join(cells)} |", flush=True)
        for delegate in delegates:
            by_kind = kernels(arenite(options, model, delegate, profile=True))
            parts = [
                f"{100 * count / sum(ms for kind, ms in by_kind if kind in which) / best:.1f} %" if count else "none"
                for count, which in zip(work, (DEPTHWISE, DENSE))
            ]
            kinds = ", ".join(f"{kind} {ms:.2f}" for kind, ms in by_kind)
            details.append(f"| {network} | {delegate} | {' | '.join(parts)} | {kinds} |")
    print("\n| network | delegate | depthwise, of the peak | other products | ms of kernels |\n|---|---|---|---|---|")
    print("\n".join(details))


if __name__ == "__main__":
    main()
