// SPDX-License-Identifier: Apache-2.0
// The worked example of docs/simulator.md, to keep it true.
#include <gtest/gtest.h>

#include <memory>

#include "graph/builder.h"
#include "sim/critical_path.h"
#include "sim/simulator.h"

namespace berth {
namespace {

// a:2 -> b:3; a -> c:3; b -> d:1; c -> d. Link of 1 byte per second, so a's tensor has 1 byte and b's has 2.
Problem worked_example() {
  GraphBuilder builder("worked example");
  const auto add = [&](std::string_view name, std::vector<OutputRef> inputs, std::int64_t bytes) {
    return builder.add({.name = name, .type = "op", .inputs = std::move(inputs), .outputs = {{DType::kU8, {bytes}}}});
  };
  const OpId a = add("a", {}, 1);
  const OpId b = add("b", {{a, 0}}, 2);
  const OpId c = add("c", {{a, 0}}, 1);
  add("d", {{b, 0}, {c, 0}}, 0);
  Device device;
  device.memory = 100;
  device.flops_per_s = {{DType::kF32, 1.0}};
  device.bytes_per_s = 1.0;
  std::vector<Device> devices(2, device);
  devices[0].name = "d0";
  devices[1].name = "d1";
  auto machine = Machine::make("pair", "", devices, {}, {}, {{.from = "d0", .to = "d1", .bytes_per_s = 1.0}});
  auto graph = std::move(builder).build();
  return make_problem(std::make_shared<Graph>(std::move(graph).value()),
                      std::make_shared<Machine>(std::move(machine).value()),
                      ExplicitCosts{{{2, 2}, {3, 3}, {3, 3}, {1, 1}}, {}})
      .value();
}

const Plan kPlan{{DeviceId{0}, DeviceId{0}, DeviceId{1}, DeviceId{1}}, {}, {}};

double seconds(Picoseconds time) { return to_seconds(time); }

TEST(WorkedExample, TimelineIsThatOfTheDocumentation) {
  const Problem problem = worked_example();
  const Timeline timeline = simulate_timeline(problem, kPlan);
  EXPECT_EQ(seconds(timeline.score.step_time), 8);
  std::vector<std::string> lines;
  for (const OpEvent& event : timeline.ops) {
    lines.push_back(fmt::format("{}@{} {}-{}", problem.graph().name(event.op), index(event.device),
                                seconds(event.start), seconds(event.end)));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"a@0 0-2", "b@0 2-5", "c@1 3-6", "d@1 7-8"}));
  ASSERT_EQ(timeline.transfers.size(), 2U);
  EXPECT_EQ(seconds(timeline.transfers[0].start), 2);
  EXPECT_EQ(seconds(timeline.transfers[1].start), 5);
  // Device 0: a's byte and b's two from 2 to 5. Device 1: a's copy and c's output from 3 to 6, then b's copy from 5.
  EXPECT_EQ(timeline.score.devices[0].peak, 3);
  EXPECT_EQ(timeline.score.devices[1].peak, 4);
}

TEST(WorkedExample, CriticalPathIsThatOfTheDocumentation) {
  const Problem problem = worked_example();
  const auto path = critical_path(problem, kPlan, simulate_timeline(problem, kPlan));
  std::vector<std::string> lines;
  for (const CriticalStep& step : path) {
    lines.push_back(fmt::format("{}{} {}-{}", problem.graph().name(step.op), step.is_transfer ? ">" : "",
                                seconds(step.start), seconds(step.end)));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"a 0-2", "b 2-5", "b> 5-7", "d 7-8"}));
}

}  // namespace
}  // namespace berth
