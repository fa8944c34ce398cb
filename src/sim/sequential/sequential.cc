// SPDX-License-Identifier: Apache-2.0
#include "sim/sequential/sequential.h"

#include <algorithm>
#include <utility>

#include "machine/device_set.h"
#include "problem/fusion.h"

namespace berth {

SequentialEngine::SequentialEngine(const Problem& problem)
    : problem_(problem), flat_(flatten(problem)), finder_(problem.graph(), flat_), lifetimes_(problem) {}

const Score& SequentialEngine::run(const Plan& plan) {
  reset(plan, !plan.fusions.empty());
  place_given();
  const Regions& regions = regions_->find(device_);
  for (std::size_t i = 0; i < regions.count(); ++i) run_region(regions.nodes_of(i));
  events_ = regions.nodes.size() + received_.size();
  finish();
  return score_;
}

void SequentialEngine::reset(const Plan& plan, bool fuses) {
  graph_ = &flat_;
  regions_ = &finder_;
  if (fuses) {
    fused_.emplace(flatten_fused(problem_, plan, flat_));
    fused_finder_.emplace(problem_.graph(), *fused_);
    graph_ = &*fused_;
    regions_ = &*fused_finder_;
  }
  const Machine& machine = problem_.machine();
  now_ = 0;
  device_.resize(graph_->num_nodes());
  for (std::size_t node = 0; node < device_.size(); ++node)
    device_[node] = static_cast<std::uint8_t>(index(plan.device_of[node]));
  start_.assign(graph_->num_nodes(), 0);
  end_.assign(graph_->num_nodes(), 0);
  home_storage_.assign(graph_->num_tensors(), kNone);
  first_received_.assign(graph_->num_tensors(), kNone);
  received_.clear();
  lifetimes_.clear();
  score_.step_time = 0;
  score_.devices.assign(machine.num_devices(), {});
  score_.queues.assign(machine.queues().size(), {});
}

// What is there from the start: constants on every device that reads them, inputs where they are.
void SequentialEngine::place_given() {
  for (std::uint32_t node = 0; node < graph_->num_nodes(); ++node) {
    if (!regions_->is_given(node) || graph_->storage(node) == FlatGraph::Storage::kAbsent) continue;
    if (!regions_->is_constant(node)) {
      for (const std::uint32_t tensor : graph_->outputs_of(node))
        home_storage_[tensor] = lifetimes_.add(device_[node], graph_->bytes[tensor], node, 0, 0);
      continue;
    }
    lifetimes_.hold_always(device_[node], problem_.resident_bytes(OpId{node}), node);
    for (const std::uint32_t tensor : graph_->outputs_of(node)) {
      DeviceSet others = 0;
      for (const std::uint32_t consumer : graph_->consumers_of(tensor))
        others |= device_bit(DeviceId{device_[consumer]});
      others &= ~device_bit(DeviceId{device_[node]});
      for (; others != 0; others &= others - 1)
        lifetimes_.hold_always(static_cast<std::uint8_t>(index(lowest_device(others))), graph_->bytes[tensor], node);
    }
  }
}

void SequentialEngine::run_region(std::span<const std::uint32_t> nodes) {
  now_ += problem_.region_cost();
  receive_inputs(nodes);
  for (const std::uint32_t node : nodes) run_node(node);
}

// Whatever other devices made and this one does not have yet, by tensor.
void SequentialEngine::receive_inputs(std::span<const std::uint32_t> nodes) {
  const std::uint8_t here = device_[nodes.front()];
  wanted_.clear();
  for (const std::uint32_t node : nodes) {
    for (const std::uint32_t tensor : graph_->inputs_of(node)) {
      const std::uint32_t producer = regions_->producer(tensor);
      if (device_[producer] != here && !regions_->is_constant(producer)) wanted_.push_back(tensor);
    }
  }
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  for (const std::uint32_t tensor : wanted_) {
    if (received_on(tensor, here) == nullptr) transfer(tensor, here);
  }
}

// Link by link; nothing else is on its way.
void SequentialEngine::transfer(std::uint32_t tensor, std::uint8_t to) {
  const DeviceId source{device_[regions_->producer(tensor)]}, target{to};
  const Bytes bytes = graph_->bytes[tensor];
  Picoseconds last_start = now_;
  bool is_first = true;
  for (const std::uint16_t channel : problem_.machine().route(source, target)) {
    last_start = now_;
    const Picoseconds time = problem_.transfer_time(bytes, channel);
    now_ += time;
    if (std::exchange(is_first, false) && home_storage_[tensor] != kNone)
      lifetimes_.prolong(home_storage_[tensor], now_);
    if (time == 0) continue;
    const int queue = problem_.machine().channels()[channel].queue;
    if (queue >= 0) {
      score_.queues[static_cast<std::size_t>(queue)].busy += time;
      score_.queues[static_cast<std::size_t>(queue)].bytes += bytes;
    }
    if (transfers_ != nullptr)
      transfers_->push_back({TensorId{tensor}, source, target, channel, last_start, now_, bytes});
  }
  const std::uint32_t storage = lifetimes_.add(to, bytes, graph_->producer[tensor], last_start, last_start);
  received_.push_back({first_received_[tensor], storage, to});
  first_received_[tensor] = static_cast<std::uint32_t>(received_.size() - 1);
}

void SequentialEngine::run_node(std::uint32_t node) {
  const std::uint8_t here = device_[node];
  const Picoseconds duration = graph_->duration(node, problem_.device_class(DeviceId{here}));
  start_[node] = now_;
  now_ += duration;
  end_[node] = now_;
  score_.devices[here].busy += duration;
  const bool is_view = graph_->storage(node) == FlatGraph::Storage::kAlias;
  for (const std::uint32_t tensor : graph_->outputs_of(node)) {
    home_storage_[tensor] = is_view ? storage_on(graph_->looks_at(node), here)
                                    : lifetimes_.add(here, graph_->bytes[tensor], node, start_[node], now_);
  }
  use_inputs(node);
}

const SequentialEngine::Received* SequentialEngine::received_on(std::uint32_t tensor, std::uint8_t device) const {
  for (std::uint32_t copy = first_received_[tensor]; copy != kNone; copy = received_[copy].next) {
    if (received_[copy].device == device) return &received_[copy];
  }
  return nullptr;
}

std::uint32_t SequentialEngine::storage_on(std::uint32_t tensor, std::uint8_t device) const {
  if (device_[regions_->producer(tensor)] == device) return home_storage_[tensor];
  const Received* copy = received_on(tensor, device);
  return copy != nullptr ? copy->storage : kNone;  // none: a constant
}

void SequentialEngine::use_inputs(std::uint32_t node) {
  for (const std::uint32_t tensor : graph_->inputs_of(node)) {
    const std::uint32_t storage = storage_on(tensor, device_[node]);
    if (storage != kNone) lifetimes_.prolong(storage, end_[node]);
  }
}

void SequentialEngine::finish() {
  score_.step_time = now_;
  for (std::uint32_t tensor = 0; tensor < graph_->num_tensors(); ++tensor) {
    if (graph_->is_kept(tensor) && home_storage_[tensor] != kNone) lifetimes_.prolong(home_storage_[tensor], now_);
  }
  lifetimes_.judge(score_);
}

const Score& SequentialEngine::run_with_times(const Plan& plan, std::vector<Picoseconds>& ready,
                                              std::vector<Picoseconds>& end) {
  run(plan);
  ready = start_;
  end = end_;
  if (plan.fusions.empty()) return score_;
  const std::vector<OpId> leaders = fusion_leaders(problem_.graph(), plan);
  for (const OpId op : problem_.graph().ops()) {
    ready[index(op)] = start_[index(leaders[index(op)])];
    end[index(op)] = end_[index(leaders[index(op)])];
  }
  return score_;
}

Timeline SequentialEngine::run_with_timeline(const Plan& plan) {
  Timeline timeline;
  transfers_ = &timeline.transfers;
  timeline.score = run_with_times(plan, timeline.op_ready, timeline.op_end);
  transfers_ = nullptr;
  const std::vector<OpId> leaders = fusion_leaders(problem_.graph(), plan);
  for (const OpId op : problem_.graph().ops()) {
    const std::size_t node = index(op);
    if (leaders[node] == op && end_[node] > start_[node])
      timeline.ops.push_back({op, DeviceId{device_[node]}, 0, start_[node], end_[node]});
  }
  std::sort(timeline.ops.begin(), timeline.ops.end(),
            [](const OpEvent& a, const OpEvent& b) { return a.start < b.start; });
  return timeline;
}

}  // namespace berth
