// SPDX-License-Identifier: Apache-2.0
// app/real_runs.h in `berth`: left to the program with libtorch.
#include "app/real_runs.h"

#include "app/flags/env_flags.h"
#include "app/light/hand_over.h"

namespace berth::app {

Result<std::string> worker_program() {
  const std::string program = other_program();
  return program.empty() ? own_program() : program;
}

Result<Exit> measure_worker(const std::string& /*capture*/, const std::string& /*devices*/) {
  return hand_over("running plans");
}

Result<Exit> probe(const ProbeFlags& /*flags*/) { return hand_over("berth probe"); }

}  // namespace berth::app
