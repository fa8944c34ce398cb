# SPDX-License-Identifier: Apache-2.0
"""Leaderboards with functions as planners, and suites as arrays."""
import json
import os
import pickle
import signal
import threading
import time

import pytest

import berth

np = pytest.importorskip("numpy")
TWO = {"suite": "exact", "rows": ["zoo-moe-rtx", "zoo-rnnlm-k40x2"]}
QUICK = {**TWO, "evaluations": 30, "seeds": 2}


def by_chance(problem, budget):
    """Random plans until the budget ends it."""
    random = np.random.default_rng(budget.seed)
    units = problem.units
    while True:
        problem.evaluate(np.stack([random.choice(np.flatnonzero(allowed), 8) for allowed in units.allowed], axis=1), of=units)


def cell(board, problem, planner):
    row = next(row for row in board.problems if row["name"] == problem)
    return next(one for one in row["planners"] if one["planner"] == planner)


def notes(board, planner):
    return [run["note"] for problem in board.problems for one in problem["planners"] if one["planner"] == planner for run in one["runs"]]


def test_functions_stand_beside_planners_with_equal_evaluations(tmp_path):
    board = berth.bench({"mine": by_chance, "heft": "heft", "annealer": "anneal"}, **QUICK)
    assert {one["planner"] for one in board.standings} == {"mine", "heft", "annealer"}
    for problem in ("zoo-moe-rtx", "zoo-rnnlm-k40x2"):
        runs = cell(board, problem, "mine")["runs"]
        assert [(run["seed"], run["evaluations"]) for run in runs] == [(1, 30), (2, 30)]
        assert len(cell(board, problem, "heft")["runs"]) == 1
    for ending in ("html", "csv", "json"):
        board.save(tmp_path / f"board.{ending}")
    assert json.loads((tmp_path / "board.json").read_text()) == board.answer()
    assert "<h1>Leaderboard exact/1 in part</h1>" in (tmp_path / "board.html").read_text()
    assert str(board).startswith("exact/1 in part: 2 problems, 30 evaluations a run, seeds 1 to 2\nplanner")
    with pytest.raises(berth.BerthError, match="as .html, .csv or .json"):
        board.save(tmp_path / "board.pdf")


def test_a_problem_stays_where_its_plans_are_counted():
    def elsewhere(problem, budget):
        return pickle.dumps((problem, budget.seed))
    board = berth.bench({"elsewhere": elsewhere}, **QUICK)
    assert all("stays in its process, where its plans are counted" in note for note in notes(board, "elsewhere"))


def test_a_seed_gives_one_table():
    first, second = (berth.bench({"mine": by_chance}, **QUICK).problems for _ in range(2))
    times = [[run["step_time_s"] for problem in board for run in problem["planners"][0]["runs"]] for board in (first, second)]
    assert times[0] == times[1] and None not in times[0]


def test_what_a_function_may_return():
    def as_array(problem, budget):
        return problem.devices_of({}, rest="cpu")

    def as_dict(problem, budget):
        return {name: "cpu" for name in problem.op_names}

    def as_plan(problem, budget):
        return berth.problem(f"exact:{problem.graph.title}").plan({}, rest="cpu")

    def with_priorities(problem, budget):
        return problem.devices_of({}, rest="cpu"), np.arange(len(problem.op_names))[::-1]

    board = berth.bench({"array": as_array, "dict": as_dict, "plan": as_plan, "order": with_priorities}, **QUICK)
    for problem in board.problems:
        medians = [one["median_s"] for one in problem["planners"]]
        assert medians[0] is not None and medians[0] == medians[1] == medians[2]
        assert medians[3] is not None


def test_what_fails_is_a_row_that_says_so():
    def illegal(problem, budget):
        return np.full(len(problem.op_names), 99)

    def broken(problem, budget):
        raise KeyError("no such thing")

    def idle(problem, budget):
        return None

    def cheating(problem, budget):
        return problem.plan({}, rest="cpu")

    board = berth.bench({"illegal": illegal, "broken": broken, "idle": idle, "cheating": cheating, "heft": "heft"},
                        **{**QUICK, "seeds": 1})
    assert "device 99" in notes(board, "illegal")[0]
    assert "KeyError" in notes(board, "broken")[0] and "test_bench.py, line" in notes(board, "broken")[0]
    assert notes(board, "idle")[0] == "it has evaluated no plan and returned none"
    assert "outside the budget" in notes(board, "cheating")[0]
    assert [one["has"] for one in board.standings] == [2, 0, 0, 0, 0]


def test_the_budget_counts_whatever_the_function_does():
    kept = []

    def greedy(problem, budget):
        assert (budget.evaluations, budget.evaluations_left, budget.seconds_left, budget.is_spent) == (0, 30, None, False)
        rows = np.stack([problem.devices_of({}, rest=0)] * 20)
        assert len(problem.evaluate(rows)) == 20 and budget.evaluations_left == 10
        with pytest.raises(berth.BudgetSpent):
            problem.evaluate(rows)  # ten of these are simulated
        assert budget.is_spent and budget.evaluations == 30
        with pytest.raises(berth.BudgetSpent):
            problem.evaluate(rows)
        kept.append((problem, rows))
        return rows[0]

    board = berth.bench({"greedy": greedy}, **{**QUICK, "seeds": 1})
    assert [run["evaluations"] for problem in board.problems for run in problem["planners"][0]["runs"]] == [30, 30]
    with pytest.raises(berth.BudgetSpent):  # nor afterwards
        kept[0][0].evaluate(kept[0][1])


