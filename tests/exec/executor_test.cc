// SPDX-License-Identifier: Apache-2.0
// Any placement gives the numbers of any other: the plan decides where and when, never what.
#include "exec/executor.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/rng.h"
#include "exec/devices/allocator.h"
#include "exec/program/initial_values.h"
#include "exec/small_captures.h"
#include "files/files.h"
#include "import/graph_file.h"
#include "support/folders.h"
#include "support/view_chain.h"

namespace berth::exec {
namespace {

struct Loaded {
  Graph graph;
  Program program;
};

std::string example_path() { return source_folder() / "examples" / "mlp.train.json"; }

Loaded from_text(std::string text) {
  Graph graph = parse_graph(text, "capture").value();
  Program program = Program::read(std::move(text), graph).value();
  return {std::move(graph), std::move(program)};
}

Loaded load(const std::string& path) { return from_text(read_file(path).value()); }

std::vector<DeviceSpec> specs(std::string_view list) { return parse_device_specs(list, cores_here()).value(); }

std::vector<DeviceSpec> equal_parts() { return specs(cores_here() > 1 ? "cpu:0,cpu:1" : "cpu:0"); }

// Outputs of a few steps under a plan: the later ones show the updates of the earlier ones.
std::vector<at::Tensor> run_steps(const Loaded& loaded, std::vector<DeviceSpec> devices, const Plan& plan,
                                  int steps = 3) {
  auto executor = Executor::make(loaded.graph, loaded.program, std::move(devices)).value();
  executor->prepare(plan);
  std::vector<at::Tensor> outputs;
  for (int i = 0; i < steps; ++i) {
    const Result<Step> step = executor->step(i % 2 == 1);
    EXPECT_TRUE(step.ok()) << (step.ok() ? "" : step.error().message);
    for (at::Tensor& output : executor->outputs()) outputs.push_back(std::move(output));
  }
  return outputs;
}

Plan all_on_first(const Graph& graph) {
  Plan plan;
  plan.device_of.resize(graph.num_ops());
  return plan;
}

Plan random_plan(const Graph& graph, std::size_t devices, std::uint64_t seed) {
  Rng rng(seed);
  Plan plan;
  for ([[maybe_unused]] const OpId op : graph.ops()) {
    plan.device_of.push_back(static_cast<DeviceId>(rng.below(devices)));
    plan.priority.push_back(rng.uniform());
  }
  // An update goes where its parameter is.
  for (const OpId op : graph.ops()) {
    const OpId parameter = graph.updated_parameter(op);
    if (parameter != kNoOp) plan.device_of[index(op)] = plan.device_of[index(parameter)];
  }
  return plan;
}

TEST(Executor, AnyPlacementGivesTheNumbersOfOneDevice) {
  const Loaded loaded = load(example_path());
  const std::vector<at::Tensor> alone = run_steps(loaded, specs("cpu:0"), all_on_first(loaded.graph));
  ASSERT_EQ(alone.size(), 3U);
  EXPECT_GT(alone[0].item<float>(), 0.0F);
  EXPECT_NE(alone[0].item<float>(), alone[1].item<float>()) << "the updates must change the loss";
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t devices = equal_parts().size();
    const std::vector<at::Tensor> split = run_steps(loaded, equal_parts(), random_plan(loaded.graph, devices, seed));
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_TRUE(at::equal(alone[i], split[i]));
  }
}

// The same step by plain calls of ATen's functions, written out: the program means what the capture says.
TEST(Executor, GivesWhatPlainCallsGive) {
  const Loaded loaded = load(example_path());
  const Graph& graph = loaded.graph;
  const auto stored = [&](std::size_t op) { return initial_value(graph, static_cast<OpId>(op), at::kCPU); };
  const at::Tensor w1 = stored(0), b1 = stored(1), w2 = stored(2), x = stored(3), labels = stored(4);
  const at::Tensor hidden = at::relu(at::addmm(b1, x, w1.t()));
  std::uint64_t dropout_seed = 0;
  for (const OpId op : graph.ops()) {
    if (graph.type(op) == "aten.native_dropout.default") dropout_seed = index(op) + 1;
  }
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(dropout_seed);
  const at::Tensor mask = at::empty_like(hidden, at::kBool).bernoulli_(0.5, generator);
  const at::Tensor scores = at::mm(hidden * mask * 2.0, w2.t());
  const at::Tensor loss = at::nll_loss(at::log_softmax(scores, 1), labels);
  const std::vector<at::Tensor> outputs = run_steps(loaded, specs("cpu:0"), all_on_first(graph), 1);
  EXPECT_TRUE(at::allclose(loss, outputs.front())) << loss << outputs.front();
}

TEST(Executor, TimesEveryComputeOpAndSendsEveryTensorOnce) {
  if (cores_here() < 2) GTEST_SKIP() << "needs two cores";
  const Loaded loaded = load(example_path());
  const Plan plan = random_plan(loaded.graph, 2, 5);
  auto executor = Executor::make(loaded.graph, loaded.program, equal_parts()).value();
  executor->prepare(plan);
  const Step step = executor->step(true).value();
  std::size_t compute = 0, crossings = 0;
  for (const OpId op : loaded.graph.ops()) compute += loaded.graph.role(op) == Role::kCompute ? 1 : 0;
  for (const TensorId tensor : loaded.graph.tensors()) {
    const DeviceId here = plan.device(loaded.graph.producer(tensor));
    const auto consumers = loaded.graph.consumers(tensor);
    crossings += std::ranges::any_of(consumers, [&](OpId op) { return plan.device(op) != here; }) ? 1 : 0;
  }
  EXPECT_EQ(step.ops.size(), compute);
  EXPECT_EQ(step.transfers.size(), crossings);
  for (const OpSpan& span : step.ops) EXPECT_LE(span.start_s, span.end_s);
  for (const OpSpan& span : step.ops) EXPECT_LE(span.end_s, step.seconds);
}

TEST(Executor, ALimitOfMemoryFailsTheStep) {
  const Loaded loaded = load(example_path());
  std::vector<DeviceSpec> devices = specs("cpu:0=6KiB");  // parameters, inputs and a few activations
  auto executor = Executor::make(loaded.graph, loaded.program, devices).value();
  std::string message;
  try {
    executor->prepare(all_on_first(loaded.graph));
    const Result<Step> step = executor->step(false);
    ASSERT_FALSE(step.ok());
    message = step.error().message;
  } catch (const OutOfMemory& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("out of memory"), std::string::npos) << message;
  set_memory_limit(0, 0);
}

// x M1 M2 ...: a product takes longer than the transfer of its matrix, of a mebibyte.
Loaded chain_of_products(int count) {
  constexpr const char* kMatrix = R"("outputs": [{"dtype": "f32", "shape": [512, 512]}])";
  std::string ops = fmt::format(R"({{"name": "x", "type": "input", {}}})", kMatrix);
  for (int i = 1; i <= count; ++i) ops += fmt::format(R"(, {{"name": "m{}", "type": "parameter", {}}})", i, kMatrix);
  for (int i = 1; i <= count; ++i) {
    ops += fmt::format(R"(, {{"name": "p{}", "type": "aten.mm.default", "args": [{{"op": {}}}, {{"op": {}}}], {}}})", i,
                       i == 1 ? 0 : count + i - 1, i, kMatrix);
  }
  return from_text(fmt::format(R"({{"format": "aten-graph/1", "name": "chain", "mode": "infer", "torch": "by hand",
    "measured_on": {{"cuda": null, "cpu": null}}, "outputs": [{}], "ops": [{}]}})",
                               2 * count, ops));
}

