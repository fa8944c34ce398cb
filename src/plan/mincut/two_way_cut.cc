// SPDX-License-Identifier: Apache-2.0
#include "plan/mincut/two_way_cut.h"

#include <algorithm>
#include <cstdlib>

#include "plan/search/placement.h"
#include "sim/pipeline.h"

namespace berth {
namespace {

constexpr std::uint32_t kSource = 0, kSink = 1, kFirstUnit = 2;

std::uint32_t node_of(std::uint32_t unit) { return kFirstUnit + unit; }

void keep_unique(std::vector<std::uint32_t>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Parameters, buffers, constants and views of nothing else: on a machine without overlap they follow their consumers.
std::vector<bool> find_constants(const Graph& graph) {
  std::vector<bool> constant(graph.num_ops());
  for (const OpId op : graph.topological_order()) {
    const Role role = graph.role(op);
    const auto is_made_of_constants = [&] {
      return graph.control_inputs(op).empty() && std::ranges::all_of(graph.inputs(op), [&](TensorId tensor) {
               return constant[index(graph.producer(tensor))];
             });
    };
    constant[index(op)] = is_resident(role) || (role == Role::kView && is_made_of_constants());
  }
  return constant;
}

}  // namespace

TwoWayCut::TwoWayCut(const Problem& problem, DeviceId first, DeviceId second)
    : problem_(problem), first_(first), second_(second) {
  weigh_units();
  list_tensors();
  if (!problem.machine().overlap() && problem.region_cost() > 0) list_regions();
}

void TwoWayCut::weigh_units() {
  const std::size_t units = problem_.num_units();
  here_.assign(units, false);
  on_first_.assign(units, 0);
  on_second_.assign(units, 0);
  must_.assign(units, Side::kFree);
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    const bool may_first = (problem_.unit_allowed(unit) & device_bit(first_)) != 0;
    const bool may_second = (problem_.unit_allowed(unit) & device_bit(second_)) != 0;
    here_[unit] = may_first || may_second;
    if (!may_second) must_[unit] = Side::kFirst;
    if (!may_first) must_[unit] = Side::kSecond;
    for (const OpId op : problem_.unit_ops(unit)) {
      if (may_first) on_first_[unit] += problem_.duration(op, first_);
      if (may_second) on_second_[unit] += problem_.duration(op, second_);
    }
    if (may_first && may_second) free_.push_back(unit);
  }
}

void TwoWayCut::list_tensors() {
  const Graph& graph = problem_.graph();
  const bool constants_are_free = !problem_.machine().overlap();
  const std::vector<bool> constant = find_constants(graph);
  for (const TensorId tensor : graph.tensors()) {
    const OpId producer = graph.producer(tensor);
    const std::uint32_t from = problem_.unit(producer);
    if (!is_here(from) || (constants_are_free && constant[index(producer)])) continue;
    Sent sent{from, {}, 0, 0};
    for (const OpId consumer : graph.consumers(tensor)) {
      const std::uint32_t to = problem_.unit(consumer);
      if (to != from && is_here(to)) sent.to.push_back(to);
    }
    keep_unique(sent.to);
    if (sent.to.empty()) continue;
    sent.there = route_time(problem_, graph.bytes(tensor), problem_.machine().route(first_, second_));
    sent.back = route_time(problem_, graph.bytes(tensor), problem_.machine().route(second_, first_));
    sent_.push_back(std::move(sent));
  }
}

// Bridges and blocks of the ops that run, in units.
void TwoWayCut::list_regions() {
  const Graph& graph = problem_.graph();
  const std::vector<bool> constant = find_constants(graph);
  const auto runs = [&](OpId op) {
    return !constant[index(op)] && graph.role(op) != Role::kInput && is_here(problem_.unit(op));
  };
  std::vector<UndirectedEdge> edges;
  const auto connect = [&](OpId from, OpId to) {
    if (runs(from) && runs(to)) edges.emplace_back(index(from), index(to));
  };
  for (const OpId op : graph.ops()) {
    for (const TensorId tensor : graph.distinct_inputs(op)) connect(graph.producer(tensor), op);
    for (const OpId before : graph.control_inputs(op)) connect(before, op);
  }
  const BridgeTree tree = find_bridges(graph.num_ops(), std::move(edges));
  std::size_t given = 0;  // ops that stand alone and are no region
  std::vector<std::vector<std::uint32_t>> members(tree.blocks);
  for (const OpId op : graph.ops()) {
    given += runs(op) ? 0 : 1;
    if (runs(op)) members[tree.block[index(op)]].push_back(problem_.unit(op));
  }
  fixed_ += static_cast<Picoseconds>(tree.parts - given) * problem_.region_cost();
  for (const auto& [a, b] : tree.bridges) {
    const std::uint32_t one = problem_.unit(OpId{a}), other = problem_.unit(OpId{b});
    if (one != other) bridges_.emplace_back(one, other);
  }
  for (std::vector<std::uint32_t>& units : members) {
    keep_unique(units);
    if (units.size() > 1) blocks_.push_back(std::move(units));
  }
}

Picoseconds TwoWayCut::stake(std::uint32_t unit) const { return std::abs(on_first_[unit] - on_second_[unit]); }

// A unit on the source's side is on the first device, and its time there is cut.
void TwoWayCut::add_units(MaxFlow& flow, const std::vector<Side>& kept) const {
  for (std::uint32_t unit = 0; unit < here_.size(); ++unit) {
    if (!is_here(unit)) continue;
    const Side side = must_[unit] != Side::kFree ? must_[unit] : kept[unit];
    const std::uint32_t node = node_of(unit);
    flow.connect(node, kSink, on_first_[unit]);
    flow.connect(kSource, node, on_second_[unit]);
    if (side == Side::kFirst) flow.connect(kSource, node, MaxFlow::kEndless);
    if (side == Side::kSecond) flow.connect(node, kSink, MaxFlow::kEndless);
  }
}

void TwoWayCut::add_tensors(MaxFlow& flow) const {
  for (const Sent& sent : sent_) {
    const std::uint32_t from = node_of(sent.from);
    if (sent.to.size() == 1) {
      flow.connect(from, node_of(sent.to.front()), sent.there, sent.back);
      continue;
    }
    const std::uint32_t leaves = flow.add_node(), returns = flow.add_node();
    flow.connect(from, leaves, sent.there);
    flow.connect(returns, from, sent.back);
    for (const std::uint32_t to : sent.to) {
      flow.connect(leaves, node_of(to), MaxFlow::kEndless);
      flow.connect(node_of(to), returns, MaxFlow::kEndless);
    }
  }
}

void TwoWayCut::add_regions(MaxFlow& flow) const {
  const Picoseconds cost = problem_.region_cost();
  for (const auto& [a, b] : bridges_) flow.connect(node_of(a), node_of(b), cost, cost);
  for (const std::vector<std::uint32_t>& block : blocks_) {
    const std::uint32_t some_first = flow.add_node(), some_second = flow.add_node();
    flow.connect(some_first, some_second, cost);
    for (const std::uint32_t unit : block) {
      flow.connect(node_of(unit), some_first, MaxFlow::kEndless);
      flow.connect(some_second, node_of(unit), MaxFlow::kEndless);
    }
  }
}

std::optional<CutPlan> TwoWayCut::find(const std::vector<Side>& kept, const std::function<bool()>& should_stop) const {
  MaxFlow flow(kFirstUnit + here_.size());
  add_units(flow, kept);
  add_tensors(flow);
  add_regions(flow);
  const std::optional<std::int64_t> cut = flow.run(kSource, kSink, should_stop);
  if (!cut) return std::nullopt;
  CutPlan found;
  found.bound = *cut + fixed_;
  found.side.assign(here_.size(), Side::kFree);
  std::vector<DeviceId> wanted(here_.size(), first_);
  for (std::uint32_t unit = 0; unit < here_.size(); ++unit) {
    if (!is_here(unit)) continue;
    const bool is_first = flow.is_near_source(node_of(unit));
    found.side[unit] = is_first ? Side::kFirst : Side::kSecond;
    wanted[unit] = is_first ? first_ : second_;
  }
  found.plan = plan_from_units(problem_, wanted);
  found.strained.assign(here_.size(), false);
  for (const std::vector<std::uint32_t>& block : blocks_) {
    const bool is_whole =
        std::ranges::all_of(block, [&](std::uint32_t unit) { return found.side[unit] == found.side[block.front()]; });
    for (const std::uint32_t unit : block) found.strained[unit] = found.strained[unit] || !is_whole;
  }
  return found;
}

}  // namespace berth
