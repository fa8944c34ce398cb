// SPDX-License-Identifier: Apache-2.0
// A schedule in the CSV that torch's _PipelineScheduleRuntime loads: a line per rank, "0F0,0F1,0B0" for stage, action
// and microbatch. Sends and receives are added by torch.
#pragma once

#include <string>

#include "export/training/lanes.h"

namespace berth {

std::string schedule_csv(const PipelineLane& lane);

// Where torch does other work than the lists say, for whoever compares times.
std::vector<std::string> schedule_notes(const PipelinePlan& plan);

}  // namespace berth
