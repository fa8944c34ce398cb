// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace berth {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "berth: bug: check '%s' failed at %s:%d; please report it\n", condition, file, line);
  std::fflush(stderr);
  std::_Exit(3);
}

}  // namespace berth
