// SPDX-License-Identifier: Apache-2.0
// What frameworks ask of all replicas and stages alike. `runtime` is who asks, for the line that refuses.
#pragma once

#include "export/training/lanes.h"
#include "export/training/training_exports.h"

namespace berth {

// At least one lane; all have the same lists, as where data parallelism is a number.
Result<std::vector<PipelineLane>> equal_lanes(const TrainingExportRequest& request, std::string_view runtime);

// Whether all stages are computed again in the backward pass; refused if some are and some are not.
Result<bool> recomputes_everywhere(const PipelinePlan& plan, std::string_view runtime);

// Refused unless the lists are 1F1B, interleaved if a device has several stages: for who has no other order.
Status needs_1f1b(const PipelinePlan& plan, const PipelineLane& lane, std::string_view runtime);

}  // namespace berth
