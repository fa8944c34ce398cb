// SPDX-License-Identifier: Apache-2.0
// What there is to choose from, for programs: planners and their options, machines, models.
#pragma once

#include <string>

#include "machine/machine.h"
#include "runs/methods.h"
#include "services/plan/catalog.h"
#include "zoo/zoo.h"

namespace berth {

std::string planners_json(const Catalog& catalog);
std::string options_json(const learn::MethodInfo& method);
std::string machines_json();
std::string machine_json(const Machine& machine);
std::string models_json();
std::string model_json(const ModelInfo& model);

}  // namespace berth
