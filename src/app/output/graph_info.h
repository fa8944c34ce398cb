// SPDX-License-Identifier: Apache-2.0
// What `berth graph info` says about a graph.
#pragma once

#include <span>
#include <string>

#include "services/explain/graph_facts.h"

namespace berth::app {

// One screen.
std::string graph_info_text(const LoadedGraph& loaded, const GraphFacts& facts, std::span<const DimEffect> effects);
std::string graph_info_json(const LoadedGraph& loaded, const GraphFacts& facts, std::span<const DimEffect> effects);

}  // namespace berth::app
