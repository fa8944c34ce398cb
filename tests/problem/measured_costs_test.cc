// SPDX-License-Identifier: Apache-2.0
// Measured times: whose they are, on which devices, what several of them mean, and what a problem makes of them.
#include "problem/cost/measured_costs.h"

#include <gtest/gtest.h>

#include "machine/library.h"
#include "problem/demands/device_words.h"
#include "problem/parts.h"
#include "support/toy.h"

namespace berth {
namespace {

// k40x2: cpu (haswell-18c), gpu0 and gpu1 (k40).
class MeasuredCostsTest : public ::testing::Test {
 protected:
  Result<MatchedCosts> match(std::vector<CostsFile> files) { return match_costs(*graph_, *machine_, files); }
  MatchedCosts matched(std::vector<CostsFile> files) { return match(std::move(files)).value(); }
  std::string error(std::vector<CostsFile> files) {
    const auto result = match(std::move(files));
    return result ? "no error" : result.error().message;
  }

  std::shared_ptr<const Graph> graph_ = toy_graph("x:input:4B -> a:1 -> v:view:1B -> b:1 -> c:1").graph;
  std::shared_ptr<const Machine> machine_ = std::make_shared<const Machine>(builtin_machine("k40x2").value());
  const OpId a_{1}, v_{2}, b_{3}, c_{4};
};

CostsFile file(std::vector<Measurement> times, std::string device = "", Repeats repeats = Repeats::kMedian) {
  return {.path = "t.csv", .device = std::move(device), .repeats = repeats, .times = std::move(times)};
}

TEST_F(MeasuredCostsTest, WordsMeanNamesModelsKindsAndAll) {
  EXPECT_EQ(devices_of_word(*machine_, "gpu1"), (DeviceWord{device_bit(kGpu1), Breadth::kName}));
  EXPECT_EQ(devices_of_word(*machine_, "k40"), (DeviceWord{device_bit(kGpu0) | device_bit(kGpu1), Breadth::kModel}));
  EXPECT_EQ(devices_of_word(*machine_, "gpu").devices, device_bit(kGpu0) | device_bit(kGpu1));
  EXPECT_EQ(devices_of_word(*machine_, "*").devices, 0b111U);
  EXPECT_EQ(devices_of_word(*machine_, "gpu:1"), (DeviceWord{device_bit(kGpu1), Breadth::kName}));
  EXPECT_EQ(devices_of_word(*machine_, "k40:0").devices, device_bit(kGpu0));
  EXPECT_EQ(devices_of_word(*machine_, "gpu:2").devices, 0U);
  for (const std::string_view word : {"", "tpu", "gpu2", "K40"})
    EXPECT_EQ(devices_of_word(*machine_, word).devices, 0U);
  EXPECT_EQ(known_device_words(*machine_), "cpu, gpu0, gpu1, haswell-18c, k40, gpu");
}

TEST_F(MeasuredCostsTest, TheNarrowestWordWinsThenTheLaterFile) {
  const MatchedCosts both = matched({file({{{"a"}, "gpu0", 1}, {{"a"}, "k40", 2}, {{"b"}, "gpu", 3}}),
                                     file({{{"a"}, "*", 4}, {{"b"}, "gpu", 5}, {{"a"}, "gpu", 6}})});
  EXPECT_EQ(both.costs.seconds(a_, kGpu0), 1);
  EXPECT_EQ(both.costs.seconds(a_, kGpu1), 2);
  EXPECT_EQ(both.costs.seconds(a_, kCpu), 4);
  EXPECT_EQ(both.costs.seconds(b_, kGpu0), 5);
  EXPECT_LT(both.costs.seconds(b_, kCpu), 0);
  EXPECT_LT(both.costs.seconds(c_, kGpu0), 0);
  EXPECT_FALSE(both.costs.are_equal(kGpu0, kGpu1));
  EXPECT_EQ(both.costs.num_ops(), 2U);
}

TEST_F(MeasuredCostsTest, TheUsersWordStandsWhereATimeHasNoneAndNarrowsAKind) {
  const MatchedCosts narrowed = matched({file({{{"a"}, "", 1}, {{"b"}, "gpu", 2}, {{"c"}, "cpu", 3}}, "gpu1")});
  EXPECT_EQ(narrowed.costs.seconds(a_, kGpu1), 1);
  EXPECT_LT(narrowed.costs.seconds(a_, kGpu0), 0);
  EXPECT_EQ(narrowed.costs.seconds(b_, kGpu1), 2);
  EXPECT_LT(narrowed.costs.seconds(b_, kGpu0), 0);
  EXPECT_EQ(narrowed.costs.seconds(c_, kCpu), 3) << "another kind stays";
  EXPECT_EQ(error({file({{{"a"}, "", 1}}, "gpu7")}),
            "t.csv@gpu7: machine 'k40x2' has no such device; there are: cpu, gpu0, gpu1, haswell-18c, k40, gpu");
  EXPECT_EQ(
      error({file({{{"a"}, "", 1}})}),
      "t.csv: it does not say on which device 'a' took its time; write t.csv@DEVICE, with one of: cpu, gpu0, gpu1, "
      "haswell-18c, k40, gpu");
  EXPECT_EQ(error({file({{{"a"}, "gpu", 1}, {{"stranger"}, "", 1}})}), "no error") << "strangers need no device";
}

TEST_F(MeasuredCostsTest, SeveralTimesAreRunsOrParts) {
  const std::vector<Measurement> times{
      {{"a"}, "gpu", 5}, {{"a"}, "gpu", 1}, {{"a"}, "gpu", 9}, {{"b"}, "gpu", 4}, {{"b"}, "gpu", 2}};
  EXPECT_EQ(matched({file(times)}).costs.seconds(a_, kGpu0), 5) << "the median";
  EXPECT_EQ(matched({file(times)}).costs.seconds(b_, kGpu0), 3) << "of an even number: between the two in the middle";
  EXPECT_EQ(matched({file(times, "", Repeats::kSum)}).costs.seconds(a_, kGpu0), 15);
}

TEST_F(MeasuredCostsTest, AFusedTimeIsSharedAsTheModelSays) {
  GraphBuilder builder("fused");
  const OpId in =
      builder.add({.name = "in", .type = "input", .role = Role::kInput, .outputs = {{DType::kF32, {1000, 1000}}}});
  const OpId small =
      builder.add({.name = "small", .type = "relu", .inputs = {{in, 0}}, .outputs = {{DType::kF32, {1000, 1000}}}});
  builder.add({.name = "large",
               .type = "matmul",
               .inputs = {{small, 0}, {in, 0}},
               .outputs = {{DType::kF32, {1000, 1000}}},
               .flops = 2e9});
  graph_ = std::make_shared<const Graph>(std::move(builder).build().value());
  const Problem model = make_problem(graph_, machine_).value();
  const double wanted = static_cast<double>(model.duration(OpId{1}, kGpu0)) /
                        static_cast<double>(model.duration(OpId{1}, kGpu0) + model.duration(OpId{2}, kGpu0));
  const MatchedCosts shared = matched({file({{{"small", "large", "gone", "in"}, "gpu", 10}})});
  EXPECT_NEAR(shared.costs.seconds(OpId{1}, kGpu0), 10 * wanted, 1e-6);
  EXPECT_NEAR(shared.costs.seconds(OpId{2}, kGpu0), 10 * (1 - wanted), 1e-6);
  EXPECT_GT(wanted, 0.0);
  EXPECT_LT(wanted, 0.5);
  EXPECT_EQ(shared.reports[0].names, 4U);
  EXPECT_EQ(shared.reports[0].matched, 3U);
  EXPECT_EQ(shared.reports[0].timeless, 1U);
  EXPECT_EQ(shared.reports[0].unmatched, std::vector<std::string>{"gone"});
}

TEST_F(MeasuredCostsTest, LabelsAndCallsOfPyTorchAreNamesToo) {
  GraphBuilder builder("calls");
  const auto add = [&](const char* name, const char* type, const char* label) {
    builder.add({.name = name, .type = type, .outputs = {{DType::kF32, {8}}}, .label = label});
  };
  add("mm", "aten.mm.default", "first");
  add("add", "aten.add.Tensor", "both");
  add("mm_1", "aten.mm.out", "both");
  graph_ = std::make_shared<const Graph>(std::move(builder).build().value());
  const MatchedCosts calls = matched({file({{{"aten::mm"}, "gpu", 1},
                                            {{"aten::mm"}, "gpu", 2},
                                            {{"aten::mm"}, "gpu", 3},
                                            {{"aten::mm"}, "gpu", 6},
                                            {{"first"}, "cpu", 7},
                                            {{"both"}, "gpu", 8}})});
  EXPECT_EQ(calls.costs.seconds(OpId{0}, kGpu0), 2) << "two runs: 1 and 3";
  EXPECT_EQ(calls.costs.seconds(OpId{2}, kGpu0), 4) << "2 and 6";
  EXPECT_EQ(calls.costs.seconds(OpId{0}, kCpu), 7);
  EXPECT_LT(calls.costs.seconds(OpId{1}, kGpu0), 0) << "a label of two ops says nothing";
  EXPECT_EQ(calls.reports[0].matched, 2U);
  const MatchedCosts odd = matched({file({{{"aten::mm"}, "gpu", 1}, {{"aten::add"}, "gpu", 2}})});
  EXPECT_LT(odd.costs.seconds(OpId{0}, kGpu0), 0) << "one time, two ops";
  EXPECT_EQ(odd.reports[0].unmatched, std::vector<std::string>{"aten::mm"});
}

TEST_F(MeasuredCostsTest, ReportsWhatDoesNotFit) {
  std::vector<Measurement> times{{{"a"}, "gpu", 1}, {{"a"}, "v100", 1}, {{"v"}, "gpu", 1}};
  for (const char* name : {"p", "q", "r", "s", "t", "u"}) times.push_back({{name}, "gpu", 1});
  const CostsReport report = matched({file(times)}).reports.front();
  EXPECT_EQ(report.names, 8U);
  EXPECT_EQ(report.matched, 2U);
  EXPECT_EQ(report.timeless, 1U);
  EXPECT_EQ(report.other_devices, 1U);
  EXPECT_EQ(report.unmatched, (std::vector<std::string>{"p", "q", "r", "s", "t"}));
}

TEST_F(MeasuredCostsTest, RefusesWhatFitsNothing) {
  EXPECT_EQ(error({file({})}), "t.csv: there are no times in it");
  EXPECT_EQ(error({file({{{"p"}, "gpu", 1}, {{"q"}, "gpu", 1}})}),
            "t.csv: none of its 2 names is an op of the graph, for example 'p'; ops of 'toy' are called like 'a'");
  EXPECT_EQ(error({file({{{"a"}, "v100", 1}})}),
            "t.csv: its times are for devices that machine 'k40x2' does not have; there are: cpu, gpu0, gpu1, "
            "haswell-18c, k40, gpu");
  EXPECT_EQ(error({file({{{"v"}, "gpu", 1}})}),
            "t.csv: the ops it names are views, parameters, constants or inputs, which take no time");
}

TEST_F(MeasuredCostsTest, ReplaceTheModelsTimes) {
  const MatchedCosts measured =
      matched({file({{{"a"}, "gpu0", 2}, {{"b"}, "gpu", 0}, {{"a"}, "cpu", 0}, {{"v"}, "*", 9}})});
  const Problem model = make_problem(graph_, machine_).value();
  const Problem problem = make_problem(graph_, machine_, measured.costs).value();
  EXPECT_EQ(problem.duration(a_, kGpu0), to_picoseconds(2));
  EXPECT_EQ(problem.duration(a_, kGpu1), model.duration(a_, kGpu1)) << "not measured there";
  EXPECT_EQ(problem.duration(b_, kGpu1), problem.launch(kGpu1)) << "no op is done before it is launched";
  EXPECT_EQ(problem.duration(a_, kCpu), 0) << "a CPU's time contains its launch";
  EXPECT_EQ(problem.duration(v_, kGpu0), 0) << "views take no time";
  EXPECT_EQ(problem.duration(c_, kGpu0), model.duration(c_, kGpu0));
  EXPECT_EQ(problem.compute_part(a_, kGpu0), model.compute_part(a_, kGpu0));
  EXPECT_LE(problem.compute_part(b_, kGpu0), 0);
  EXPECT_NE(problem.device_class(kGpu0), problem.device_class(kGpu1)) << "they differ now";
  EXPECT_EQ(model.device_class(kGpu0), model.device_class(kGpu1));
  EXPECT_EQ(problem.graph().structure_hash(), model.graph().structure_hash());
}

TEST_F(MeasuredCostsTest, EqualTimesKeepDevicesEqual) {
  const MatchedCosts measured = matched({file({{{"a"}, "gpu0", 2}, {{"a"}, "gpu1", 2}})});
  const Problem problem = make_problem(graph_, machine_, measured.costs).value();
  EXPECT_EQ(problem.device_class(kGpu0), problem.device_class(kGpu1));
}

TEST_F(MeasuredCostsTest, TimesBeyondTheClockAreRefused) {
  const MatchedCosts measured = matched({file({{{"a"}, "gpu", 1e300}})});
  const auto problem = make_problem(graph_, machine_, measured.costs);
  ASSERT_FALSE(problem);
  EXPECT_EQ(problem.error().message, "op 'a' takes 1e+300 s on gpu0; at most 1e+06 s can be simulated");
}

}  // namespace
}  // namespace berth
