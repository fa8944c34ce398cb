// SPDX-License-Identifier: Apache-2.0
// Placement: where the parts of a language model go, at the grain that runtimes accept. Every layer has a home, which
// holds its attention, its cache and whatever is not moved; gate, up and down tensors may be elsewhere.
#pragma once

#include <array>
#include <vector>

#include "base/ids.h"
#include "serving/model.h"

namespace berth::llm {

struct Placement {
  DeviceId input = kNoDevice;                              // word table
  DeviceId output = kNoDevice;                             // norm and head behind the layers
  DeviceId tower = kNoDevice;                              // what makes tokens of pictures and sounds
  std::vector<DeviceId> home;                              // per layer
  std::vector<std::array<DeviceId, kMovableParts>> moved;  // per layer: of gate, up, down; the home unless moved

  // Everything on one device.
  static Placement all_on(DeviceId device, std::int64_t layers);
  // A layer with all its parts.
  void set_layer(std::int64_t layer, DeviceId device);

  [[nodiscard]] DeviceId device_of(std::int64_t layer, Part part) const;
  bool operator==(const Placement&) const = default;
};

}  // namespace berth::llm
