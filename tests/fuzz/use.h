// SPDX-License-Identifier: Apache-2.0
// What the program does with what it has read, for the fuzzed readers: models become graphs, graphs get the times of
// their ops, demands become constraints. Each returns the error of whoever refuses it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "graph/graph.h"
#include "machine/machine.h"
#include "model/model.h"
#include "model/sizes.h"
#include "problem/cost/measured_costs.h"
#include "problem/demands/demand.h"
#include "problem/problem.h"

namespace berth {

template <typename T>
Status status_of(const Result<T>& result) {
  if (!result) return result.error();
  return {};
}

std::shared_ptr<const Machine> some_machine();  // cpu, gpu0, gpu1

// relu(x * w). The seeds of plans state its hash.
std::shared_ptr<const Graph> small_graph();

// Two layers in the modules net.0 and net.1, each with the ops NAME.weight, NAME.mm (aten.mm.default) and NAME.relu
// (aten.relu.default); the input x. Seeds of costs and constraints name them.
const Problem& layered_problem();

// Graphs that placements of other programs are for: layered_problem(), one of an ONNX file whose nodes have
// annotations, and one of TensorFlow.
struct PlacedGraph {
  const Problem& problem;
  std::string source;  // its file, if there is one
};
std::span<const PlacedGraph> placed_graphs();

Status use_graph(Result<Graph> graph);
Status use_model(Result<Model> model, const DimSizes& sizes = {});
Status use_problem(const Result<Problem>& problem);
Status use_costs(Result<CostsFile> costs);                       // of ops of layered_problem()
Status use_demands(const Result<std::vector<Demand>>& demands);  // likewise
Status use_plan(const Problem& problem, const Plan& plan);       // verified, written and read again
Status use_devices(std::span<const std::string> device_of);      // likewise, a device field for each op

}  // namespace berth
