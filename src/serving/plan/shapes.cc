// SPDX-License-Identifier: Apache-2.0
#include "serving/plan/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace berth::llm {
namespace {

constexpr std::array<int, kMovableParts> kMoveOrder{movable_index(Part::kUp), movable_index(Part::kGate),
                                                    movable_index(Part::kDown)};

void place_block(const Block& block, std::int64_t first, DeviceId cpu, Placement& placement) {
  for (std::int64_t k = 0; k < block.layers; ++k) {
    placement.set_layer(first + k, block.device);
    const std::int64_t moved = std::clamp<std::int64_t>(block.moved - kMovableParts * k, 0, kMovableParts);
    for (std::int64_t i = 0; i < moved; ++i) {
      placement.moved[static_cast<std::size_t>(first + k)]
                     [static_cast<std::size_t>(kMoveOrder[static_cast<std::size_t>(i)])] = cpu;
    }
  }
}

// Splits `count` layers, and the head behind them, by these weights as llama.cpp does: item j goes to the first device
// whose cumulated share is above j / (count + 1).
Shape split_by(const std::vector<DeviceId>& order, const std::vector<double>& weights, std::int64_t cpu_layers,
               std::int64_t count) {
  Shape shape{.cpu_layers = cpu_layers, .blocks = {}};
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double before = 0.0;
  std::int64_t placed = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    before += weights[i];
    const double share = sum > 0.0 ? before / sum : 1.0;
    std::int64_t until = placed;
    while (until < count && static_cast<double>(until) / static_cast<double>(count + 1) < share) ++until;
    if (i + 1 == order.size()) until = count;
    shape.blocks.push_back({order[i], until - placed, 0});
    placed = until;
  }
  std::erase_if(shape.blocks, [](const Block& block) { return block.layers == 0; });
  if (shape.blocks.empty() && count > 0 && !order.empty()) shape.blocks.push_back({order.front(), count, 0});
  return shape;
}

std::vector<double> memory_of(const Serving& serving, const std::vector<DeviceId>& order) {
  std::vector<double> memory;
  for (const DeviceId device : order) memory.push_back(static_cast<double>(serving.capacity(device)));
  return memory;
}

Shape all_on_cpu(const Serving& serving) { return {.cpu_layers = serving.layers(), .blocks = {}}; }

bool may_use_cpu(const Serving& serving) { return serving.options().runtime != Runtime::kVllm; }

// Leaves these bytes free on one of the GPUs.
Shape filled_but(const Serving& serving, const std::vector<DeviceId>& order, DeviceId spared, Bytes spare) {
  // From the back, where the head is, so that what is left over are the first layers: those the CPU can take.
  std::int64_t left = serving.layers();
  Shape shape;
  const bool from_front = serving.options().runtime == Runtime::kAccelerate;
  for (std::size_t k = 0; k < order.size() && left > 0; ++k) {
    const bool holds_head = k == (from_front ? order.size() - 1 : 0);
    const DeviceId device = from_front ? order[k] : order[order.size() - 1 - k];
    Bytes room = serving.capacity(device) - (holds_head ? serving.output_bytes() : 0) - (device == spared ? spare : 0);
    Block block{device, 0, 0};
    while (left > 0) {
      const std::int64_t layer = from_front ? serving.layers() - left : left - 1;
      if (serving.layer_bytes(layer) > room) break;
      room -= serving.layer_bytes(layer);
      ++block.layers;
      --left;
    }
    if (block.layers > 0) shape.blocks.insert(from_front ? shape.blocks.end() : shape.blocks.begin(), block);
  }
  shape.cpu_layers = left;
  if (left > 0 && !may_use_cpu(serving) && !shape.blocks.empty()) {  // does not fit: the last stage takes the rest
    shape.blocks.back().layers += left;
    shape.cpu_layers = 0;
  }
  return shape;
}

}  // namespace

Placement placement_of(const Shape& shape, const Serving& serving) {
  Placement placement = Placement::all_on(serving.cpu(), serving.layers());
  const Runtime runtime = serving.options().runtime;
  std::int64_t first = runtime == Runtime::kAccelerate ? 0 : shape.cpu_layers;
  DeviceId last = serving.cpu(), begin = serving.cpu();
  for (const Block& block : shape.blocks) {
    place_block(block, first, serving.cpu(), placement);
    first += block.layers;
    if (begin == serving.cpu()) begin = block.device;
    last = block.device;
  }
  placement.output = last;
  placement.input = runtime == Runtime::kLlamaCpp ? serving.cpu() : begin;
  placement.tower = serving.tower_device(placement.input);
  return placement;
}

