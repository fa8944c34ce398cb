// SPDX-License-Identifier: Apache-2.0
#include "learn/go/node_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/go/coordinates.h"
#include "learn/go/waves.h"
#include "problem/cost/op_class.h"

namespace berth::learn {
namespace {

// Columns, part by part.
constexpr std::size_t kRoles = 6, kTypeBuckets = 16;
constexpr std::size_t kFirstRole = kCostClasses, kFirstType = kFirstRole + kRoles;
constexpr std::size_t kFirstSize = kFirstType + kTypeBuckets, kSizes = 5, kShares = 4, kDegrees = 2;
constexpr std::size_t kFirstShare = kFirstSize + kSizes, kFirstDegree = kFirstShare + kShares;
constexpr std::size_t kFirstCoordinate = kFirstDegree + kDegrees;
constexpr std::size_t kFirstWave = kFirstCoordinate + kCoordinates;
constexpr std::size_t kColumns = kFirstWave + kCoordinates * kWaveColumns;

// FNV-1a: the same for every graph and on every platform.
std::size_t bucket_of(std::string_view type) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : type) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return static_cast<std::size_t>((hash >> 32) % kTypeBuckets);
}

float log_column(double value) { return static_cast<float>(std::log1p(std::max(value, 0.0)) / 20.0); }

// Shares of a node's ops by class, role and type.
void put_kinds(const Problem& problem, std::span<const std::vector<OpId>> ops, Rows& rows) {
  const Graph& graph = problem.graph();
  std::vector<std::size_t> bucket;
  for (const std::string& type : graph.types()) bucket.push_back(bucket_of(type));
  for (std::size_t v = 0; v < ops.size(); ++v) {
    const float one = 1.0F / static_cast<float>(std::max<std::size_t>(ops[v].size(), 1));
    for (const OpId op : ops[v]) {
      if (graph.role(op) == Role::kCompute) rows.at(v, static_cast<std::size_t>(class_of(graph, op))) += one;
      rows.at(v, kFirstRole + std::min(static_cast<std::size_t>(graph.role(op)), kRoles - 1)) += one;
      rows.at(v, kFirstType + bucket[graph.type_index(op)]) += one;
    }
  }
}

struct Sizes {
  double flops = 0.0, resident = 0.0, output = 0.0, touched = 0.0, crossing = 0.0, work = 0.0;
  int in = 0, out = 0;
};

std::vector<Sizes> sizes_of(const Problem& problem, const Items& items, std::span<const std::vector<OpId>> ops) {
  const Graph& graph = problem.graph();
  std::vector<Sizes> sizes(ops.size());
  const std::vector<double> work = work_of_items(problem, items);
  for (std::size_t v = 0; v < ops.size(); ++v) {
    sizes[v].work = work[v];
    for (const OpId op : ops[v]) {
      sizes[v].flops += graph.flops(op);
      sizes[v].resident += static_cast<double>(problem.resident_bytes(op));
      sizes[v].touched += static_cast<double>(graph.bytes_touched(op));
      for (const TensorId tensor : graph.outputs(op)) sizes[v].output += static_cast<double>(graph.bytes(tensor));
    }
  }
  for (const Items::Edge& edge : items.edges) {
    sizes[edge.from].crossing += static_cast<double>(edge.bytes);
    sizes[edge.to].crossing += static_cast<double>(edge.bytes);
    ++sizes[edge.from].out;
    ++sizes[edge.to].in;
  }
  return sizes;
}

// Plain sizes as logarithms, and as shares of the graph's: in the mean over all nodes a share is 1.
void put_sizes(std::span<const Sizes> sizes, Rows& rows) {
  Sizes all;
  for (const Sizes& size : sizes) {
    all.work += size.work;
    all.resident += size.resident;
    all.output += size.output;
    all.crossing += size.crossing;
  }
  const auto count = static_cast<double>(sizes.size());
  const auto share = [&](double part, double whole) {
    return static_cast<float>(std::log1p(whole > 0.0 ? part / whole * count : 0.0));
  };
  for (std::size_t v = 0; v < sizes.size(); ++v) {
    const Sizes& size = sizes[v];
    rows.at(v, kFirstSize) = log_column(size.flops);
    rows.at(v, kFirstSize + 1) = log_column(size.resident);
    rows.at(v, kFirstSize + 2) = log_column(size.output);
    rows.at(v, kFirstSize + 3) = log_column(size.touched);
    rows.at(v, kFirstSize + 4) = log_column(size.crossing);
    rows.at(v, kFirstShare) = share(size.work, all.work);
    rows.at(v, kFirstShare + 1) = share(size.resident, all.resident);
    rows.at(v, kFirstShare + 2) = share(size.output, all.output);
    rows.at(v, kFirstShare + 3) = share(size.crossing, all.crossing);
    rows.at(v, kFirstDegree) = std::log1p(static_cast<float>(size.in)) / 3.0F;
    rows.at(v, kFirstDegree + 1) = std::log1p(static_cast<float>(size.out)) / 3.0F;
  }
}

}  // namespace

std::int64_t node_columns() { return static_cast<std::int64_t>(kColumns); }

Rows node_features(const Problem& problem, const Items& items, const Rows& coordinates) {
  const std::vector<std::vector<OpId>> ops = ops_of_items(problem, items);
  Rows rows(items.size(), kColumns);
  put_kinds(problem, ops, rows);
  put_sizes(sizes_of(problem, items, ops), rows);
  for (std::size_t v = 0; v < items.size(); ++v) {
    for (std::size_t k = 0; k < kCoordinates; ++k) {
      rows.at(v, kFirstCoordinate + k) = coordinates.at(v, k);
      put_waves(coordinates.at(v, k), &rows.at(v, kFirstWave + k * kWaveColumns));
    }
  }
  return rows;
}

}  // namespace berth::learn
