// SPDX-License-Identifier: Apache-2.0
// --fusion, --schedule and --placement: decisions apart from the one where ops go.
#pragma once

#include <string>
#include <string_view>

#include "services/plan/stages.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace berth::app {

struct StageFlags {
  std::string fusion, schedule;  // names of methods; empty: not given
  std::string placement;         // plan file whose devices stay; empty: a planner places

  // The first flag that is set, as in "--fusion"; empty if none is.
  [[nodiscard]] std::string_view given() const;
};
// Gives the option for --placement back, which excludes planners.
CLI::Option* add_stage_flags(CLI::App& command, StageFlags& flags);

// Everything about the flags that can be said before a file is read.
Result<StageRequest> request_of(const StageFlags& flags);

}  // namespace berth::app
