// SPDX-License-Identifier: Apache-2.0
// BERTH_CHECK guards our own invariants. It is never meant for bad input: that returns a Result.
#pragma once

namespace berth {

// Prints one line on stderr and ends the process with exit code 3 ("a bug").
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace berth

#define BERTH_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::berth::check_failed(#condition, __FILE__, __LINE__))
