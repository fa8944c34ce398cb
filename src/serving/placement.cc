// SPDX-License-Identifier: Apache-2.0
#include "serving/placement.h"

namespace berth::llm {

Placement Placement::all_on(DeviceId device, std::int64_t layers) {
  Placement placement;
  placement.input = placement.output = placement.tower = device;
  placement.home.assign(static_cast<std::size_t>(layers), device);
  placement.moved.assign(static_cast<std::size_t>(layers), {device, device, device});
  return placement;
}

void Placement::set_layer(std::int64_t layer, DeviceId device) {
  home[static_cast<std::size_t>(layer)] = device;
  moved[static_cast<std::size_t>(layer)] = {device, device, device};
}

DeviceId Placement::device_of(std::int64_t layer, Part part) const {
  if (part == Part::kOutput) return output;
  if (part == Part::kTower) return tower;
  if (layer < 0) return input;
  const auto i = static_cast<std::size_t>(layer);
  return is_movable(part) ? moved[i][static_cast<std::size_t>(movable_index(part))] : home[i];
}

}  // namespace berth::llm
