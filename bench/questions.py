#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Short runs that answer questions of docs/questions.md which no other table does: about three minutes of one core for all.

questions.py BERTH tpus      what an even load is worth on TPUs, K40s and A100s
questions.py BERTH balance   step time against how even the load is, from docs/results.md
questions.py BERTH colours   placement as a colouring: ops that could run at once get different devices
questions.py BERTH load      run time, ops, flops or bytes as the load that METIS balances
questions.py BERTH modes     several devices for a training step and for inference
questions.py BERTH sizes     plans of one batch size used at others
questions.py BERTH seeds     learning together, in part and not at all, ten seeds each

Each prints its section: questions.py BERTH tpus | put_section.py questions-tpus docs/questions.md
"""
import collections
import csv
import pathlib
import tempfile

from lib import cli, markdown, paths, results, stats, units

QUICK = ("expert", "metis", "m-etf", "anneal")
MANY = ("random", "round-robin", "expert-layers", "scotch", "mincut", "metis", "heft", "m-topo", "m-etf", "m-sct", "dp", "anneal")
MACHINES = ("k40x8", "a100x8", "tpu-v3x8")
MEASURES = {"run time": "seconds", "ops": None, "flops": "flops", "bytes written": "output_bytes"}
BESIDE = ("gpu-only", "round-robin", "metis", "anneal")
COLOURED = (("inception-v3", "k40x2"), ("rnnlm", "k40x2"), ("nmt-4", "k40x4"), ("gpt2", "a100x8"), ("amoebanet", "a100x8"),
            ("rnnlm", "tpu-v3x8"))
SIZED = (("inception-v3", "k40x4", (8, 32, 128)), ("rnnlm", "k40x4", (8, 32, 128)), ("wavenet", "a100-v100", (4, 16, 64)),
         ("transformer-xl", "p100x4", (2, 8, 32)), ("bert-base", "a100-v100", (8, 32, 128)))
LEAST = 0.01  # of the mean weight: METIS has to see every op
HSDAG = "resnet-50,mode=infer,batch=1"
HETERO = paths.ROOT / "bench" / "papers" / "flex170-hetero-40us.toml"


class Bench:
    def __init__(self, flags, folder):
        self.berth, self.flags, self.folder = flags.berth, flags, pathlib.Path(folder)

    def limits(self, seed=1):
        return ("--evaluations", self.flags.evaluations, "--seed", seed, "--threads", 1)

    def compared(self, graph, machine, planners):
        rows = self.berth.ask("compare", graph, "--machine", machine, "--planners", ",".join(planners), *self.limits())["rows"]
        return {row["planner"]: row for row in rows}

    def placed(self, graph, machine, planner, *more, seed=1):
        return self.berth.ask("place", graph, "--machine", machine, "--planner", planner, *self.limits(seed), *more)

    def as_csv(self, name, graph, machine, planner, *more):
        """The plan of a planner as a file that fits all graphs with these names of ops."""
        plan, table = self.folder / "plan.json", self.folder / f"{name}.csv"
        self.placed(graph, machine, planner, "-o", plan, *more)
        self.berth.run("export", graph, "--machine", machine, "--plan", plan, "--to", "csv", "-o", table, *more)
        return table

    def step(self, graph, machine, plan):
        return results.step_of(self.berth.ask("score", graph, "--machine", machine, "--plan", plan))


def title(bench):
    print(f"`{bench.flags.command}`", end=": ")


def tpus(bench):
    title(bench)
    print("step time over the best of " + ", ".join(f"`{name}`" for name in QUICK) + "; imbalance is the busiest device over the mean of "
          f"those that work, less 1. `anneal` has {bench.flags.evaluations} plans, one seed.\n")
    table = markdown.Printed(["graph", "machine", "best", "by", "its imbalance", "`metis` / best", "its imbalance", "`expert` / best"],
                             "llrlrrrr")
    means = {machine: [] for machine in MACHINES}
    for model in ("inception-v3", "rnnlm", "nmt-4", "gpt2", "moe"):
        for machine in MACHINES:
            rows = bench.compared(f"zoo:{model}", machine, QUICK)
            best = min(rows.values(), key=results.step_of)
            ratios = {name: results.step_of(rows[name]) / results.step_of(best) for name in ("metis", "expert")}
            means[machine].append(ratios["metis"])
            table.add(model, machine, units.seconds(results.step_of(best)), f"`{best['planner']}`", f"{best['imbalance']:.2f}",
                      units.ratio(ratios["metis"]), f"{rows['metis']['imbalance']:.2f}", units.ratio(ratios["expert"]))
    print("\n- `metis` over the best, geometric mean: "
          + ", ".join(f"{units.ratio(stats.geometric_mean(found))} on `{machine}`" for machine, found in means.items()) + ".")


def costs_by(bench, measure, ops):
    """What METIS is told that ops take: in proportion to the measure, as much in all as they really take."""
    column = MEASURES[measure]
    compute = [op for op in ops if op["role"] == "compute"]
    weights = [float(op[column]) if column else 1.0 for op in compute]
    least = LEAST * stats.mean(weights)
    scale = 1e6 * sum(float(op["seconds"]) for op in compute) / sum(max(weight, least) for weight in weights)
    told = bench.folder / "costs.csv"
    with told.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["op", "device", "microseconds"])
        lines.writerows([op["op"], "gpu", f"{scale * max(weight, least):.6f}"] for op, weight in zip(compute, weights))
    return told


def load(bench):
    title(bench)
    print("step time of METIS's plan, always by real costs, when the load that it balances is run time on one GPU, the number of ops, flops, "
          "or bytes written (each scaled to the same sum; METIS's 32 cuts are judged by what it is told). Behind them, over the plans that fit of "
          f"{len(MANY)} planners, how step time ranks with the largest busy time of a device and with the bytes sent (Spearman). One seed.\n")
    table = markdown.Printed(["row", *MEASURES, "plans", "with the largest load", "with bytes sent"], "l" + "r" * (len(MEASURES) + 3))
    over = {measure: [] for measure in MEASURES}
    for model in ("inception-v3", "rnnlm", "nmt-2,batch=64", "gpt2", "wavenet", "amoebanet"):
        graph, machine = f"zoo:{model}", "k40x4"
        whole = bench.as_csv("one", graph, machine, "gpu-only")
        with whole.open() as file:
            ops = list(csv.DictReader(file))
        steps = [bench.step(graph, machine, bench.as_csv("told", graph, machine, "metis", "--costs", costs_by(bench, measure, ops)))
                 for measure in MEASURES]
        for measure, step in zip(MEASURES, steps):
            over[measure].append(step / steps[0])
        fitting = [row for row in bench.compared(graph, machine, MANY).values() if row["feasible"]]
        times = [row["step_time_s"] for row in fitting]
        largest = [max(device["busy_s"] for device in row["devices"]) for row in fitting]
        ranks = (stats.spearman(times, largest), stats.spearman(times, [row["bytes_crossed"] for row in fitting]))
        table.add(f"{model} on {machine}", *map(units.seconds, steps), len(fitting), *(f"{rank:.2f}" for rank in ranks))
    shown = [f"{measure} {stats.geometric_mean(found):.3f} ({min(found):.3f} to {max(found):.3f})" for measure, found in over.items()]
    print("\n- Over run time, geometric mean and range: " + "; ".join(shown[1:]) + ".")


def rows_of_the_suite():
    """(row, [(planner, step, imbalance)]) of the planners that spread work, from the tables of docs/results.md."""
    page = paths.RESULTS.read_text().split("### Every number")[1].split("<!-- planners:end")[0]
    for block in page.split("<details><summary>")[1:]:
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines() if line.startswith("| `")]
        found = [(cells[0].strip("`"), units.duration(cells[1].replace(" ", "")), float(cells[6])) for cells in lines if cells[1] != "OOM"]
        yield block.split(":")[0], [one for one in found if one[0] not in ("single", "cpu-only", "gpu-only")]


def balance(bench):
    title(bench)
    ranks, evenest, busier = [], [], []
    for _, found in rows_of_the_suite():
        ranks.append(stats.spearman([step for _, step, _ in found], [uneven for _, _, uneven in found]))
        best, even = min(found, key=lambda one: one[1]), min(found, key=lambda one: one[2])
        evenest.append(even[1] / best[1])
        busier.append(best[2])
    ranks = [rank for rank in ranks if rank is not None]
    print(f"the {len(evenest)} rows of the suite and all planners that spread work, one plan each. Step time ranks with imbalance by "
          f"{stats.median(ranks):.2f} (Spearman, median of the rows; {sum(rank > 0 for rank in ranks)} of {len(ranks)} above 0). The evenest plan "
          f"takes {stats.geometric_mean(evenest):.3f} of the time of the best one (geometric mean); the busiest device of the best plan has "
          f"{100 * stats.median(busier):.0f} % more to do than the mean (median).")


def levels_of(ops):
    """Of every op, how many ops that take time are on the longest way to it, itself included."""
    levels = []
    for op in ops:
        before = [levels[one] for one, _ in op["inputs"]] + [levels[one] for one in op["control"]]
        levels.append(max(before, default=0) + (max(time or 0 for time in op["time_s"]) > 0))
    return levels


def coloured(problem, by_inputs):
    """A device for every op. Ops of one level, the longest first, get the device with least to do on that level; `by_inputs`: the one that has
    most of their inputs, unless it has more than its share of the level by then."""
    ops, gpus = problem["ops"], [i for i, device in enumerate(problem["devices"]) if device["kind"] != "cpu"]
    levels, work, busy = levels_of(ops), collections.Counter(), collections.Counter()
    for op, level in zip(ops, levels):
        work[level] += op["time_s"][gpus[0]] or 0
    of_unit, of_op = {}, [None] * len(ops)
    timed = [i for i, op in enumerate(ops) if any(op["time_s"])]
    for i in sorted(timed, key=lambda i: (levels[i], -(ops[i]["time_s"][gpus[0]] or 0))):
        allowed = [gpu for gpu in gpus if ops[i]["time_s"][gpu] is not None] or [0]
        there = collections.Counter()
        for one, output in ops[i]["inputs"]:
            there[of_op[one]] += ops[one]["outputs"][output]
        room = [gpu for gpu in allowed if busy[levels[i], gpu] <= work[levels[i]] / len(gpus)] if by_inputs else []
        chosen = max(room, key=lambda gpu: there[gpu]) if room else min(allowed, key=lambda gpu: busy[levels[i], gpu])
        of_op[i] = of_unit.setdefault(ops[i]["colocate"] or i, chosen)
        busy[levels[i], of_op[i]] += ops[i]["time_s"][of_op[i]] or 0
    with_readers(problem, of_op, of_unit, gpus[0])
    return [problem["devices"][device]["name"] for device in of_op]


def with_readers(problem, of_op, of_unit, otherwise):
    """What takes no time goes with its unit, else with its first reader."""
    readers = {}
    for i, op in reversed(list(enumerate(problem["ops"]))):
        if of_op[i] is None:
            near = readers.get(i, otherwise)
            of_op[i] = of_unit.get(op["colocate"], near if problem["devices"][near]["name"] in op["allowed"] else 0)
        readers.update({one: of_op[i] for one, _ in op["inputs"]})


def colours(bench):
    title(bench)
    print("ops of one level of the graph could run at once, so they get different devices: the device with least to do on the level, or the one "
          "that holds most of the op's inputs and has no more than its share of the level. Beside them one GPU, dealing out in order, METIS, and "
          f"`anneal` with {bench.flags.evaluations:,} plans (one seed).\n")
    table = markdown.Printed(["row", "least to do on the level", "most of its inputs", *(f"`{name}`" for name in BESIDE)], "lrrrrrr")
    for model, machine in COLOURED:
        problem = bench.berth.run("graph", "problem", f"zoo:{model}", "--machine", machine).json()
        steps = []
        for by_inputs in (False, True):
            plan = bench.folder / "colours.csv"
            with plan.open("w", newline="") as file:
                csv.writer(file).writerows([("op", "device"), *zip((op["name"] for op in problem["ops"]), coloured(problem, by_inputs))])
            steps.append(bench.step(f"zoo:{model}", machine, plan))
        rows = bench.compared(f"zoo:{model}", machine, BESIDE)
        steps += [results.step_of(rows[name]) for name in BESIDE]
        table.add(f"{model} on {machine}", *map(units.seconds, steps))


def modes(bench):
    title(bench)
    print(f"how many times as fast as the best single device the best of `m-etf` and `anneal` ({bench.flags.evaluations:,} plans) is, and could be by "
          "the lower bound; `p100x4`, one seed.\n")
    table = markdown.Printed(["model", "training: ops", "gain", "at most", "inference: ops", "gain", "at most"], "lrrrrrr")
    gains = {"train": [], "infer": []}
    for model in ("inception-v3", "resnet-50", "rnnlm", "bert-base", "transformer-xl", "wavenet", "gpt2"):
        cells = []
        for mode, found in gains.items():
            rows = bench.compared(f"zoo:{model},mode={mode}", "p100x4", ("single", "m-etf", "anneal"))
            single = results.step_of(rows["single"])
            found.append(single / min(map(results.step_of, rows.values())))
            cells += [f"{rows['single']['ops']:,}", units.ratio(found[-1]), units.ratio(single / rows["single"]["lower_bound_s"])]
        table.add(model, *cells)
    means = [(stats.geometric_mean(found), stats.geometric_mean(sorted(found)[:-1])) for found in gains.values()]
    (training, rest), (inference, left) = means
    print(f"\n- Geometric mean of the gains: {training:.3f} in training, {inference:.3f} in inference; without the largest one {rest:.3f} and {left:.3f}.")


def regret(ratio):
    return "OOM" if ratio == results.OOM else f"{100 * (ratio - 1):.1f} %"


def sizes(bench):
    title(bench)
    print(f"`anneal` plans for every batch size by itself ({bench.flags.evaluations:,} plans, one seed); its plans, order included, are then used at "
          "the other sizes. Regret: how much slower than the best of these plans at that size; OOM: does not fit there.\n")
    table = markdown.Printed(["row", "batch", "best", "plan of the small", "of the middle", "of the large"], "lrrrrr")
    kept = []
    for model, machine, batches in SIZED:
        graphs = [f"zoo:{model},batch={batch}" for batch in batches]
        plans = [bench.as_csv(f"{batch}", graph, machine, "anneal") for batch, graph in zip(batches, graphs)]
        worst = [1.0] * len(plans)
        for batch, graph in zip(batches, graphs):
            steps = [bench.step(graph, machine, plan) for plan in plans]
            ratios = [step / min(steps) for step in steps]
            worst = list(map(max, worst, ratios))
            table.add(f"{model} on {machine}", batch, units.seconds(min(steps)), *map(regret, ratios))
        kept.append(f"{model} {regret(min(worst))}")
    print("\n- One of the three plans for all sizes, worst regret: " + "; ".join(kept) + ".")


def spread(bench, name, table, graph, machine, planner, *more):
    steps = [1e3 * results.step_of(bench.placed(graph, machine, planner, *more, seed=seed)) for seed in range(1, bench.flags.seeds + 1)]
    shown = (stats.mean(steps), stats.deviation(steps), min(steps), stats.median(steps), max(steps))
    table.add(name, *(f"{value:.4g}" for value in shown))


def seeds(bench):
    title(bench)
    print(f"milliseconds a step after {bench.flags.evaluations:,} plans, {bench.flags.seeds} seeds. `hierarchical`: `zoo:inception-v3` on `k40x2`; "
          f"`hsdag`: `zoo:{HSDAG}` on `flex170-hetero-40us`, the machine of HSDAG's tables, without updates near the best plan.\n")
    table = markdown.Printed(["variant", "mean", "deviation", "least", "median", "most"], "lrrrrr")
    inception = ("zoo:inception-v3", "k40x2", "hierarchical")
    spread(bench, "`hierarchical`: Grouper and Placer learn together", table, *inception)
    spread(bench, "groups stay as they begin, the Placer learns", table, *inception, "--option", "grouping=heavy")
    spread(bench, "nothing learns", table, *inception, "--option", "rate=0")
    resnet = (f"zoo:{HSDAG}", HETERO, "hsdag", "--option", "near-best=0")
    spread(bench, "`hsdag`: embedding, parser and devices learn together", table, *resnet)
    spread(bench, "embedding and parser stay from half-way on", table, *resnet, "--option", f"freeze-after={bench.flags.evaluations // 40}")
    spread(bench, "nothing learns", table, *resnet, "--option", "rate=0")


SECTIONS = {"tpus": (tpus, 300), "balance": (balance, 0), "colours": (colours, 300),
            "load": (load, 300), "modes": (modes, 500), "sizes": (sizes, 1000), "seeds": (seeds, 512)}


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("section", choices=SECTIONS)
    parser.add_argument("--evaluations", type=int, help="plans of a search (default: that of the section)")
    parser.add_argument("--seeds", type=int, default=10, help="of the section seeds")
    flags = parser.parse_args()
    flags.command = cli.command(parser, flags)
    section, evaluations = SECTIONS[flags.section]
    flags.evaluations = flags.evaluations or evaluations
    with tempfile.TemporaryDirectory() as folder:
        section(Bench(flags, folder))


if __name__ == "__main__":
    cli.run(main)
