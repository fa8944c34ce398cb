// SPDX-License-Identifier: Apache-2.0
// Adam (Kingma and Ba, 2015) behind clipping by the global norm. Plain numbers on the CPU: policies are small, and the
// same code then serves one process, many, and a parameter server.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runs/train_state.h"

namespace berth::learn {

class Adam {
 public:
  explicit Adam(std::size_t count) : state_{0, std::vector<float>(count), std::vector<float>(count)} {}
  // Scales the gradients down to `clip` if their norm is larger, then moves the values against them. The norm before;
  // if that is not finite, nothing has changed.
  double step(std::span<float> values, std::span<float> gradients, double rate, double clip);

  [[nodiscard]] const AdamState& state() const { return state_; }
  void restore(AdamState state) { state_ = std::move(state); }

 private:
  AdamState state_;
};

}  // namespace berth::learn
