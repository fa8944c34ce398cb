# SPDX-License-Identifier: Apache-2.0
"""What bench/llm_reality recorded: speeds and bytes of llama.cpp beside those of berth llm, as tables and bars."""
from lib import markdown, stats

MOST_ERROR = {"decode": 0.15, "prefill": 0.25}
MOST_BYTES_ERROR = 0.02
LEAST_CELLS = 12
BYTES = ("weights", "cache", "compute")


def speed(cell):
    return stats.median(cell["measured"])


def error(cell):
    return cell["predicted"] / speed(cell) - 1.0


def is_fitted(record, cell):
    """Whether the constants are from its size of a model."""
    return cell["model"].split()[1] == record["fit_on"]


def reported(record, phase=None):
    return [cell for cell in record["cells"] if not is_fitted(record, cell) and phase in (None, cell["phase"])]


def cells_of(cell):
    return (f"{speed(cell):.3g}", f"{cell['predicted']:.3g}", f"{error(cell):+.0%}") if cell else ("", "", "")


def speed_table(record):
    """A line for each model and type: tokens per second measured and predicted."""
    def name_of(phase, depth):
        return f"{phase} behind {depth:,}" if depth else phase

    kinds = sorted({(cell["phase"], cell["depth"]) for cell in record["cells"]})
    head = ["model", "weights"]
    for kind in kinds:
        head += [name_of(*kind), "predicted", ""]
    lines = []
    for model, weights in dict.fromkeys((cell["model"], cell["weights"]) for cell in record["cells"]):
        mine = {(cell["phase"], cell["depth"]): cell for cell in record["cells"] if (cell["model"], cell["weights"]) == (model, weights)}
        fitted = " (fitted)" if model.split()[1] == record["fit_on"] else ""
        lines.append([model + fitted, f"`{weights}`", *(word for kind in kinds for word in cells_of(mine.get(kind)))])
    return markdown.table(head, "ll" + "rrr" * len(kinds), lines)


def byte_errors(record, kind):
    return [abs(row["predicted"][kind] / row["measured"][kind] - 1.0) for row in record["memory"]]


def memory_table(record):
    """A line for each model and type, the longest context; all contexts count for the bars."""
    longest = max(row["context"] for row in record["memory"])
    lines = []
    for row in record["memory"]:
        if row["context"] == longest:
            lines.append([row["model"], f"`{row['weights']}`"])
            for kind in BYTES:
                measured, predicted = row["measured"][kind], row["predicted"][kind]
                lines[-1] += [f"{measured:.1f}", f"{predicted:.1f}", f"{predicted / measured - 1.0:+.1%}"]
    head = ["model", "weights", "weights, MiB", "predicted", "", f"cache of {longest:,}, MiB", "predicted", "", "compute, MiB", "predicted", ""]
    return markdown.table(head, "ll" + "r" * 9, lines)


def bars(record):
    """(what was asked, whether it holds), of the cells that nothing was fitted on."""
    cells = reported(record)
    found = [(f"{len(cells)} cells of models that no constant was fitted on (at least {LEAST_CELLS})", len(cells) >= LEAST_CELLS)]
    for phase, most in MOST_ERROR.items():
        mine = reported(record, phase)
        if not mine:
            continue
        middle = stats.median(abs(error(cell)) for cell in mine)
        inside = sum(cell["band"][0] * cell["predicted"] <= speed(cell) <= cell["band"][1] * cell["predicted"] for cell in mine)
        found.append((f"{phase}: median error {middle:.0%} of {len(mine)} (at most {most:.0%}); {inside} within the band", middle <= most))
    for kind in BYTES:
        worst = max(byte_errors(record, kind))
        found.append((f"{kind}: worst error of bytes {worst:.1%} of {len(record['memory'])} (at most {MOST_BYTES_ERROR:.0%})",
                      worst <= MOST_BYTES_ERROR))
    return found
