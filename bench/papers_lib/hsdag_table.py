# SPDX-License-Identifier: Apache-2.0
"""HSDAG (Duan et al., NeurIPS 2024) on its three models and the machine it was measured on, as far as Berth can tell it, beside the
proved optimum; and what its parts are worth."""
import dataclasses

from papers_lib import jobs as made, rows
from papers_lib.papers import Table, published, seeds_text, shown, verdict
from papers_lib.variants import Ablation, Variant
from planners_lib import report, suite

MACHINE = "flex170-hetero"
# Starting an op on the GPU takes 40 us and a region nothing: there the optimum is on both devices, and known.
SHARED = str(suite.ROOT / "bench" / "papers" / "flex170-hetero-40us.toml")
EPISODES, STEPS = 100, 20  # the paper's
WITHIN = 1.03              # of the optimum


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
            NamedRow(str(suite.ROOT / "tests" / "data" / "openvino" / "resnet50_fp16.xml.gz"), machine, 0.001, "resnet-50 (OpenVINO IR)"),
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
    return [made.place(row, planner, seed, budget(papers), searches=True) for seed in papers.seeds()]


def quick(papers, row, planner):
    return [made.place(row, planner, 1, made.Budget(papers.settings.classical))]


def jobs(papers):
    for row in all_rows(papers):
        for planner in ("cpu-only", "gpu-only", "mincut-exact"):
            yield from quick(papers, row, planner)
        for planner in ("hsdag", "colocrl", "placeto"):
            yield from learned(papers, row, planner)


def search_s(papers, wanted):
    times = sorted(answer.get("search_s") or 0.0 for answer in papers.answers(wanted))
    return times[len(times) // 2] if times else 0.0


def lines(papers):
    for row in all_rows(papers):
        best = papers.median(quick(papers, row, "mincut-exact"))
        gpu = papers.median(quick(papers, row, "gpu-only"))
        wanted = learned(papers, row, "hsdag")
        mine = papers.median(wanted)
        yield [row.name, "here", *(papers.show(quick(papers, row, name)) for name in ("cpu-only", "gpu-only")),
               *(papers.show(learned(papers, row, name)) for name in ("placeto", "colocrl")), papers.show(wanted), report.seconds(best), report.ratio(mine / best),
               report.ratio(mine / gpu), report.seconds(search_s(papers, wanted))]
        if row in ROWS:
            cpu, one, placeto, rnn, hsdag, search = PUBLISHED[row.model]
            yield ["", "paper", *map(published, (cpu, one, placeto, rnn, hsdag)), "-", "-", report.ratio(hsdag / one),
                   report.seconds(search)]


def checks(papers):
    found = all_rows(papers)
    for words, rows_of_kind in (("the paper's machine", [row for row in found if row.machine != SHARED]),
                                ("the machine where both devices work", [row for row in found if row.machine == SHARED])):
        near = [row for row in rows_of_kind
                if papers.median(learned(papers, row, "hsdag")) <= WITHIN * papers.median(quick(papers, row, "mincut-exact"))]
        if rows_of_kind:
            yield (f"- {verdict(len(near) == len(rows_of_kind))}: on {words} `hsdag` is within 3 % of the proved optimum on {len(near)} of "
                   f"{len(rows_of_kind)} rows.\n")
    worse = [row for row in found if papers.median(learned(papers, row, "hsdag")) > papers.median(quick(papers, row, "gpu-only"))]
    yield f"- {verdict(not worse)}: `hsdag` is worse than one GPU on {len(worse)} of {len(found)} rows.\n"


def text(papers):
    head = ["model", "", "CPU", "GPU", "Placeto", "RNN-based (`colocrl`)", "HSDAG", "optimum", "HSDAG / optimum", "HSDAG / GPU", "search"]
    return "\n".join([
        f"`bench/papers/hsdag`: one inference on `{MACHINE}`, where nothing overlaps and the optimum is known (`mincut-exact`); learned planners "
        f"with {budget(papers).text} (the paper's {EPISODES} episodes of {STEPS} steps) and {seeds_text(papers.settings.seeds)}, median [least .. "
        "most]. The published rows (tables 2 and 5) were measured under OpenVINO on that machine; ours are simulated with a cost of "
        "regions that is assumed, so ratios can be compared and seconds cannot. There the proved optimum is the GPU alone, which every planner "
        "tries first; so the rows with `40 us` have the same models on a machine of ours where starting an op on the GPU takes 40 us (what "
        "the published latencies of one GPU come to, divided by the ops) and regions cost nothing: there the optimum is on both devices.\n",
        report.table(head, "ll" + "r" * 9, list(lines(papers))), "".join(checks(papers))])


TABLE = Table("hsdag", "HSDAG on its three models", jobs, text)


class HsdagAblation(Ablation):
    """With the paper's number of plans, and without the trial of single devices that the planner makes before it learns."""

    def rows(self, papers):
        """One of each kind: the smallest model."""
        own = [row for row in papers.rows if row not in rows.SIX]
        return own or [ROWS[1], SHARED_ROWS[1]]

    def runs(self, papers, row, variant):
        seeds = papers.seeds(getattr(papers.settings, self.seeds))
        return [made.train(row, variant.planner, seed, budget(papers), variant.preset, variant.options) for seed in seeds]

    def text(self, papers):
        told = super().text(papers).replace("bench/papers/ablations", "bench/papers/hsdag")
        return told.replace(papers.settings.budget(self.kind).text, budget(papers).text, 1)


def variant(name, *options, preset=""):
    return Variant(name, options, preset, "hsdag")


BASE = variant("default")
ABLATION = HsdagAblation(
    "hsdag-ablation", "what the parts of HSDAG are worth", BASE,
    (("features", (variant("without output shape", "node-shapes=off"), variant("without node id", "position=none"),
                   variant("without structure (degrees, fractal)", "degrees=off", "fractal=off"),
                   variant("without the fractal dimension", "fractal=off"),
                   variant("without costs and devices", "cost-features=off", "device-features=off"))),
     ("clusters", (variant("METIS", "parser=metis", "groups=0"), variant("frozen random scores", "parser=frozen"),
                   variant("every set by itself", "parser=none"))),
     ("coarsening", (variant("sole parent", "coarsening=sole-parent"), variant("none", "coarsening=none"))),
     ("network", (variant("GAT", "gnn=gat"), variant("GIN", "gnn=gin"), variant("directed GCN", "directed=on"),
                  variant("two rounds", "poolings=2"))),
     ("update", (variant("REINFORCE, no baseline", "baseline=none", "epochs=1", "ratio-clip=0"),
                 variant("REINFORCE, baseline", "epochs=1", "ratio-clip=0"))),
     ("preset", (variant("paper", preset="paper"), variant("released", preset="released")))),
    said="All by `train`, so that single devices count only if they are drawn.").table()
TABLES = (TABLE, ABLATION)
