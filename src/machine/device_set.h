// SPDX-License-Identifier: Apache-2.0
// Sets of devices, in words.
#pragma once

#include <string>

#include "machine/machine.h"

namespace berth {

DeviceSet all_devices(const Machine& machine);

// "gpu0, gpu1"; "no device" for none, and of many the first ten.
std::string names_of(const Machine& machine, DeviceSet devices);

}  // namespace berth
