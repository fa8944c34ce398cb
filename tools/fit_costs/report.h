// SPDX-License-Identifier: Apache-2.0
// What the fit prints: rows to paste into src/problem/cost/efficiency.cc, and error tables in Markdown for
// docs/cost-model.md.
#pragma once

#include <span>
#include <string>

#include "fit_costs/fit.h"
#include "fit_costs/samples.h"

namespace berth::fit {

std::string rows_text(const FittedTable& table);

// Errors per class: of the graphs in the fit, or of those held out.
std::string classes_text(const FittedTable& table, const SampleSet& set, const Device& device,
                         std::span<const std::size_t> held_out);
std::string graphs_text(const FittedTable& table, const SampleSet& set, const Device& device,
                        std::span<const std::size_t> held_out);

// Every pair of graphs held out in turn: how each graph fares over all pairs that hold it out.
std::string pairs_text(const SampleSet& set, const Device& device, Twins twins);

}  // namespace berth::fit
