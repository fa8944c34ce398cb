// SPDX-License-Identifier: Apache-2.0
#include "problem/demands/resolve.h"

#include <algorithm>
#include <utility>

#include "machine/device_set.h"
#include "problem/demands/clash.h"
#include "problem/demands/device_words.h"
#include "problem/demands/op_index.h"
#include "problem/weights.h"

namespace berth {
namespace {

using Kind = Demand::Kind;

constexpr Bytes kMostReserved = Bytes{1} << 61;  // more than any memory, and sums stay far from overflow

class Resolver {
 public:
  Resolver(const Graph& graph, const Machine& machine) : graph_(graph), machine_(machine), index_(graph) {}

  Result<ResolvedDemand> resolve(const Demand& demand) {
    ResolvedDemand resolved{.kind = demand.kind, .source = demand.source, .amount = demand.amount};
    BERTH_RETURN_IF_ERROR(look_up(demand, resolved));
    named_ += resolved.ops.size();
    for (const std::vector<OpId>& set : resolved.together) named_ += set.size();
    if (named_ > kMostNamedOps) return bad_input("the constraints name more than {} ops in all", kMostNamedOps);
    return resolved;
  }

 private:
  Status look_up(const Demand& demand, ResolvedDemand& resolved) const {
    switch (demand.kind) {
      case Kind::kPin:
      case Kind::kForbid: {
        BERTH_TRY(const DeviceSet named, devices_named(machine_, demand.device));
        resolved.devices = demand.kind == Kind::kPin ? named : all_devices(machine_) & ~named;
        BERTH_TRY(resolved.ops, index_.select(demand.ops.front()));
        return {};
      }
      case Kind::kUnsupported: {
        BERTH_TRY(const DeviceSet named, devices_named(machine_, demand.device, AbsentDevices::kAreNone));
        resolved.devices = all_devices(machine_) & ~named;
        if (named != 0) resolved.ops = index_.of_type(demand.ops.front());
        return {};
      }
      case Kind::kColocate:
        return look_up_set(demand, resolved);
      case Kind::kKeepTogether: {
        BERTH_TRY(resolved.together, index_.modules(demand.ops.front()));
        return {};
      }
      case Kind::kReserve: {
        BERTH_TRY(resolved.devices, devices_named(machine_, demand.device));
        return {};
      }
      case Kind::kResidentWeights:
        resolved.together = weights_with_readers(graph_);
        return {};
      case Kind::kDeviceLimit:
      case Kind::kCrossingLimit:
        break;
    }
    return {};
  }

  Status look_up_set(const Demand& demand, ResolvedDemand& resolved) const {
    std::vector<OpId> set;
    for (const std::string& selector : demand.ops) {
      BERTH_TRY(const std::vector<OpId> ops, index_.select(selector));
      set.insert(set.end(), ops.begin(), ops.end());
    }
    std::ranges::sort(set);
    set.erase(std::unique(set.begin(), set.end()), set.end());
    if (set.size() < 2) return bad_input("it names only op '{}'; give two or more", graph_.name(set.front()));
    resolved.together.push_back(std::move(set));
    return {};
  }

  const Graph& graph_;
  const Machine& machine_;
  const OpIndex index_;
  std::size_t named_ = 0;
};

void add_reserve(const Machine& machine, const ResolvedDemand& demand, std::vector<Bytes>& reserve) {
  reserve.resize(machine.num_devices(), 0);
  for (const DeviceId id : machine.device_ids()) {
    if ((demand.devices & device_bit(id)) == 0) continue;
    reserve[index(id)] = std::min(kMostReserved, reserve[index(id)] + std::min(kMostReserved, demand.amount));
  }
}

void add(const Problem& problem, const ResolvedDemand& demand, Constraints& sum) {
  switch (demand.kind) {
    case Kind::kPin:
    case Kind::kForbid:
    case Kind::kUnsupported:
      sum.allowed.resize(problem.graph().num_ops(), all_devices(problem.machine()));
      for (const OpId op : demand.ops) sum.allowed[index(op)] &= demand.devices;
      return;
    case Kind::kColocate:
    case Kind::kKeepTogether:
    case Kind::kResidentWeights:
      sum.together.insert(sum.together.end(), demand.together.begin(), demand.together.end());
      return;
    case Kind::kReserve:
      return add_reserve(problem.machine(), demand, sum.reserve);
    case Kind::kDeviceLimit:
      sum.max_devices =
          std::min(sum.max_devices.value_or(static_cast<int>(kMaxDevices)), static_cast<int>(demand.amount));
      return;
    case Kind::kCrossingLimit:
      sum.max_crossings = std::min(sum.max_crossings.value_or(demand.amount), demand.amount);
      return;
  }
}

}  // namespace

Result<std::vector<ResolvedDemand>> resolve_demands(const Graph& graph, const Machine& machine,
                                                    std::span<const Demand> demands) {
  std::vector<ResolvedDemand> result;
  if (demands.empty()) return result;
  Resolver resolver(graph, machine);
  for (const Demand& demand : demands) {
    Result<ResolvedDemand> resolved = resolver.resolve(demand);
    if (!resolved) return within(demand.source, resolved.error());
    const bool matters = demand.kind != Kind::kUnsupported || !resolved->ops.empty();
    if (matters) result.push_back(*std::move(resolved));
  }
  return result;
}

Constraints constraints_of(const Problem& problem, Constraints own, std::span<const ResolvedDemand* const> demands) {
  for (const ResolvedDemand* demand : demands) add(problem, *demand, own);
  return own;
}

Result<Problem> constrain(const Problem& problem, std::span<const ResolvedDemand> demands) {
  if (const auto clash = find_clash(problem, demands)) return bad_input("{}", *clash);
  std::vector<const ResolvedDemand*> all;
  for (const ResolvedDemand& demand : demands) all.push_back(&demand);
  return constrain(problem, constraints_of(problem, problem.constraints(), all));
}

}  // namespace berth
