// SPDX-License-Identifier: Apache-2.0
// What stands for devices in a constraint: a word for devices (problem/demands/device_words.h), else a pattern over
// names
// ("host1.*").
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "machine/machine.h"

namespace berth {

enum class AbsentDevices : std::uint8_t {
  kAreAnError,
  kAreNone,  // a kind or a model of the library that this machine lacks is no device; other words are errors still
};

// An error names the nearest word.
Result<DeviceSet> devices_named(const Machine& machine, std::string_view word,
                                AbsentDevices absent = AbsentDevices::kAreAnError);

}  // namespace berth
