// SPDX-License-Identifier: Apache-2.0
// Placements in the files of models: what a device field means, and what becomes of one that is not legal.
#include "import/plans/given_placement.h"

#include <gtest/gtest.h>

#include "machine/library.h"
#include "support/toy.h"

namespace berth {
namespace {

// "gpu1", "/job:a/task:0 cpu0", or the error.
std::string field_text(std::string_view text) {
  const auto field = parse_device_field(text);
  if (!field) return field.error().message;
  const std::string kind = field->kind ? fmt::format("{}{}", name_of(*field->kind), field->number) : "any";
  return field->task.empty() ? kind : fmt::format("{} {}", field->task, kind);
}

TEST(DeviceField, SaysKindNumberAndTask) {
  EXPECT_EQ(field_text("/device:GPU:1"), "gpu1");
  EXPECT_EQ(field_text("/job:localhost/replica:0/task:0/device:CPU:0"), "/job:localhost/replica:0/task:0 cpu0");
  EXPECT_EQ(field_text("/gpu:3"), "gpu3");
  EXPECT_EQ(field_text("/cpu:*"), "cpu0");
  EXPECT_EQ(field_text("/device:XLA_GPU:2"), "gpu2");
  EXPECT_EQ(field_text("/device:TPU"), "tpu0");
  EXPECT_EQ(field_text("/job:worker"), "/job:worker any");
  EXPECT_EQ(field_text("GPU.1"), "gpu1");
  EXPECT_EQ(field_text("CPU"), "cpu0");
  EXPECT_EQ(field_text("cuda:2"), "gpu2");
}

TEST(DeviceField, RefusesWhatIsNone) {
  EXPECT_EQ(field_text("/device:MAINFRAME:0"),
            "device field \"/device:MAINFRAME:0\": \"MAINFRAME\" is no kind of device");
  EXPECT_EQ(field_text("/device:GPU:-1"), "device field \"/device:GPU:-1\": \"-1\" is no number of a device");
  EXPECT_EQ(field_text("/gpu:99999999999999"),
            "device field \"/gpu:99999999999999\": \"99999999999999\" is no number of a device");
  EXPECT_EQ(field_text("/gpu:1x"), "device field \"/gpu:1x\": \"1x\" is no number of a device");
  EXPECT_EQ(field_text("/gpu:1:2"), "device field \"/gpu:1:2\": too many colons");
  EXPECT_EQ(field_text(":::"), "device field \":::\": \"\" is no kind of device");
}

// k40x2: cpu, gpu0, gpu1.
Problem problem_of(std::string_view graph, Constraints constraints = {}) {
  return make_problem(toy_graph(graph).graph, std::make_shared<const Machine>(builtin_machine("k40x2").value()),
                      std::move(constraints))
      .value();
}

// "gpu0 cpu; stated 1, together 0, not allowed 0", or the error.
std::string placed(const Problem& problem, const std::vector<std::string>& device_of) {
  const auto given = given_placement(problem, device_of);
  if (!given) return given.error().message;
  EXPECT_EQ(verify(problem, given->plan).has_value(), false);
  std::string text;
  for (const DeviceId device : given->plan.device_of) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", problem.machine().device(device).name);
  }
  return fmt::format("{}; stated {}, together {}, not allowed {}", text, given->stated, given->moved_together,
                     given->not_allowed);
}

TEST(GivenPlacement, FollowsTheFieldsAndFillsInTheRest) {
  const Problem problem = problem_of("x:input:4B -> a:1 -> b:1 -> c:1");
  EXPECT_EQ(placed(problem, {"", "/device:GPU:1", "", "/device:CPU:0"}),
            "cpu gpu1 gpu0 cpu; stated 2, together 0, not allowed 0")
      << "an input is at home on the CPU, other ops without a field on the first GPU";
}

TEST(GivenPlacement, MovesWhatMayNotBeThere) {
  Constraints constraints;
  constraints.forbids.push_back({OpId{1}, DeviceId{1}});
  const Problem problem = problem_of("x:input:4B -> a:1 -> b:1", std::move(constraints));
  EXPECT_EQ(placed(problem, {"/gpu:0", "/gpu:0", "/gpu:0"}), "cpu cpu gpu0; stated 3, together 0, not allowed 2");
}

TEST(GivenPlacement, KeepsTogetherWhatBelongsTogether) {
  const Problem problem = problem_of("a:1:group=g -> b:1:group=g -> c:1:group=g -> d:1:group=g; e:1");
  EXPECT_EQ(placed(problem, {"/gpu:0", "/gpu:1", "", "/gpu:1", "/gpu:0"}),
            "gpu1 gpu1 gpu1 gpu1 gpu0; stated 4, together 1, not allowed 0")
      << "most want gpu1";
  EXPECT_EQ(placed(problem, {"/gpu:1", "/gpu:0", "", "", ""}),
            "gpu1 gpu1 gpu1 gpu1 gpu0; stated 2, together 1, not allowed 0")
      << "of equals, the first";
}

TEST(GivenPlacement, SaysWhatWasMoved) {
  const Problem problem = problem_of("a:1:group=g -> b:1:group=g -> c:1:group=g; e:1");
  const std::vector<std::string> devices{"/gpu:1", "/gpu:0", "", ""};
  EXPECT_EQ(words_about(given_placement(problem, devices).value()),
            "places 2 of 4 ops; 1 moved to be with ops it shares a device with");
  GivenPlacement given;
  given.plan.device_of.resize(1);
  given.not_allowed = 1'300;
  EXPECT_EQ(words_about(given), "places 0 of 1 op; 1,300 moved because they may not run there");
  given.not_allowed = 1, given.moved_together = 2;
  EXPECT_EQ(words_about(given),
            "places 0 of 1 op; 2 moved to be with ops they share a device with; 1 moved because it may not run there");
}

TEST(GivenPlacement, NeedsTheDevicesOfTheFile) {
  const Problem problem = problem_of("a:1 -> b:1");
  EXPECT_EQ(placed(problem, {"/gpu:0", "/gpu:2"}),
            "op 'b': the file places it on \"/gpu:2\", but machine 'k40x2' has 2 devices of the kind gpu");
  EXPECT_EQ(placed(problem, {"/device:TPU:0", ""}),
            "op 'a': the file places it on \"/device:TPU:0\", but machine 'k40x2' has 0 devices of the kind tpu");
  EXPECT_EQ(
      placed(problem, {"/job:ps/task:0/cpu:0", "/job:worker/task:0/gpu:0"}),
      "op 'b': the file places ops on several hosts, \"/job:ps/task:0\" and \"/job:worker/task:0\"; a placement on "
      "one can be read");
  EXPECT_EQ(placed(problem, {"/job:a/gpu:1", "/gpu:0"}), "gpu1 gpu0; stated 2, together 0, not allowed 0");
  EXPECT_EQ(placed(problem, {"/job:a", ""}), "gpu0 gpu0; stated 0, together 0, not allowed 0");
}

}  // namespace
}  // namespace berth
