// SPDX-License-Identifier: Apache-2.0
// What the network sees of a moment of an episode: numbers for every group, numbers for every device that the group
// whose turn it is could go to.
//
// The published policy writes the device of a group as a one-hot row and has an output per device, so that it serves
// one machine alone ("fixed" here). "scored" tells a group's device by what it means (time there, whether it is the
// device of the group whose turn it is) and scores every candidate by the same small network, so that one policy serves
// machines of any number and kind of devices.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/placeto/group_graph.h"
#include "runs/methods/placeto.h"

namespace berth::learn {

// A placement and what its last simulation said.
struct Moment {
  std::vector<std::uint8_t> device_of;  // per group: its place in GroupGraph::devices
  std::vector<float> start, end;        // per group, as shares of the step; all 0 where nobody knows
};

class StateFeatures {
 public:
  StateFeatures(const GroupGraph& graph, const PlacetoOptions& options);

  [[nodiscard]] std::size_t group_width() const { return fixed_head_ ? kOwn + graph_.num_devices() : kOwn + kWhere; }
  [[nodiscard]] static constexpr std::size_t pair_width() { return kPairs; }
  // The same without a graph: what the shapes of parameters depend on.
  static std::size_t group_width(const PlacetoOptions& options, std::size_t devices);

  // Row of every group: group g of column c of a batch is at out[(g * columns + c) * group_width()]. `done` has how
  // often each group has had its turn.
  void groups(const std::vector<std::uint8_t>& device_of, const std::vector<float>& start,
              const std::vector<float>& done, std::size_t turn, float* out, std::size_t columns) const;
  // Row of every device for the group whose turn it is. `kin` is that of this group.
  void pairs(const Moment& moment, const std::vector<Reach::Kin>& kin, std::size_t turn, float* out) const;
  // Logarithm of the share of the work that a device would take by its speed; 0 unless PlacetoOptions::start_by_speed.
  [[nodiscard]] const std::vector<float>& prior() const { return prior_; }

 private:
  static constexpr std::size_t kOwn = 6;    // cost, output, turns, is it its turn, start, memory
  static constexpr std::size_t kWhere = 2;  // how slow its device is for it; whether it is where the other is
  static constexpr std::size_t kPairs = 11;

  const GroupGraph& graph_;
  bool fixed_head_;
  std::vector<float> prior_;
  double most_out_ = 1.0, most_bytes_ = 1.0, most_s_ = 1.0;  // over groups; seconds where it is quickest
};

}  // namespace berth::learn
