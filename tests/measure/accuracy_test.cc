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

}  // namespace
}  // namespace berth
