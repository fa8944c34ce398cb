// SPDX-License-Identifier: Apache-2.0
// WeightFamilies: weights that can move without moving work. A family is a weight with its views, as far as nothing in
// their units computes; what must share a device with it is in the family, too. In training a parameter is colocated
// with its update and is no family of its own.
//
// A family lives with its readers: where most of its bytes are read, it is sent least. Families do not depend on each
// other, so each can be settled by itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.h"

namespace berth {

class WeightFamilies {
 public:
  explicit WeightFamilies(const Problem& problem);  // must outlive it

  [[nodiscard]] std::size_t size() const { return allowed_.size(); }
  [[nodiscard]] std::span<const OpId> ops(std::size_t family) const { return ops_.of(family); }  // ascending
  // Ops outside the family that read it, ascending.
  [[nodiscard]] std::span<const OpId> readers(std::size_t family) const { return readers_.of(family); }
  [[nodiscard]] DeviceSet allowed(std::size_t family) const { return allowed_[family]; }

  // Bytes that it sends over links in a step: every tensor once per other device that reads it.
  [[nodiscard]] Bytes sent(std::size_t family, const Plan& plan) const;
  // The device on which it would send least, of those where it is or is read; of equals the one where its first op is,
  // then the first. kNoDevice if it may be on none of them as a whole.
  [[nodiscard]] DeviceId best_home(std::size_t family, const Plan& plan) const;
  void put(std::size_t family, DeviceId device, Plan& plan) const;

  // Families that would send less elsewhere, those that would save most first. Fused ops stay where they are.
  [[nodiscard]] std::vector<std::size_t> unsettled(const Plan& plan) const;

 private:
  struct Rows {
    std::vector<std::uint32_t> begin{0};
    std::vector<OpId> items;
    [[nodiscard]] std::span<const OpId> of(std::size_t row) const {
      return {items.data() + begin[row], items.data() + begin[row + 1]};
    }
    void end_row() { begin.push_back(static_cast<std::uint32_t>(items.size())); }
  };
  void add_family(std::span<const OpId> ops);
  [[nodiscard]] Bytes bytes_sent_from(std::size_t family, DeviceId home, const Plan& plan) const;

  const Problem& problem_;
  Rows ops_, readers_;
  std::vector<DeviceSet> allowed_;
};

}  // namespace berth
