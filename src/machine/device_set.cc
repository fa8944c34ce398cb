// SPDX-License-Identifier: Apache-2.0
#include "machine/device_set.h"

#include <vector>

#include "base/text.h"

namespace berth {

DeviceSet all_devices(const Machine& machine) {
  DeviceSet set = 0;
  for (const DeviceId id : machine.device_ids()) set |= device_bit(id);
  return set;
}

std::string names_of(const Machine& machine, DeviceSet devices) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> names;
  for (const DeviceId id : machine.device_ids()) {
    if ((devices & device_bit(id)) == 0) continue;
    if (names.size() == kMost) return join(names, ", ") + ", ...";
    names.push_back(machine.device(id).name);
  }
  return names.empty() ? "no device" : join(names, ", ");
}

}  // namespace berth
