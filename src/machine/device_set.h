// SPDX-License-Identifier: Apache-2.0
// Sets of devices: what is in them, and in words.
#pragma once

#include <bit>
#include <string>

#include "machine/machine.h"

namespace berth {

DeviceSet all_devices(const Machine& machine);

// The device with the lowest id of a set that is not empty.
inline DeviceId lowest_device(DeviceSet set) { return DeviceId(std::countr_zero(set)); }

// "gpu0, gpu1"; "no device" for none, and of many the first ten.
std::string names_of(const Machine& machine, DeviceSet devices);

}  // namespace berth
