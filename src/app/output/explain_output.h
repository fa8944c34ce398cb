// SPDX-License-Identifier: Apache-2.0
// What `berth explain` says, for people and for programs.
#pragma once

#include <string>

#include "services/explain/explain.h"

namespace berth::app {

std::string explanation_text(const ExplainAnswer& answer);
std::string explanation_json(const ExplainAnswer& answer);

}  // namespace berth::app
