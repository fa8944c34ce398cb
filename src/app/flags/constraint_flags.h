// SPDX-License-Identifier: Apache-2.0
// Constraints on the command line: one flag per kind of demand, and files of them. docs/constraints.md describes both.
#pragma once

#include "services/problem/constraints.h"

namespace CLI {
class App;
}

namespace berth::app {

void add_constraint_flags(CLI::App& command, ConstraintTexts& texts);

}  // namespace berth::app
