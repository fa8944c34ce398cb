// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "import/parts.h"
#include "import/problems/public_problem.h"
#include "machine/library.h"
#include "sim/simulator.h"

namespace berth {
namespace {

std::string layer_line(const std::string& name, const std::string& what, double forward, double backward,
                       const std::string& activation, const std::string& parameters) {
  return fmt::format(
      "{} -- {} -- forward_compute_time={:.3f}, backward_compute_time={:.3f}, activation_size={}, "
      "parameter_size={}\n",
      name, what, forward, backward, activation, parameters);
}

// The input has no gradient; c reads what a and b make.
const std::string kLayers = layer_line("x", "Input0", 0, 0, "0.0", "0.000") +
                            layer_line("a", "Linear(in=3, out=4)", 1, 2, "12000000.0", "500.000") +
                            layer_line("b", "ReLU()", 3, 4, "[6000000.0; 6000000.0]", "0.000") +
                            layer_line("c", "Add", 5, 6, "0.0", "7.000");
const std::string kPipedreamEdges = "\tx -- a\n\ta -- b\n\ta -- c\n\tb -- c";

Result<Problem> parse_pipedream(const std::string& text, const ProblemOverrides& request = {}) {
  const TemporaryFolder folder;
  write_bytes(folder.file("toy.txt"), text);
  return load_public_problem(folder.file("toy.txt"), request);
}

std::string pipedream_error(const std::string& text, const ProblemOverrides& request = {}) {
  const auto problem = parse_pipedream(text, request);
  if (problem) return "";
  const std::string& message = problem.error().message;
  return message.substr(message.find("toy.txt: ") + 9);
}

std::string all_inputs_text(const Graph& graph, OpId op) {
  std::string text;
  for (const TensorId tensor : graph.inputs(op)) {
    text += fmt::format(" {}.{}", graph.name(graph.producer(tensor)), graph.output_index(tensor));
  }
  for (const OpId before : graph.control_inputs(op)) text += fmt::format(" ^{}", graph.name(before));
  return text;
}

TEST(PipeDream, ALayerIsAForwardAndABackwardOp) {
  const auto problem = parse_pipedream(kLayers + kPipedreamEdges);
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(problem->objective(), Objective::kPipeline);
  EXPECT_EQ(problem->machine().name(), "p100x4");
  const Graph& graph = problem->graph();
  std::string text;
  for (const OpId op : graph.ops())
    text += fmt::format("{} {}:{}\n", graph.name(op), graph.type(op), all_inputs_text(graph, op));
  EXPECT_EQ(text,
            "x Input0:\n"
            "a Linear: ^x\n"
            "b ReLU: a.0\n"
            "c Add: a.0 b.0\n"
            "a_backward Linear_backward: b_backward.0 c_backward.0 ^a\n"
            "b_backward ReLU_backward: c_backward.1 ^b\n"
            "c_backward Add_backward: ^c\n");
  EXPECT_EQ(graph.bytes(graph.outputs(OpId{2})[0]), 12'000'000) << "the sizes of several activations add up";
  EXPECT_EQ(graph.forward_of(OpId{5}), OpId{2});
  EXPECT_EQ(problem->unit(OpId{5}), problem->unit(OpId{2}));
  EXPECT_EQ(problem->resident_bytes(OpId{1}), 12'000'500);
  EXPECT_EQ(problem->allowed(OpId{1}), 0b11110U) << "a profile has no times on CPUs";
}

// Apart from the rest, b receives one activation and one gradient and sends one of each, all of 12 MB: 1.012 ms each on
// a link of 12 GB/s that takes 12 us to start.
TEST(PipeDream, ActivationsAndGradientsCross) {
  const Problem problem = *parse_pipedream(kLayers + kPipedreamEdges);
  const DeviceId one{1}, two{2};
  const Score together = simulate(problem, Plan{std::vector<DeviceId>(7, one), {}, {}});
  EXPECT_EQ(to_seconds(together.step_time), 21e-3);
  const Score apart = simulate(problem, Plan{{one, one, two, one, one, two, one}, {}, {}});
  EXPECT_DOUBLE_EQ(to_seconds(apart.step_time), (21 - 7 + 4 * 1.012) * 1e-3);
}

TEST(PipeDream, TakesAnotherMachineWithAccelerators) {
  const auto eight = std::make_shared<const Machine>(*builtin_machine("a100x8"));
  EXPECT_EQ(parse_pipedream(kLayers + kPipedreamEdges, {.machine = eight})->machine().num_devices(), 9U);
  EXPECT_NE(pipedream_error(kLayers, {.objective = Objective::kStep}).find("say pipeline"), std::string::npos);
}

TEST(PipeDream, MistakesAreNamed) {
  EXPECT_EQ(pipedream_error(kLayers + "\ta -- z\n"), "line 5: no layer named \"z\" stands above");
  EXPECT_EQ(pipedream_error(kLayers), "4 layers and no edge between them: the profile ends early");
  EXPECT_EQ(pipedream_error(kLayers + "\ta\n"), "line 5: expected an edge 'name -- name'");
  EXPECT_EQ(pipedream_error(kLayers + layer_line("a", "again", 1, 1, "0", "0")),
            "line 5: there is another layer named 'a'");
  EXPECT_EQ(pipedream_error(kLayers + "d -- Linear -- forward_comp"),
            "line 5: expected 'name -- description -- forward_compute_time=..., ...'");
  EXPECT_EQ(pipedream_error(kLayers + "d -- Linear -- forward_compute_time=1.0, backward_compute_time=1.0"),
            "line 5: activation_size is missing");
  EXPECT_EQ(pipedream_error(layer_line("a", "L", 1, 1, "nan", "0")),
            "line 1: activation_size is \"nan\"; expected a number that is not negative");
  EXPECT_EQ(pipedream_error(layer_line("a", "L", 1, -1, "0", "0")),
            "line 1: backward_compute_time is \"-1.000\"; expected a number that is not negative");
  EXPECT_NE(pipedream_error(layer_line("a", "L", 1, 1, "1e300", "0")).find("more memory than"), std::string::npos);
  EXPECT_NE(pipedream_error(kLayers + kPipedreamEdges + "\n\tc -- a\n").find("cycle"), std::string::npos);
}

TEST(PipeDreamData, ProfilesAreRead) {
  std::size_t read = 0;
  for (const std::string folder :
       {"translation/profiles/gnmt_large", "image_classification/profiles/vgg16",
        "image_classification/profiles/resnet50", "image_classification/profiles/inception_v3"}) {
    for (const std::string& file : data_files("pipedream/profiler/" + folder, "graph.txt")) {
      const auto problem = load_public_problem(file);
      ASSERT_TRUE(problem) << problem.error().message;
      EXPECT_TRUE(folder.ends_with(problem->graph().title()));
      EXPECT_GE(problem->graph().num_ops(), 2 * problem->graph().source_nodes() - 6) << "only inputs have no gradient";
      ++read;
    }
  }
  if (read == 0) GTEST_SKIP() << "no pipedream in the data folder (BERTH_DATA)";
  EXPECT_EQ(read, 4U);
}

}  // namespace
}  // namespace berth
