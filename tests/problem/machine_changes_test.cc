// SPDX-License-Identifier: Apache-2.0
#include "problem/what_if/machine_changes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "machine/library.h"
#include "sim/simulator.h"
#include "support/toy.h"

namespace berth {
namespace {

constexpr Bytes kGiB = Bytes{1} << 30;

Machine k40x2() { return builtin_machine("k40x2").value(); }

Machine with(const Machine& machine, const MachineChanges& changes) {
  Result<Machine> result = changed(machine, changes);
  EXPECT_TRUE(result) << result.error().message;
  return result ? *std::move(result) : machine;
}

std::string refusal(const MachineChanges& changes) {
  const Result<Machine> result = changed(k40x2(), changes);
  return result ? "taken" : result.error().message;
}

TEST(MachineChanges, SetFiguresOfDevices) {
  const Machine machine =
      with(k40x2(), {.settings = {"gpu:1.memory=24GiB", "k40.flops=2x", "cpu.launch=5us", "gpu0.bandwidth=1TB/s"}});
  EXPECT_EQ(machine.device(DeviceId{1}).memory, 12 * kGiB);
  EXPECT_EQ(machine.device(DeviceId{2}).memory, 24 * kGiB);
  EXPECT_DOUBLE_EQ(machine.device(DeviceId{1}).peak_flops(DType::kF32),
                   2 * k40x2().device(DeviceId{1}).peak_flops(DType::kF32));
  EXPECT_DOUBLE_EQ(machine.device(DeviceId{0}).launch_s, 5e-6);
  EXPECT_DOUBLE_EQ(machine.device(DeviceId{1}).bytes_per_s, 1e12);
  EXPECT_EQ(machine.name(), "k40x2 (gpu:1.memory=24GiB, k40.flops=2x, cpu.launch=5us, gpu0.bandwidth=1TB/s)");
}

TEST(MachineChanges, LeaveTheRestAsItWas) {
  const Machine hetero = builtin_machine("flex170-hetero").value();
  const Machine machine = with(hetero, {.settings = {"gpu0.launch=40us"}});
  EXPECT_EQ(machine.execution(), hetero.execution());
}

TEST(MachineChanges, SetLinks) {
  const double before = k40x2().links()[0].bytes_per_s;
  const Machine all = with(k40x2(), {.settings = {"link.*.bandwidth=2x"}});
  for (const Link& link : all.links()) EXPECT_DOUBLE_EQ(link.bytes_per_s, 2 * before);
  const Machine one = with(k40x2(), {.settings = {"link.gpu0.port.bandwidth=32GB/s"}});
  for (const Link& link : one.links())
    EXPECT_DOUBLE_EQ(link.bytes_per_s, link.from == "gpu0" ? 32e9 : before) << link.from;
}

TEST(MachineChanges, AddDevicesLinkedLikeTheOthers) {
  const Machine machine = with(k40x2(), {.added = {"a100*2"}});
  ASSERT_EQ(machine.num_devices(), 5U);
  EXPECT_EQ(machine.device(DeviceId{4}).name, "gpu3");
  EXPECT_EQ(machine.device(DeviceId{4}).model, "a100");
  for (const DeviceId id : machine.device_ids()) {
    const std::size_t hops = id == DeviceId{4} ? 0 : 1;
    EXPECT_EQ(machine.route(DeviceId{4}, id).size(), hops) << index(id);
  }
  EXPECT_NE(std::ranges::find(machine.queues(), "gpu3.port"), machine.queues().end());
  // Links that are spelled out one by one are copied, with one to the device they were copied from.
  const Machine pairs = with(builtin_machine("rtx4090-3060").value(), {.added = {"rtx3060"}});
  for (const DeviceId a : pairs.device_ids()) {
    for (const DeviceId b : pairs.device_ids()) EXPECT_EQ(pairs.route(a, b).empty(), a == b);
  }
}

TEST(MachineChanges, KeepTheFirstAccelerators) {
  const Machine machine = with(builtin_machine("k40x4").value(), {.accelerators = 1});
  ASSERT_EQ(machine.num_devices(), 2U);
  EXPECT_EQ(machine.device(DeviceId{1}).name, "gpu0");
}

TEST(MachineChanges, NothingChangesNothing) { EXPECT_EQ(with(k40x2(), {}).name(), "k40x2"); }

TEST(MachineChanges, RefusalsSayTheWayOut) {
  EXPECT_EQ(refusal({.settings = {"gpu0"}}),
            "--set 'gpu0': write WHAT.FIELD=VALUE, for example gpu0.memory=24GiB or link.*.bandwidth=2x");
  EXPECT_EQ(refusal({.settings = {"gpu7.memory=1GiB"}}),
            "--set gpu7.memory=1GiB: machine 'k40x2' has no device 'gpu7' (it has cpu, gpu0, gpu1, haswell-18c, k40, "
            "gpu, and link.* for its links)");
  EXPECT_EQ(refusal({.settings = {"gpu0.memry=1GiB"}}),
            "--set gpu0.memry=1GiB: there is no 'memry' to set; there are memory, bandwidth, flops, launch, lanes, "
            "watts; did you mean 'memory'?");
  EXPECT_EQ(
      refusal({.settings = {"link.pcie.bandwidth=2x"}}),
      "--set link.pcie.bandwidth=2x: machine 'k40x2' has no link 'pcie'; say link.* for all, or link.cpu.port for one");
  EXPECT_NE(refusal({.settings = {"gpu0.memory=lots"}}).find("--set gpu0.memory=lots"), std::string::npos);
  EXPECT_NE(refusal({.settings = {"gpu0.memory=-1x"}}), "taken");
  EXPECT_NE(refusal({.added = {"a1000"}}).find("no device model 'a1000'; did you mean 'a100'?"), std::string::npos);
  EXPECT_NE(refusal({.added = {"a100*0"}}), "taken");
  EXPECT_EQ(refusal({.accelerators = 3}), "machine 'k40x2' has 2 accelerators, not 3");
}

// Links twice as fast: the same problem, but for the transfer of one byte, which takes half a second instead of one.
TEST(OnMachine, KeepsTimesAndTakesLinks) {
  const Problem problem = toy_problem("a:2 -> b:3", "2 devices, 1 s per byte");
  const Plan plan = toy_plan(problem, "a@0 b@1");
  EXPECT_DOUBLE_EQ(to_seconds(simulate(problem, plan).step_time), 6.0);
  auto machine = std::make_shared<const Machine>(with(problem.machine(), {.settings = {"link.*.bandwidth=2x"}}));
  const Result<Problem> faster = on_machine(problem, machine);
  ASSERT_TRUE(faster) << faster.error().message;
  EXPECT_DOUBLE_EQ(to_seconds(simulate(*faster, plan).step_time), 5.5);
}

}  // namespace
}  // namespace berth
