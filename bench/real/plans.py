# SPDX-License-Identifier: Apache-2.0
"""Plans to compare predictions and measurements by: planners' own, and cuts through the graph that no planner would make."""
import gzip
import hashlib
import json
import pathlib
import random


def read_capture(path):
    opened = gzip.open(path) if str(path).endswith(".gz") else open(path, "rb")
    with opened as file:
        return json.load(file)


def fingerprint(path):
    """Equal for plans that put every op on the same device."""
    ops = json.loads(pathlib.Path(path).read_text())["ops"]
    return hashlib.sha256(" ".join(op["device"] for op in ops).encode()).hexdigest()[:12]


def inputs_of(op):
    """Numbers of the ops that its arguments name."""
    found = []

    def visit(argument):
        if isinstance(argument, dict):
            if "op" in argument:
                found.append(argument["op"])
            for item in argument.get("list", []):
                visit(item)
    for argument in op.get("args", []):
        visit(argument)
    for argument in op.get("kwargs", {}).values():
        visit(argument)
    return found


def is_stored(op):
    return op["type"] in ("parameter", "buffer", "input")


def follow(ops, devices, host):
    """Puts what is stored where it is first used, inputs on the host, and updates with their parameters."""
    for number, op in enumerate(ops):
        for source in inputs_of(op):
            if is_stored(ops[source]) and devices[source] is None:
                devices[source] = devices[number]
    for number, op in enumerate(ops):
        if op["type"] == "input" or devices[number] is None:
            devices[number] = host
    for number, op in enumerate(ops):
        if "updates" in op:
            devices[number] = devices[op["updates"]]
    return devices


def by_position(ops, host, device_at):
    """A plan by the position of every op among those that compute, from 0 to 1."""
    computing = [number for number, op in enumerate(ops) if not is_stored(op)]
    devices = [None] * len(ops)
    for rank, number in enumerate(computing):
        devices[number] = device_at(rank / max(len(computing) - 1, 1))
    return follow(ops, devices, host)


def cut(ops, host, first, second, at):
    return by_position(ops, host, lambda position: first if position < at else second)


def window(ops, host, outside, inside, begin, end):
    return by_position(ops, host, lambda position: inside if begin <= position < end else outside)


def blocks(ops, host, devices, count, seed):
    """The graph in that many stretches, each on a random device."""
    chosen = random.Random(seed).choices(devices, k=count)
    return by_position(ops, host, lambda position: chosen[min(int(position * count), count - 1)])


def given_plans(ops, devices, accelerator):
    """(name, device of every op). With an accelerator most work stays there, since the CPU is some 50 times slower."""
    host = devices[0]
    plans = []
    if accelerator:
        for share in (0.02, 0.05, 0.1):
            plans.append((f"last {share:.0%} on {host}", cut(ops, host, accelerator, host, 1 - share)))
            plans.append((f"first {share:.0%} on {host}", cut(ops, host, host, accelerator, share)))
        for begin in (0.3, 0.6):
            plans.append((f"4% from {begin:.0%} on {host}", window(ops, host, accelerator, host, begin, begin + 0.04)))
        return plans
    for at in (0.25, 0.5, 0.75):
        plans.append((f"cut at {at:.0%}", cut(ops, host, devices[0], devices[1], at)))
    plans.append(("middle elsewhere", window(ops, host, devices[0], devices[1], 0.3, 0.7)))
    for seed in (1, 2, 3):
        plans.append((f"{4 * seed} stretches", blocks(ops, host, devices, 4 * seed, seed)))
    return plans


def write_plan(path, like, devices, ops):
    """A plan file that differs from `like` (of the same graph) in where ops are."""
    plan = json.loads(pathlib.Path(like).read_text())
    device_of = {op["name"]: device for op, device in zip(ops, devices)}
    for op in plan["ops"]:
        op["device"] = device_of[op["name"]]
        op["priority"] = 0
    plan["predicted"] = {}
    plan["fusions"] = []
    pathlib.Path(path).write_text(json.dumps(plan))
