// SPDX-License-Identifier: Apache-2.0
// Plans run for real: the flags of commands that do so, and the session they describe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "measure/session.h"

namespace CLI {
class App;
}

namespace berth::app {

struct MeasuringFlags {
  std::string devices;  // empty: as the machine has them
  std::uint64_t runs = 10, profiles = 1;
  std::string limit = "60s", enough, memory_limit;
};
void add_measuring_flags(CLI::App& command, MeasuringFlags& flags);

// An error if this build cannot run plans at all; `what` names what was asked for.
Status check_can_measure(std::string_view what);

// Starts the process that runs plans of this graph's file. The problem must outlive the session.
Result<std::unique_ptr<MeasureSession>> open_session(const std::string& graph, const Problem& problem,
                                                     const MeasuringFlags& flags);

}  // namespace berth::app
