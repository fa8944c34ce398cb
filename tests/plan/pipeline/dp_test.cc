// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline/dp.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <utility>

#include "graph/builder.h"
#include "import/problems/public_problem.h"
#include "plan/pipeline/down_sets.h"
#include "plan/toys.h"
#include "sim/simulator.h"
#include "support/as_pipeline.h"
#include "support/folders.h"

namespace berth {
namespace {

Problem pipeline_toy(std::string_view graph, std::vector<Bytes> resident = {}, std::string_view machine = kSmallGpus) {
  return as_pipeline(toy_problem(graph, machine), std::move(resident));
}

struct Found {
  double seconds;
  bool feasible;
  std::string note;
};

Found run_dp(const Problem& problem) {
  Search search(problem, {.time_s = 3600.0});
  const Plan plan = DpPlanner().plan(search).value();
  const Score score = simulate(problem, plan);
  return {to_seconds(score.step_time), score.feasible, search.note()};
}

TEST(Dp, CutsAChainWhereTheLoadIsEven) {
  // The CPU is ten times slower. Cut after b: 5 + 1 and 1 + 6; cut after c: 9 + 2 and 2 + 2.
  const Problem problem = pipeline_toy("a:20/2/2:3B -> b:30/3/3:1B -> c:40/4/4:2B -> d:20/2/2");
  EXPECT_EQ(run_dp(problem).seconds, 7);
}

TEST(Dp, UsesTheCpuWhereItPays) {
  // Without the CPU the best is 4 + 1 and 1 + 4. With a on the CPU one GPU still has two of the others, 1 + 4.
  const Problem problem = pipeline_toy("a:3/2/2:1B -> b:20/2/2:1B -> c:20/2/2:1B -> d:20/2/2");
  EXPECT_EQ(run_dp(problem).seconds, 5);
  // Here it pays: 3 + 1, 1 + 2 + 1 and 1 + 2.
  const Problem shorter = pipeline_toy("a:3/2/2:1B -> b:20/2/2:1B -> c:20/2/2:1B");
  EXPECT_EQ(run_dp(shorter).seconds, 4);
}

TEST(Dp, FillsMemoryOnlyAsFarAsItGoes) {
  const std::string chain = "a:2/2/2:1B -> b:90/2/2:1B -> c:90/2/2:1B -> d:90/8/8";
  EXPECT_EQ(run_dp(pipeline_toy(chain, {1, 1, 1, 1})).seconds, 9);   // a b c | d, or a on the CPU
  EXPECT_EQ(run_dp(pipeline_toy(chain, {1, 6, 6, 4})).seconds, 11);  // b and c do not fit together: c with d
  const Found none =
      run_dp(pipeline_toy("a:1 -> b:1", {1, 11}, "device g0 memory=10B; device g1 memory=10B; link g0 g1"));
  EXPECT_FALSE(none.feasible);
}

// No order cut into three stages has 6 + 4 everywhere: only other down-sets do.
TEST(Dp, LooksBeyondLinearOrdersWhereNoneFits) {
  constexpr std::string_view kThree =
      "device g0 memory=10B; device g1 memory=10B; device g2 memory=10B; link g0 g1; link g1 g2; link g0 g2";
  const Problem problem = pipeline_toy("a:1; b:1; c:1; d:1; e:1; f:1", {6, 6, 6, 4, 4, 4}, kThree);
  const Found found = run_dp(problem);
  EXPECT_TRUE(found.feasible);
  EXPECT_EQ(found.seconds, 2);
  EXPECT_EQ(found.note, "the best contiguous plan by each device's fastest links, 64 down-sets");
  const Found none = run_dp(pipeline_toy("a:1; b:1; c:1; d:1", {6, 6, 6, 6}, kThree));
  EXPECT_FALSE(none.feasible);
  EXPECT_EQ(none.note, "the best contiguous plan by each device's fastest links, 16 down-sets, and none fits");
}

// Three stages of 4 s need two crossings, two stages one.
TEST(Dp, ClaimsNoOptimumThatALimitForbids) {
  constexpr std::string_view kThree = "device g0; device g1; device g2; link g0 g1; link g1 g2; link g0 g2";
  const auto run = [&](std::int64_t crossings) {
    Constraints limits;
    limits.max_crossings = crossings;
    return run_dp(as_pipeline(constrained_toy("a:4 -> b:4 -> c:4", kThree, limits)));
  };
  EXPECT_EQ(run(2).seconds, 4);
  EXPECT_EQ(run(2).note, "the best contiguous plan by each device's fastest links, 4 down-sets");
  EXPECT_EQ(run(1).seconds, 8);
  EXPECT_EQ(run(1).note, "the best cut found within the limits, 4 down-sets");
  EXPECT_EQ(run(0).seconds, 12);
}

// Over the host the cut would cost 20 s; over the link between the GPUs it costs 1 s on both sides.
TEST(Dp, CutsWhereADirectLinkIsCheap) {
  const Problem problem =
      pipeline_toy("a:90/4/4:20B -> b:90/4/4", {},
                   "device cpu; device gpu0; device gpu1; link cpu gpu0 rate=1; link cpu gpu1 rate=1; "
                   "link gpu0 gpu1 rate=20");
  EXPECT_EQ(run_dp(problem).seconds, 5);
}

TEST(Dp, KeepsAPlanWhenStoppedAtOnce) {
  for (const Problem& problem : {pipeline_toy("a:1 -> b:1"), toy_problem("a:1 -> b:1", kSmallGpus)}) {
    Search search(problem, {.time_s = 0.0});
    ASSERT_TRUE(DpPlanner().plan(search));
    EXPECT_EQ(search.note(), "stopped early");
  }
}

TEST(Dp, SaysWhatItLookedAt) {
  EXPECT_EQ(run_dp(pipeline_toy("a:1 -> b:1; a -> c:1 -> d:1; b -> d")).note,
            "the best contiguous plan, 6 down-sets");  // none, a, ab, ac, abc, abcd
  std::string wide;
  for (int i = 0; i < 18; ++i) wide += fmt::format("{}a{}:1", i == 0 ? "" : "; ", i);
  EXPECT_EQ(run_dp(pipeline_toy(wide)).note, "linearised: more than 200,000 down-sets");
}

// 30 devices with memories of their own are 2^30 combinations of kinds; only the fastest few are counted then.
TEST(Dp, CopesWithManyUnequalDevices) {
  std::string machine = "switch s", graph = "a0:1";
  for (int i = 0; i < 30; ++i)
    machine += fmt::format("; device g{0} memory={1}B; link g{0} s rate=1000000", i, 100 + i);
  for (int i = 1; i < 40; ++i) graph += fmt::format(" -> a{}:1", i);
  const Found found = run_dp(pipeline_toy(graph, {}, machine));
  EXPECT_NE(found.note.find("on 10 of 30 devices"), std::string::npos) << found.note;
  EXPECT_LE(found.seconds, 4.01) << "40 s of work on ten devices";
}

TEST(Dp, LeavesThatDoNothingMultiplyNoDownSets) {
  std::string text = "a:1:0B";
  for (int i = 0; i < 30; ++i) text += fmt::format("; a -> leaf{}:0:1B", i);
  for (int i = 0; i < 30; ++i) text += fmt::format("; source{}:0:0B -> a", i);
  EXPECT_EQ(run_dp(pipeline_toy(text)).note, "the best contiguous plan, 2 down-sets");
}

TEST(DownSets, AreListedBySizeWithAllSteps) {
  const Problem problem = pipeline_toy("a:1 -> b:1; c:1 -> d:1");
  const PipelineModel model(problem);
  const StageProblem stages = make_stage_problem(model, std::vector<DeviceId>{DeviceId{1}, DeviceId{2}});
  const auto sets = find_down_sets(stages, 100, [] { return false; });
  ASSERT_TRUE(sets);
  EXPECT_EQ(sets->size(), 9U);         // (none, a, ab) x (none, c, cd)
  EXPECT_EQ(sets->steps.size(), 12U);  // of a 3 x 3 grid
  EXPECT_FALSE(find_down_sets(stages, 8, [] { return false; }));
}

// Random forward passes with or without their backward ops, which are tied by colocation.
Problem random_pipeline(Rng& rng, bool idle_ops) {
  const auto forward_ops = static_cast<std::size_t>(rng.between(1, 6));
  const bool training = rng.chance(0.5);
  GraphBuilder builder("random");
  std::vector<std::vector<double>> times;
  std::vector<Bytes> resident;
  const auto add = [&](const std::string& name, std::string_view type, const std::string& colour,
                       std::vector<OutputRef> inputs) {
    builder.add({.name = name,
                 .type = type,
                 .inputs = std::move(inputs),
                 .outputs = {{DType::kU8, {rng.between(0, 6)}}},
                 .colocate = colour});
    auto& row = times.emplace_back();
    const bool idle = idle_ops && rng.chance(0.4);
    for (int device = 0; device < 4; ++device) row.push_back(idle ? 0.0 : static_cast<double>(rng.between(1, 9)));
    row[2] = row[1];  // two equal accelerators
    resident.push_back(idle_ops ? 0 : rng.between(0, 5));
  };
  std::vector<std::pair<OpId, OpId>> edges;
  for (std::size_t op = 0; op < forward_ops; ++op) {
    std::vector<OutputRef> inputs;
    for (std::size_t from = 0; from < op; ++from) {
      if (!rng.chance(0.4)) continue;
      inputs.push_back({OpId(from), 0});
      edges.emplace_back(OpId(from), OpId(op));
    }
    const std::string colour = training || rng.chance(0.3) ? fmt::format("c{}", training ? op : rng.below(3)) : "";
    add(fmt::format("f{}", op), "layer", colour, inputs);
  }
  for (std::size_t i = forward_ops; training && i-- > 0;) {
    std::vector<OutputRef> inputs;
    for (const auto& [from, to] : edges) {
      if (from == OpId(i)) inputs.push_back({OpId(2 * forward_ops - 1 - index(to)), 0});
    }
    if (rng.chance(0.5)) inputs.push_back({OpId(i), 0});
    add(fmt::format("b{}", i), "layer_backward", fmt::format("c{}", i), inputs);
  }
  ExplicitCosts costs{times, {}, resident};
  const Bytes memory = idle_ops ? 1000 : rng.between(4, 30);
  const auto machine = toy_machine(fmt::format(
      "device cpu; device g0 memory={0}B; device g1 memory={0}B; device g2 memory={0}B; link cpu g0 rate=1; "
      "link cpu g1 rate=1; link cpu g2 rate=2",
      memory));
  return make_problem(std::make_shared<const Graph>(std::move(builder).build().value()), machine, costs, {},
                      Objective::kPipeline)
      .value();
}

// Forward ops of each device are the difference of two down-sets iff devices can be ordered so that no forward edge
// leads back: iff the devices, drawn together, form no cycle.
bool is_contiguous(const Problem& problem, const Plan& plan) {
  const std::size_t devices = problem.machine().num_devices();
  std::vector<std::vector<bool>> reaches(devices, std::vector<bool>(devices, false));
  const Graph& graph = problem.graph();
  for (const OpId op : graph.ops()) {
    for (const TensorId tensor : graph.distinct_inputs(op)) {
      const OpId from = graph.producer(tensor);
      const bool forward = graph.type(from) == "layer" && graph.type(op) == "layer";
      if (forward && plan.device(from) != plan.device(op))
        reaches[index(plan.device(from))][index(plan.device(op))] = true;
    }
  }
  for (std::size_t via = 0; via < devices; ++via) {
    for (std::size_t a = 0; a < devices; ++a) {
      for (std::size_t b = 0; b < devices; ++b) reaches[a][b] = reaches[a][b] || (reaches[a][via] && reaches[via][b]);
    }
  }
  for (std::size_t device = 0; device < devices; ++device) {
    if (reaches[device][device]) return false;
  }
  return true;
}

std::optional<Picoseconds> best_contiguous(const Problem& problem) {
  const PipelineModel model(problem);
  PipelineLoads loads(model, std::vector<DeviceId>(problem.num_units(), DeviceId{0}));
  std::optional<Picoseconds> best;
  while (true) {
    const Picoseconds load = loads.largest_load();
    if ((!best || load < *best) && loads.over_capacity() == 0 && is_contiguous(problem, loads.plan())) best = load;
    std::uint32_t unit = 0;  // the next of all plans, as a number with a digit per unit
    while (unit < problem.num_units() && index(loads.device(unit)) + 1 == problem.machine().num_devices())
      loads.move(unit++, DeviceId{0});
    if (unit == problem.num_units()) return best;
    loads.move(unit, DeviceId(index(loads.device(unit)) + 1));
  }
}

TEST(Dp, EqualsTheBestOfAllContiguousPlans) {
  int feasible = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Problem problem = random_pipeline(rng, seed % 3 == 0);
    Search search(problem, {.time_s = 3600.0});
    const Plan plan = DpPlanner().plan(search).value();
    const Score score = simulate(problem, plan);
    const auto best = best_contiguous(problem);
    ASSERT_EQ(score.feasible, best.has_value());
    if (!best) continue;
    ++feasible;
    EXPECT_TRUE(is_contiguous(problem, plan));
    EXPECT_EQ(score.step_time, *best);
  }
  EXPECT_GT(feasible, 60);
}

TEST(Dp, CutsStagesForTheStepToo) {
  // 8 B of parameters each, and a gpu holds 10 B: two stages, one per gpu, and the step pays one transfer.
  const Problem problem = toy_problem("v:param:8B -> a:20/2/2:1B -> b:20/2/2:1B; w:param:8B -> b", kSmallGpus);
  const Found found = run_dp(problem);
  EXPECT_TRUE(found.feasible);
  EXPECT_EQ(found.seconds, 6);  // 2, two links of 1 s, 2
}

// The answers of recomputed/table.csv, which come from two independent programs.
TEST(Dp, EqualsThePublishedContiguousOptima) {
  const std::filesystem::path folder = data_folder() / "msr-dnn-partitioning" / "throughput-inputs";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no msr-dnn-partitioning in the data folder (BERTH_DATA)";
  const std::vector<std::pair<std::string, double>> optima{
      {"LayerGraphs/bert24_inference", 17.7899},      {"LayerGraphs/bert24_training", 41.7458},
      {"LayerGraphs/gnmt_inference", 32.9107},        {"LayerGraphs/gnmt_training", 107.0044},
      {"LayerGraphs/resnet50_inference", 33.7747},    {"LayerGraphs/resnet50_training", 78.6318},
      {"LayerGraphs/inceptionv3_inference", 51.5519}, {"LayerGraphs/inceptionv3_training", 122.7616},
      {"OperatorGraphs/bert_l-3_inference", 27.9186}, {"OperatorGraphs/bert_l-3_training", 65.3031}};
  for (const auto& [name, milliseconds] : optima) {
    SCOPED_TRACE(name);
    const auto problem = load_public_problem(folder / (name + ".json"));
    ASSERT_TRUE(problem) << problem.error().message;
    const Found found = run_dp(*problem);
    EXPECT_TRUE(found.feasible);
    EXPECT_NEAR(found.seconds * 1e3, milliseconds, 5.001e-5);
    EXPECT_TRUE(found.note.starts_with("the best contiguous plan")) << found.note;
  }
}

}  // namespace
}  // namespace berth