Shape proportional(const Serving& serving, const std::vector<DeviceId>& order) {
  const std::vector<double> memory = memory_of(serving, order);
  const std::int64_t most = may_use_cpu(serving) ? serving.layers() : 1;
  for (std::int64_t cpu = 0; cpu < most; ++cpu) {
    Shape shape = split_by(order, memory, cpu, serving.layers() - cpu);
    if (serving.overflow(placement_of(shape, serving)) == 0 || !may_use_cpu(serving)) return shape;
  }
  return all_on_cpu(serving);
}

Shape filled(const Serving& serving, const std::vector<DeviceId>& order) {
  Shape shape = filled_but(serving, order, kNoDevice, 0);
  if (!may_use_cpu(serving)) return shape;
  // What is left to the CPU may need room on a GPU, for copies or its cache; which leaves more to the CPU.
  DeviceId spared = kNoDevice;
  Bytes spare = 0;
  for (int round = 0; round < 8; ++round) {
    const auto loads = serving.loads(placement_of(shape, serving));
    const auto full = std::ranges::find_if(
        order, [&](DeviceId device) { return loads[index(device)].sum() > serving.capacity(device); });
    if (full == order.end()) break;
    if (*full != spared) spare = 0;
    spared = *full;
    spare += loads[index(spared)].sum() - serving.capacity(spared);
    shape = filled_but(serving, order, spared, spare);
  }
  return shape;
}

Shape with_moved(const Serving& serving, const std::vector<DeviceId>& order, bool move_all) {
  Shape shape = split_by(order, memory_of(serving, order), 0, serving.layers());
  for (Block& block : shape.blocks) block.moved = move_all ? kMovableParts * block.layers : 0;
  if (move_all) return shape;
  for (Block& block : shape.blocks) {
    for (;;) {
      const auto loads = serving.loads(placement_of(shape, serving));
      const Serving::Load& load = loads[index(block.device)];
      if (load.sum() <= serving.capacity(block.device)) break;
      if (block.moved >= kMovableParts * block.layers) break;
      ++block.moved;
    }
  }
  return shape;
}

namespace {

// A mixture's: GPUs but the last take whole layers, the last one what is left with as few tensors on the CPU as fit.
Shape fitted_mixture(const Serving& serving) {
  const std::vector<DeviceId>& order = serving.accelerators();
  Shape shape;
  std::int64_t left = serving.layers();
  for (const DeviceId device : std::span(order).first(order.size() - 1)) {
    shape.blocks.push_back({device, 0, 0});
    Bytes room = serving.capacity(device);
    while (left > 0 && serving.layer_bytes(serving.layers() - left) <= room) {
      room -= serving.layer_bytes(serving.layers() - left);
      ++shape.blocks.back().layers;
      --left;
    }
  }
  std::erase_if(shape.blocks, [](const Block& block) { return block.layers == 0; });
  if (left == 0) return shape;
  shape.blocks.push_back({order.back(), left, 0});
  Block& last = shape.blocks.back();
  while (serving.overflow(placement_of(shape, serving)) > 0 && last.moved < kMovableParts * last.layers) ++last.moved;
  return shape;
}

}  // namespace

Shape fitted(const Serving& serving) {
  const std::vector<DeviceId>& order = serving.accelerators();
  if (order.empty()) return all_on_cpu(serving);
  const auto fits = [&](const Shape& shape) { return serving.overflow(placement_of(shape, serving)) == 0; };
  if (Shape whole = split_by(order, memory_of(serving, order), 0, serving.layers()); fits(whole)) return whole;
  if (serving.model().config.experts > 0) {
    if (Shape mixture = fitted_mixture(serving); fits(mixture)) return mixture;
  }
  return filled(serving, order);
}

std::vector<Rival> rivals(const Serving& serving) {
  std::vector<Rival> all;
  const std::vector<DeviceId>& gpus = serving.accelerators();
  if (!gpus.empty()) {
    if (serving.options().runtime == Runtime::kLlamaCpp) {
      all.push_back({"--fit", "what llama.cpp does by itself", fitted(serving)});
    }
    all.push_back({"memory-proportional", "layers by the memory of GPUs", proportional(serving, gpus)});
    std::vector<DeviceId> reversed(gpus.rbegin(), gpus.rend());
    const bool from_front = serving.options().runtime == Runtime::kAccelerate;
    all.push_back(
        {"layer filling", "GPUs to the brim, one after the other", filled(serving, from_front ? gpus : reversed)});
    if (serving.model().config.experts > 0 && serving.options().runtime == Runtime::kLlamaCpp) {
      all.push_back({"experts on cpu", "all experts on the CPU", with_moved(serving, gpus, true)});
    }
  }
  for (const DeviceId device : gpus) {
    all.push_back({"one device", serving.machine().device(device).name,
                   Shape{.cpu_layers = 0, .blocks = {{device, serving.layers(), 0}}}});
  }
  if (may_use_cpu(serving)) {
    all.push_back({"one device", serving.machine().device(serving.cpu()).name, all_on_cpu(serving)});
  }
  return all;
}

}  // namespace berth::llm