def test_moves_are_counted_too():
    def mine(problem, budget):
        base = problem.devices_of({}, rest="cpu")
        unit = int(np.flatnonzero(problem.units.allowed[:, 1])[0])
        units = np.zeros(len(problem.units), int)  # all on device 0
        assert (problem.units.spread(units) == base).all()
        scores = problem.evaluate_moves(units, [[plan, unit, plan % 2] for plan in range(12)], of=problem.units)
        assert len(set(scores.picoseconds[::2].tolist())) == 1
        assert budget.evaluations == 12 and len(scores) == 12 and scores.on_cpu == 12

    board = berth.bench({"mine": mine}, **{**QUICK, "seeds": 1})
    assert [run["evaluations"] for problem in board.problems for run in problem["planners"][0]["runs"]] == [12, 12]


def test_scores_are_those_of_the_problem():
    seen = []

    def mine(problem, budget):
        random = np.random.default_rng(3)
        rows = problem.units.spread(np.stack([random.choice(np.flatnonzero(allowed), 10) for allowed in problem.units.allowed], axis=1))
        order = random.random(len(problem.op_names))
        seen.append((problem.graph.title, rows, order, problem.evaluate(rows, order)))

    berth.bench({"mine": mine}, **{**QUICK, "seeds": 1})
    for title, rows, order, scores in seen:
        same = berth.problem(f"exact:{title}").evaluate(rows, order)
        for name in ("picoseconds", "over", "peaks"):
            assert (getattr(scores, name) == getattr(same, name)).all()


def test_equal_seconds():
    def mine(problem, budget):
        assert budget.evaluations_left is None and 0 < budget.seconds_left <= 0.2
        by_chance(problem, budget)

    board = berth.bench({"mine": mine}, **TWO, budget=0.2, seeds=1)
    assert board.answer()["budget_s"] == 0.2 and board.standings[0]["has"] >= 1
    with pytest.raises(berth.BerthError, match="budget: -1 is not a number above 0"):
        berth.bench(["heft"], budget=-1)


def test_plans_from_files(tmp_path):
    made = berth.bench(["anneal"], **QUICK, save_plans=tmp_path)
    read = berth.bench([], **QUICK, plans={"theirs": f"{tmp_path}/anneal/{{row}}.{{seed}}.json"})
    for problem in ("zoo-moe-rtx", "zoo-rnnlm-k40x2"):
        assert cell(read, problem, "theirs")["median_s"] == cell(made, problem, "anneal")["median_s"]
    with pytest.raises(berth.BerthError, match="no folder"):
        berth.bench([], **QUICK, plans={"theirs": tmp_path / "nothing"})


def test_what_cannot_be_held_is_refused():
    for wrong, words in (({"suite": "quik"}, "did you mean 'quick'"), ({"planners": ["hefft"]}, "did you mean 'heft'"), ({"rows": ["no"]}, "has 'no' in its name"),
                         ({"planners": {"../x": "heft"}}, "is no name"), ({"seeds": 0}, "seeds: 0 is not"), ({"planners": []}, "nobody to compare")):
        with pytest.raises(berth.BerthError, match=words):
            berth.bench(**{"planners": ["heft"], **QUICK, **wrong})
    with pytest.raises(TypeError, match="a planner is a name or a function"):
        berth.bench({"mine": 3}, **QUICK)


def test_progress_is_told_and_may_fail():
    lines = []
    berth.bench(["heft"], **QUICK, progress=lines.append)
    assert lines[0] == "run 1 of 2: heft on zoo-moe-rtx"

    def failing(line):
        raise RuntimeError("mine")
    with pytest.raises(RuntimeError, match="mine"):
        berth.bench(["heft"], **QUICK, progress=failing)


def test_ctrl_c_ends_it_with_what_there_is():
    def endless(problem, budget):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        while True:
            time.sleep(0.01)

    board = berth.bench({"heft": "heft", "endless": endless}, **QUICK)
    answer = board.answer()
    assert answer["interrupted"] and answer["runs_done"] == 1
    assert [run["state"] for run in cell(board, "zoo-moe-rtx", "endless")["runs"]] == ["interrupted", "not run"]


def test_a_suite_as_arrays_is_the_problem(tmp_path):
    assert "quick" in berth.suites()
    known = berth.export_suite("exact", tmp_path, rows=["moe-rtx"])
    assert [(row["name"], row["ops"]) for row in known] == [("zoo-moe-rtx", 74)]
    arrays, problem = np.load(tmp_path / "zoo-moe-rtx.npz"), berth.problem("exact:zoo-moe-rtx")
    assert arrays["op_names"].tolist() == problem.op_names
    compared = 0
    for table in ("ops", "edges", "tensors", "devices", "links"):
        for name, value in vars(getattr(problem, table)).items():
            stored = arrays[f"{table}.{name}"]
            assert stored.tolist() == (value if isinstance(value, list) else value.tolist()), f"{table}.{name}"
            assert isinstance(value, list) or (stored.dtype, stored.shape) == (value.dtype, value.shape), f"{table}.{name}"
            compared += 1
    assert compared > 40
    assert float(arrays["optimum_s"]) == known[0]["optimum_s"] and float(arrays["lower_bound_s"]) == known[0]["lower_bound_s"]
