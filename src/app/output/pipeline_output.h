// SPDX-License-Identifier: Apache-2.0
// What `berth pipeline` prints for people.
#pragma once

#include <string>

#include "services/pipeline/pipeline.h"

namespace berth::app {

std::string pipeline_page(const PipelineAnswer& answer);
// Why nothing fits, or by how much a given pipeline does not.
std::string pipeline_overflow(const PipelineAnswer& answer);

}  // namespace berth::app
