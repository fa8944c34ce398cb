// SPDX-License-Identifier: Apache-2.0
// The fit: for each cost class, the row of least absolute error in the logarithm of time, found by a pattern search
// over the logarithms of the row's numbers. Distinct ops count once, however often a graph repeats them.
#pragma once

#include <span>
#include <vector>

#include "fit_costs/samples.h"
#include "machine/machine.h"
#include "problem/cost/efficiency.h"

namespace berth::fit {

struct FittedTable {
  std::vector<Efficiency> rows;  // one per class, in the order of CostClass; assumed where there was nothing to fit
  std::vector<double> factors;   // how much slower than the table every graph's run was; 1 unless asked for
};

struct FitOptions {
  bool factor_per_graph = false;  // graphs were measured in runs that differ by a constant factor each
};

FittedTable fit_table(std::span<const Sample> samples, std::size_t num_graphs, const Device& device,
                      FitOptions options);

// Factor of every graph under a table: the median of measured over predicted, scaled so that the median graph has
// factor 1.
std::vector<double> graph_factors(std::span<const Sample> samples, std::size_t num_graphs, const FittedTable& table,
                                  const Device& device);

// Seconds the table predicts for what was measured, before the graph's factor: work on asynchronous devices, launch and
// work on synchronous ones.
double predict(const FittedTable& table, const Sample& sample, const Device& device);

}  // namespace berth::fit
