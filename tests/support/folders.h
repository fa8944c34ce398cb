// SPDX-License-Identifier: Apache-2.0
// Where tests find files. Compiled once, so that no other test depends on where the project lies and compiler caches serve any clone.
#pragma once

#include <filesystem>

namespace berth {

// The project's root.
std::filesystem::path source_folder();

// Where others' graphs and problems lie: $BERTH_DATA, else beside the project. They are not part of the repository.
std::filesystem::path data_folder();

}  // namespace berth
