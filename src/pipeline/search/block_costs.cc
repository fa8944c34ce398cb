// SPDX-License-Identifier: Apache-2.0
#include "pipeline/search/block_costs.h"

#include <algorithm>
#include <numeric>

#include "pipeline/unit_memory.h"

namespace berth::pipeline {
namespace {

Cut every_block_alone(const LayeredStep& step) {
  Cut cut;
  cut.first_block.resize(step.blocks.size());
  std::iota(cut.first_block.begin(), cut.first_block.end(), 0U);
  cut.recompute.assign(step.blocks.size(), 0);
  return cut;
}

// The most that an action takes beyond what it finds.
Bytes most_inside(std::span<const StageProfiles::Change> changes) {
  Bytes held = 0, most = 0;
  for (std::size_t i = 0; i < changes.size();) {
    const std::size_t offset = changes[i].offset;
    for (; i < changes.size() && changes[i].offset == offset; ++i) held += changes[i].bytes;
    most = std::max(most, held);
  }
  return most;
}

}  // namespace

BlockCosts::BlockCosts(const LayeredStep& step)
    : step_(step),
      classes_(static_cast<std::size_t>(step.problem->num_device_classes())),
      allowed_(step.blocks.size(), ~DeviceSet{0}),
      resident_(step.blocks.size() + 1, 0),
      parameters_(step.blocks.size() + 1, 0),
      kept_(step.blocks.size() + 1, 0),
      inside_(step.blocks.size(), 0),
      borders_(step.blocks.size() + 1) {
  sum_times();
  find_bytes(make_staged_step(step, every_block_alone(step)));
}

std::size_t BlockCosts::at(std::size_t block, DeviceId device) const {
  return static_cast<std::size_t>(step_.problem->device_class(device)) * (num_blocks() + 1) + block;
}

void BlockCosts::sum_times() {
  const Problem& problem = *step_.problem;
  for (auto* times : {&forward_, &backward_, &update_}) times->assign(classes_ * (num_blocks() + 1), 0);
  std::vector<DeviceId> of_class(classes_, kNoDevice);
  for (const DeviceId device : problem.machine().device_ids()) {
    of_class[static_cast<std::size_t>(problem.device_class(device))] = device;
  }
  for (const OpId op : problem.graph().ops()) {
    const Part part = step_.part(op);
    const std::uint32_t block = step_.block(op);
    if (part != Part::kInput) allowed_[block] &= problem.allowed(op);
    if (part == Part::kStatic || part == Part::kInput) continue;
    auto& times = part == Part::kForward ? forward_ : part == Part::kUpdate ? update_ : backward_;
    for (const DeviceId device : of_class) {
      if ((problem.runnable(op) & device_bit(device)) != 0)
        times[at(block + 1, device)] += problem.duration(op, device);
    }
  }
  for (auto* times : {&forward_, &backward_, &update_}) {
    for (const DeviceId device : of_class) {
      for (std::size_t b = 0; b < num_blocks(); ++b) (*times)[at(b + 1, device)] += (*times)[at(b, device)];
    }
  }
}

void BlockCosts::find_bytes(const StagedStep& alone) {
  constexpr std::size_t whole = form_of(ActionKind::kBackward);
  for (const OpId op : step_.graph().ops()) {
    if (step_.graph().role(op) != Role::kParameter) continue;
    for (const TensorId tensor : step_.graph().outputs(op))
      parameters_[step_.block(op) + 1] += step_.graph().bytes(tensor);
  }
  for (const Held& held : alone.held) {
    const bool waits = (held.kind == Held::Kind::kOwn && held.made[form_of(ActionKind::kForward)] >= 0) ||
                       held.kind == Held::Kind::kForeign || held.kind == Held::Kind::kInput;
    if (waits && held.last_use[whole] >= 0 && (held.read_in & 1U << form_of(ActionKind::kForward)) != 0) {
      kept_[held.stage + 1] += held.bytes;
    } else if (waits && held.last_use[whole] >= 0 && held.kind == Held::Kind::kOwn) {
      kept_[held.stage + 1] += held.bytes;
    }
  }
  const StageProfiles profiles(alone);
  for (std::size_t b = 0; b < num_blocks(); ++b) {
    const auto stage = static_cast<std::uint32_t>(b);
    inside_[b] = std::max(most_inside(profiles.of(stage, form_of(ActionKind::kForward))),
                          most_inside(profiles.of(stage, whole)));
    resident_[b + 1] = resident_[b] + alone.resident[b] + alone.gradients[b];
    parameters_[b + 1] += parameters_[b];
    kept_[b + 1] += kept_[b];
  }
  for (const Wire& wire : alone.wires) {
    std::uint32_t low = wire.stage, high = wire.stage;
    for (const std::uint32_t reader : wire.readers) {
      low = std::min(low, alone.held[reader].stage);
      high = std::max(high, alone.held[reader].stage);
    }
    const Bytes bytes = step_.graph().bytes(wire.tensor);
    for (std::uint32_t border = wire.stage + 1; border <= high; ++border) borders_[border].forward.push_back(bytes);
    for (std::uint32_t border = low + 1; border <= wire.stage; ++border) borders_[border].backward.push_back(bytes);
  }
}

Picoseconds BlockCosts::forward(std::size_t first, std::size_t end, DeviceId device) const {
  return forward_[at(end, device)] - forward_[at(first, device)];
}
Picoseconds BlockCosts::backward(std::size_t first, std::size_t end, DeviceId device) const {
  return backward_[at(end, device)] - backward_[at(first, device)];
}
Picoseconds BlockCosts::update(std::size_t first, std::size_t end, DeviceId device) const {
  return update_[at(end, device)] - update_[at(first, device)];
}

bool BlockCosts::can_run(std::size_t first, std::size_t end, DeviceId device) const {
  for (std::size_t b = first; b < end; ++b) {
    if ((allowed_[b] & device_bit(device)) == 0) return false;
  }
  return true;
}

Picoseconds BlockCosts::send(const std::vector<Bytes>& tensors, DeviceId from, DeviceId to) const {
  if (from == to) return 0;
  Picoseconds sum = 0;
  for (const std::uint16_t channel : step_.problem->machine().route(from, to)) {
    for (const Bytes bytes : tensors) sum += step_.problem->transfer_time(bytes, channel);
  }
  return sum;
}
Picoseconds BlockCosts::send_forward(std::size_t border, DeviceId from, DeviceId to) const {
  return send(borders_[border].forward, from, to);
}
Picoseconds BlockCosts::send_backward(std::size_t border, DeviceId from, DeviceId to) const {
  return send(borders_[border].backward, from, to);
}

Bytes BlockCosts::resident(std::size_t first, std::size_t end) const { return resident_[end] - resident_[first]; }
Bytes BlockCosts::parameters(std::size_t first, std::size_t end) const { return parameters_[end] - parameters_[first]; }
Bytes BlockCosts::kept(std::size_t first, std::size_t end) const { return kept_[end] - kept_[first]; }
Bytes BlockCosts::inside(std::size_t first, std::size_t end) const {
  return end == first ? 0
                      : *std::max_element(inside_.begin() + static_cast<std::ptrdiff_t>(first),
                                          inside_.begin() + static_cast<std::ptrdiff_t>(end));
}
Bytes BlockCosts::border_bytes(std::size_t border) const {
  return std::accumulate(borders_[border].forward.begin(), borders_[border].forward.end(), Bytes{0});
}

}  // namespace berth::pipeline
