// SPDX-License-Identifier: Apache-2.0
// When the run of a plan can first differ from that of its base: the rule of docs/simulator.md, "Resuming".
#pragma once

#include <cstdint>

#include "sim/batch/loop/compact_view.h"
#include "sim/batch/loop/snapshots.h"

namespace berth::batch {

inline constexpr std::uint32_t kNoEffect = ~0U;

// device_of(node): where it is in the plan.
template <typename DeviceOf>
class FirstEffect {
 public:
  BERTH_PORTABLE FirstEffect(const CompactView& problem, const BaseTimes& base, const DeviceOf& device_of)
      : problem_(problem), base_(base), device_of_(device_of) {}

  // The first instant at which somebody notices that a node has moved; kNoEffect: nobody ever does.
  BERTH_PORTABLE std::uint32_t of(std::uint32_t node) const {
    const std::uint32_t here = device_of_(node), was = load(&base_.device[node]);
    if (here == was) return kNoEffect;
    if (load(&base_.end[node]) == 0) return moves_unnoticed(node, here, was) ? kNoEffect : 0;
    std::uint32_t first = load(&base_.ready[node]);
    for_each_record(node, [&](const Record& record) {
      if (record.kind() == Record::kInput && !has_moved(record.node())) lower(first, load(&base_.end[record.node()]));
    });
    for_each_before(node, [&](std::uint32_t before) {
      if (!same_latency(before, node)) lower(first, load(&base_.end[before]));
    });
    return first;
  }

 private:
  static BERTH_PORTABLE void lower(std::uint32_t& first, std::uint32_t instant) {
    if (instant < first) first = instant;
  }
  BERTH_PORTABLE bool has_moved(std::uint32_t node) const { return device_of_(node) != load(&base_.device[node]); }
  BERTH_PORTABLE bool same_latency(std::uint32_t from, std::uint32_t to) const {
    return problem_.latency[device_of_(from) * problem_.num_devices + device_of_(to)] ==
           problem_.latency[load(&base_.device[from]) * problem_.num_devices + load(&base_.device[to])];
  }

  // True for what is there from the start, has moved with all its neighbours and holds nothing but resident bytes.
  BERTH_PORTABLE bool moves_unnoticed(std::uint32_t node, std::uint32_t here, std::uint32_t was) const {
    const Start start = load(&problem_.start[std::size_t{node} * problem_.num_classes + problem_.class_of[here]]);
    bool unnoticed = start.bytes == 0 && start.duration == 0;
    for_each_record(node, [&](const Record& record) {
      if (record.kind() == Record::kReader || record.kind() == Record::kInput) {
        unnoticed = unnoticed && device_of_(record.node()) == here && load(&base_.device[record.node()]) == was;
      } else if (record.kind() == Record::kControl) {
        unnoticed = unnoticed && same_latency(node, record.node());
      }
    });
    for_each_before(node, [&](std::uint32_t before) { unnoticed = unnoticed && same_latency(before, node); });
    return unnoticed;
  }

  template <typename Body>
  BERTH_PORTABLE void for_each_record(std::uint32_t node, Body body) const {
    for (std::size_t chunk = node;; ++chunk) {
      const Record* records = problem_.records + chunk * kChunk;
      const Record first = load(records);
      body(first);
      for (std::uint32_t i = 1; i < kChunk; ++i) body(load(records + i));
      if (first.ends_list()) return;
    }
  }
  template <typename Body>
  BERTH_PORTABLE void for_each_before(std::uint32_t node, Body body) const {
    const std::uint32_t end = load(&base_.first_before[node + 1]);
    for (std::uint32_t i = load(&base_.first_before[node]); i < end; ++i) body(load(&base_.before[i]));
  }

  const CompactView& problem_;
  const BaseTimes& base_;
  const DeviceOf& device_of_;
};

// The last moment before an instant.
BERTH_PORTABLE std::uint32_t moment_before(const Snapshots& snapshots, std::uint32_t instant) {
  std::uint32_t low = 0, high = snapshots.count;
  while (low + 1 < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (snapshots.moments[middle].instant < instant) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace berth::batch
