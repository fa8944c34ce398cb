#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""llm_speeds.py BERTH: public measurements of llama.cpp beside what berth llm predicts, and what it would predict had it never seen
the machine: the constants of its family are fitted again without it, and if none of the family is left, those of the other families
are taken. Measurements and their sources: bench/recorded/llm_measured.csv. Prints medians of errors and how many are within the bands,
and with --fit the constants that fit all of them best (for src/problem/cost/streaming.cc)."""
import csv
import json
import math
import pathlib
import tempfile

from lib import cli, markdown, paths, stats

RECORDED = paths.ROOT / "bench" / "recorded" / "llm_measured.csv"
PHASES = {"decode": "decode_parts", "prefill": "prefill_parts", "prompt": "prefill_parts"}
MOST_ERROR, LEAST_COVERED = 0.20, 0.90


# Two cores with AVX2 (231 GFLOP/s on paper) of a shared computer, whose memory gave 38 to 55 GB/s in 14 probes.
TWO_CORES = 'model = "two-cores", kind = "cpu", flops = "231 GFLOP/s", bandwidth = "45 GB/s"'

# Models that have no name here, as Llama 3.2 has them.
CONFIGS = {
    "llama-1b": {"num_hidden_layers": 16, "hidden_size": 2048, "num_attention_heads": 32, "head_dim": 64},
    "llama-3b": {"num_hidden_layers": 28, "hidden_size": 3072, "num_attention_heads": 24, "head_dim": 128},
}


def model_file(folder, name):
    if name not in CONFIGS:
        return name
    path = pathlib.Path(folder) / name / "config.json"
    path.parent.mkdir(exist_ok=True)
    common = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "num_key_value_heads": 8, "intermediate_size": 8192,
              "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": True}
    path.write_text(json.dumps({**common, **CONFIGS[name]}))
    return path


def machine_file(folder, device, count):
    """One CPU and so many of a device of the library, on PCIe 4.0; a CPU alone for none."""
    cpu = TWO_CORES if device == "two-cores" else 'model = "ryzen-7950x"'
    lines = [f'name = "{device}x{count}"', f'devices = [{{ name = "cpu", {cpu}, memory = "512 GiB" }}']
    lines[-1] += "".join(f', {{ name = "gpu{i}", model = "{device}", memory = "512 GiB" }}' for i in range(count)) + "]"
    for i in range(count):
        lines += ["[[links]]", 'from = "cpu"', f'to = "gpu{i}"', 'bandwidth = "25 GB/s"', 'latency = "11 us"']
    path = pathlib.Path(folder) / f"{device}x{count}.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def asked(berth, folder, row):
    """What the program says of the cell of a measurement."""
    count, depth, batch = int(row["count"]), int(row["depth"]), int(row["batch"])
    words = ["llm", model_file(folder, row["model"]), "-m", machine_file(folder, row["device"], count), "--weights", row["weights"], "--no-what-if",
             "--margin", "0B", "--ctx", max(4096, depth + 4096)]
    words += ["--prompt-batch", batch] if row["phase"] != "decode" else []
    words += ["--objective", "4096:0"] if row["phase"] == "prompt" else ["--objective", row["phase"], "--depth", depth]
    if count > 1:  # so that all cards are used, layer by layer
        words += ["--flags", "-ngl 99 -ts " + ",".join(["1"] * count)]
    answer = berth.ask(*words)
    if count > 1:
        answer = {**answer, **{key: answer["given"][key] for key in ("decode_tokens_per_s", "prefill_tokens_per_s")}}
    return answer


class Cell:
    """A measurement with the work behind it: seconds at full speed by kind of op."""

    def __init__(self, row, answer):
        self.row, self.device, self.phase = row, row["device"], row["phase"]
        self.measured = float(row["tokens_per_s"])
        self.predicted = answer["decode_tokens_per_s" if self.phase == "decode" else "prefill_tokens_per_s"]
        self.band = answer["decode_band" if self.phase == "decode" else "prefill_band"]
        self.parts = answer[PHASES[self.phase]]
        self.table = max(self.parts, key=lambda part: part["traffic_s"])["table"]
        self.tokens = 1 if self.phase == "decode" else int(row["batch"])


def key_of(part):
    """Constants are shared: by attention, by weights of half precision, and by those with fewer bits."""
    return "attention" if part["op"] == "attention" else ("half" if part["bits"] == 16 else "packed")


def seconds(parts, constants):
    total = 0.0
    for part in parts:
        matrix, traffic, fixed = constants[key_of(part)]
        both = part["arithmetic_s"] / matrix, part["traffic_s"] / traffic
        total += (sum(both) if part["table"] == "CPUs" else max(both)) + part["ops"] * fixed
    return total


START = {"half": (0.6, 0.8, 1e-5), "packed": (0.5, 0.75, 1e-5), "attention": (0.4, 0.6, 1e-5)}
STAY = 0.02  # what it costs to leave START: constants that no cell speaks of stay there


def misfit(cells, constants):
    """Mean of absolute errors in log time: an error of 10 % counts the same everywhere, and outliers do not rule."""
    errors = [abs(math.log(seconds(cell.parts, constants) / cell.tokens * cell.measured)) for cell in cells]
    moves = [abs(math.log(value / begin)) for key in START for value, begin in zip(constants[key], START[key])]
    return sum(errors) / len(errors) + STAY * sum(moves) / len(moves)


def fitted(cells):
    """By coordinate descent from START: few constants, convex enough. Fixed times are shared."""
    constants = dict(START)
    best = misfit(cells, constants)
    step = 1.5
    while step > 1.02:
        improved = False
        for key in constants:
            for place in range(3):
                for factor in (step, 1 / step):
                    trial = {other: list(values) for other, values in constants.items()}
                    targets = list(trial) if place == 2 else [key]
                    for target in targets:
                        trial[target][place] = min(trial[target][place] * factor, 1.5 if place < 2 else 1e-4)
                    trial = {other: tuple(values) for other, values in trial.items()}
                    found = misfit(cells, trial)
                    if found < best - 1e-9:
                        best, constants, improved = found, trial, True
        if not improved:
            step = math.sqrt(step)
    return constants


NEXT_OF_KIN = {"NVIDIA, shared memory": "NVIDIA cards", "AMD, shared memory": "AMD"}


def without(cells, device):
    """Constants for a device that nobody measured: of its family, else of the nearest, else of all other GPUs."""
    others = [cell for cell in cells if cell.device != device]
    mine = next(cell.table for cell in cells if cell.device == device)
    family = [cell for cell in others if cell.table == mine]
    kin = [cell for cell in others if cell.table == NEXT_OF_KIN.get(mine)]
    kinds = [cell for cell in others if (cell.table == "CPUs") == (mine == "CPUs")]
    found = family or kin or kinds
    return fitted(found) if found else None


def error(predicted, measured):
    return predicted / measured - 1.0


def show(title, cells, unseen):
    print(f"\n{title}\n")
    table = markdown.Printed(["device", "model", "phase", "depth", "measured", "predicted", "", "not having seen it", "", "source"], "llrrrrrrrl")
    for cell in cells:
        row = cell.row
        guess = unseen.get(id(cell))
        model = f"{row['model']} {row['weights']}" + (f" x{row['count']}" if int(row["count"]) > 1 else "")
        table.add(f"`{cell.device}`", model, row["phase"], row["depth"], f"{cell.measured:,.4g}", f"{cell.predicted:,.4g}",
                  f"{error(cell.predicted, cell.measured):+.0%}", "-" if guess is None else f"{guess:,.4g}",
                  "-" if guess is None else f"{error(guess, cell.measured):+.0%}", row["source"])


def middle(cells, values, phase):
    errors = [abs(error(values[id(cell)], cell.measured)) for cell in cells if (cell.phase == "decode") == (phase == "decode") and id(cell) in values]
    return f"{stats.median(errors):.0%} of {len(errors)}" if errors else "-"


def summarise(cells, seen, unseen):
    """Medians of errors by device."""
    table = markdown.Printed(["device", "taken for", "decode", "not having seen it", "prefill", "not having seen it"], "llrrrr")
    for device in dict.fromkeys(cell.device for cell in cells):
        mine = [cell for cell in cells if cell.device == device]
        table.add(f"`{device}`", mine[0].table, middle(mine, seen, "decode"), middle(mine, unseen, "decode"), middle(mine, seen, "prefill"),
                  middle(mine, unseen, "prefill"))


def bars_of(cells, values, what):
    bars = []
    for phase in ("decode", "prefill"):
        mine = [cell for cell in cells if cell.phase == phase and id(cell) in values]
        errors = [abs(error(values[id(cell)], cell.measured)) for cell in mine]
        inside = [cell.band[0] * values[id(cell)] <= cell.measured <= cell.band[1] * values[id(cell)] for cell in mine]
        if not mine:
            continue
        share, middle = sum(inside) / len(mine), stats.median(errors)
        ratios = [cell.measured / values[id(cell)] for cell in mine]
        reach = f"; nine of ten between {stats.quantile(ratios, 0.05):.2f} and {stats.quantile(ratios, 0.95):.2f} times"
        bars.append((f"{phase}, {what}: median error {middle:.0%} of {len(mine)} (at most {MOST_ERROR:.0%}){reach}", middle <= MOST_ERROR))
        bars.append((f"{phase}, {what}: {sum(inside)} of {len(mine)} within the band (at least {LEAST_COVERED:.0%})", share >= LEAST_COVERED))
    return bars


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--fit", action="store_true", help="print the constants that fit best")
    parser.add_argument("--every", action="store_true", help="every measurement beside its prediction")
    args = parser.parse_args()
    with open(RECORDED) as file, tempfile.TemporaryDirectory() as folder:
        cells = [Cell(row, asked(args.berth, folder, row)) for row in csv.DictReader(file)]
    fit = [cell for cell in cells if cell.row["table"] == "fit"]
    check = [cell for cell in cells if cell.row["table"] == "check"]
    unseen = {}
    for device in sorted({cell.device for cell in fit}):
        constants = without(fit, device)
        for cell in fit:
            if constants is not None and cell.device == device:
                unseen[id(cell)] = cell.tokens / seconds(cell.parts, constants)
    seen = {id(cell): cell.predicted for cell in cells}
    print(f"`{cli.command(parser, args)}`: medians of absolute errors\n")
    summarise(fit, seen, unseen)
    if args.every:
        show("Fitted on", fit, unseen)
    show("Several cards, nothing fitted", check, {})
    if args.fit:
        print("\nBest constants: share of the matrix peak, share of the bandwidth, fixed seconds")
        for table in sorted({cell.table for cell in fit}):
            for key, values in fitted([cell for cell in fit if cell.table == table]).items():
                print(f"- {table}, {key}: {values[0]:.2f} {values[1]:.2f} {values[2]:.1e}")
    print()
    devices = {table: {cell.device for cell in fit if cell.table == table} for table in {cell.table for cell in fit}}
    alone = [cell for cell in fit if len(devices[cell.table]) == 1]
    for what, _ in bars_of(alone, unseen, "no machine of the family left"):
        print(f"- no bar: {what}")
    kept = [cell for cell in fit if len(devices[cell.table]) > 1]
    gpus, cpus = [cell for cell in kept if cell.table != "CPUs"], [cell for cell in kept if cell.table == "CPUs"]
    return markdown.print_bars(bars_of(fit, seen, "as it is") + bars_of(gpus, unseen, "GPU left out") +
                               bars_of(cpus, unseen, "CPU left out, the other one known"))


if __name__ == "__main__":
    cli.run(main)
