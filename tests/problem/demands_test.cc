// SPDX-License-Identifier: Apache-2.0
// Demands as part of a problem: what each one does, and what is not there.
#include <gtest/gtest.h>

#include "problem/demand_parts.h"
#include "problem/demands/device_words.h"
#include "support/toy.h"

namespace berth {
namespace {

constexpr DeviceSet kCpuSet = 0b001, kGpu0Set = 0b010, kGpu1Set = 0b100;

Problem constrained(const Flags& flags) {
  auto problem = try_constrain(small_problem(), demands_of(flags));
  EXPECT_TRUE(problem.ok()) << problem.error().message;
  return *std::move(problem);
}

DeviceSet allowed(const Problem& problem, std::string_view name) {
  return problem.allowed(op_named(problem.graph(), name));
}

TEST(Demands, PinsToADeviceAKindOrAModel) {
  EXPECT_EQ(allowed(constrained({"pin head=gpu1"}), "head"), kGpu1Set);
  const Problem problem = constrained({"pin type:Conv=gpu", "pin emb/gather=k40", "pin head=CPU"});
  EXPECT_EQ(allowed(problem, "enc.0/conv"), kGpu0Set | kGpu1Set);
  EXPECT_EQ(allowed(problem, "emb/gather"), kGpu0Set | kGpu1Set);
  EXPECT_EQ(allowed(problem, "head"), kCpuSet);
  EXPECT_EQ(allowed(problem, "enc.0.fc/matmul"), kCpuSet | kGpu0Set | kGpu1Set);
}

TEST(Demands, ForbidsAddUp) {
  const Problem problem = constrained({"forbid enc.*=gpu1", "forbid module:enc.0=cpu"});
  EXPECT_EQ(allowed(problem, "enc.0/conv"), kGpu0Set);
  EXPECT_EQ(allowed(problem, "enc.1/conv"), kCpuSet | kGpu0Set);
}

TEST(Demands, UnitsFollowTheirMembers) {
  const Problem problem = constrained({"colocate head,emb/gather", "pin head=gpu0", "keep-together enc.*"});
  EXPECT_EQ(allowed(problem, "emb/gather"), kGpu0Set);
  const Graph& graph = problem.graph();
  const auto unit = [&](std::string_view name) { return problem.unit(op_named(graph, name)); };
  EXPECT_EQ(unit("enc.0/conv"), unit("enc.0.fc/matmul"));
  EXPECT_EQ(unit("enc.0/conv"), unit("enc.0.w"));
  EXPECT_NE(unit("enc.0/conv"), unit("enc.1/conv"));
  EXPECT_EQ(unit("enc.1/conv"), unit("enc.10/conv")) << "as the graph has it";
}

TEST(Demands, InputsGiveWay) {
  EXPECT_EQ(allowed(constrained({"max-devices 3"}), "x"), kCpuSet);
  EXPECT_EQ(allowed(constrained({"pin x=gpu"}), "x"), kGpu0Set | kGpu1Set);
  EXPECT_EQ(allowed(constrained({"pin role:input=gpu1"}), "x"), kGpu1Set);
  const Problem tied = constrained({"colocate x,emb/gather"});
  EXPECT_EQ(allowed(tied, "emb/gather"), kCpuSet | kGpu0Set | kGpu1Set)
      << "the input goes with the op, not the op with it";
}

TEST(Demands, ReservesAddUp) {
  const Problem problem = constrained({"reserve gpu=1GiB", "reserve gpu0=2GiB"});
  EXPECT_EQ(problem.capacity(DeviceId{0}), 128 * kGiB);
  EXPECT_EQ(problem.capacity(DeviceId{1}), 9 * kGiB);
  EXPECT_EQ(problem.capacity(DeviceId{2}), 11 * kGiB);
}

TEST(Demands, TheSmallestLimitCounts) {
  const Problem problem = constrained({"max-devices 3", "max-devices 2", "max-crossings 7", "max-crossings 9"});
  EXPECT_EQ(problem.constraints().max_devices, 2);
  EXPECT_EQ(problem.constraints().max_crossings, 7);
}

TEST(Demands, TablesMayNameWhatIsNotThere) {
  const auto problem = try_constrain(small_problem(), {unsupported("gpu", "Conv"), unsupported("NPU", "Conv"),
                                                       unsupported("gpu", "Resize"), unsupported("v100", "Conv")});
  ASSERT_TRUE(problem.ok()) << problem.error().message;
  EXPECT_EQ(allowed(*problem, "enc.0/conv"), kCpuSet);
  EXPECT_EQ(allowed(*problem, "head"), kCpuSet | kGpu0Set | kGpu1Set);
  EXPECT_EQ(error_of({unsupported("nup", "Conv")}),
            "t.csv:1 nup,Conv: machine 'k40x2' has no device 'nup'; did you mean 'npu'? (it has cpu, gpu0, gpu1)");
}

TEST(Demands, TimesAndOwnConstraintsStay) {
  const Problem problem = small_problem();
  const Problem bound = constrained({"pin head=gpu1"});
  for (const OpId op : problem.graph().ops()) {
    EXPECT_EQ(problem.duration(op, DeviceId{1}), bound.duration(op, DeviceId{1}));
  }
  Constraints own;
  own.max_devices = 2;
  const Problem limited = constrain(problem, own).value();
  const auto both = try_constrain(limited, demands_of({"max-crossings 5"}));
  EXPECT_EQ(both->constraints().max_devices, 2);
  EXPECT_EQ(both->constraints().max_crossings, 5);
}

TEST(Demands, WhatIsNotThereIsNamed) {
  EXPECT_EQ(error_of(demands_of({"pin head=gpu9"})),
            "--pin head=gpu9: machine 'k40x2' has no device 'gpu9'; did you mean 'gpu0'? (it has cpu, gpu0, gpu1)");
  EXPECT_EQ(error_of(demands_of({"reserve npu=1GiB"})),
            "--reserve npu=1GiB: machine 'k40x2' has no device 'npu'; did you mean 'cpu'? (it has cpu, gpu0, gpu1)");
  EXPECT_EQ(error_of(demands_of({"pin heed=gpu0"})),
            "--pin heed=gpu0: no op named 'heed' in 'net'; did you mean 'head'?");
  EXPECT_EQ(error_of(demands_of({"colocate head,type:Conf"})),
            "--colocate head,type:Conf: no op of the type 'Conf' in 'net'; did you mean 'Conv'?");
  EXPECT_EQ(error_of(demands_of({"colocate head,head"})),
            "--colocate head,head: it names only op 'head'; give two or more");
  EXPECT_EQ(error_of(demands_of({"keep-together enk"})),
            "--keep-together enk: no module 'enk' in 'net'; did you mean 'enc'?");
}

TEST(DevicesNamed, NamesComeBeforeKindsAndPatterns) {
  const auto machine = toy_machine("device gpu; device gpu1; device host.cpu; link gpu host.cpu; link gpu1 host.cpu");
  EXPECT_EQ(*devices_named(*machine, "gpu"), 0b001U);
  EXPECT_EQ(*devices_named(*machine, "GPU"), 0b011U);
  EXPECT_EQ(*devices_named(*machine, "gpu*"), 0b011U);
  EXPECT_EQ(*devices_named(*machine, "host.*"), 0b100U);
  EXPECT_EQ(*devices_named(*machine, "cpu"), 0b100U);
  EXPECT_EQ(*devices_named(*machine, "npu", AbsentDevices::kAreNone), 0U);
  EXPECT_FALSE(devices_named(*machine, "npu"));
  EXPECT_FALSE(devices_named(*machine, "hots.*", AbsentDevices::kAreNone));
}

}  // namespace
}  // namespace berth
