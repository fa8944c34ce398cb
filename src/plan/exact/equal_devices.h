// SPDX-License-Identifier: Apache-2.0
// Devices that can change places without changing any plan's value: equal times for every op, equal memory and lanes,
// allowed for the same units, and routes that map onto each other. One thing tells them apart: copies of one tensor
// requested at one instant queue in the order of their ids. The tree search therefore leaves open which of them has
// the lower id until such a tie asks for it.
#pragma once

#include <vector>

#include "plan/exact/tables.h"

namespace berth::exact {

// Class of every device, numbered from 0; devices of a class are interchangeable and have consecutive ids.
std::vector<int> interchangeable_devices(const Tables& tables);

}  // namespace berth::exact