// Parameters on the first device, everything else on the second, which has room for a third of them.
TEST(Executor, CouriersWaitForADeviceThatIsLate) {
  if (cores_here() < 2) GTEST_SKIP() << "needs two cores";
  const Loaded loaded = chain_of_products(24);
  Plan plan;
  for (const OpId op : loaded.graph.ops()) {
    plan.device_of.push_back(static_cast<DeviceId>(loaded.graph.role(op) == Role::kParameter ? 0 : 1));
  }
  auto executor = Executor::make(loaded.graph, loaded.program, specs("cpu:0,cpu:1=8MiB")).value();
  executor->prepare(plan);
  for (int i = 0; i < 2; ++i) {
    const Result<Step> step = executor->step(false);
    ASSERT_TRUE(step.ok()) << step.error().message;
  }
  set_memory_limit(1, 0);
}

// Captures of newer PyTorch have dropout as aten.bernoulli.
TEST(Executor, RandomNumbersDoNotDependOnThePlacement) {
  const Loaded loaded = from_text(R"({"format": "aten-graph/1", "name": "random", "mode": "infer", "torch": "by hand",
    "measured_on": {"cuda": null, "cpu": null}, "outputs": [3], "ops": [
    {"name": "x", "type": "input", "outputs": [{"dtype": "f32", "shape": [64, 64]}]},
    {"name": "b", "type": "aten.bernoulli.p", "args": [{"op": 0}, {"f": "0.5"}], "outputs": [{"dtype": "f32", "shape": [64, 64]}]},
    {"name": "r", "type": "aten.rand_like.default", "args": [{"op": 0}], "outputs": [{"dtype": "f32", "shape": [64, 64]}]},
    {"name": "y", "type": "aten.add.Tensor", "args": [{"op": 1}, {"op": 2}], "outputs": [{"dtype": "f32", "shape": [64, 64]}]}]})");
  const at::Tensor alone = run_steps(loaded, specs("cpu:0"), all_on_first(loaded.graph), 1).front();
  EXPECT_GT(alone.std().item<float>(), 0.1F);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Plan plan = random_plan(loaded.graph, equal_parts().size(), seed);
    for (const at::Tensor& output : run_steps(loaded, equal_parts(), plan, 2)) EXPECT_TRUE(output.equal(alone)) << seed;
  }
}

