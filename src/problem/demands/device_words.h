// SPDX-License-Identifier: Apache-2.0
// Words for devices, as users write them: the name of one ("gpu0"), a model ("k40"), a kind in any case
// ("gpu", "NPU"), "*" for all, and "gpu:1" for the second that a word means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/machine.h"

namespace berth {

enum class Breadth : std::uint8_t { kAll, kKind, kModel, kName };  // the widest first

struct DeviceWord {
  DeviceSet devices = 0;  // 0: the machine has none of these; a kind it lacks is still a kind by its breadth
  Breadth breadth = Breadth::kAll;
  bool operator==(const DeviceWord&) const = default;
};

// What a word means on a machine: a device's name before a model's before a kind's before a number's.
DeviceWord devices_of_word(const Machine& machine, std::string_view word);

// "cpu, gpu0, gpu1, k40, gpu": what could have been said, for errors.
std::string known_device_words(const Machine& machine);

enum class AbsentDevices : std::uint8_t {
  kAreAnError,
  kAreNone,  // a kind or a model of the library that this machine lacks is no device; other words are errors still
};

// What stands for devices in a constraint: such a word, else a pattern over names ("host1.*"). An error names the nearest
// word.
Result<DeviceSet> devices_named(const Machine& machine, std::string_view word,
                                AbsentDevices absent = AbsentDevices::kAreAnError);

}  // namespace berth
