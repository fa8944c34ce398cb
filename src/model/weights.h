// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model.h"

namespace berth {

// What a stored tensor is where the file does not tell weights from constants: a parameter if it holds several floating
// numbers, or quantised ones of at least two dimensions; else a constant.
Role role_of_stored(const Value& value);

}  // namespace berth
