#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The learned placement of Inception-V3 that park-project/park transcribes (inception_placement.toml), as a plan file.

inception_plan.py BERTH OUT [--graph SPEC] [--machine NAME]    writes OUT and prints what it scores

Gradients and updates go with their forward ops and parameters, inputs stay on the CPU, where the plans of Berth have them.
The program itself checks the plan: it refuses one that does not honour the graph.
"""
import json
import pathlib
import sys
import tempfile
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lib import cli  # noqa: E402

TABLE = pathlib.Path(__file__).resolve().parent / "inception_placement.toml"
GRAPH, MACHINE = "zoo:inception-v3,batch=32", "k80x4"


def forward_op(ops, op):
    """The op of the forward pass that an op goes with: whose gradient it computes, or which parameter it updates."""
    for field in ("forward_of", "updates"):
        if field in op:
            return forward_op(ops, ops[op[field]])
    return op


def gpu_of(table, op):
    """The entry for the op's own name, else for the longest part of its module path; None if there is none."""
    if op["name"] in table:
        return table[op["name"]]
    parts = op.get("module", "").split(".")
    for length in range(len(parts), 0, -1):
        if (path := ".".join(parts[:length])) in table:
            return table[path]
    return None


def place(table, ops):
    """Name of every op's GPU; inputs are left out."""
    devices = {}
    for op in ops:
        if op.get("role") == "input":
            continue
        gpu = gpu_of(table, forward_op(ops, op))
        if gpu is None:
            sys.exit(f"{TABLE.name}: no entry for op '{op['name']}' of module '{op.get('module', '')}'")
        devices[op["name"]] = f"gpu{gpu}"
    return devices


def write_plan(berth, out, graph=GRAPH, machine=MACHINE):
    """Writes the plan file and returns what `berth score` says of it."""
    table = tomllib.loads(TABLE.read_text())["gpu_of"]
    with tempfile.TemporaryDirectory() as folder:
        graph_file, plan_file = pathlib.Path(folder, "graph.json"), pathlib.Path(folder, "plan.json")
        berth.run("graph", "convert", graph, "-o", graph_file)
        berth.run("place", graph, "--machine", machine, "--planner", "gpu-only", "--quiet", "-o", plan_file)
        devices = place(table, json.loads(graph_file.read_text())["ops"])
        plan = json.loads(plan_file.read_text())
    for op in plan["ops"]:
        op["device"] = devices.get(op["name"], op["device"])
    plan["fusions"] = []
    del plan["predicted"]
    pathlib.Path(out).write_text(json.dumps(plan, indent=1) + "\n")
    return berth.ask("score", graph, "--machine", machine, "--plan", out)


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("out")
    parser.add_argument("--graph", default=GRAPH)
    parser.add_argument("--machine", default=MACHINE)
    options = parser.parse_args()
    score = write_plan(options.berth, options.out, options.graph, options.machine)
    print(f"{score['step_time_s']:.4g} s a step{'' if score['feasible'] else ', does not fit in memory'}; "
          f"best single device {score['best_single_device']['step_time_s']:.4g} s")


if __name__ == "__main__":
    cli.run(main)
