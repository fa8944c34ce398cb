// SPDX-License-Identifier: Apache-2.0
#include "plan/fuse/cluster_times.h"

#include <algorithm>

#include "problem/fusion.h"

namespace berth {

bool has_two_kernels(const Problem& problem, const Plan& plan, std::span<const OpId> ops) {
  return std::ranges::count_if(ops, [&](OpId op) { return problem.duration(op, plan.device(op)) > 0; }) >= 2;
}

ClusterTimes::ClusterTimes(const Problem& problem, const Plan& plan, const Clusters& clusters)
    : problem_(problem),
      plan_(plan),
      clusters_(clusters),
      inside_(problem.graph().num_ops(), 0),
      read_(problem.graph().num_tensors(), 0) {
  for (const OpId op : problem.graph().ops()) times_.push_back(problem.duration(op, plan.device(op)));
}

Picoseconds ClusterTimes::saved_by_joining(std::span<const Cluster> clusters) {
  Picoseconds apart = 0;
  for (const Cluster cluster : clusters) apart += times_[cluster];
  return apart - time_of_ops(clusters);
}

// As one op. A lone kernel with its views is left as it is, so it takes what it takes.
Picoseconds ClusterTimes::time_of_ops(std::span<const Cluster> clusters) {
  const Graph& graph = problem_.graph();
  ++questions_;
  for (const Cluster cluster : clusters) inside_[cluster] = questions_;
  const DeviceId device = plan_.device(clusters_.ops(clusters.front()).front());
  Picoseconds compute = 0, alone = 0;
  Bytes moved = 0;
  int kernels = 0;
  for (const Cluster cluster : clusters) {
    for (const OpId op : clusters_.ops(cluster)) {
      const Picoseconds duration = problem_.duration(op, device);
      kernels += duration > 0 ? 1 : 0;
      alone += duration;
      compute += problem_.compute_part(op, device);
      for (const TensorId tensor : graph.distinct_inputs(op)) {
        const bool counted = read_[index(tensor)] == questions_;
        if (counted || inside_[clusters_.of(graph.producer(tensor))] == questions_) continue;
        read_[index(tensor)] = questions_;
        moved += graph.bytes(tensor);
      }
      for (const TensorId tensor : graph.outputs(op)) {
        if (leaves(tensor)) moved += graph.bytes(tensor);
      }
    }
  }
  return kernels < 2 ? alone : fused_duration(problem_, device, compute, moved);
}

bool ClusterTimes::leaves(TensorId tensor) const {
  const Graph& graph = problem_.graph();
  return graph.is_graph_output(tensor) || std::ranges::any_of(graph.consumers(tensor), [&](OpId consumer) {
           return inside_[clusters_.of(consumer)] != questions_;
         });
}

}  // namespace berth
