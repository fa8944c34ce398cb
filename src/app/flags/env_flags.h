// SPDX-License-Identifier: Apache-2.0
// --env and what goes with it: plans judged by simulations, by real runs, or by both.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "services/measure/measuring.h"
#include "services/plan/catalog.h"
#include "services/plan/judge.h"

namespace CLI {
class App;
}

namespace berth::app {

// How plans run for real, for commands that do so.
struct MeasuringFlags {
  std::string devices;  // empty: as the machine has them
  std::uint64_t runs = 10, profiles = 1;
  std::string limit = "60s", enough, memory_limit;
};
void add_measuring_flags(CLI::App& command, MeasuringFlags& flags);
Result<MeasuringRequest> request_of(const MeasuringFlags& flags);

struct EnvFlags {
  std::string env = "simulate";
  std::uint64_t shortlist = 8;
  std::string measurements;  // file for what every run took
  MeasuringFlags measuring;
};
void add_env_flags(CLI::App& command, EnvFlags& flags);
Result<JudgeRequest> request_of(const EnvFlags& flags);
// The same way to learn, told who judges.
LearningRequest learning_of(LearningRequest learning, const EnvFlags& flags);

// The path of the program that runs.
Result<std::string> own_program();
// An error if this build cannot run plans at all; `what` names what was asked for.
Status check_can_measure(std::string_view what);

}  // namespace berth::app
