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

}  // namespace
}  // namespace berth
