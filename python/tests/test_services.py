# SPDX-License-Identifier: Apache-2.0
"""What the package has of the program's commands: problems in all their words, compare, explain, sweep, diff, report, export."""
import pytest

import berth

SMALL = "zoo:rnnlm,batch=4,unroll=3,hidden=16,vocab=100"
QUICK = {"evaluations": 20}


@pytest.fixture(scope="module")
def plan():
    return berth.place(SMALL, "k40x2", "expert-layers", **QUICK)


def test_the_best_single_device_stands_beside_a_plan(plan):
    assert plan.single.planner == "single" and len(set(plan.single.to_dict().values()) - {"cpu"}) <= 1
    assert plan.single.step_time >= plan.lower_bound
    assert plan.unchanged is None


def test_what_if_the_machine_were_another():
    faster = berth.place(SMALL, "k40x2", "gpu-only", changes=["gpu.flops=2x", "gpu.bandwidth=2x"], **QUICK)
    assert faster.step_time < faster.unchanged.step_time and faster.unchanged.machine == "k40x2"
    more = berth.place(SMALL, "k40x2", "round-robin", add_devices=["k40"], **QUICK)
    assert "gpu2" in more.to_dict().values()
    with pytest.raises(berth.BerthError, match="gpu7"):
        berth.place(SMALL, "k40x2", "single", changes=["gpu7.memory=1GiB"], **QUICK)


def test_constraints_also_from_files(plan, tmp_path):
    op = next(op for op, device in plan.to_dict().items() if device == "gpu0")
    (tmp_path / "demands.toml").write_text(f'pin = ["{op}=gpu1"]\n')
    pinned = berth.place(SMALL, "k40x2", "gpu-only", constraint_files=[tmp_path / "demands.toml"], **QUICK)
    assert pinned.to_dict()[op] == "gpu1"
    plan.save(tmp_path / "plan.json")
    with pytest.raises(berth.BerthError, match="pin"):
        berth.score(SMALL, "k40x2", tmp_path / "plan.json", constraints=[("pin", f"{op}=gpu1")])


def test_clashing_constraints_are_named(plan):
    op = next(iter(plan.to_dict()))
    with pytest.raises(berth.BerthError) as error:
        berth.place(SMALL, "k40x2", "single", constraints=[("pin", f"{op}=gpu0"), ("pin", f"{op}=gpu1")])
    assert "gpu0" in str(error.value) and "gpu1" in str(error.value) and "--" not in str(error.value)


def test_measured_times_replace_estimates(plan, tmp_path):
    op = next(op["op"] for op in plan._native.ops() if op["seconds"] > 0)
    (tmp_path / "times.csv").write_text(f"op,device,microseconds\n{op},gpu0,5000\n")
    slow = berth.place(SMALL, "k40x2", "single", costs=[tmp_path / "times.csv"], constraints=[("pin", f"{op}=gpu0")], **QUICK)
    assert slow.step_time > 5e-3 > plan.step_time
    with pytest.warns(UserWarning, match="1 of 2 names matched; not in the graph: nobody"):
        (tmp_path / "times.csv").write_text(f"op,device,microseconds\n{op},gpu0,5000\nnobody,gpu0,5000\n")
        berth.place(SMALL, "k40x2", "single", costs=tmp_path / "times.csv", **QUICK)


def test_objectives():
    steady = berth.place(SMALL, "k40x2", "dp", objective="pipeline", **QUICK)
    assert steady.objective == "pipeline" and steady.feasible
    with pytest.raises(berth.BerthError, match="did you mean 'pipeline'"):
        berth.place(SMALL, "k40x2", objective="pipelin")
    with pytest.raises(berth.BerthError, match="pipeline"):
        steady.explain()


def test_fusion_and_order_by_others(plan, tmp_path):
    plan.save(tmp_path / "plan.json")
    fused = berth.place(SMALL, "k40x2", placement=tmp_path / "plan.json", fusion="greedy", schedule="critical-path", **QUICK)
    assert fused.to_dict() == plan.to_dict()
    with pytest.raises(berth.BerthError, match="greedi"):
        berth.place(SMALL, "k40x2", "single", fusion="greedi", **QUICK)


def test_compare_ranks_and_leaves_out_who_has_no_plan():
    plans = berth.compare(SMALL, "k40x2", ["round-robin", "heft", "single"], **QUICK)
    assert sorted(plan.planner for plan in plans) == ["heft", "round-robin", "single"]
    assert [plan.step_time for plan in plans] == sorted(plan.step_time for plan in plans)
    assert len({plan.lower_bound for plan in plans}) == 1 and plans[0].single.planner == "single"
    assert {plan.planner for plan in berth.compare(SMALL, "k40x2", "single,random", **QUICK)} == {"single", "random"}


def test_explanations(plan):
    why = plan.explain()
    assert why["limits"] and why["critical_path"]["time_s"] == pytest.approx(plan.step_time, rel=1e-6)
    assert sum(why["critical_path"]["devices_s"].values()) <= plan.step_time * (1 + 1e-9)
    op = next(op["op"] for op in plan._native.ops() if op["seconds"] > 0)
    about = plan.explain(op)
    assert about["op"] == op and about["device"] == plan.to_dict()[op]
    assert {other["device"] for other in about["alternatives"]} == {"cpu", "gpu0", "gpu1"}
    own = next(other for other in about["alternatives"] if other["device"] == about["device"])
    assert own["step_time_s"] == pytest.approx(plan.step_time)
    with pytest.raises(berth.BerthError, match="no op"):
        plan.explain("nobody")


