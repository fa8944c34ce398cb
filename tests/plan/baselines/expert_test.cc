// SPDX-License-Identifier: Apache-2.0
#include "plan/baselines/expert.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "import/graph_file.h"
#include "machine/library.h"
#include "plan/toys.h"
#include "problem/weights.h"
#include "sim/simulator.h"
#include "support/folders.h"
#include "zoo/zoo.h"

namespace berth {
namespace {

std::string data_path(const std::string& file) { return data_folder() / file; }

Problem on_machine(Graph graph, std::string_view machine) {
  return make_problem(std::make_shared<const Graph>(std::move(graph)),
                      std::make_shared<const Machine>(builtin_machine(machine).value()))
      .value();
}

template <typename T>
Plan run_expert(const Problem& problem, std::string* note = nullptr) {
  Search search(problem, {});
  Plan plan = T().plan(search).value();
  if (note != nullptr) *note = search.note();
  return plan;
}

// Tensors sent, once per destination.
std::size_t crossings(const Problem& problem, const Plan& plan) {
  std::size_t count = 0;
  for (const TensorId tensor : problem.graph().tensors()) {
    std::set<DeviceId> destinations;
    for (const OpId op : problem.graph().consumers(tensor)) destinations.insert(plan.device(op));
    destinations.erase(plan.device(problem.graph().producer(tensor)));
    count += destinations.size();
  }
  return count;
}

void expect_cpu_has_inputs_only(const Problem& problem, const Plan& plan) {
  for (const OpId op : problem.graph().ops()) {
    const bool on_cpu = problem.machine().device(plan.device(op)).kind == DeviceKind::kCpu;
    EXPECT_EQ(on_cpu, problem.graph().role(op) == Role::kInput) << problem.graph().name(op);
  }
}

const std::string& device_name(const Problem& problem, const Plan& plan, OpId op) {
  return problem.machine().device(plan.device(op)).name;
}

// Devices of all parameters whose label begins so.
std::set<std::string> devices_of_parameters(const Problem& problem, const Plan& plan, std::string_view prefix) {
  std::set<std::string> names;
  for (const OpId op : problem.graph().ops()) {
    const bool matches = problem.graph().role(op) == Role::kParameter && problem.graph().label(op).starts_with(prefix);
    if (matches) names.insert(device_name(problem, plan, op));
  }
  return names;
}

using DeviceNames = std::set<std::string>;

class CapturedModel : public testing::Test {
 protected:
  // Skips the test when the data is not there.
  static std::optional<Problem> load(const std::string& model, std::string_view machine) {
    const std::string path = data_path("captured/" + model + ".json.gz");
    if (!std::filesystem::exists(path)) return std::nullopt;
    return on_machine(load_graph_file(path).value(), machine);
  }
};

#define LOAD_OR_SKIP(problem, model, machine)                                                        \
  const std::optional<Problem> loaded_##problem = load(model, machine);                              \
  if (!loaded_##problem) GTEST_SKIP() << "no captured graphs; set BERTH_DATA to the folder of data"; \
  const Problem& problem = *loaded_##problem

TEST_F(CapturedModel, TranslationPutsEveryLayerOnItsGpu) {
  LOAD_OR_SKIP(problem, "nmt4.train", "k40x4");
  std::string note;
  const Plan plan = run_expert<ExpertLayersPlanner>(problem, &note);
  EXPECT_EQ(note, "4 recurrent layers over 4 devices");
  for (int k = 0; k < 4; ++k) {
    const DeviceNames gpu{fmt::format("gpu{}", k)};
    EXPECT_EQ(devices_of_parameters(problem, plan, fmt::format("m.enc.{}.", k)), gpu);
    EXPECT_EQ(devices_of_parameters(problem, plan, fmt::format("m.dec.{}.", k)), gpu);
  }
  for (const char* embedding : {"m.se.", "m.te."})
    EXPECT_EQ(devices_of_parameters(problem, plan, embedding), DeviceNames{"gpu0"});
  for (const char* last : {"m.wk.", "m.wq.", "m.v.", "m.o."})
    EXPECT_EQ(devices_of_parameters(problem, plan, last), DeviceNames{"gpu3"});
  expect_cpu_has_inputs_only(problem, plan);
}

TEST_F(CapturedModel, TranslationRunsOnAllGpusWithFewCrossingsAndFits) {
  LOAD_OR_SKIP(problem, "nmt4.train", "k40x4");
  const Plan plan = run_expert<ExpertLayersPlanner>(problem);
  const Score score = simulate(problem, plan);
  EXPECT_TRUE(score.feasible);
  for (std::size_t gpu = 1; gpu <= 4; ++gpu)
    EXPECT_GT(score.devices[gpu].busy, score.step_time / 10) << "gpu" << gpu - 1;
  // Per time step a state goes up and its gradient down between neighbours: at most 2 x 3 borders in each of 2 x 40
  // steps, and as much again for attention and embeddings.
  EXPECT_LT(crossings(problem, plan), 1000U);
  const Plan one = run_expert<ExpertPlanner>(problem);
  EXPECT_EQ(one, plan) << "the layers beat one GPU";
}

TEST_F(CapturedModel, BlocksAreContiguousAndBalanced) {
  LOAD_OR_SKIP(problem, "resnet50.train", "k40x2");
  std::string note;
  const Plan plan = run_expert<ExpertLayersPlanner>(problem, &note);
  EXPECT_EQ(note, "19 layers in blocks over 2 devices");  // 16 residual blocks, stem (convolution, norm), classifier
  const Score score = simulate(problem, plan);
  const double share = to_seconds(score.devices[1].busy) / to_seconds(score.devices[1].busy + score.devices[2].busy);
  EXPECT_NEAR(share, 0.5, 0.06);
  EXPECT_LT(crossings(problem, plan), 20U);
  expect_cpu_has_inputs_only(problem, plan);
}

TEST_F(CapturedModel, OneGpuWinsWhereLayersOnlyTakeTurns) {
  LOAD_OR_SKIP(problem, "resnet50.train", "k40x2");
  std::string note;
  const Plan plan = run_expert<ExpertPlanner>(problem, &note);
  EXPECT_EQ(note, "one device beats the layer rule: all on gpu0");
}

TEST_F(CapturedModel, InferenceLayersComeFromModulePaths) {
  LOAD_OR_SKIP(problem, "llama_8b.infer", "k40x4");
  const Plan plan = run_expert<ExpertPlanner>(problem);
  EXPECT_TRUE(simulate(problem, plan).feasible) << "too large for one GPU, so the layer rule must be taken";
  EXPECT_EQ(devices_of_parameters(problem, plan, "m.m.model.layers.0."), DeviceNames{"gpu0"});
  EXPECT_EQ(devices_of_parameters(problem, plan, "m.m.model.layers.31."), DeviceNames{"gpu3"});
  EXPECT_LT(crossings(problem, plan), 40U);
}

TEST(ExpertLayers, ZooGradientsSitWithTheirForwardOps) {
  const Problem problem = on_machine(build_zoo_model("nmt-4,batch=8,unroll=5").value(), "k40x4");
  std::string note;
  const Plan plan = run_expert<ExpertLayersPlanner>(problem, &note);
  EXPECT_EQ(note, "4 recurrent layers over 4 devices");
  std::size_t gradients = 0;
  for (const OpId op : problem.graph().ops()) {
    const OpId forward = problem.graph().forward_of(op);
    if (forward == kNoOp || problem.graph().role(forward) == Role::kInput) continue;
    ++gradients;
    EXPECT_EQ(device_name(problem, plan, op), device_name(problem, plan, forward)) << problem.graph().name(op);
  }
  EXPECT_GT(gradients, 1000U);
  expect_cpu_has_inputs_only(problem, plan);
}

TEST(ExpertLayers, LayersWrapAroundWhenThereAreMoreThanGpus) {
  const Problem problem = on_machine(build_zoo_model("nmt-4,batch=8,unroll=3").value(), "k40x2");
  const Plan plan = run_expert<ExpertLayersPlanner>(problem);
  std::map<std::string, DeviceNames> devices;
  for (const OpId op : problem.graph().ops()) {
    const std::string& label = problem.graph().label(op);
    if (const std::size_t at = label.find(".layer."); at != std::string::npos) {
      devices[label.substr(at + 1, 7)].insert(device_name(problem, plan, op));
    }
  }
  EXPECT_EQ(devices, (std::map<std::string, DeviceNames>{
                         {"layer.0", {"gpu0"}}, {"layer.1", {"gpu1"}}, {"layer.2", {"gpu0"}}, {"layer.3", {"gpu1"}}}));
}

TEST(ExpertLayers, WithoutNamesCutsTheTopologicalOrder) {
  std::string note;
  const Problem problem = toy_problem("a:1 -> b:1 -> c:1 -> d:1", kTwoGpus);
  const Plan plan = run_expert<ExpertLayersPlanner>(problem, &note);
  EXPECT_EQ(note, "no layer names, topological order in blocks over 2 devices");
  EXPECT_EQ(plan.device_of, toy_plan(problem, "a@gpu0 b@gpu0 c@gpu1 d@gpu1").device_of);
}

// The rule puts e and h0 on gpu0, h1 and o on gpu1, whatever the seconds of e and o are. A byte takes a second.
constexpr std::string_view kTwoBlocks =
    "device cpu; device gpu0 memory=100B; device gpu1 memory=100B; link cpu gpu0; link cpu gpu1; link gpu0 gpu1 rate=1";

// Sent to o, the table w takes 30 s. With o on gpu0 the step takes as long as its ops do, and two bytes cross.
TEST(ExpertLayers, LayersThatShareALargeWeightAreTogether) {
  const Problem problem = toy_problem(
      "w:param:30B -> e:1; p:param:60B; e -> h0:4; p -> h0; q:param:60B; h0 -> h1:4; q -> h1 -> o:1; w -> o",
      kTwoBlocks);
  const std::string_view together = "w@gpu0 e@gpu0 p@gpu0 h0@gpu0 q@gpu1 h1@gpu1 o@gpu0";
  EXPECT_EQ(simulate(problem, toy_plan(problem, together)).step_time, to_picoseconds(12.0));
  std::string note;
  EXPECT_EQ(plan_text(problem, run_expert<ExpertLayersPlanner>(problem, &note)), together);
  EXPECT_EQ(note, "no layer names, topological order in blocks over 2 devices, tied ones together");
  EXPECT_EQ(plan_text(problem, run_expert<ExpertPlanner>(problem)), together) << "one GPU does not hold p, q and w";
}

TEST(ExpertLayers, LayersThatShareAWeightAreWhereTheStepIsShortest) {
  const Problem problem = toy_problem("w:param:30B; w -> e:1 -> h0:4 -> h1:4 -> o:1/2/1; w -> o", kTwoBlocks);
  EXPECT_EQ(plan_text(problem, run_expert<ExpertLayersPlanner>(problem)), "w@gpu1 e@gpu1 h0@gpu0 h1@gpu1 o@gpu1");
}

// Sent from the start on, w is there when o is; brought to gpu0 or away from it, e or o waits for a slow link.
TEST(ExpertLayers, AWeightIsSentWhereThatIsFaster) {
  const Problem problem = toy_problem(
      "w:param:5B; w -> e:1 -> h0:20 -> h1:20 -> o:1; w -> o",
      "device cpu; device gpu0; device gpu1; link cpu gpu0; link cpu gpu1; link gpu0 gpu1 rate=1 latency=9");
  EXPECT_EQ(plan_text(problem, run_expert<ExpertLayersPlanner>(problem)), "w@gpu0 e@gpu0 h0@gpu0 h1@gpu1 o@gpu1");
}

// Nothing costs time, so bytes decide: h0 and w cross with o on gpu1, h0 and h1 with o on gpu0.
TEST(ExpertLayers, OfEqualStepsWithATiedWeightTheOneThatSendsLessIsTaken) {
  for (const auto& [bytes, home] : {std::pair(7, "gpu1"), std::pair(9, "gpu0")}) {
    const Problem problem =
        toy_problem(fmt::format("w:param:{}B; w -> e:1:30B -> h0:4:2B -> h1:4:8B -> o:1; w -> o", bytes),
                    "device cpu; device gpu0; device gpu1; link cpu gpu0; link cpu gpu1; link gpu0 gpu1");
    EXPECT_EQ(plan_text(problem, run_expert<ExpertLayersPlanner>(problem)),
              fmt::format("w@gpu0 e@gpu0 h0@gpu0 h1@gpu1 o@{}", home));
  }
}

TEST(ExpertLayers, AWeightThatAllLayersReadDoesNotGatherThem) {
  const Problem problem =
      toy_problem("w:param:30B; w -> e:1 -> h0:4 -> h1:4 -> o:1; w -> h0; w -> h1; w -> o", kTwoBlocks);
  EXPECT_EQ(plan_text(problem, run_expert<ExpertLayersPlanner>(problem)), "w@gpu0 e@gpu0 h0@gpu0 h1@gpu1 o@gpu1");
}

// A parameter is where its update is, so readers, gradients and update meet on one device.
TEST(ExpertLayers, TiedLayersAreTogetherInTraining) {
  const Problem problem = toy_problem(
      "w:param:30B; w -> e:1 -> h0:4 -> h1:4 -> o:1 -> go:1 -> g1:4 -> g0:4 -> ge:1:30B -> u:1:update=w; w -> u; "
      "w -> o; w -> go",
      kTwoBlocks);
  const Plan plan = run_expert<ExpertLayersPlanner>(problem);
  EXPECT_EQ(weights_that_cross(problem.graph(), plan).count(), 0U);
}

TEST(Expert, DoesNotBoastWhenTheLayerRuleGivesTheSamePlan) {
  for (const std::string_view machine : {"device cpu; device gpu; link cpu gpu", "1 devices"}) {
    for (const std::string_view graph : {"a:1 -> b:1", ""}) {
      std::string note;
      run_expert<ExpertPlanner>(constrained_toy(graph, machine, {}), &note);
      EXPECT_TRUE(note.starts_with("one device: ")) << note;
    }
  }
}

}  // namespace
}  // namespace berth
