// SPDX-License-Identifier: Apache-2.0
// From flags to the config of a run (runs/run_config.h), and back to the flags that resolve its problems.
#pragma once

#include "app/flags/options.h"
#include "app/train.h"
#include "base/result.h"
#include "runs/run_config.h"

namespace berth::app {

using learn::LessonConfig, learn::Limits, learn::RunConfig;

// What the flags ask for, without the hashes. An error names the flag that makes no sense.
Result<RunConfig> config_of(const TrainFlags& flags);
// What may change when a run goes on.
Status update_config(RunConfig& config, const TrainFlags& flags);
// The options of a preset with those of the flags.
Result<learn::Options> options_of(std::string_view planner, const LearnedFlags& flags);

// The flags that give the problem of a lesson.
ProblemFlags problem_of(const RunConfig& config, const LessonConfig& lesson);

}  // namespace berth::app
