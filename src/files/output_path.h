// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace berth {

// Says early what would only be noticed after a search: the folder of an output file is not there or not writable.
// Nor may the file be one of `sources`, which are read: a slip would cost the user a model. An empty path is no file at
// all.
Status check_output_path(const std::string& path, std::span<const std::string> sources = {});

}  // namespace berth