// Attention of newer PyTorch. Where a row is masked out as a whole, softmax has no number and this has zeros.
TEST(Executor, SafeSoftmaxIsSoftmaxWithoutHoles) {
  const Loaded loaded = from_text(R"({"format": "aten-graph/1", "name": "softmax", "mode": "infer", "torch": "by hand",
    "measured_on": {"cuda": null, "cpu": null}, "outputs": [3], "ops": [
    {"name": "x", "type": "input", "outputs": [{"dtype": "f32", "shape": [2, 8]}]},
    {"name": "m", "type": "input", "outputs": [{"dtype": "bool", "shape": [2, 8]}]},
    {"name": "f", "type": "aten.masked_fill.Scalar", "args": [{"op": 0}, {"op": 1}, {"f": "-inf"}],
     "outputs": [{"dtype": "f32", "shape": [2, 8]}]},
    {"name": "y", "type": "aten._safe_softmax.default", "args": [{"op": 2}, {"i": -1}], "outputs": [{"dtype": "f32", "shape": [2, 8]}]}]})");
  const Call& call = loaded.program.call(static_cast<OpId>(3));
  Inputs values(loaded.graph.num_tensors());
  at::Tensor scores = at::arange(16, at::kFloat).view({2, 8});
  scores[1].fill_(-std::numeric_limits<float>::infinity());
  values[2] = scores;
  Stack stack;
  const at::Tensor result = invoke(call, values, at::kCPU, 1, stack).at(0);
  EXPECT_TRUE(result[0].equal(at::softmax(scores[0], 0)));
  EXPECT_TRUE(result[1].equal(at::zeros({8})));
}

