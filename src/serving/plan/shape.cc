// SPDX-License-Identifier: Apache-2.0
#include "serving/plan/shape.h"

#include <algorithm>
#include <array>

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
  return placement;
}

}  // namespace berth::llm
