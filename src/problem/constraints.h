// SPDX-License-Identifier: Apache-2.0
// Constraints: what the user demands of a plan beyond what graph and machine demand. In ids; problem/demands/ makes
// them of what people write.
#pragma once

#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "machine/machine.h"

namespace berth {

struct Constraints {
  struct Pin {
    OpId op;
    DeviceId device;
  };
  struct Forbid {
    OpId op;
    DeviceId device;
  };

  std::vector<Pin> pins;
  std::vector<Forbid> forbids;
  std::vector<DeviceSet> allowed;             // per op, where it may be; empty: anywhere. Pins and forbids in bulk
  std::vector<std::vector<OpId>> together;    // colocate and keep-together: each set on one device
  std::vector<Bytes> reserve;                 // per device, taken off its capacity; empty: nothing
  std::optional<int> max_devices;             // at most n devices run compute ops
  std::optional<std::int64_t> max_crossings;  // at most n (tensor, destination device) transfers
  bool inputs_on_first_cpu = true;            // inputs are pinned to the first CPU, unless anything here says otherwise
};

}  // namespace berth
