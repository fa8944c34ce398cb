# SPDX-License-Identifier: Apache-2.0
"""What the programs of bench/papers have in common: their options, the plan, and the run."""
import pathlib
import sys

from lib import cli, jobs, paths, store, units
from lib.berth import Berth
from papers.tables import base, rows, schedule

LIMIT_MIN = 180  # of all tables together, two runs at a time


def parser_of(text, tables):
    parser = cli.parser(text, berth=False)
    parser.add_argument("--plan", action="store_true", help="only say how long each table takes")
    parser.add_argument("--minutes", type=float, help="begin no run that would end later than this; the same command goes on")
    parser.add_argument("--tables", nargs="+", metavar="NAME", default=[], help=f"only these: {' '.join(one.name for one in tables)}")
    parser.add_argument("--rows", nargs="+", metavar="TEXT", default=[], help="only rows whose names contain one of these")
    parser.add_argument("--row", action="append", metavar="GRAPH@MACHINE", default=[], help="rows of your own instead of the papers'")
    parser.add_argument("--only", nargs="+", metavar="TEXT", default=[], help="only these variants of ablations")
    parser.add_argument("--berth", type=Berth, default=str(paths.BERTH), help="the program; default build/release/berth")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="processes at a time, each on a core of its own (default 2)")
    parser.add_argument("--out", type=pathlib.Path, default=paths.ROOT / "build" / "papers", help="folder of the runs")
    parser.add_argument("--page", type=pathlib.Path, default=paths.RESULTS, help="Markdown page with the sections' markers")
    parser.add_argument("--images", type=pathlib.Path, help="folder of the charts; default: images beside the page")
    defaults = base.Settings()
    for name in ("main", "learned", "ablation", "classical"):
        parser.add_argument(f"--{name}-budget", default=getattr(defaults, name), metavar="TIME",
                            help=f"of one run; default {getattr(defaults, name)}")
    for name in ("evaluations", "seeds", "random_runs", "ablation_seeds", "many_rows_seeds", "rank_evaluations"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(defaults, name), metavar="N",
                            help="instead of every budget of learned planners" if name == "evaluations" else
                            f"default {getattr(defaults, name)}")
    return parser


def own_row(text):
    graph, _, machine = text.rpartition("@")
    if not graph:
        sys.exit(f"--row: '{text}' is no GRAPH@MACHINE")
    return rows.Row(graph, machine)


def chosen_rows(options):
    found = [own_row(text) for text in options.row] or list(rows.SIX)
    for word in options.rows:
        if not any(word in row.name for row in found):
            sys.exit(f"--rows: no row has '{word}' in its name; they are: {'; '.join(row.name for row in found)}")
    return tuple(row for row in found if not options.rows or any(word in row.name for word in options.rows))


def chosen_tables(options, tables):
    names = [one.name for one in tables]
    for name in options.tables:
        if name not in names:
            sys.exit(f"--tables: no table named '{name}'; there are: {' '.join(names)}")
    return [one for one in tables if not options.tables or one.name in options.tables]


def settings_of(options):
    return base.Settings(
        main=options.main_budget, learned=options.learned_budget, ablation=options.ablation_budget, classical=options.classical_budget,
        evaluations=options.evaluations, seeds=options.seeds, random_runs=options.random_runs, ablation_seeds=options.ablation_seeds,
        many_rows_seeds=options.many_rows_seeds, rank_evaluations=options.rank_evaluations, rows=chosen_rows(options),
        only=tuple(options.only), page=options.page, images=options.images or options.page.parent / "images")


def print_plan(tables, own, processes):
    """Every run counts for the first table that needs it. Runs that depend on results are not counted before, but estimated."""
    seen, total = set(), 0.0
    print(f"{'table':22} {'runs':>5} {'to do':>6} {'minutes':>8}  what")
    for table in tables:
        found = [job for job in jobs.unique(table.jobs(own)) if job not in seen]
        seen.update(found)
        todo = [job for job in found if not own.store.is_settled(job)]
        seconds = sum(job.expected_s * (1 if job.alone else 1 / processes) for job in todo) + table.unknown_s(own) / processes
        minutes = seconds / 60
        total += minutes
        print(f"{table.name:22} {len(found):5} {len(todo):6} {minutes:8.1f}  {table.what}")
    print(f"{'all':22} {len(seen):5} {'':6} {total:8.1f}  {'less' if total < LIMIT_MIN else 'MORE'} than {LIMIT_MIN} min")


def check_budgets(options):
    for name in ("main", "learned", "ablation", "classical"):
        try:
            units.duration(getattr(options, f"{name}_budget"))
        except ValueError as error:
            sys.exit(f"--{name}-budget: {error}")


def run(text, tables):
    """The whole program: its exit code."""
    cli.run(lambda: main(text, tables))


def main(text, tables):
    options = parser_of(text, tables).parse_args()
    check_budgets(options)
    if options.jobs < 1 or min(options.seeds, options.random_runs, options.ablation_seeds, options.many_rows_seeds) < 1:
        sys.exit("--jobs and numbers of seeds must be at least 1")
    tables = chosen_tables(options, tables)
    own = base.Papers(settings_of(options), store.Store(options.berth, options.out), options.berth.planners())
    if options.plan:
        print_plan(tables, own, options.jobs)
        return 0
    plan = schedule.Schedule(own, tables, options.jobs, options.minutes)
    try:
        complete = plan.run()
    except KeyboardInterrupt:
        cli.say("stopped; the same command goes on from here")
        return 130
    for job, why in own.store.failures.items():
        cli.say(f"failed: {job.label}: {why}")
    return 0 if complete and not own.store.failures else 1
