// SPDX-License-Identifier: Apache-2.0
// OnnxSource: an ONNX file taken apart for writing: its fields as they stand, and which names its nodes read and make.
// Points into the file's bytes, which must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/sizes.h"

namespace berth {

struct OnnxSource {
  struct Node {
    std::string_view field;               // the field of the graph, key and all
    std::string_view label;               // its name, else that of its first output
    std::string_view type;                // without its domain
    std::vector<std::string_view> reads;  // with what its subgraphs see of the graph around them
    std::vector<std::string_view> makes;
  };
  struct Named {
    std::string_view name;
    std::string_view field;
  };
  std::vector<std::string_view> around;  // fields of the model but the graph: versions, opsets, functions
  std::vector<std::string_view> rest;    // fields of the graph that say something about all of it
  std::vector<Node> nodes;
  std::map<std::string_view, std::string_view> weights;  // initialisers, dense and sparse
  std::map<std::string_view, std::string_view> types;    // ValueInfoProto of inputs, outputs and other values, by name
  std::vector<Named> inputs, outputs;
  std::set<std::string_view> input_names;
  std::map<std::string_view, std::uint32_t> maker;  // node that makes a value
  std::set<std::string, std::less<>> data_files;    // names of files that hold weights, relative to the model

  [[nodiscard]] bool is_weight(std::string_view name) const { return weights.contains(name); }
  [[nodiscard]] bool is_input(std::string_view name) const { return input_names.contains(name) && !is_weight(name); }
};

Result<OnnxSource> read_onnx_source(std::string_view bytes);

// Which nodes of the file the ops of its graph come from. Names do not tell: nodes may have none, or equal ones.
inline constexpr std::uint32_t kNoOnnxNode = 0xffffffffU;

struct OnnxOps {
  Model model;                         // as lower() has it before it makes the graph: folded, with types and shapes
  std::vector<std::uint32_t> node_of;  // per op: place among the nodes of the file; kNoOnnxNode for weights and inputs.
                                       // The ops of a function have that of its call
};

// `source` is of these bytes; `num_ops` of the graph that import_model() makes of the file with these sizes.
Result<OnnxOps> find_onnx_ops(std::string_view bytes, const OnnxSource& source, const DimSizes& dims,
                              std::size_t num_ops);

}  // namespace berth