TEST(Executor, ADeviceThatIsNotThereIsAnError) {
  if (at::hasCUDA()) GTEST_SKIP() << "it is there";
  const Loaded loaded = load(example_path());
  const auto executor = Executor::make(loaded.graph, loaded.program, specs("cpu:0,cuda:0"));
  ASSERT_FALSE(executor.ok());
  EXPECT_NE(executor.error().message.find("no CUDA"), std::string::npos) << executor.error().message;
}

// As in the simulator, an input lives until its last use, parameters for ever.
TEST(Executor, LetsGoOfInputsAfterTheirLastUse) {
  if (cores_here() < 2) GTEST_SKIP() << "needs two cores";
  const Loaded loaded = load(example_path());
  Plan plan;
  Bytes inputs = 0;
  for (const OpId op : loaded.graph.ops()) {
    const bool is_input = loaded.graph.role(op) == Role::kInput;
    plan.device_of.push_back(static_cast<DeviceId>(is_input ? 1 : 0));
    for (const TensorId tensor : loaded.graph.outputs(op)) inputs += is_input ? loaded.graph.bytes(tensor) : 0;
  }
  auto executor = Executor::make(loaded.graph, loaded.program, equal_parts()).value();
  executor->prepare(plan);
  const Bytes before = allocated_bytes(1);
  executor->reset_peaks();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(executor->step(false).ok());
    EXPECT_EQ(allocated_bytes(1), before);
    EXPECT_EQ(executor->peak(1) - before, inputs);
  }
}

TEST(Executor, HoldsNothingWhenItIsGone) {
  const Loaded loaded = load(example_path());
  install_counting_allocator();
  const Bytes before = allocated_bytes(0);
  run_steps(loaded, specs("cpu:0"), all_on_first(loaded.graph), 2);
  EXPECT_EQ(allocated_bytes(0), before);
}

TEST(InitialValues, IndicesStayBelowWhatTheyLookUp) {
  const Loaded loaded = load(example_path());
  const auto labels = loaded.graph.outputs(static_cast<OpId>(4));
  EXPECT_EQ(index_bound(loaded.graph, *labels.begin()), 8);
  const at::Tensor values = initial_value(loaded.graph, static_cast<OpId>(4), at::kCPU);
  EXPECT_LT(values.max().item<std::int64_t>(), 8);
  EXPECT_GE(values.min().item<std::int64_t>(), 0);
}

TEST(InitialValues, IndicesAreBoundedThroughAnyNumberOfViews) {
  const TensorSpec indices{DType::kI64, {4}}, rows{DType::kF32, {7, 2}};
  GraphBuilder builder("lookup");
  const OpId w = builder.add({.name = "w", .type = "parameter", .role = Role::kParameter, .outputs = {rows}});
  const OpId i = builder.add({.name = "i", .type = "input", .role = Role::kInput, .outputs = {indices}});
  const OpId last = add_views(builder, i, kManyViews, indices);
  builder.add({.name = "e",
               .type = "aten.embedding.default",
               .inputs = {{w, 0}, {last, 0}},
               .outputs = {{DType::kF32, {4, 2}}}});
  const Graph graph = std::move(builder).build().value();
  EXPECT_EQ(index_bound(graph, *graph.outputs(i).begin()), 7);
}

// Of two steps of the same plan the second begins with what the first left; with `fresh` both begin alike.
TEST(Executor, ParametersKeepTheirValuesUnlessTheyAreToBeFresh) {
  const Loaded loaded = load(example_path());
  const Plan plan = all_on_first(loaded.graph);
  auto executor = Executor::make(loaded.graph, loaded.program, specs("cpu:0")).value();
  const auto loss = [&](bool fresh) {
    executor->prepare(plan, fresh);
    EXPECT_TRUE(executor->step(false).ok());
    return executor->outputs().front().item<float>();
  };
  const float first = loss(true), second = loss(false), third = loss(false);
  EXPECT_NE(second, first);
  EXPECT_NE(third, second);
  EXPECT_EQ(loss(true), first);
}

