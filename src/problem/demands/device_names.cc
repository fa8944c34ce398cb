// SPDX-License-Identifier: Apache-2.0
#include "problem/demands/device_names.h"

#include <string>
#include <vector>

#include "base/text.h"
#include "machine/device_set.h"
#include "machine/devices.h"
#include "problem/demands/device_words.h"
#include "problem/demands/op_index.h"

namespace berth {
namespace {

std::vector<std::string> words_for(const Machine& machine, AbsentDevices absent) {
  std::vector<std::string> words;
  for (int kind = 0; kind < kDeviceKinds && absent == AbsentDevices::kAreNone; ++kind) {
    words.emplace_back(name_of(static_cast<DeviceKind>(kind)));
  }
  for (const Device& device : machine.devices()) {
    words.push_back(device.name);
    words.emplace_back(name_of(device.kind));
    if (!device.model.empty()) words.push_back(device.model);
  }
  return words;
}

Error no_such_device(const Machine& machine, std::string_view word, AbsentDevices absent) {
  return bad_input("machine '{}' has no device '{}'{} (it has {})", machine.name(), word,
                   did_you_mean(word, words_for(machine, absent)), names_of(machine, all_devices(machine)));
}

}  // namespace

Result<DeviceSet> devices_named(const Machine& machine, std::string_view word, AbsentDevices absent) {
  const DeviceWord meant = devices_of_word(machine, word);
  DeviceSet set = meant.devices;
  if (set == 0) {
    for (const DeviceId id : machine.device_ids()) {
      if (matches(word, machine.device(id).name)) set |= device_bit(id);
    }
  }
  const bool is_known = meant.breadth == Breadth::kKind || find_device_model(word) != nullptr;
  if (set == 0 && !(is_known && absent == AbsentDevices::kAreNone)) return no_such_device(machine, word, absent);
  return set;
}

}  // namespace berth
