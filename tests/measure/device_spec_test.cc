// SPDX-License-Identifier: Apache-2.0
#include "measure/device_spec.h"

#include <gtest/gtest.h>

#include "support/toy.h"

namespace berth {
namespace {

std::string error_of(std::string_view list, int cores = 4) {
  const auto specs = parse_device_specs(list, cores);
  return specs ? "" : specs.error().message;
}

TEST(DeviceSpec, ReadsCoresNumbersAndLimits) {
  const auto specs = parse_device_specs("cpu:0-1+3,cpu:2=512MiB,cuda:1=16GiB", 4).value();
  ASSERT_EQ(specs.size(), 3U);
  EXPECT_EQ(specs[0].cores, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(specs[0].memory, 0);
  EXPECT_EQ(specs[1].memory, Bytes{512} << 20);
  EXPECT_EQ(specs[1].text, "cpu:2");
  EXPECT_TRUE(specs[2].is_cuda);
  EXPECT_EQ(specs[2].number, 1);
}

TEST(DeviceSpec, ReadsPartsOfAGpu) {
  const auto specs = parse_device_specs("cuda:0/64=40GiB,cuda:0/32,cuda:1", 4).value();
  EXPECT_EQ(specs[0].multiprocessors, 64);
  EXPECT_EQ(specs[0].memory, Bytes{40} << 30);
  EXPECT_EQ(specs[0].text, "cuda:0/64");
  EXPECT_EQ(specs[1].multiprocessors, 32);
  EXPECT_EQ(specs[2].multiprocessors, 0);
  EXPECT_NE(error_of("cuda:0,cuda:0/64").find("share a GPU"), std::string::npos);
  EXPECT_NE(error_of("cuda:0/0").find("no multiprocessors"), std::string::npos);
  EXPECT_NE(error_of("cuda:0/many").find("is no number"), std::string::npos);
}

TEST(DeviceSpec, WholeCpuHasAllCores) {
  EXPECT_EQ(parse_device_specs("cpu", 3).value().front().cores, (std::vector<int>{0, 1, 2}));
}

TEST(DeviceSpec, SaysWhatIsWrong) {
  EXPECT_NE(error_of("cpu:0,cpu:0-1").find("share cores"), std::string::npos);
  EXPECT_NE(error_of("cuda:0,cuda").find("share a GPU"), std::string::npos);
  EXPECT_NE(error_of("cpu:4").find("cores 0 to 3"), std::string::npos);
  EXPECT_NE(error_of("gpu0").find("is no device"), std::string::npos);
  EXPECT_NE(error_of("cpu:x").find("is no number"), std::string::npos);
  EXPECT_NE(error_of("cpu=lots").find("is no size"), std::string::npos);
}

TEST(DeviceSpec, CpusOfAMachineShareTheCoresAndGpusLeaveTwo) {
  const auto halves =
      default_device_specs(*toy_machine("device cpu0 sync; device cpu1 sync; link cpu0 cpu1"), 5).value();
  EXPECT_EQ(halves[0].text, "cpu:0-1");
  EXPECT_EQ(halves[1].text, "cpu:2-4");
  const auto mixed =
      default_device_specs(*toy_machine("device cpu sync; device gpu memory=4B; link cpu gpu"), 16).value();
  EXPECT_EQ(mixed[0].text, "cpu:0-13");
  EXPECT_EQ(mixed[1].text, "cuda:0");
  EXPECT_EQ(mixed[1].memory, 4);
  EXPECT_FALSE(default_device_specs(*toy_machine("device cpu0 sync; device cpu1 sync; link cpu0 cpu1"), 1).ok());
}

TEST(DeviceSpec, MustFitTheMachine) {
  const auto machine = toy_machine("device cpu sync; device gpu; link cpu gpu");
  EXPECT_TRUE(check_device_specs(parse_device_specs("cpu:0,cuda:0", 4).value(), *machine).ok());
  EXPECT_FALSE(check_device_specs(parse_device_specs("cpu:0", 4).value(), *machine).ok());
  EXPECT_FALSE(check_device_specs(parse_device_specs("cuda:0,cpu:0", 4).value(), *machine).ok());
}

TEST(DeviceSpec, RangesAndSpacesAreReadAsMeant) {
  const auto specs = parse_device_specs(" cpu:2-3+0+3 , cuda ", 4).value();
  EXPECT_EQ(specs[0].cores, (std::vector<int>{0, 2, 3})) << "ascending, each once";
  EXPECT_EQ(specs[0].text, "cpu:2-3+0+3");
  EXPECT_EQ(specs[1].number, 0);
  EXPECT_NE(error_of("cpu:3-1").find("cores 0 to 3"), std::string::npos);
  EXPECT_NE(error_of("cpu:-1").find("is no number"), std::string::npos);
  EXPECT_NE(error_of("cpu:1-").find("is no number"), std::string::npos);
  EXPECT_NE(error_of("cpu:").find("is no number"), std::string::npos);
  EXPECT_NE(error_of("").find("'' is no device"), std::string::npos);
  EXPECT_NE(error_of("cpu:0=0B").find("is no size"), std::string::npos);
  EXPECT_NE(error_of("cpu:0=-4B").find("is no size"), std::string::npos);
}

TEST(DeviceSpec, DifferentGpusAndAGpuBesideCpusShareNothing) {
  EXPECT_EQ(error_of("cuda:0,cuda:1,cpu"), "");
  EXPECT_EQ(error_of("cuda:0/8,cuda:1"), "");
  EXPECT_NE(error_of("cpu:0,cpu:1,cpu:2-3,cpu:3").find("'cpu:2-3' and 'cpu:3' share cores"), std::string::npos);
}

// Seven cores are too few to spare two; of eight six are left for both CPUs.
TEST(DeviceSpec, FewCoresAreNotSparedForGpus) {
  const auto machine = toy_machine("device cpu0; device cpu1; device g; link cpu0 cpu1; link cpu0 g; link cpu1 g");
  const auto seven = default_device_specs(*machine, 7).value();
  EXPECT_EQ(seven[0].text, "cpu:0-2");
  EXPECT_EQ(seven[1].text, "cpu:3-6");
  const auto eight = default_device_specs(*machine, 8).value();
  EXPECT_EQ(eight[0].text, "cpu:0-2");
  EXPECT_EQ(eight[1].text, "cpu:3-5");
  EXPECT_EQ(eight[1].cores, (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(eight[0].memory, 0) << "CPUs have no limit of their own";
}

TEST(DeviceSpec, GpusOfAMachineAreNumberedInOrder) {
  const auto specs =
      default_device_specs(*toy_machine("device g; device cpu; device h; link g cpu; link h cpu; link g h"), 2).value();
  EXPECT_EQ(specs[0].text, "cuda:0");
  EXPECT_EQ(specs[1].text, "cpu:0-1");
  EXPECT_EQ(specs[2].text, "cuda:1");
  EXPECT_EQ(specs[2].number, 1);
}

// What only the simulator knows cannot be run.
TEST(DeviceSpec, OtherKindsOfDevicesAreRefused) {
  Device tpu;
  tpu.name = "t";
  tpu.model = "t";
  tpu.kind = DeviceKind::kTpu;
  tpu.memory = 1;
  tpu.flops_per_s[DType::kF32] = 1.0;
  tpu.bytes_per_s = 1.0;
  const Machine machine = Machine::make("cloud", "", {tpu}, {}, {}, {}).value();
  const auto specs = default_device_specs(machine, 4);
  ASSERT_FALSE(specs.ok());
  EXPECT_EQ(specs.error().message, "device t of cloud is a tpu; only CPUs and CUDA GPUs can run a graph here");
}

TEST(DeviceSpec, WhatDoesNotFitTheMachineIsNamed) {
  const auto machine = toy_machine("device cpu sync; device gpu; link cpu gpu");
  const auto error = [&](std::string_view list) {
    return check_device_specs(parse_device_specs(list, 4).value(), *machine).error().message;
  };
  EXPECT_EQ(error("cpu:0"), "--devices names 1 device, but toy has 2: cpu, gpu");
  EXPECT_EQ(error("cpu:0,cpu:1"),
            "--devices: cpu:1 stands for gpu of toy, which is a gpu; give them in the machine's order");
  EXPECT_NE(error("cuda:0,cuda:1").find("cuda:0 stands for cpu of toy, which is a cpu"), std::string::npos);
}

TEST(DeviceSpec, ThisComputerHasACore) { EXPECT_GE(cores_here(), 1); }

}  // namespace
}  // namespace berth