// A parameter that goes to another device is made anew there; those that stay are what the step before left.
TEST(Executor, ParametersThatMoveBeginAnew) {
  if (cores_here() < 2) GTEST_SKIP() << "needs two cores";
  const Loaded loaded = from_text(CaptureText()
                                      .add("parameter", "f32 4")
                                      .add("parameter", "f32 4")
                                      .add("input", "f32 4")
                                      .add("sgd_update", "", R"("args": [{"op": 0}, {"op": 2}], "updates": 0)")
                                      .add("sgd_update", "", R"("args": [{"op": 1}, {"op": 2}], "updates": 1)")
                                      .add("aten.clone.default", "f32 4", R"("args": [{"op": 0}])")
                                      .add("aten.clone.default", "f32 4", R"("args": [{"op": 1}])")
                                      .text("5, 6"));
  const auto stored = [&](std::size_t op) { return initial_value(loaded.graph, static_cast<OpId>(op), at::kCPU); };
  auto executor = Executor::make(loaded.graph, loaded.program, equal_parts()).value();
  const auto parameters = [&](int device_of_second, bool fresh) {
    Plan plan = all_on_first(loaded.graph);
    for (const std::size_t op : {1U, 4U, 6U}) plan.device_of[op] = static_cast<DeviceId>(device_of_second);
    for (const std::size_t op : {3U, 4U}) plan.priority.resize(7), plan.priority[op] = -1.0;  // after the copies
    executor->prepare(plan, fresh);
    EXPECT_TRUE(executor->step(false).ok());
    return executor->outputs();
  };
  const auto first = parameters(0, true);
  EXPECT_TRUE(first[0].equal(stored(0)));
  EXPECT_TRUE(first[1].equal(stored(1)));
  const auto moved = parameters(1, false);
  EXPECT_TRUE(at::allclose(moved[0], stored(0) - stored(2) * 1e-4));
  EXPECT_FALSE(moved[0].equal(stored(0)));
  EXPECT_TRUE(moved[1].equal(stored(1)));
}

TEST(Executor, AnOpThatFailsIsNamedWithItsDevice) {
  const Loaded loaded = from_text(CaptureText()
                                      .add("input", "f32 4 3")
                                      .add("aten.mm.default", "f32 4 4", R"("args": [{"op": 0}, {"op": 0}])")
                                      .text());
  auto executor = Executor::make(loaded.graph, loaded.program, specs("cpu:0")).value();
  executor->prepare(all_on_first(loaded.graph));
  const Result<Step> step = executor->step(false);
  ASSERT_FALSE(step.ok());
  EXPECT_TRUE(step.error().message.starts_with("op 'o1' on cpu:0: ")) << step.error().message;
  EXPECT_EQ(step.error().message.find('\n'), std::string::npos);
}

TEST(Executor, FewerOutputsThanTheGraphHasFailTheStep) {
  const Loaded loaded = from_text(
      CaptureText().add("input", "f32 4").add("aten.relu.default", "f32 4;f32 4", R"("args": [{"op": 0}])").text());
  auto executor = Executor::make(loaded.graph, loaded.program, specs("cpu:0")).value();
  executor->prepare(all_on_first(loaded.graph));
  EXPECT_EQ(executor->step(false).error().message, "op 'o1' on cpu:0: it gave 1 outputs, the graph has 2");
}

// 4 KiB go to a device that may hold 2: nobody can free anything, so the step fails and names the way.
TEST(Executor, ATransferThatFindsNoRoomIsNamed) {
  if (cores_here() < 2) GTEST_SKIP() << "needs two cores";
  const Loaded loaded =
      from_text(CaptureText().add("input", "f32 1024").add("aten.sum.default", "f32", R"("args": [{"op": 0}])").text());
  auto executor = Executor::make(loaded.graph, loaded.program, specs("cpu:0,cpu:1=2KiB")).value();
  Plan plan = all_on_first(loaded.graph);
  plan.device_of[1] = DeviceId{1};
  executor->prepare(plan);
  const Result<Step> step = executor->step(false);
  ASSERT_FALSE(step.ok());
  EXPECT_TRUE(step.error().message.starts_with("output of 'o0' from cpu:0 to cpu:1: out of memory: device 1"))
      << step.error().message;
  set_memory_limit(1, 0);
}

