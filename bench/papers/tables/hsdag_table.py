# SPDX-License-Identifier: Apache-2.0
"""HSDAG (Duan et al., NeurIPS 2024) on its three models and the machine it was measured on, as far as Berth can tell it, beside the
proved optimum; and what its parts are worth."""
import dataclasses

from lib import markdown, paths, stats, units
from papers.tables import jobs as made, rows
from papers.tables.base import Table, published
from papers.tables.variants import Ablation, Variant

MACHINE = "flex170-hetero"
# Starting an op on the GPU takes 40 us and a region nothing: there the optimum is on both devices, and known.
SHARED = str(paths.ROOT / "bench" / "papers" / "flex170-hetero-40us.toml")
LEARNED = ("placeto", "colocrl", "hsdag")  # in the order of the table
EPISODES, STEPS = 100, 20  # the paper's
WITHIN = 1.03              # of the optimum
FREEZE_AFTER = 12          # updates: half of those that 500 plans make
SEARCH_NOTE = "Search is wall time of one thread."


@dataclasses.dataclass(frozen=True)
class NamedRow(rows.Row):
    title: str = ""

    @property
    def model(self):
        return self.title

    @property
    def name(self):
        return self.title + (", 40 us" if self.machine == SHARED else "")


def three(machine):
    return (NamedRow("zoo:inception-v3,mode=infer,batch=1", machine, 0.002, "inception-v3"),
            NamedRow(str(paths.ROOT / "tests" / "data" / "openvino" / "resnet50_fp16.xml.gz"), machine, 0.001, "resnet-50 (OpenVINO IR)"),
            NamedRow("zoo:bert-base,mode=infer,batch=1", machine, 0.002, "bert-base"))


ROWS, SHARED_ROWS = three(MACHINE), three(SHARED)

# Table 2 and 5: latencies of CPU-only, GPU-only, Placeto, RNN-based and HSDAG, and HSDAG's search, in seconds.
PUBLISHED = {
    "inception-v3": (0.0128, 0.0120, 0.0116, 0.0128, 0.0105, 2454),
    "resnet-50 (OpenVINO IR)": (0.0160, 0.00781, 0.00932, 0.00875, 0.00766, 1047),
    "bert-base": (0.00638, 0.00277, 0.00651, rows.OOM, 0.00267, 2765),
}


def all_rows(papers):
    own = [row for row in papers.rows if row not in rows.SIX]  # of the user
    return own or [*ROWS, *SHARED_ROWS]


def budget(papers):
    return made.Budget(evaluations=papers.settings.evaluations or EPISODES * STEPS)


def learned(papers, row, planner):
    found = [made.place(row, planner, seed, budget(papers), searches=True) for seed in papers.seeds()]
    return [dataclasses.replace(job, expected_s=2 * made.seconds(budget(papers), row, learns=True)) for job in found]


def quick(papers, row, planner):
    return [made.place(row, planner, 1, made.Budget(papers.settings.classical))]


def jobs(papers):
    """What has something to show first: `hsdag` where both devices work."""
    found = sorted(all_rows(papers), key=lambda row: row in ROWS)
    for row in found:
        for planner in ("cpu-only", "gpu-only", "mincut-exact"):
            yield from quick(papers, row, planner)
    for planner in ("hsdag", "colocrl", "placeto"):
        for row in found:
            yield from learned(papers, row, planner)


def search_s(papers, wanted):
    return stats.upper_median(answer.get("search_s") or 0.0 for answer in papers.answers(wanted)) or 0.0


def times_of(papers, wanted):
    return [answer["step_time_s"] for answer in papers.answers(wanted) if answer["feasible"]]


def beside_gpu(words, value, gpu):
    """A time with its ratio to that of the GPU alone, which is what can be compared with the paper's."""
    return words if value in (None, rows.OOM) else f"{words} ({units.ratio(value / gpu)})"


def lines(papers):
    for row in all_rows(papers):
        gpu = papers.median(quick(papers, row, "gpu-only"))
        best = papers.median(quick(papers, row, "mincut-exact"))
        wanted = [quick(papers, row, "cpu-only"), quick(papers, row, "gpu-only"), *(learned(papers, row, name) for name in LEARNED)]
        mine = papers.median(wanted[-1])
        yield [row.name, "here", *(beside_gpu(papers.show(one) if papers.cell(one) else "not run", papers.median(one), gpu) for one in wanted),
               beside_gpu(units.seconds(best), best, gpu), units.ratio(mine / best), units.seconds(search_s(papers, wanted[-1]))]
        if row in ROWS:
            *times, search = PUBLISHED[row.model]
            yield ["", "paper", *(beside_gpu(published(time), time, times[1]) for time in times), "-", "-", units.seconds(search)]


def checks(papers):
    found = all_rows(papers)
    for words, rows_of_kind in (("the paper's machine", [row for row in found if row.machine != SHARED]),
                                ("the machine where both devices work", [row for row in found if row.machine == SHARED])):
        over = [time / papers.median(quick(papers, row, "mincut-exact"))
                for row in rows_of_kind for time in times_of(papers, learned(papers, row, "hsdag"))]
        near = sum(ratio <= WITHIN for ratio in over)
        if over:
            yield (f"- {markdown.verdict(near == len(over))}: on {words} `hsdag` is within 3 % of the proved optimum in {near} of {len(over)} runs, at "
                   f"worst {units.ratio(max(over))} of it.\n")
    runs = [(row, time) for row in found for time in times_of(papers, learned(papers, row, "hsdag"))]
    worse = sum(time > papers.median(quick(papers, row, "gpu-only")) for row, time in runs)
    yield f"- {markdown.verdict(worse == 0)}: `hsdag` is worse than one GPU in {worse} of {len(runs)} runs.\n"


