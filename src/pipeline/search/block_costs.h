// SPDX-License-Identifier: Apache-2.0
// What each block of layers costs alone, as sums that a dynamic program can add up: times on every device, bytes held,
// bytes over every border. Estimates where blocks share storages; the timeline by units (unit_run.h) judges what comes
// of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pipeline/staged_step.h"

namespace berth::pipeline {

class BlockCosts {
 public:
  explicit BlockCosts(const LayeredStep& step);

  [[nodiscard]] const LayeredStep& step() const { return step_; }
  [[nodiscard]] std::size_t num_blocks() const { return step_.blocks.size(); }
  // Times of blocks [first, end) on a device, per microbatch.
  [[nodiscard]] Picoseconds forward(std::size_t first, std::size_t end, DeviceId device) const;
  [[nodiscard]] Picoseconds backward(std::size_t first, std::size_t end, DeviceId device) const;
  [[nodiscard]] Picoseconds update(std::size_t first, std::size_t end, DeviceId device) const;  // once per step
  [[nodiscard]] bool can_run(std::size_t first, std::size_t end, DeviceId device) const;
  // Of one microbatch over the border before a block, from device to device, as if nothing else were sent.
  [[nodiscard]] Picoseconds send_forward(std::size_t border, DeviceId from, DeviceId to) const;
  [[nodiscard]] Picoseconds send_backward(std::size_t border, DeviceId from, DeviceId to) const;

  // Weights, optimiser copies and buffers of gradients.
  [[nodiscard]] Bytes resident(std::size_t first, std::size_t end) const;
  [[nodiscard]] Bytes parameters(std::size_t first, std::size_t end) const;
  // Held for a microbatch between its forward and its backward pass, and at most besides that inside an action.
  [[nodiscard]] Bytes kept(std::size_t first, std::size_t end) const;
  [[nodiscard]] Bytes inside(std::size_t first, std::size_t end) const;
  [[nodiscard]] Bytes border_bytes(std::size_t border) const;  // forward

 private:
  struct Border {
    std::vector<Bytes> forward, backward;  // tensors that cross it
  };
  void sum_times();
  void find_bytes(const StagedStep& alone);
  [[nodiscard]] Picoseconds send(const std::vector<Bytes>& tensors, DeviceId from, DeviceId to) const;
  [[nodiscard]] std::size_t at(std::size_t block, DeviceId device) const;

  const LayeredStep& step_;
  std::size_t classes_;
  std::vector<Picoseconds> forward_, backward_, update_;  // [class][block]: of all blocks before it
  std::vector<DeviceSet> allowed_;                        // per block
  std::vector<Bytes> resident_, parameters_, kept_;       // of all blocks before
  std::vector<Bytes> inside_;                             // per block
  std::vector<Border> borders_;                           // before each block
};

}  // namespace berth::pipeline
