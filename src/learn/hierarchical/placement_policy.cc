// SPDX-License-Identifier: Apache-2.0
#include "learn/hierarchical/placement_policy.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "learn/features/devices.h"
#include "learn/grouping/fixed.h"
#include "learn/hierarchical/group_features.h"
#include "learn/hierarchical/placement_batch.h"
#include "learn/nn/logits.h"
#include "plan/search/placement.h"

namespace berth::learn {
namespace {

// Group of every item: that of its first unit.
std::vector<std::uint32_t> groups_of_items(const Problem& problem, const Items& items, const Grouping& grouping) {
  std::vector<std::uint32_t> groups(items.size());
  std::vector<bool> known(items.size());
  for (std::uint32_t unit = 0; unit < problem.num_units(); ++unit) {
    const std::int64_t place = items.position[items.grouping.of_unit[unit]];
    if (place < 0 || known[static_cast<std::size_t>(place)]) continue;
    known[static_cast<std::size_t>(place)] = true;
    groups[static_cast<std::size_t>(place)] = grouping.of_unit[unit];
  }
  return groups;
}

// Numbers the groups from 0 without gaps, in the order of the items. How many there are.
std::size_t number_anew(std::vector<std::uint32_t>& groups) {
  std::map<std::uint32_t, std::uint32_t> number;
  for (std::uint32_t& group : groups) group = number.try_emplace(group, number.size()).first->second;
  return number.size();
}

PlacerShape placer_shape(const Problem& problem, std::span<const DeviceId> devices, std::size_t width,
                         const PlacementOptions& options) {
  PlacerShape shape;
  shape.width = static_cast<std::int64_t>(width);
  shape.devices = static_cast<std::int64_t>(devices.size());
  if (options.device_features) shape.device_features = features_of_devices(problem, devices);
  if (options.start_by_speed) shape.start_logits = unbounded_starts(log_start_shares(problem, devices), options);
  return shape;
}

}  // namespace

Result<ItemGroups> given_groups(const Problem& problem, const GroupingRule& rule, std::size_t groups,
                                std::uint64_t seed) {
  ItemGroups grouped{.items = one_group_per_unit(problem), .any = rule.kind != GroupingRule::Kind::kNone};
  if (grouped.any) {
    BERTH_TRY(grouped.given, fixed_grouping(problem, rule, groups, seed));
  }
  return grouped;
}

PlacementPolicy::PlacementPolicy(const Problem& problem, const PlacementOptions& options, std::size_t groups,
                                 ItemGroups grouped, std::uint64_t seed, at::Device device)
    : problem_(problem),
      options_(options),
      items_(make_items(problem, std::move(grouped.items))),
      devices_(devices_to_use(problem, items_)),
      features_(features_of_items(problem, items_, options)),
      groups_(std::clamp<std::size_t>(groups, 1, std::max<std::size_t>(items_.size(), 1))),
      parameters_(device) {
  if (items_.size() == 0) return;  // nothing to decide
  Rng rng(seed);
  if (!grouped.any) {
    grouper_.emplace(features_, StartingGroups(), devices_.size(), options, parameters_, rng);
    return;
  }
  if (grouped.given) {
    fixed_ = groups_of_items(problem, items_, *grouped.given);
    groups_ = number_anew(*fixed_);
  } else {
    Groups first = grouped.start ? groups_of_items(problem, items_, *grouped.start) : Groups();
    groups_ = std::max(groups_, number_anew(first));
    grouper_.emplace(features_, StartingGroups{first, grouped.start_weight}, groups_, options, parameters_, rng);
  }
  const std::size_t width = group_width(features_, groups_, options);
  placer_ = make_placer(placer_shape(problem, devices_, width, options), options, parameters_, rng);
}

GroupInput PlacementPolicy::embed(std::span<const Groups> groupings) const {
  std::vector<Tensor> embedding, neighbours, time, memory;
  for (const Groups& groups : groupings) {
    embedding.push_back(as_tensor(embed_groups(items_, features_, groups, groups_, options_)));
    if (!options_.placed_features || options_.placer != PlacerKind::kLstm) continue;  // nobody else would look
    const PlacedInput placed = placed_input(problem_, items_, features_, groups, groups_, devices_);
    neighbours.push_back(as_tensor(placed.neighbours));
    time.push_back(as_tensor(placed.time));
    memory.push_back(as_tensor(placed.memory));
  }
  const auto together = [&](const std::vector<Tensor>& parts) {
    return parts.empty() ? Tensor() : at::stack(parts).to(parameters_.device());
  };
  return {together(embedding), together(neighbours), together(time), together(memory)};
}

Plan PlacementPolicy::plan_of(const Groups& groups, const std::int64_t* device_of_group) const {
  std::vector<DeviceId> devices(items_.size());
  for (std::size_t i = 0; i < devices.size(); ++i)
    devices[i] = devices_[static_cast<std::size_t>(device_of_group[groups[i]])];
  return plan_of_items(problem_, items_, devices);
}

std::unique_ptr<Batch> PlacementPolicy::sample(const Sampling& sampling, Rng& rng) {
  return std::make_unique<PlacementBatch>(*this, sampling, rng);
}

PlacementPolicy::Groups PlacementPolicy::likeliest_groups() const {
  if (fixed_) return *fixed_;
  const Tensor most = grouper_->logits().argmax(1).to(at::kCPU);
  return {most.data_ptr<std::int64_t>(), most.data_ptr<std::int64_t>() + most.numel()};
}

Plan PlacementPolicy::greedy() {
  const at::NoGradGuard guard;
  if (items_.size() == 0) return plan_of_items(problem_, items_, {});
  const Groups groups = likeliest_groups();
  std::vector<std::int64_t> devices(devices_.size());
  std::iota(devices.begin(), devices.end(), std::int64_t{0});  // without groups the groups are the devices
  if (placer_) {
    const Tensor chosen = placer_->greedy(embed(std::span(&groups, 1))).to(at::kCPU).contiguous();
    devices.assign(chosen.data_ptr<std::int64_t>(), chosen.data_ptr<std::int64_t>() + chosen.numel());
  }
  return plan_of(groups, devices.data());
}

// Without groups every item is one of its own.
Beliefs PlacementPolicy::beliefs() {
  const at::NoGradGuard guard;
  const std::vector<std::vector<OpId>> ops_of_item = ops_of_items(problem_, items_);
  if (items_.size() == 0) return make_beliefs(problem_, devices_, {}, at::zeros({0}), greedy());
  if (!placer_) return make_beliefs(problem_, devices_, ops_of_item, at::softmax(grouper_->logits(), 1), greedy());

  const Groups groups = likeliest_groups();
  std::vector<std::vector<OpId>> ops(groups_);
  for (const OpId op : problem_.graph().topological_order()) {
    const std::int64_t item = items_.position[items_.grouping.of(problem_, op)];
    if (item >= 0) ops[groups[static_cast<std::size_t>(item)]].push_back(op);
  }
  const GroupInput input = embed(std::span(&groups, 1));
  const Tensor chosen = placer_->greedy(input);
  const Tensor chances = placer_->log_probabilities(input, {chosen, Tensor()}).exp().squeeze(0);
  Beliefs beliefs = make_beliefs(problem_, devices_, std::move(ops), chances, greedy());
  if (const Tensor attention = placer_->attention(input, chosen); attention.defined()) {
    const std::vector<float> weights = floats_of(attention);
    for (std::size_t i = 0; i < groups_; ++i) {
      const auto row = weights.begin() + static_cast<std::ptrdiff_t>(i * groups_);
      beliefs.groups[i].attention.assign(row, row + static_cast<std::ptrdiff_t>(groups_));
    }
  }
  if (fixed_) return beliefs;
  const std::vector<float> surest = floats_of(at::softmax(grouper_->logits(), 1).amax(1));
  beliefs.grouping_chances.assign(problem_.graph().num_ops(), 1.0);
  for (std::size_t item = 0; item < ops_of_item.size(); ++item) {
    for (const OpId op : ops_of_item[item]) beliefs.grouping_chances[index(op)] = static_cast<double>(surest[item]);
  }
  return beliefs;
}

}  // namespace berth::learn
