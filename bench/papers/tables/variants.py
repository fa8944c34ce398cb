# SPDX-License-Identifier: Apache-2.0
"""Tables of one planner with its options changed, one line per variant."""
import dataclasses

from lib import markdown, stats, units
from lib.results import OOM, over
from papers.tables import rows as row_facts
from papers.tables.base import Table


@dataclasses.dataclass(frozen=True)
class Variant:
    name: str
    options: tuple = ()
    preset: str = ""
    planner: str = "hierarchical"


DEFAULT = Variant("default")


@dataclasses.dataclass(frozen=True)
class Ablation:
    """`parts`: (heading, variants). The first of `base` is what the others are compared with."""
    name: str
    what: str
    base: Variant
    parts: tuple
    models: tuple | None = None  # all rows if None
    kind: str = "ablation"       # of budget
    seeds: str = "ablation_seeds"  # which setting
    said: str = ""               # what else a reader should know
    note: object = None          # papers -> more text

    def rows(self, papers):
        return papers.rows_of(self.models) if self.models else list(papers.rows)

    def runs(self, papers, row, variant):
        return papers.train(row, variant.planner, self.kind, seeds=getattr(papers.settings, self.seeds), preset=variant.preset,
                            options=variant.options)

    def chosen_parts(self, papers):
        """Parts with the variants that the settings ask for."""
        only = papers.settings.only
        for heading, variants in self.parts:
            found = [variant for variant in variants if not only or any(word in f"{heading} {variant.name}" for word in only)]
            if found:
                yield heading, found

    def jobs(self, papers):
        chosen = [variant for _, variants in self.chosen_parts(papers) for variant in variants]
        for row in self.rows(papers):
            for variant in (self.base, *chosen):
                yield from self.runs(papers, row, variant)

    def line(self, papers, variant, heading):
        ratios, cells, counts = [], [], []
        for row in self.rows(papers):
            wanted = self.runs(papers, row, variant)
            ratio = over(papers.median(wanted), papers.median(self.runs(papers, row, self.base)))
            ratios.append(ratio)
            cells += [papers.show(wanted), units.ratio(ratio)]
            counts.append(papers.evaluations(wanted))
        known = [ratio for ratio in ratios if 0 < ratio < OOM]
        lacks = len(ratios) - len(known)
        mean = units.ratio(stats.geometric_mean(known)) + (f" ({lacks} lacking)" if lacks else "")
        return [heading, variant.name, *cells, mean, " / ".join(f"{count:,}" for count in counts)]

    def text(self, papers):
        rows = self.rows(papers)
        count, budget = getattr(papers.settings, self.seeds), papers.settings.budget(self.kind)
        lines = [self.line(papers, self.base, "")]
        for heading, variants in self.chosen_parts(papers):
            lines += [self.line(papers, variant, heading if i == 0 else "") for i, variant in enumerate(variants)]
        head = ["", "variant", *(cell for row in rows for cell in (row.shown, "ratio")), "mean ratio", "evaluations"]
        seeds = f"{count} seeds, median [least .. most]" if count > 1 else "one seed: differences of a few percent are chance"
        intro = (f"`bench/papers/ablations`: {budget.text} a run, {seeds}. Ratios are to the first line; above 1 is slower. OOM: "
                 f"no plan that fits was found. {self.said} {row_facts.TUNED_NOTE}\n")
        more = [self.note(papers)] if self.note else []
        return "\n".join([intro, markdown.table(head, "ll" + "rr" * len(rows) + "rr", lines), *more])

    def table(self):
        return Table(self.name, self.what, self.jobs, self.text)
