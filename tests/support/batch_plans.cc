// SPDX-License-Identifier: Apache-2.0
#include "support/batch_plans.h"

#include <gtest/gtest.h>

#include "support/random_problem.h"

namespace berth {

Plan unfused_plan(const Problem& problem, Rng& rng) {
  Plan plan = random_plan(problem, rng);
  plan.fusions.clear();
  return plan;
}

std::vector<std::uint8_t> device_bytes(const Plan& plan) {
  std::vector<std::uint8_t> devices;
  for (const DeviceId device : plan.device_of) devices.push_back(static_cast<std::uint8_t>(device));
  return devices;
}

void expect_same(const Score& expected, const batch::HostRun& run) {
  ASSERT_EQ(run.step_time(), static_cast<batch::Time>(expected.step_time));
  for (std::uint32_t i = 0; i < expected.devices.size(); ++i) {
    ASSERT_EQ(run.peak(i), expected.devices[i].peak) << "device " << i;
  }
  for (std::uint32_t i = 0; i < expected.pool_peaks.size(); ++i) {
    ASSERT_EQ(run.pool_peak(i), expected.pool_peaks[i]) << "pool " << i;
  }
}

}  // namespace berth