// A limit of one device leaves the others alone.
TEST(Executor, ALimitIsOfOneDevice) {
  if (cores_here() < 2) GTEST_SKIP() << "needs two cores";
  const Loaded loaded = from_text(
      CaptureText().add("input", "f32 1024").add("aten.relu.default", "f32 1024", R"("args": [{"op": 0}])").text());
  auto executor = Executor::make(loaded.graph, loaded.program, specs("cpu:0=2KiB,cpu:1")).value();
  Plan plan = all_on_first(loaded.graph);
  plan.device_of.assign(2, DeviceId{1});
  executor->prepare(plan);
  EXPECT_TRUE(executor->step(false).ok());
  set_memory_limit(0, 0);
}

// x is 4 KiB, and so are a and b: x and a while a runs, a and b while b runs. Peaks are those between ops.
TEST(Executor, CountsWhatTensorsHold) {
  const Loaded loaded = from_text(CaptureText()
                                      .add("input", "f32 1024")
                                      .add("aten.relu.default", "f32 1024", R"("args": [{"op": 0}])")
                                      .add("aten.neg.default", "f32 1024", R"("args": [{"op": 1}])")
                                      .text());
  auto executor = Executor::make(loaded.graph, loaded.program, specs("cpu:0")).value();
  executor->prepare(all_on_first(loaded.graph));
  executor->reset_peaks();
  const Bytes before = allocated_bytes(0);
  const Step step = executor->step(true).value();
  EXPECT_EQ(executor->peak(0) - before, 8192);
  EXPECT_EQ(step.tensor_peak.at(0) - before, 8192);
  EXPECT_EQ(step.ops.size(), 2U);
  EXPECT_EQ(index(step.ops[0].op), 1U) << "by id";
  EXPECT_LE(step.ops[0].end_s, step.ops[1].start_s);
  EXPECT_TRUE(executor->step(false)->ops.empty()) << "without times there are none";
}

TEST(Executor, TransfersSayWhatWentWhere) {
  if (cores_here() < 2) GTEST_SKIP() << "needs two cores";
  const Loaded loaded = from_text(CaptureText()
                                      .add("input", "f32 100")
                                      .add("aten.relu.default", "f32 100", R"("args": [{"op": 0}])")
                                      .add("aten.neg.default", "f32 100", R"("args": [{"op": 1}])")
                                      .add("aten.abs.default", "f32 100", R"("args": [{"op": 1}])")
                                      .text("2, 3"));
  auto executor = Executor::make(loaded.graph, loaded.program, equal_parts()).value();
  Plan plan = all_on_first(loaded.graph);
  plan.device_of = {DeviceId{0}, DeviceId{0}, DeviceId{1}, DeviceId{1}};
  executor->prepare(plan);
  const Step step = executor->step(true).value();
  ASSERT_EQ(step.transfers.size(), 1U) << "once, for both readers";
  EXPECT_EQ(index(step.transfers[0].tensor), 1U);
  EXPECT_EQ(index(step.transfers[0].from), 0U);
  EXPECT_EQ(index(step.transfers[0].to), 1U);
  EXPECT_EQ(step.transfers[0].bytes, 400);
  EXPECT_GE(step.transfers[0].start_s, step.ops[0].end_s);
  EXPECT_LE(step.transfers[0].end_s, step.ops[1].start_s);
  const at::Tensor x = initial_value(loaded.graph, OpId{0}, at::kCPU).relu();
  EXPECT_TRUE(executor->outputs()[0].equal(x.neg()));
  EXPECT_TRUE(executor->outputs()[1].equal(x));
}

}  // namespace
}  // namespace berth::exec
