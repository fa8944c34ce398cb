// SPDX-License-Identifier: Apache-2.0
// make_problem with explicit times: what each constraint does, how units and classes are numbered, what is refused.
#include "problem/problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/builder.h"
#include "machine/library.h"
#include "problem/parts.h"
#include "support/toy.h"

namespace berth {
namespace {

constexpr std::string_view kMachine =
    "device cpu memory=100B; device gpu0 memory=40B; device gpu1 memory=40B;"
    "link cpu gpu0 latency=1 rate=2; link cpu gpu1 latency=2 rate=4";
constexpr double kSecond = kPicosecondsPerSecond;

// One row of times per op, one column per device; the toy graph's own times where `costs` is empty.
Result<Problem> try_problem(std::string_view graph_text, Constraints constraints = {}, ExplicitCosts costs = {},
                            std::string_view machine_text = kMachine) {
  const ToyGraph toy = toy_graph(graph_text);
  const auto machine = toy_machine(machine_text);
  if (costs.time_s.empty()) {
    for (std::vector<double> row : toy.seconds) {
      if (row.size() == 1) row.assign(machine->num_devices(), row[0]);
      costs.time_s.push_back(row);
    }
  }
  return make_problem(toy.graph, machine, costs, std::move(constraints));
}

Problem problem_of(std::string_view graph, Constraints constraints = {}, ExplicitCosts costs = {}) {
  return try_problem(graph, std::move(constraints), std::move(costs)).value();
}

std::string error_of(std::string_view graph, Constraints constraints = {}, ExplicitCosts costs = {},
                     std::string_view machine = kMachine) {
  const auto problem = try_problem(graph, std::move(constraints), std::move(costs), machine);
  return problem.ok() ? "no error" : problem.error().message;
}

constexpr DeviceSet kEverywhere = 0b111;

TEST(Problem, TakesTimesAsTheyAre) {
  const Problem problem =
      problem_of("a:1/2.5/3 -> b:4:compute=3", {}, {{{1, 2.5, 3}, {4, 4, 4}}, {{1, 0, 2}, {3, 3, -1}}});
  EXPECT_EQ(problem.duration(OpId{0}, kGpu0), 2.5 * kSecond);
  EXPECT_EQ(problem.duration(OpId{1}, kGpu1), 4 * kSecond);
  EXPECT_EQ(problem.compute_part(OpId{0}, kGpu0), 0);
  EXPECT_EQ(problem.compute_part(OpId{1}, kCpu), 3 * kSecond);
  EXPECT_EQ(problem.compute_part(OpId{1}, kGpu1), 0);  // negative: nothing
}

TEST(Problem, ComputePartIsTheWholeUnlessSaid) {
  const Problem problem = problem_of("a:1/2/3");
  EXPECT_EQ(problem.compute_part(OpId{0}, kGpu1), 3 * kSecond);
}

TEST(Problem, OnlyComputeTakesTime) {
  const Problem problem = problem_of("x:input:5 -> v:view:5; w:param:5; b:buffer:5; c:const:5; a:5");
  for (const OpId op : problem.graph().ops()) {
    EXPECT_EQ(problem.duration(op, kCpu), problem.graph().name(op) == "a" ? 5 * kSecond : 0);
  }
}

TEST(Problem, TransfersTakeLatencyAndBandwidth) {
  const Problem problem = problem_of("a:1");
  ASSERT_EQ(problem.machine().route(kCpu, kGpu0).size(), 1U);
  EXPECT_EQ(problem.transfer_time(10, problem.machine().route(kCpu, kGpu0)[0]), 6 * kSecond);
  EXPECT_EQ(problem.transfer_time(10, problem.machine().route(kGpu1, kCpu)[0]), 4.5 * kSecond);
  EXPECT_EQ(problem.control_latency(kCpu, kCpu), 0);
  EXPECT_EQ(problem.control_latency(kCpu, kGpu1), 2 * kSecond);
  EXPECT_EQ(problem.control_latency(kGpu0, kGpu1), 3 * kSecond);  // through the CPU
}

TEST(Problem, UnitsAreNumberedByTheirLowestOp) {
  Constraints constraints;
  constraints.together = {{OpId{5}, OpId{1}}, {}, {OpId{2}}};
  const Problem problem = problem_of("a:1; b:1; c:1:group=g; d:1; w:param; u:1:update=w; e:1:group=g", constraints);
  // a | b u w (together, and the update with its parameter) | c e | d
  ASSERT_EQ(problem.num_units(), 4U);
  std::vector<std::uint32_t> units;
  for (const OpId op : problem.graph().ops()) units.push_back(problem.unit(op));
  EXPECT_EQ(units, (std::vector<std::uint32_t>{0, 1, 2, 3, 1, 1, 2}));
  const auto ops = problem.unit_ops(1);
  EXPECT_EQ(std::vector<OpId>(ops.begin(), ops.end()), (std::vector<OpId>{OpId{1}, OpId{4}, OpId{5}}));
}

TEST(Problem, EveryDeviceIsAllowedByDefault) {
  const Problem problem = problem_of("a:1 -> b:1");
  EXPECT_EQ(problem.allowed(OpId{1}), kEverywhere);
  EXPECT_EQ(problem.unit_allowed(1), kEverywhere);
}

TEST(Problem, NegativeTimesForbid) {
  const Problem problem = problem_of("a:1/-/2 -> b:-/1/1");
  EXPECT_EQ(problem.allowed(OpId{0}), 0b101U);
  EXPECT_EQ(problem.allowed(OpId{1}), 0b110U);
}

TEST(Problem, PinsAndForbidsHoldForTheWholeUnit) {
  Constraints constraints;
  constraints.pins = {{OpId{0}, kGpu1}};
  constraints.forbids = {{OpId{3}, kGpu0}};
  const Problem problem = problem_of("a:1:group=g; b:1:group=g; c:1:group=h; d:1:group=h", constraints);
  EXPECT_EQ(problem.allowed(OpId{1}), device_bit(kGpu1));
  EXPECT_EQ(problem.allowed(OpId{2}), 0b101U);
}

TEST(Problem, KindsOfTheGraphHold) {
  GraphBuilder builder("kinds");
  builder.add({.name = "a", .allowed = kind_bit(DeviceKind::kGpu)});
  builder.add({.name = "b", .allowed = kind_bit(DeviceKind::kCpu)});
  builder.add({.name = "c", .allowed = kind_bit(DeviceKind::kCpu) | kind_bit(DeviceKind::kTpu)});
  const auto graph = std::make_shared<const Graph>(std::move(builder).build().value());
  const auto machine = toy_machine(kMachine);
  const Problem problem = make_problem(graph, machine, {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {}}).value();
  EXPECT_EQ(problem.allowed(OpId{0}), 0b110U);
  EXPECT_EQ(problem.allowed(OpId{1}), 0b001U);
  EXPECT_EQ(problem.allowed(OpId{2}), 0b001U);
}

TEST(Problem, InputsGoToTheFirstCpu) {
  EXPECT_EQ(problem_of("x:input -> a:1").allowed(OpId{0}), device_bit(kCpu));
  EXPECT_EQ(problem_of("x:input -> a:1").allowed(OpId{1}), kEverywhere);
  EXPECT_EQ(problem_of("a:1 -> b:1; w:param; c:const").allowed(OpId{2}), kEverywhere);
}

TEST(Problem, InputsGiveWayToWhatTheUserSays) {
  Constraints anywhere;
  anywhere.inputs_on_first_cpu = false;
  EXPECT_EQ(problem_of("x:input", anywhere).allowed(OpId{0}), kEverywhere);
  Constraints pinned;
  pinned.pins = {{OpId{0}, kGpu1}};
  EXPECT_EQ(problem_of("x:input", pinned).allowed(OpId{0}), device_bit(kGpu1));
  Constraints forbidden;
  forbidden.forbids = {{OpId{0}, kCpu}};
  EXPECT_EQ(problem_of("x:input", forbidden).allowed(OpId{0}), 0b110U);
  EXPECT_EQ(problem_of("x:input:-/0/0").allowed(OpId{0}), 0b110U);
  Constraints with_pinned;  // a pin of an op it must be with is a word about the input too
  with_pinned.pins = {{OpId{1}, kGpu0}};
  with_pinned.together = {{OpId{0}, OpId{1}}};
  EXPECT_EQ(problem_of("x:input -> a:1", with_pinned).allowed(OpId{0}), device_bit(kGpu0));
}

TEST(Problem, MachineWithoutCpuLeavesInputsAlone) {
  const auto problem = try_problem("x:input -> a:1", {}, {}, "device g0; device g1; link g0 g1");
  EXPECT_EQ(problem->allowed(OpId{0}), 0b11U);
}

TEST(Problem, ReserveIsTakenOffTheCapacity) {
  Constraints constraints;
  constraints.reserve = {10, 0, 500};
  const Problem problem = problem_of("a:1", constraints);
  EXPECT_EQ(problem.capacity(kCpu), 90);
  EXPECT_EQ(problem.capacity(kGpu0), 40);
  EXPECT_EQ(problem.capacity(kGpu1), 0);
  EXPECT_EQ(problem_of("a:1").capacity(kGpu1), 40);
}

TEST(Problem, DevicesOfAPoolShareItsCapacity) {
  Constraints constraints;
  constraints.reserve = {5, 10, 1};
  const auto problem = try_problem("a:1", constraints, {},
                                   "pool p 64B; device cpu pool=p; device npu pool=p; device gpu memory=8B;"
                                   "link cpu npu; link cpu gpu");
  ASSERT_TRUE(problem.ok()) << problem.error().message;
  EXPECT_EQ(problem->pool_capacity(0), 49);
  EXPECT_EQ(problem->capacity(DeviceId{0}), 49);
  EXPECT_EQ(problem->capacity(DeviceId{1}), 49);
  EXPECT_EQ(problem->capacity(DeviceId{2}), 7);
}

TEST(Problem, EqualDevicesShareAClass) {
  const Problem equal = problem_of("a:1/2/2 -> b:3/4/4");
  EXPECT_EQ(equal.num_device_classes(), 2);
  EXPECT_NE(equal.device_class(kCpu), equal.device_class(kGpu0));
  EXPECT_EQ(equal.device_class(kGpu0), equal.device_class(kGpu1));
  EXPECT_EQ(problem_of("a:1/2/2 -> b:3/4/5").num_device_classes(), 3);
  EXPECT_EQ(problem_of("a:1/2/2 -> b:3/4/-").num_device_classes(), 3);
  EXPECT_EQ(problem_of("a:1/2/2", {}, {{{1, 2, 2}}, {{1, 1, 2}}}).num_device_classes(), 3);
  EXPECT_EQ(try_problem("a:2", {}, {}, "3 devices")->num_device_classes(), 1);
  const auto launches = try_problem("a:2", {}, {}, "device g0 launch=1; device g1; link g0 g1");
  EXPECT_EQ(launches->num_device_classes(), 2);  // fused ops would differ
}

TEST(Problem, EqualModelsShareAClass) {
  const auto machine = std::make_shared<const Machine>(builtin_machine("k40x4").value());
  GraphBuilder builder("one");
  builder.add({.name = "a", .type = "relu", .outputs = {{DType::kF32, {1000}}}});
  const auto graph = std::make_shared<const Graph>(std::move(builder).build().value());
  const Problem problem = make_problem(graph, machine).value();
  EXPECT_EQ(problem.num_device_classes(), 2);
  const auto gpus = machine->accelerators();
  for (const DeviceId gpu : gpus) {
    EXPECT_EQ(problem.device_class(gpu), problem.device_class(gpus[0]));
    EXPECT_EQ(problem.duration(OpId{0}, gpu), problem.duration(OpId{0}, gpus[0]));
    EXPECT_GT(problem.duration(OpId{0}, gpu), 0);
  }
}

TEST(Problem, EmptyGraphIsAProblem) {
  const Problem problem = make_problem(toy_graph("").graph, toy_machine(kMachine), ExplicitCosts{}).value();
  EXPECT_EQ(problem.num_units(), 0U);
}

TEST(ProblemErrors, NoDeviceLeft) {
  Constraints pins;
  pins.pins = {{OpId{0}, kCpu}, {OpId{0}, kGpu0}};
  EXPECT_EQ(error_of("a:1", pins),
            "op 'a' can run on no device of machine 'toy': allowed kinds, pins and forbids leave none");
  Constraints both;
  both.pins = {{OpId{1}, kCpu}};
  both.forbids = {{OpId{2}, kCpu}};
  EXPECT_EQ(error_of("z:1; a:1:group=g; b:1:group=g; c:1:group=g", both),
            "op 'a' and the 2 ops it must share a device with can run on no device of machine 'toy': allowed kinds,"
            " pins and forbids leave none");
  EXPECT_EQ(error_of("a:-/-/-"),
            "op 'a' can run on no device of machine 'toy': allowed kinds, pins and forbids leave none");
}

TEST(ProblemErrors, ConstraintsOnThingsThatDoNotExist) {
  const auto with = [](auto change) {
    Constraints constraints;
    change(constraints);
    return error_of("a:1", constraints);
  };
  const std::string pin = "a pin names an op or device that does not exist";
  const std::string forbid = "a forbid names an op or device that does not exist";
  EXPECT_EQ(with([](Constraints& c) { c.pins = {{OpId{1}, kCpu}}; }), pin);
  EXPECT_EQ(with([](Constraints& c) { c.pins = {{OpId{0}, DeviceId{3}}}; }), pin);
  EXPECT_EQ(with([](Constraints& c) { c.forbids = {{kNoOp, kCpu}}; }), forbid);
  EXPECT_EQ(with([](Constraints& c) { c.forbids = {{OpId{0}, kNoDevice}}; }), forbid);
  EXPECT_EQ(with([](Constraints& c) {
              c.together = {{OpId{0}, OpId{1}}};
            }),
            "a colocation names an op that does not exist");
  EXPECT_EQ(with([](Constraints& c) { c.reserve = {1}; }), "memory is reserved on 1 devices, the machine has 3");
  EXPECT_EQ(with([](Constraints& c) {
              c.allowed = {kEverywhere, kEverywhere};
            }),
            "2 ops are told where they may be, the graph has 1");
}

TEST(ProblemErrors, ConstraintsNothingCanMeet) {
  const auto with = [](auto change) {
    Constraints constraints;
    change(constraints);
    return error_of("a:1", constraints);
  };
  EXPECT_EQ(with([](Constraints& c) {
              c.reserve = {0, -5, 0};
            }),
            "-5 bytes are reserved on a device; that must not be negative");
  EXPECT_EQ(with([](Constraints& c) { c.max_devices = 0; }), "at most 0 devices are allowed; a plan needs one");
  EXPECT_EQ(with([](Constraints& c) { c.max_crossings = -1; }),
            "at most -1 crossings are allowed; that must not be negative");
  EXPECT_EQ(with([](Constraints& c) {
              c.max_devices = 1;
              c.max_crossings = 0;
            }),
            "no error");
}

TEST(ProblemErrors, TablesOfTheWrongSize) {
  EXPECT_EQ(error_of("a:1; b:1", {}, {{{1, 1, 1}}, {}}), "1 ops have times, the graph has 2");
  EXPECT_EQ(error_of("a:1; b:1", {}, {{{1, 1, 1}, {1, 1}}, {}}),
            "op 'b' has 2 times and 2 compute times for 3 devices");
  EXPECT_EQ(error_of("a:1", {}, {{{1, 1, 1}}, {{1, 1, 1, 1}}}), "op 'a' has 3 times and 4 compute times for 3 devices");
  EXPECT_EQ(error_of("a:1; b:1", {}, {{{1, 1, 1}, {1, 1, 1}}, {{1, 1, 1}}}),
            "1 ops have compute times, the graph has 2");
}

TEST(ProblemErrors, TimesBeyondTheClock) {
  EXPECT_EQ(error_of("a:1", {}, {{{1, 2e6, 1}}, {}}), "op 'a' takes 2e+06 s on gpu0; at most 1e+06 s can be simulated");
  EXPECT_EQ(error_of("a:1", {}, {{{1, std::nan(""), 1}}, {}}),
            "op 'a' takes nan s on gpu0; at most 1e+06 s can be simulated");
  EXPECT_NE(error_of("a:1", {}, {{{1, 1, 1}}, {{1, std::nan(""), 1}}}), "no error");
  EXPECT_NE(error_of("a:1", {}, {{{1, INFINITY, 1}}, {}}), "no error");
  EXPECT_EQ(error_of("a:1e6"), "no error");
}

// Together they must not overrun it either: ops, transfers, control signals and fused groups.
TEST(ProblemErrors, SumsBeyondTheClock) {
  const std::string beyond = "doing everything one after the other could take ";
  EXPECT_TRUE(error_of("a:9e5; b:9e5; c:9e5; d:9e5; e:9e5").starts_with(beyond));
  EXPECT_EQ(error_of("a:9e5; b:9e5; c:9e5; d:9e5"), "no error");
  constexpr std::string_view kSlowLink = "device cpu; device gpu; link cpu gpu rate=1e-6";
  EXPECT_TRUE(error_of("a:1:5B -> b:1", {}, {}, kSlowLink).starts_with(beyond));
  EXPECT_EQ(error_of("a:1:3B -> b:1", {}, {}, kSlowLink), "no error");
  EXPECT_EQ(error_of("a:1:5B", {}, {}, kSlowLink), "no error");  // nobody wants it elsewhere
  constexpr std::string_view kLongRoute =
      "device cpu; device gpu; switch s; switch t; link cpu s latency=5e5; link s t latency=5e5; link t gpu "
      "latency=5e5";
  EXPECT_TRUE(error_of("a:1:none => b:1:none; b => c:1:none", {}, {}, kLongRoute).starts_with(beyond));
  EXPECT_EQ(error_of("a:1:none", {}, {}, kLongRoute), "no error");
  EXPECT_TRUE(error_of("a:1:5B -> b:1", {}, {}, "device gpu rate=1e-6").starts_with(beyond));
  EXPECT_TRUE(error_of("a:0; b:0; c:0; d:0; e:0", {}, {}, "device gpu launch=9e5").starts_with(beyond));
}

}  // namespace
}  // namespace berth
