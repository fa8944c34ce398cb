// SPDX-License-Identifier: Apache-2.0
// Why one op is where it is: what the step would take with it elsewhere, what holds it, and what would have to change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace berth::report {

struct Alternative {
  DeviceId device = kNoDevice;
  Picoseconds op_time = 0;                  // of the op there
  std::optional<std::string> refused = {};  // why it may not be there; nothing below counts then
  Picoseconds step_time = 0;                // simulated, with the op and its companions there
  bool feasible = true;
  Bytes over = 0;  // if it does not fit
};

struct OpExplanation {
  OpId op = kNoOp;
  std::size_t companions = 0;             // that must be on the same device
  std::vector<OpId> weights_along = {};   // weights, and views of them, that only it and they read: they move with it
  std::vector<Alternative> alternatives;  // one per device of the machine, its own among them
  std::vector<std::string> reasons;       // sentences without a full stop
  std::vector<std::string> to_move;       // what would have to change for it to be better elsewhere
};

OpExplanation explain_op(const Problem& problem, const Plan& plan, OpId op);

}  // namespace berth::report
