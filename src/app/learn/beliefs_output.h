// SPDX-License-Identifier: Apache-2.0
// What `berth explain --policy` says, for people and for programs.
#pragma once

#include <string>

#include "learn/run/explain_policy.h"

namespace berth::app {

// All groups: how large, where, how sure.
std::string beliefs_text(const learn::PolicyExplanation& view);
std::string beliefs_json(const learn::PolicyExplanation& view);
// One op: its group, how likely every device is, what the Placer looked at.
std::string belief_text(const learn::PolicyExplanation& view, OpId op);
std::string belief_json(const learn::PolicyExplanation& view, OpId op);

}  // namespace berth::app
