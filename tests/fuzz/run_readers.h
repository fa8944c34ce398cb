// SPDX-License-Identifier: Apache-2.0
// The fuzzed readers of what a training run leaves.
#pragma once

#include <string_view>

#include "base/result.h"

namespace berth {

Status read_checkpoint(std::string_view bytes);
Status read_run_config(std::string_view bytes);
Status read_run_metrics(std::string_view bytes);

}  // namespace berth
