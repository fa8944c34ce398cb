// SPDX-License-Identifier: Apache-2.0
// What `berth graph info` says about a graph.
#pragma once

#include <span>
#include <string>

#include "app/graph_facts.h"

namespace berth::app {

// One screen.
std::string graph_info_text(const ResolvedGraph& resolved, const GraphFacts& facts, std::span<const DimEffect> effects);
std::string graph_info_json(const ResolvedGraph& resolved, const GraphFacts& facts, std::span<const DimEffect> effects);

}  // namespace berth::app
