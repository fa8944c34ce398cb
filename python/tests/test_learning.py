# SPDX-License-Identifier: Apache-2.0
"""Learned planners by the program. Most of it is shown with a program of our own, which notes how it was called and plans by the
package; with $BERTH_PROGRAM, a berth that was built with libtorch, the real one is asked as well."""
import json
import os
import stat
import sys

import pytest

import berth

SMALL = "zoo:rnnlm,batch=4,unroll=3,hidden=16,vocab=100"
FAKE = """#!{python}
import json, os, sys
json.dump(sys.argv[1:], open({log!r}, "w"))
if os.environ.get("FAKE_ERROR"):
    print("berth: " + os.environ["FAKE_ERROR"], file=sys.stderr)
    sys.exit(int(os.environ["FAKE_CODE"]))
answer = {{"planner": "hierarchical", "note": "after 3 updates", "search_s": 1.5, "evaluations": 12, "seed": 7, "interrupted": False}}
if sys.argv[1] == "place":
    import berth
    berth.place({small!r}, "k40x2", "single", evaluations=5).save(sys.argv[sys.argv.index("-o") + 1])
    print("berth: warning: the reward varies", file=sys.stderr)
print(json.dumps(answer))
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Stands for berth; returns a function that says how it was called."""
    log, path = str(tmp_path / "words.json"), tmp_path / "fake_berth"
    path.write_text(FAKE.format(python=sys.executable, log=log, small=SMALL))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("BERTH_PROGRAM", str(path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    return lambda: json.load(open(log))


def test_a_learned_planner_is_asked_of_the_program(program):
    with pytest.warns(UserWarning, match="the reward varies"):
        plan = berth.place(SMALL, "k40x2", "hierarchical", budget=2.5, seed=7, preset="paper", options={"groups": 8},
                           constraints=[("resident-weights", ""), ("reserve", "gpu1=1GiB")], changes=["gpu.flops=2x"])
    words = program()
    assert words[:2] == ["place", SMALL] and words[-1] == "--json"
    assert {"--machine=k40x2", "--planner=hierarchical", "--budget=2.500000s", "--seed=7", "--preset=paper", "--option=groups=8",
            "--resident-weights", "--reserve=gpu1=1GiB", "--set=gpu.flops=2x"} <= set(words)
    assert (plan.planner, plan.note, plan.evaluations, plan.search_s) == ("hierarchical", "after 3 updates", 12, 1.5)
    assert plan.feasible and plan.single.planner == "single"


def test_policies_and_training(program):
    with pytest.warns(UserWarning):
        berth.place(SMALL, "k40x2", policy="trained", zero_shot=True, evaluations=10)
    assert {"--policy=trained", "--zero-shot", "--evaluations=10"} <= set(program()) and "--planner=auto" not in program()
    berth.train(SMALL, "k40x2", "trained", updates=3, options={"groups": 4})
    assert program()[:2] == ["train", SMALL] and {"--updates=3", "--option=groups=4", "--planner=hierarchical"} <= set(program())
    assert "--budget" not in " ".join(program())
    berth.resume("trained", updates=6)
    assert program() == ["train", "--resume=trained", "--quiet", "--updates=6", "--json"]


def test_learned_planners_are_compared_with_others(program):
    with pytest.warns(UserWarning):
        plans = berth.compare(SMALL, "k40x2", ["hierarchical", "round-robin"], evaluations=5)
    assert {plan.planner for plan in plans} == {"hierarchical", "round-robin"}
    assert "hierarchical" in berth.planners()


@pytest.mark.parametrize("code, kind", [(1, berth.InfeasibleError), (2, berth.BerthError), (3, RuntimeError)])
def test_its_errors_come_through(program, monkeypatch, code, kind):
    monkeypatch.setenv("FAKE_ERROR", "no room")
    monkeypatch.setenv("FAKE_CODE", str(code))
    with pytest.raises(kind, match="^no room$"):
        berth.place(SMALL, "k40x2", "go", evaluations=5)


def test_what_is_wrong_is_found_before_it_starts(program, tmp_path):
    with pytest.raises(berth.BerthError, match="did you mean 'pin'"):
        berth.place(SMALL, "k40x2", "go", constraints=[("pinn", "a=b")])
    with pytest.raises(berth.BerthError, match="'heft' is none"):
        berth.place(SMALL, "k40x2", "heft", preset="paper")
    with pytest.raises(berth.BerthError, match="berth sweep"):
        berth.sweep(SMALL, "k40x2", "devices", [1, 2], "go")
    assert not (tmp_path / "words.json").exists()


def test_without_the_program_one_line_says_how_to_have_it(monkeypatch, tmp_path):
    monkeypatch.delenv("BERTH_PROGRAM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(berth.BerthError, match="planner 'go' needs the program berth.*PATH.*BERTH_PROGRAM"):
        berth.place(SMALL, "k40x2", "go")
    assert "go" not in berth.planners() and "auto" in berth.planners()
    monkeypatch.setenv("BERTH_PROGRAM", str(tmp_path / "gone"))
    with pytest.raises(berth.BerthError, match="gone is no program"):
        berth.train(SMALL, "k40x2", tmp_path / "run", updates=1)


@pytest.mark.skipif(not os.environ.get("BERTH_PROGRAM"), reason="BERTH_PROGRAM names no program")
def test_the_real_program(tmp_path):
    small = {"options": {"groups": 4, "hidden": 8, "placements": 2}}
    plan = berth.place(SMALL, "k40x2", "hierarchical", evaluations=8, **small)
    assert plan.planner == "hierarchical" and plan.evaluations <= 8 and plan.step_time >= plan.lower_bound
    run = berth.train(SMALL, "k40x2", tmp_path / "run", updates=2, **small)
    assert run["updates"] == 2
    again = berth.resume(tmp_path / "run", updates=3)
    assert again["updates"] == 3 and again["step_time_s"] <= run["step_time_s"]
    placed = berth.place(SMALL, "k40x2", policy=tmp_path / "run", evaluations=5)
    assert placed.step_time <= again["step_time_s"]
