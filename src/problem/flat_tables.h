// SPDX-License-Identifier: Apache-2.0
// A problem as flat arrays of numbers, for those who hand it on whole: files for NumPy, and Python. Ops, tensors and
// devices are numbered from 0; what is not there is -1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace berth {

using FlatNumber = std::int64_t;
inline constexpr FlatNumber kNoNumber = -1;

inline FlatNumber flat_number(OpId op) { return op == kNoOp ? kNoNumber : static_cast<FlatNumber>(op); }

// Names of an enum's values, the first to the last.
template <typename Enum>
std::vector<std::string> names_up_to(Enum last) {
  std::vector<std::string> names;
  for (int value = 0; value <= static_cast<int>(last); ++value) names.emplace_back(name_of(static_cast<Enum>(value)));
  return names;
}
inline std::vector<std::string> role_names() { return names_up_to(Role::kView); }
inline std::vector<std::string> dtype_names() { return names_up_to(DType::kI4); }

Bytes bytes_of_outputs(const Graph& graph, OpId op);  // of all its outputs

// Modules of ops by name, in the order in which they come first.
struct ModuleTable {
  std::vector<std::string> names;
  std::vector<FlatNumber> of_op;
};
ModuleTable module_table(const Graph& graph);

// [op][device]: whether the op may be there, and how long it takes, without end where it cannot run.
struct PlaceTable {
  std::vector<std::uint8_t> allowed;
  std::vector<double> times_s, compute_times_s;
};
PlaceTable place_table(const Problem& problem);

// A row for every tensor and reader; control edges apart. Ends are pairs of ops, one behind the other.
struct EdgeTable {
  std::vector<FlatNumber> ends, bytes, tensor, control_ends;
};
EdgeTable edge_table(const Graph& graph);

// Shapes of all tensors in a row; those of tensor i are from begin[i] to begin[i + 1].
struct ShapeTable {
  std::vector<FlatNumber> dims, begin;
};
ShapeTable shape_table(const Graph& graph);

// [from][to]: the whole way from one device to another, on which a tensor passes one link after the other.
struct WayTable {
  std::vector<double> latency_s, bytes_per_s;
  std::vector<FlatNumber> links, begin;  // the links of way i are from begin[i] to begin[i + 1]
};
WayTable way_table(const Machine& machine);

}  // namespace berth
