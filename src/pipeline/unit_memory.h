// SPDX-License-Identifier: Apache-2.0
// The memory of a pipeline judged by units: when, inside an action, its ops begin and end on a device; what that takes
// and gives back; and the sum of everything over time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "pipeline/staged_step.h"
#include "problem/memory_domains.h"
#include "sim/timeline.h"

namespace berth::pipeline {

// Where each cell of a form begins, from the start of the action, and at the end of the list where the last one ends.
class FormOffsets {
 public:
  explicit FormOffsets(const StagedStep& staged) : staged_(staged) {}

  [[nodiscard]] std::span<const Picoseconds> of(std::uint32_t stage, std::size_t form, DeviceId device) const;
  [[nodiscard]] Picoseconds total(std::uint32_t stage, std::size_t form, DeviceId device) const {
    return of(stage, form, device).back();
  }
  [[nodiscard]] Picoseconds begin(std::uint32_t stage, std::size_t form, DeviceId device, std::int32_t place) const {
    return of(stage, form, device)[static_cast<std::size_t>(place)];
  }
  [[nodiscard]] Picoseconds end(std::uint32_t stage, std::size_t form, DeviceId device, std::int32_t place) const {
    return of(stage, form, device)[static_cast<std::size_t>(place) + 1];
  }

 private:
  using Key = std::pair<std::uint32_t, int>;  // stage, class of the device
  const StagedStep& staged_;
  mutable std::map<Key, std::array<std::vector<Picoseconds>, kForms>> known_;
};

// What a form of a stage takes and gives back by itself, for storages that no other stage sees.
class StageProfiles {
 public:
  struct Change {
    std::size_t offset;  // index into FormOffsets::of()
    Bytes bytes;
  };
  explicit StageProfiles(const StagedStep& staged);
  [[nodiscard]] std::span<const Change> of(std::uint32_t stage, std::size_t form) const {
    return changes_[stage][form];
  }

 private:
  void add(const Held& held, std::span<const std::size_t> forms);
  std::vector<std::array<std::vector<Change>, kForms>> changes_;
};

// Bytes over time on every device and pool.
class MemoryUse {
 public:
  explicit MemoryUse(const Problem& problem);
  void add(DeviceId device, Picoseconds time, Bytes bytes) {
    if (bytes != 0) changes_[index(device)].push_back({time, bytes});
  }
  // Peaks, feasibility and overflow. Everything must have been added, and the step time be known.
  void judge(Score& score);

 private:
  struct Change {
    Picoseconds time;
    Bytes bytes;
  };
  struct Peak {
    Bytes bytes = 0;
    Picoseconds time = 0;
  };
  static Peak peak_of(std::vector<Change>& changes, Picoseconds end);

  const Problem& problem_;
  std::vector<std::vector<Change>> changes_;  // per device
};

}  // namespace berth::pipeline
