#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table at the top of README.md: the papers' rows, from what docs/results.md has of them, and the bounds of the program.

readme_table.py BERTH | bench/put_section.py papers README.md
"""
from lib import cli, markdown, paths, units

ROWS = {"inception-v3 on k40x2": "Inception-V3, 2 GPUs", "resnet-152 on k40x2": "ResNet-152, 2 GPUs", "rnnlm on k40x2": "RNNLM, 2 GPUs",
        "nmt-2 on k40x2": "NMT, 2 layers, 2 GPUs", "nmt-4 on k40x4": "NMT, 4 layers, 4 GPUs", "nmt-8 on k40x8": "NMT, 8 layers, 8 GPUs"}


def seconds(cell):
    """The median of a cell such as "532.2 ms [526.8 ms .. 536.4 ms]" or "2.39 s (2.35 s to 2.44 s)", in seconds with three digits."""
    if cell == "OOM":
        return cell
    return three_digits(units.duration(cell.split(" [")[0].split(" (")[0].replace(" ", "")))


def three_digits(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}"


def share(cell):
    return f"{float(cell.split()[0]):.0f} %"


def learned_rows(page):
    """Row: the cells of ours by name, and the paper's gain on the expert."""
    found, last = {}, None
    for line in markdown.table_of(page, "papers-hierarchical", "row"):
        if line["row"]:
            last = found[line["row"].removesuffix(" (t)")] = dict(line)
        else:
            last["paper"] = line["against expert"]
    return found


def lines():
    """(row of the suite, its cells without the bound), as docs/results.md has them."""
    page = paths.RESULTS.read_text()
    learned = learned_rows(page)
    searched = {line["row"]: line for line in markdown.table_of(page, "planners", "row", "lower bound")}
    for row, name in ROWS.items():
        ours = learned[row]
        yield row, [name, *(seconds(ours[key]) for key in ("GPU only", "expert", "ColocRL", "Hierarchical")),
                    f"{share(ours['against expert'])} ({share(ours['paper'])})", f"**{seconds(searched[row]['`auto`'])}**"]


def main():
    parser = cli.parser(__doc__)
    flags = parser.parse_args()
    head = ["model", "one GPU", "human expert", "ColocRL, our preset", "Hierarchical, our preset",
            "its gain on the expert (the paper's algorithm, in the paper)", "**`auto`**", "lower bound"]
    table = markdown.Printed(head, "lrrrrrrr")
    for row, cells in lines():
        model, machine = row.split(" on ")
        answer = flags.berth.ask("compare", f"zoo:{model}", "--machine", machine, "--planners", "gpu-only", "--quiet")
        table.add(*cells, three_digits(answer["rows"][0]["lower_bound_s"]))


if __name__ == "__main__":
    cli.run(main)
