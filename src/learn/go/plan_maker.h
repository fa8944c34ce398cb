// SPDX-License-Identifier: Apache-2.0
// PlanMaker: choices of every node in, a plan out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "learn/features/items.h"
#include "learn/go/tasks.h"
#include "plan/fuse/fuser.h"

namespace berth::learn {

class PlanMaker {
 public:
  // All must outlive it.
  PlanMaker(const Problem& problem, const Items& items, std::span<const DeviceId> devices, const GoTasks& tasks);

  // Per node: its device as an index into `devices`, its rank in the schedule (higher goes first) and its level of
  // fusion. Those of tasks that are not decided are not looked at.
  [[nodiscard]] Plan plan(std::span<const std::int64_t> device, std::span<const std::int64_t> rank,
                          std::span<const std::int64_t> fusion) const;

 private:
  [[nodiscard]] std::vector<double> priorities(const Plan& plan, std::span<const std::int64_t> rank) const;

  const Problem& problem_;
  const Items& items_;
  std::span<const DeviceId> devices_;
  GoTasks tasks_;
  std::optional<Fuser> fuser_;
};

}  // namespace berth::learn
