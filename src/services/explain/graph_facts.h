// SPDX-License-Identifier: Apache-2.0
// What `berth graph info` works out about a graph.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/problem.h"
#include "services/problem/problem_request.h"

namespace berth {

struct TypeUse {
  std::string_view type;
  std::size_t count = 0;
  double flops = 0.0;
};

// How much can run side by side. Levels: an op stands one above the highest it waits for.
struct Parallelism {
  std::size_t compute = 0, depth = 0, widest = 0;  // compute ops: all, on the longest path, on the fullest level
  std::string device;                              // whose times the next two are
  double work_s = 0.0, path_s = 0.0;               // of all ops, and along the critical path
  [[nodiscard]] double width() const;              // compute ops per level, on average
  [[nodiscard]] double work_over_path() const;  // devices of that kind that could be kept busy; 0 if there is no work
};

// All ops one after the other on one device.
struct DeviceEstimate {
  std::string name;
  DeviceKind kind = DeviceKind::kCpu;
  Bytes memory = 0;
  double time_s = 0.0;              // of the ops that it runs
  std::size_t unsupported_ops = 0;  // that it does not run
};

// What a larger size would change, for a dimension that counts as 1 for want of one.
struct DimEffect {
  std::string name;
  double flops = 1.0, activations = 1.0;  // with a size of 2, over those with 1
};

// A tensor under the name that it has in the file.
struct NamedTensor {
  std::string name;
  TensorId tensor;
};

struct GraphFacts {
  std::vector<NamedTensor> inputs, outputs;
  double parameters = 0.0;  // numbers in all of them
  std::size_t parameter_tensors = 0;
  std::map<std::string_view, std::size_t> roles;
  std::vector<TypeUse> types;  // of compute ops, the most frequent first
  Bytes resident_bytes = 0, activation_bytes = 0;
  std::optional<Bytes> peak_bytes;  // of a step on one device; none if no kind of device runs all ops
  Parallelism parallelism;
  std::vector<DeviceEstimate> devices;         // of a public problem, else all that are built in
  std::map<std::string, std::size_t> unknown;  // types without a row in the table of ops
  double unknown_share = 0.0;                  // their part of the work

  // Whether a step on one device needs no more memory than this one has, as far as that is known.
  [[nodiscard]] bool fits(const DeviceEstimate& device) const { return !peak_bytes || *peak_bytes <= device.memory; }
};

GraphFacts facts_of(const LoadedGraph& loaded);

// How a size came to be known: "given", "as exported", "assumed".
std::string_view name_of_source(DimSource source);

// Of the first few dimensions that count as 1; reads the file once for each.
std::vector<DimEffect> effects_of_dims(const std::string& path, const ImportOptions& options,
                                       const LoadedGraph& loaded);

struct GraphAnswer {
  LoadedGraph loaded;
  GraphFacts facts;
  std::vector<DimEffect> effects;
};
Result<GraphAnswer> look_at_graph(const std::string& graph, const ImportOptions& options);

}  // namespace berth
