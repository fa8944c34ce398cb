// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/flags/options.h"

namespace berth::app {

struct ExplainFlags {
  ProblemFlags problem;
  std::string plan, policy, op;  // either a plan or a policy; no op: all of it
  bool json = false;
};

}  // namespace berth::app