def text(papers):
    head = ["model", "", "CPU", "GPU", "Placeto", "RNN-based (`colocrl`)", "HSDAG", "optimum", "HSDAG / optimum", "search"]
    count = papers.settings.seeds
    spread = units.seeds(count) + (", median [least .. most]" if count > 1 else "")
    return "\n".join([
        f"`bench/papers/hsdag`: one inference on `{MACHINE}`, where nothing overlaps and the optimum is known (`mincut-exact`); learned planners "
        f"with {budget(papers).text} (as many as the paper's {EPISODES} episodes of {STEPS} steps); {spread}. In brackets the "
        "ratio to the GPU alone. The published rows (tables 2 and 5) were measured under OpenVINO on that machine; ours are simulated with a cost of "
        "regions that is assumed, so ratios can be compared and seconds cannot. There the proved optimum is the GPU alone, which `hsdag` "
        "measures first; so the rows with `40 us` have the same models on a machine of ours where starting an op on the GPU takes 40 us (what "
        "the published latencies of one GPU come to, divided by the ops) and regions cost nothing: there the optimum is on both devices. "
        f"{SEARCH_NOTE}\n",
        markdown.table(head, "ll" + "r" * 8, list(lines(papers))), "".join(checks(papers))])


TABLE = Table("hsdag", "HSDAG on its three models", jobs, text)


class HsdagAblation(Ablation):
    """Without the trial of single devices that the planner makes before it learns."""

    def rows(self, papers):
        """Where both devices work."""
        own = [row for row in papers.rows if row not in rows.SIX]
        return own or list(SHARED_ROWS)

    def runs(self, papers, row, variant):
        seeds = papers.seeds(getattr(papers.settings, self.seeds))
        return [made.train(row, variant.planner, seed, budget(papers), variant.preset, variant.options) for seed in seeds]

    def text(self, papers):
        told = super().text(papers).replace("bench/papers/ablations", "bench/papers/hsdag").replace(f" {rows.TUNED_NOTE}", "")
        return told.replace(papers.settings.budget(self.kind).text, budget(papers).text, 1)


def variant(name, *options, preset=""):
    return Variant(name, options, preset, "hsdag")


def alone(name, *options):
    """Of the policy by itself: plans near the best one would hide what the network is worth."""
    return variant(name, "near-best=0", *options)


NO_LEARNING = "rate=0.000001"  # as little as the option takes
SAID = "On a machine where the optimum is on both devices. All by `train`, so that single devices count only if they are drawn."
BASE = alone("the policy by itself")
ABLATION = HsdagAblation(
    "hsdag-ablation", "what the parts of HSDAG are worth", BASE,
    (("features", (alone("without output shape", "node-shapes=off"), alone("without node id", "position=none"),
                   alone("without structure (degrees, fractal)", "degrees=off", "fractal=off"),
                   alone("without the fractal dimension", "fractal=off"),
                   alone("without costs and devices", "cost-features=off", "device-features=off"))),
     ("clusters", (alone("METIS", "parser=metis", "groups=0"), alone("frozen random scores", "parser=frozen"),
                   alone("every set by itself", "parser=none"), alone("without loops", "self-loops=off"),
                   alone("without noise in parsing", "parse-noise=0"))),
     ("end to end", (alone("embedding and parser frozen half-way", f"freeze-after={FREEZE_AFTER}"),)),
     ("coarsening", (alone("sole parent", "coarsening=sole-parent"), alone("none", "coarsening=none"))),
     ("update", (alone("without a baseline", "baseline=none"), alone("PPO", "epochs=3", "ratio-clip=0.2"),
                 alone("with a bonus for entropy", "entropy=0.02"), alone("nothing is learned", NO_LEARNING))),
     ("start", (alone("all devices alike", "start-by-times=0", "start-by-speed=off"),)),
     ("preset", (variant("default: with plans near the best"), variant("paper", preset="paper"), variant("released", preset="released")))),
    said=SAID).table()
DEFAULTS = HsdagAblation(
    "hsdag-default", "what is left of HSDAG's default without each of its parts", variant("default"),
    (("plans near the best", (variant("none", "near-best=0"), variant("all after the first update", "near-best=1"),
                              variant("clusters anywhere alone", "near-stretches=0"), variant("stretches alone", "near-stretches=1"))),
     ("clusters", (variant("without noise in parsing", "parse-noise=0"), variant("without loops", "self-loops=off"),
                   variant("every set by itself", "parser=none"), variant("METIS", "parser=metis", "groups=0"))),
     ("update", (variant("nothing is learned", NO_LEARNING), variant("PPO", "epochs=3", "ratio-clip=0.2"),
                 variant("with a bonus for entropy", "entropy=0.02"))),
     ("start", (variant("all devices alike", "start-by-times=0", "start-by-speed=off"),))),
    said=SAID).table()
TABLES = (TABLE, ABLATION, DEFAULTS)
