// SPDX-License-Identifier: Apache-2.0
#include "problem/weight_families.h"

#include <algorithm>
#include <bit>
#include <map>

#include "base/disjoint_sets.h"
#include "machine/device_set.h"
#include "problem/weights.h"

namespace berth {

WeightFamilies::WeightFamilies(const Problem& problem) : problem_(problem) {
  const Graph& graph = problem.graph();
  const std::vector<OpId> weight = weights_behind(graph);
  std::vector<std::uint8_t> is_passive(problem.num_units(), 1);
  for (const OpId op : graph.ops()) {
    if (weight[index(op)] == kNoOp) is_passive[problem.unit(op)] = 0;
  }
  DisjointSets joined(problem.num_units());
  for (const OpId op : graph.ops()) {
    if (weight[index(op)] == kNoOp) continue;
    const std::uint32_t own = problem.unit(op), of_weight = problem.unit(weight[index(op)]);
    if (is_passive[own] != 0 && is_passive[of_weight] != 0) joined.unite(own, of_weight);
  }
  std::map<std::uint32_t, std::vector<OpId>> members;  // by the lowest unit
  for (const OpId op : graph.ops()) {
    if (is_passive[problem.unit(op)] != 0) members[joined.root(problem.unit(op))].push_back(op);
  }
  for (const auto& [root, ops] : members) add_family(ops);
}

void WeightFamilies::add_family(std::span<const OpId> ops) {
  const Graph& graph = problem_.graph();
  std::vector<OpId> readers;
  DeviceSet allowed = ~DeviceSet{0};
  for (const OpId op : ops) {
    allowed &= problem_.allowed(op);
    for (const TensorId tensor : graph.outputs(op)) {
      for (const OpId reader : graph.consumers(tensor)) {
        if (!std::ranges::binary_search(ops, reader)) readers.push_back(reader);
      }
    }
  }
  if (readers.empty() || allowed == 0) return;
  std::ranges::sort(readers);
  readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
  ops_.items.insert(ops_.items.end(), ops.begin(), ops.end());
  ops_.end_row();
  readers_.items.insert(readers_.items.end(), readers.begin(), readers.end());
  readers_.end_row();
  allowed_.push_back(allowed);
}

Bytes WeightFamilies::sent(std::size_t family, const Plan& plan) const {
  const Graph& graph = problem_.graph();
  Bytes sum = 0;
  for (const OpId op : ops(family)) {
    for (const TensorId tensor : graph.outputs(op)) {
      DeviceSet others = 0;
      for (const OpId reader : graph.consumers(tensor)) others |= device_bit(plan.device(reader));
      sum += graph.bytes(tensor) * std::popcount(others & ~device_bit(plan.device(op)));
    }
  }
  return sum;
}

Bytes WeightFamilies::bytes_sent_from(std::size_t family, DeviceId home, const Plan& plan) const {
  const Graph& graph = problem_.graph();
  Bytes sum = 0;
  for (const OpId op : ops(family)) {
    for (const TensorId tensor : graph.outputs(op)) {
      DeviceSet others = 0;
      for (const OpId reader : graph.consumers(tensor)) {
        if (!std::ranges::binary_search(ops(family), reader)) others |= device_bit(plan.device(reader));
      }
      sum += graph.bytes(tensor) * std::popcount(others & ~device_bit(home));
    }
  }
  return sum;
}

DeviceId WeightFamilies::best_home(std::size_t family, const Plan& plan) const {
  const DeviceId here = plan.device(ops(family).front());
  DeviceSet candidates = device_bit(here);
  for (const OpId reader : readers(family)) candidates |= device_bit(plan.device(reader));
  DeviceId best = kNoDevice;
  Bytes least = 0;
  for (candidates &= allowed(family); candidates != 0; candidates &= candidates - 1) {
    const DeviceId home = lowest_device(candidates);
    const Bytes bytes = bytes_sent_from(family, home, plan);
    if (best != kNoDevice && (bytes > least || (bytes == least && home != here))) continue;
    best = home;
    least = bytes;
  }
  return best;
}

void WeightFamilies::put(std::size_t family, DeviceId device, Plan& plan) const {
  for (const OpId op : ops(family)) plan.device_of[index(op)] = device;
}

std::vector<std::size_t> WeightFamilies::unsettled(const Plan& plan) const {
  std::vector<OpId> fused;
  for (const std::vector<OpId>& group : plan.fusions) fused.insert(fused.end(), group.begin(), group.end());
  std::ranges::sort(fused);
  std::vector<std::pair<Bytes, std::size_t>> by_saving;
  for (std::size_t family = 0; family < size(); ++family) {
    const DeviceId home = best_home(family, plan);
    if (home == kNoDevice) continue;
    const Bytes saved = sent(family, plan) - bytes_sent_from(family, home, plan);
    const bool is_fused =
        std::ranges::any_of(ops(family), [&](OpId op) { return std::ranges::binary_search(fused, op); });
    if (saved > 0 && !is_fused) by_saving.emplace_back(-saved, family);
  }
  std::ranges::sort(by_saving);
  std::vector<std::size_t> families;
  for (const auto& [saving, family] : by_saving) families.push_back(family);
  return families;
}

}  // namespace berth
