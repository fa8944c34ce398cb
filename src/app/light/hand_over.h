// SPDX-License-Identifier: Apache-2.0
// `berth` replaced by the program with libtorch.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::app {

// Where it is; empty if it is not there.
std::string other_program();
// Starts it with the words of this command line. Returns only if that is not possible; `what` is what needs it.
Error hand_over(std::string_view what);

}  // namespace berth::app
