// SPDX-License-Identifier: Apache-2.0
// Updates: nodes that write a variable (optimiser steps, assignments). A Graph has each on its parameter's device and
// behind all other readers of it. Not every write in a file can be held to that: one whose variable has several
// writers, or is read again behind some write, stays an ordinary op.
#pragma once

#include <vector>

#include "model/model.h"

namespace berth {

// Per node the parameter that it updates, or kNoValue. Parameters are leaves; nodes may reach them through views.
std::vector<ValueIndex> find_updates(const Model& model);

}  // namespace berth
