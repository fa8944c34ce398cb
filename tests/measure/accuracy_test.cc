// SPDX-License-Identifier: Apache-2.0
#include "measure/accuracy.h"

#include <gtest/gtest.h>

#include "machine/library.h"

namespace berth {
namespace {

std::vector<Device> devices_of(const char* machine) {
  const Machine found = *builtin_machine(machine);
  return {found.devices().begin(), found.devices().end()};
}

TEST(Accuracy, IsWhatWasSeenElsewhereAsLongAsNothingElseIsKnown) {
  const Accuracy known = calibrated_accuracy(devices_of("k40x2"), {});
  EXPECT_NEAR(known.low, 0.70, 0.01);
  EXPECT_NEAR(known.high, 1.46, 0.011);
  const Accuracy usual = calibrated_accuracy(devices_of("k40x2"), {0.98, 1.01, 1.03});
  EXPECT_NEAR(usual.low, 0.72, 0.01) << "good runs make it a little narrower";
  EXPECT_NEAR(usual.high, 1.42, 0.01);
}

TEST(Accuracy, IsBetterWithoutAccelerators) {
  Device cpu;
  cpu.kind = DeviceKind::kCpu;
  const Accuracy cpus = calibrated_accuracy(std::vector(2, cpu), {});
  EXPECT_NEAR(cpus.low, 0.835, 0.01);
  EXPECT_NEAR(cpus.high, 1.125, 0.01);
}

TEST(Accuracy, WidensWithRunsThatWereFarOff) {
  const std::vector<Device> devices = devices_of("k40x2");
  const Accuracy usual = calibrated_accuracy(devices, {});
  const Accuracy late = calibrated_accuracy(devices, {2.0, 2.5, 3.0});
  EXPECT_GT(late.high, 2.0);
  EXPECT_GE(late.low, usual.low);
}

TEST(Accuracy, IsBetterAfterCalibration) {
  const std::vector<Device> devices = devices_of("k40x2");
  const Accuracy before = probed_accuracy(devices), after = calibrated_accuracy(devices, {});
  EXPECT_GT(before.high / before.low, after.high / after.low);
}

TEST(Accuracy, OneAcceleratorAmongCpusDecides) {
  Device cpu, gpu;
  cpu.kind = DeviceKind::kCpu;
  gpu.kind = DeviceKind::kGpu;
  EXPECT_EQ(probed_accuracy(std::vector{cpu, cpu}), (Accuracy{0.63, 2.67}));
  EXPECT_EQ(probed_accuracy(std::vector{cpu, gpu}), (Accuracy{0.99, 4.61}));
  EXPECT_EQ(calibrated_accuracy(std::vector{cpu, gpu}, {}), calibrated_accuracy(std::vector{gpu}, {}));
}

// 20 ratios of 1 beside the 20 that are known: one in twenty of forty is the second from either end, and a half.
TEST(Accuracy, LeavesOneInTwentyOutAtEitherEnd) {
  Device cpu;
  cpu.kind = DeviceKind::kCpu;
  const Accuracy found = calibrated_accuracy(std::vector{cpu}, std::vector<double>(20, 1.0));
  EXPECT_NEAR(found.low, 0.885, 0.006) << "between 0.87 and 0.90, rounded";
  EXPECT_NEAR(found.high, 1.075, 0.006) << "between 1.06 and 1.09, rounded";
}

// Ratios below one are steps that were faster than predicted: they lower the low end alone.
TEST(Accuracy, WidensDownwardsWithRunsThatWereEarly) {
  const std::vector<Device> devices = devices_of("k40x2");
  const Accuracy usual = calibrated_accuracy(devices, {}), early = calibrated_accuracy(devices, {0.2, 0.25, 0.3});
  EXPECT_LT(early.low, 0.3);
  EXPECT_LE(early.high, usual.high);
}

}  // namespace
}  // namespace berth
