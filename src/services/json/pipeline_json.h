// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "services/pipeline/pipeline.h"

namespace berth {

// What `berth pipeline --json` prints; with every action's start and end if `timeline`.
std::string pipeline_json(const PipelineAnswer& answer, bool timeline);

}  // namespace berth
