# SPDX-License-Identifier: Apache-2.0
"""The Python package as installed. Run by tests/python_test.py, or by pytest in an environment that has berth."""
import json
import time

import pytest

import berth

SMALL = "zoo:rnnlm,batch=4,unroll=3,hidden=16,vocab=100"


@pytest.fixture(scope="module")
def plan():
    return berth.place(SMALL, "k40x2", "expert-layers", evaluations=10)


def test_lists_are_not_empty():
    assert "auto" in berth.planners() and "k40x4" in berth.machines() and "nmt-4" in berth.models()
    assert {"accelerate", "chrome", "csv", "dot", "openvino", "ort", "perfetto", "tensorflow"} <= set(berth.formats())


def test_a_plan_says_what_it_is_worth(plan):
    assert plan.feasible and plan.step_time >= plan.lower_bound > 0
    assert sum(device["ops"] for device in plan.devices()) == len(plan.graph) == len(plan.to_dict())
    assert set(plan.to_dict().values()) <= {"cpu", "gpu0", "gpu1"}
    assert "k40x2" in str(plan) and "gpu1" in plan._repr_html_()
    ends = [event["end_s"] for event in plan.timeline()]
    assert max(ends) == pytest.approx(plan.step_time)


def test_a_plan_that_is_saved_scores_the_same(plan, tmp_path):
    plan.save(tmp_path / "plan.json")
    again = berth.score(SMALL, "k40x2", tmp_path / "plan.json")
    assert again.step_time == plan.step_time and again.to_dict() == plan.to_dict()
    assert json.loads(plan.to_json())["format"] == "berth-plan/1"


def test_exports_are_written_and_read_back(plan, tmp_path):
    assert plan.export("csv", tmp_path / "plan.csv") == []
    assert berth.score(SMALL, "k40x2", tmp_path / "plan.csv").to_dict() == plan.to_dict()
    plan.export("chrome", tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]


def test_a_score_says_what_had_to_be_moved(plan, tmp_path):
    names = list(plan.to_dict())
    (tmp_path / "apart.csv").write_text("op,device\n" + "".join(f"{name},gpu{i % 2}\n" for i, name in enumerate(names)))
    note = berth.score(SMALL, "k40x2", tmp_path / "apart.csv").note
    assert note.startswith(f"CSV: it places {len(names):,} of {len(names):,} ops; ") and "moved to be with ops" in note, note


def test_pandas_has_a_row_per_op(plan):
    pandas = pytest.importorskip("pandas")
    table = plan.to_pandas()
    assert isinstance(table, pandas.DataFrame) and len(table) == len(plan.graph)
    assert {"op", "device", "seconds"} <= set(table.columns)


def test_device_maps_cover_the_weights(plan):
    placed = plan.device_map()
    assert placed and all(value in (0, 1, "cpu") for value in placed.values())


def test_reports_are_pages_or_refused(plan, tmp_path):
    try:
        plan.report(tmp_path / "report.html")
    except berth.BerthError as error:  # built without esbuild
        assert "no HTML report" in str(error) or "BERTH_REPORT" in str(error)
    else:
        assert "<html" in (tmp_path / "report.html").read_text().lower()


def test_the_same_seed_gives_the_same_plan():
    first, second = (berth.place(SMALL, "k40x2", "anneal", evaluations=50, seed=7) for _ in range(2))
    assert first.to_dict() == second.to_dict() and first.evaluations <= 50


def test_constraints_hold(plan):
    op = next(op for op, device in plan.to_dict().items() if device == "gpu0")
    pinned = berth.place(SMALL, "k40x2", "gpu-only", evaluations=1, constraints=[("pin", f"{op}=gpu1")])
    assert pinned.to_dict()[op] == "gpu1"


def test_progress_is_reported_and_its_errors_come_through():
    seen = []
    berth.place("zoo:rnnlm", "k40x2", "anneal", budget=0.6, progress=lambda *state: seen.append(state))
    assert seen and seen[-1][1] > 0

    def fail(*state):
        raise RuntimeError("no more")
    with pytest.raises(RuntimeError, match="no more"):
        berth.place("zoo:rnnlm", "k40x2", "anneal", budget=5, progress=fail)


def test_the_time_budget_holds():
    begin = time.monotonic()
    berth.place(SMALL, "k40x2", budget=0.5)
    assert time.monotonic() - begin < 600  # generous: the computer may be slow, and busy with others


@pytest.mark.parametrize("call, words", [
    (lambda: berth.place("zoo:nmt4", "k40x2"), "did you mean 'nmt-4'"),
    (lambda: berth.place(SMALL, "k40x22"), "k40x2"),
    (lambda: berth.place(SMALL, "k40x2", "hefft"), "did you mean 'heft'"),
    (lambda: berth.place(SMALL), "needs a machine"),
    (lambda: berth.place(SMALL, "k40x2", budget=0), "more than nothing"),
    (lambda: berth.load(SMALL, dims={"batch": 8}), "models of frameworks"),
    (lambda: berth.place(SMALL, "k40x2", "single", constraints=[("pinn", "a=b")]), "did you mean 'pin'"),
])
def test_errors_say_the_way_out(call, words):
    with pytest.raises(berth.BerthError, match=words):
        call()


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="ExportedProgram"):
        berth.load(42)


def test_onnx_models_are_taken_from_memory():
    onnx = pytest.importorskip("onnx")
    helper, float32 = onnx.helper, onnx.TensorProto.FLOAT
    node = helper.make_node("Relu", ["x"], ["y"], "relu")
    model = helper.make_model(helper.make_graph([node], "g", [helper.make_tensor_value_info("x", float32, [2, 2])],
                                                [helper.make_tensor_value_info("y", float32, [2, 2])]))
    assert "relu" in berth.place(model, "k40x2", "single", evaluations=1).to_dict()
