#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The zoo beside what others published, and beside captured graphs. Deterministic.

zoo_checks.py BERTH memory        what NMT takes on K40s, on one GPU and with a layer per GPU
zoo_checks.py BERTH defaults      step times of NMT as the zoo has it, beside those published for K40m
zoo_checks.py BERTH published     the same at the published sizes (README of github tensorflow/nmt)
zoo_checks.py BERTH captured      models of the zoo beside their captured graphs, on an H200 (needs the data folder)
"""
from lib import cli, markdown, paths

SIZES = "batch=128,unroll={},vocab=32000,hidden=1024,{},gates=joined"
STANDARD, GNMT = "residual=0,bidirectional=0", "attention=gnmt,residual=1,bidirectional=1"
# Published seconds a step on one K40m, and on as many as it has layers.
PUBLISHED = {("nmt-4", "NMT 4 layers", STANDARD): ("2.2", "1.9"), ("nmt-8", "NMT 8 layers", STANDARD): ("3.5", "2.9"),
             ("nmt-4", "NMT + GNMT attention, 4 layers", GNMT): ("2.6", "1.7"), ("nmt-8", "NMT + GNMT attention, 8 layers", GNMT): ("4.2", "1.9")}
MACHINES = {"nmt-2": "k40x2", "nmt-4": "k40x4", "nmt-8": "k40x8"}
NMT4 = "zoo:nmt-4,batch=64,unroll=40,vocab=30000,gates=joined,dropout=0,residual=0,bidirectional=0"
CAPTURED = {"zoo:resnet-50,batch=128": "resnet50.train", "zoo:inception-v3,batch=32": "inception_v3.train", "zoo:gpt2,batch=8": "gpt2.train",
            "zoo:bert-base,batch=32": "bert_base.train", NMT4: "nmt4.train"}


def rows(berth, graph, machine, *words):
    """Answers by planner: one GPU, and a layer per GPU."""
    answer = berth.ask("compare", graph, "--machine", machine, "--planners", "gpu-only,expert-layers", "--quiet", *words)
    return {row["planner"]: row for row in answer["rows"]}


def gib(row):
    fullest = max(device["peak_bytes"] for device in row["devices"] if device["name"] != "cpu")
    return f"{fullest / 2**30:.1f} GiB" + ("" if row["feasible"] else ", does not fit")


def seconds(berth, graph, machine):
    """Step times of one GPU and of a layer per GPU. Where one GPU does not hold it: what it would take, and what is missing."""
    found = rows(berth, graph, machine)
    one, layers = found["gpu-only"], found["expert-layers"]
    over = ""
    if not one["feasible"]:
        over = f" ({one['overflow']['bytes_over'] / 2**20:.0f} MiB over its memory)"
        one = rows(berth, graph, machine, "--set", "gpu0.memory=64GiB")["gpu-only"]
    return f"{one['step_time_s']:.2f}", over, f"{layers['step_time_s']:.2f}"


def memory(berth):
    table = markdown.Printed(["model", "one GPU", "one layer per GPU (fullest)"], "lll")
    for model, machine in MACHINES.items():
        found = rows(berth, f"zoo:{model}", machine)
        table.add(f"`{model}` on `{machine}`", gib(found["gpu-only"]), gib(found["expert-layers"]))


def defaults(berth):
    table = markdown.Printed(["`batch=128`; one GPU / one layer per GPU, seconds", "simulated", "published"], "lll")
    for (model, _, attention), published in PUBLISHED.items():
        gnmt = ",attention=gnmt" if attention == GNMT else ""
        one, over, layers = seconds(berth, f"zoo:{model},batch=128{gnmt}", MACHINES[model])
        table.add(f"`{model}{gnmt}` on `{MACHINES[model]}`", f"{one}{over} / {layers}", " / ".join(published))


def published(berth):
    table = markdown.Printed(["model", "GPUs", "published", "ours, length 50", "ours, length 29"], "lrrrr")
    for (model, words, attention), theirs in PUBLISHED.items():
        ours = [seconds(berth, f"zoo:{model},{SIZES.format(length, attention)}", MACHINES[model]) for length in (50, 29)]
        table.add(words, 1, f"{theirs[0]} s", *(f"{one} s{over}" for one, over, _ in ours))
        table.add(words, model.split("-")[1], f"{theirs[1]} s", *(f"{layers} s" for _, _, layers in ours))


def captured(berth):
    table = markdown.Printed(["model", "zoo, predicted", "captured, measured ops"], "lrr")
    for model, graph in CAPTURED.items():
        steps = [rows(berth, source, "h200")["gpu-only"]["step_time_s"] for source in (model, paths.captured(graph))]
        table.add(f"`{model}` / {graph}", *(f"{1e3 * step:.1f} ms" if step < 0.1 else f"{1e3 * step:.0f} ms" for step in steps))


def main():
    parser = cli.parser(__doc__)
    tables = {"memory": memory, "defaults": defaults, "published": published, "captured": captured}
    parser.add_argument("table", choices=tables)
    flags = parser.parse_args()
    print(f"`{cli.command(parser, flags)}`\n")
    tables[flags.table](flags.berth)


if __name__ == "__main__":
    cli.run(main)
