// SPDX-License-Identifier: Apache-2.0
// What `berth graph info` says about a graph.
#pragma once

#include <string>

#include "services/explain/graph_facts.h"

namespace berth::app {

std::string graph_info_text(const GraphAnswer& answer);  // one screen
std::string graph_info_json(const GraphAnswer& answer);

}  // namespace berth::app
