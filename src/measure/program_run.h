// SPDX-License-Identifier: Apache-2.0
// A program of the user's, run to its end. Whatever it does, hang, crash, print without end, is an Error here, and it
// is gone then with all that it has started.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace berth {

struct ProgramLimits {
  double seconds = 60.0;
  Bytes output = Bytes{16} << 20;           // that it may print
  const std::atomic<bool>* stop = nullptr;  // set: give up
};

// Where a program is: a name with a slash is a path, any other is looked for in the folders of PATH.
Result<std::string> find_program(std::string_view name);

// What it printed on stdout, if it ended with exit code 0. Errors have the last line of its stderr. No shell reads the
// words; the first is a path.
Result<std::string> run_program(const std::vector<std::string>& words, const ProgramLimits& limits);

}  // namespace berth