def test_answers_are_those_of_the_program(plan):
    answer = plan.answer()
    assert answer["step_time_s"] == plan.step_time and answer["planner"] == "expert-layers" and "events" not in answer
    assert answer["best_single_device"]["step_time_s"] == plan.single.step_time
    assert answer["devices"] == plan.devices() and sum(device["ops"] for device in plan.devices()) == len(plan.graph)
    assert plan.answer(timeline=True)["events"] == plan.timeline()
    info = plan.graph.info()
    assert (info["ops"], info["hash"], info["flops"]) == (len(plan.graph), plan.graph.hash, plan.graph.flops)
    assert {device["name"] for device in berth.load_machine("k40x2").devices()} == {"cpu", "gpu0", "gpu1"}


def test_explanations_have_every_key_for_every_entry():
    plan = berth.place(SMALL, "k40x2", "round-robin", **QUICK)
    crossings = plan.explain()["crossings"]
    assert crossings
    for crossing in crossings:
        without = crossing["without"]
        assert crossing["step_time_without_s"] == (without["step_time_s"] if without and without["feasible"] else None)
    op = next(op["op"] for op in plan._native.ops() if op["seconds"] > 0)
    forbidden = berth.place(SMALL, "k40x2", "round-robin", constraints=[("pin", f"{op}=gpu0")], **QUICK).explain(op)["alternatives"]
    assert {(other["device"], other["step_time_s"] is None, other["refused"] is None) for other in forbidden} == {
        ("cpu", True, False), ("gpu0", False, True), ("gpu1", True, False)}


def test_sweeps():
    swept = berth.sweep(SMALL, "k40x4", "devices", [1, 2, 4], "expert-layers", **QUICK)
    assert [row.value for row in swept.rows] == ["1", "2", "4"] and "devices" in swept.verdict
    for row in swept.rows:
        assert row.rate == pytest.approx(1 / row.plan.step_time)
        assert f"gpu{int(row.value)}" not in row.plan.to_dict().values()
    with pytest.raises(berth.BerthError, match="whole number"):
        berth.sweep(SMALL, "k40x4", "devices", ["many"], "single", **QUICK)


def test_what_moved_between_two_plans(plan, tmp_path):
    plan.save(tmp_path / "a.json")
    other = berth.place(SMALL, "k40x2", "round-robin", **QUICK)
    other.save(tmp_path / "b.json")
    moved = berth.diff(tmp_path / "a.json", tmp_path / "b.json", SMALL, "k40x2")
    differing = [op for op, device in plan.to_dict().items() if other.to_dict()[op] != device]
    assert sorted(moved["moved"]) == sorted(differing) and sum(moved["moves"].values()) == len(differing)
    assert (moved["before_s"], moved["after_s"]) == (plan.step_time, other.step_time)


def test_one_report_about_several_plans(tmp_path):
    plans = berth.compare(SMALL, "k40x2", ["single", "heft"], **QUICK)
    try:
        berth.report(plans, tmp_path / "report.html")
    except berth.BerthError as error:  # built without esbuild
        assert "no HTML report" in str(error)
    else:
        assert "heft" in (tmp_path / "report.html").read_text()
        with pytest.raises(berth.BerthError, match="HTML page"):
            berth.report(plans, tmp_path / "report.pdf")
    with pytest.raises(berth.BerthError, match="at least one"):
        berth.report([], tmp_path / "report.html")


def test_exports_that_rewrite_a_model_need_one(plan, tmp_path):
    with pytest.raises(berth.BerthError, match=r"^format tensorflow writes the model's own file again, and needs one that ends in \.pb"):
        plan.export("tensorflow", tmp_path / "model.pb")
    with pytest.raises(berth.BerthError, match="did you mean 'perfetto'"):
        plan.export("perfeto", tmp_path / "trace")


def test_words_that_nobody_knows_are_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'machines'"):
        berth.place(SMALL, "k40x2", machines=["k40x4"])


def test_a_graph_stays_how_it_was_read():
    onnx = pytest.importorskip("onnx")
    helper, float32 = onnx.helper, onnx.TensorProto.FLOAT
    model = helper.make_model(helper.make_graph([helper.make_node("Relu", ["x"], ["y"], "relu")], "g",
                                                [helper.make_tensor_value_info("x", float32, ["batch", 64])],
                                                [helper.make_tensor_value_info("y", float32, ["batch", 64])]))
    with pytest.warns(UserWarning, match=r"dims=\{'batch': 8\}"):
        berth.load(model)
    graph = berth.load(model, dims={"batch": 32})
    placed = berth.place(graph, "k40x2", "single", **QUICK)
    assert placed.graph.hash == graph.hash and placed.graph.ops() == graph.ops()


def test_language_models():
    small = berth.llm("llama-8b", "rtx4090-3060", ctx=4096)
    large = berth.llm("llama-8b", "rtx4090-3060", ctx=4096, weights="f16")
    assert small["feasible"] and small["decode_tokens_per_s"] > large["decode_tokens_per_s"] > 0
    layers = sorted(layer for device in small["devices"] for layer in device["layers"])
    assert layers == list(range(32)) and "-ngl" in small["to_paste"]
    with pytest.raises(berth.BerthError, match="did you mean 'llama-8b'"):
        berth.llm("llama-8bb", "rtx4090-3060")
