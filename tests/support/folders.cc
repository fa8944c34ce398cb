// SPDX-License-Identifier: Apache-2.0
#include "support/folders.h"

#include <cstdlib>

namespace berth {

std::filesystem::path source_folder() { return BERTH_SOURCE_DIR; }

std::filesystem::path data_folder() {
  const char* stated = std::getenv("BERTH_DATA");
  return stated != nullptr ? stated : source_folder() / ".." / "shared" / "data";
}

}  // namespace berth
