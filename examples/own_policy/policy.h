// SPDX-License-Identifier: Apache-2.0
// Policy: a table of logits, one row per unit of ops, whose softmax says how likely the unit goes to each device.
#pragma once

#include <berth/base/ids.h>
#include <berth/base/rng.h>
#include <berth/problem/plan.h>
#include <berth/problem/problem.h>

#include <cmath>

namespace berth {

class Policy {
 public:
  explicit Policy(const Problem& problem)
      : problem_(problem), logits_(problem.num_units(), std::vector<double>(problem.machine().num_devices())) {}

  [[nodiscard]] Plan sample(Rng& rng) const {
    Plan plan{.device_of = std::vector<DeviceId>(problem_.graph().num_ops())};
    for (std::uint32_t unit = 0; unit < problem_.num_units(); ++unit) {
      const std::vector<double> share = shares(unit);
      std::size_t device = 0;
      for (double left = rng.uniform() - share[0]; left >= 0.0 && device + 1 < share.size();) left -= share[++device];
      while (share[device] == 0.0) --device;  // where rounding led too far
      for (const OpId op : problem_.unit_ops(unit)) plan.device_of[index(op)] = DeviceId(device);
    }
    return plan;
  }

  // Makes what the plan chose likelier by its gradient times this amount, or less likely if that is negative.
  void reinforce(const Plan& plan, double amount) {
    for (std::uint32_t unit = 0; unit < problem_.num_units(); ++unit) {
      const std::vector<double> share = shares(unit);
      const std::size_t chosen = index(plan.device(problem_.unit_ops(unit).front()));
      for (std::size_t device = 0; device < share.size(); ++device) {
        logits_[unit][device] += amount * ((device == chosen ? 1.0 : 0.0) - share[device]);
      }
    }
  }

 private:
  // How likely every device is; 0 where the unit may not be.
  [[nodiscard]] std::vector<double> shares(std::uint32_t unit) const {
    std::vector<double> share(logits_[unit].size());
    double sum = 0.0;
    for (const DeviceId device : problem_.machine().device_ids()) {
      const bool is_allowed = (problem_.unit_allowed(unit) & device_bit(device)) != 0;
      sum += share[index(device)] = is_allowed ? std::exp(logits_[unit][index(device)]) : 0.0;
    }
    for (double& value : share) value /= sum;
    return share;
  }

  const Problem& problem_;
  std::vector<std::vector<double>> logits_;
};

}  // namespace berth
