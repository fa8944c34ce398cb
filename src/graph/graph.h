// SPDX-License-Identifier: Apache-2.0
// Graph: one training step or one inference as an immutable DAG of ops. Made by GraphBuilder, which checks everything,
// so code that holds a Graph may rely on: names are unique, inputs exist, there is no cycle, sizes are sums that fit in
// 62 bits, every view has an input, every update op is colocated with its parameter and ordered after every other
// reader of it.
//
// Ops keep the order of their source; ids are not necessarily topological (see topological_order()). Tensors are
// numbered op by op, so comparing TensorIds compares (producer, output index).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "graph/types.h"

namespace berth {

// Times measured for one device model, one entry per op in seconds; negative where there is none.
struct MeasuredTimes {
  std::string device_model;  // matches Device::model, for example "h200"
  std::vector<float> seconds;
};

class Graph {
 public:
  [[nodiscard]] std::size_t num_ops() const { return role_.size(); }
  [[nodiscard]] std::size_t num_tensors() const { return tensor_bytes_.size(); }
  [[nodiscard]] std::size_t num_edges() const { return num_edges_; }  // distinct (tensor, consumer) pairs
  [[nodiscard]] IdRange<OpId> ops() const { return ids<OpId>(num_ops()); }
  [[nodiscard]] IdRange<TensorId> tensors() const { return ids<TensorId>(num_tensors()); }

  // Facts about an op.
  [[nodiscard]] std::string_view name(OpId op) const { return slice(names_, name_begin_, index(op)); }
  [[nodiscard]] const std::string& type(OpId op) const { return types_[type_of_[index(op)]]; }
  [[nodiscard]] std::uint32_t type_index(OpId op) const { return type_of_[index(op)]; }
  [[nodiscard]] Role role(OpId op) const { return role_[index(op)]; }
  [[nodiscard]] double flops(OpId op) const { return flops_[index(op)]; }
  // Bytes the op moves through its device's memory: as its source stated, else distinct inputs + outputs.
  [[nodiscard]] Bytes bytes_touched(OpId op) const { return bytes_touched_[index(op)]; }
  [[nodiscard]] const std::string& module(OpId op) const { return modules_[module_of_[index(op)]]; }  // "" if unknown
  [[nodiscard]] const std::string& label(OpId op) const {
    return labels_[label_of_[index(op)]];
  }  // parameter's own name
  // For people, "" if there are none: a line for each, "kernel_shape = [3, 3]". No cost depends on them.
  [[nodiscard]] const std::string& attributes(OpId op) const { return attributes_[attributes_of_[index(op)]]; }
  [[nodiscard]] int colocation_group(OpId op) const { return colocation_[index(op)]; }  // -1 if none
  [[nodiscard]] KindSet allowed_kinds(OpId op) const { return allowed_[index(op)]; }
  // Parameter that an update op writes, kNoOp for all other ops.
  [[nodiscard]] OpId updated_parameter(OpId op) const { return updates_[index(op)]; }
  // Whether some update op writes this parameter.
  [[nodiscard]] bool is_trained(OpId op) const { return trained_[index(op)] != 0; }
  // Forward op whose gradient this op computes, kNoOp if unknown or none. Lets rules place gradients with their forward
  // ops.
  [[nodiscard]] OpId forward_of(OpId op) const { return forward_of_[index(op)]; }
  // Bytes held on the op's device for the whole step: parameters (times optimiser copies), buffers, constants; else 0.
  [[nodiscard]] Bytes resident_bytes(OpId op) const;

  // Edges. inputs() keeps order and repeats; distinct_inputs() are sorted and unique; consumers() are sorted and
  // unique.
  [[nodiscard]] std::span<const TensorId> inputs(OpId op) const { return row(inputs_, input_begin_, index(op)); }
  [[nodiscard]] std::span<const TensorId> distinct_inputs(OpId op) const {
    return row(distinct_inputs_, distinct_input_begin_, index(op));
  }
  [[nodiscard]] std::span<const OpId> control_inputs(OpId op) const {
    return row(control_in_, control_in_begin_, index(op));
  }
  [[nodiscard]] std::span<const OpId> control_outputs(OpId op) const {
    return row(control_out_, control_out_begin_, index(op));
  }
  [[nodiscard]] IdRange<TensorId> outputs(OpId op) const {
    return {output_begin_[index(op)], output_begin_[index(op) + 1]};
  }
  [[nodiscard]] std::span<const OpId> consumers(TensorId tensor) const {
    return row(consumers_, consumer_begin_, index(tensor));
  }

  // Facts about a tensor.
  [[nodiscard]] OpId producer(TensorId tensor) const { return producer_[index(tensor)]; }
  [[nodiscard]] int output_index(TensorId tensor) const {
    return static_cast<int>(index(tensor) - output_begin_[index(producer(tensor))]);
  }
  [[nodiscard]] DType dtype(TensorId tensor) const { return tensor_dtype_[index(tensor)]; }
  [[nodiscard]] std::span<const std::int64_t> shape(TensorId tensor) const {
    return row(dims_, dim_begin_, index(tensor));
  }
  [[nodiscard]] Bytes bytes(TensorId tensor) const { return tensor_bytes_[index(tensor)]; }
  [[nodiscard]] bool is_graph_output(TensorId tensor) const { return is_output_[index(tensor)] != 0; }

  // Whole graph.
  [[nodiscard]] const std::string& title() const { return title_; }  // "nmt-4", or a file's name
  [[nodiscard]] Optimizer optimizer() const { return optimizer_; }
  [[nodiscard]] std::span<const TensorId> graph_outputs() const { return graph_outputs_; }
  [[nodiscard]] std::span<const OpId> topological_order() const {
    return topological_;
  }  // lowest id first among the free
  [[nodiscard]] std::span<const std::string> colocation_names() const { return colocation_names_; }
  [[nodiscard]] std::span<const std::string> types() const { return types_; }
  [[nodiscard]] std::span<const MeasuredTimes> measured() const { return measured_; }
  // Nodes and edges as the source file counts them, before folding; equal to num_ops and num_edges for built graphs.
  [[nodiscard]] std::size_t source_nodes() const { return source_nodes_; }
  [[nodiscard]] std::size_t source_edges() const { return source_edges_; }
  // 128 bits in hex over names, types, edges, dtypes and shapes; no costs. Two graphs with equal hashes take the same
  // plans.
  [[nodiscard]] const std::string& structure_hash() const { return hash_; }
  [[nodiscard]] double total_flops() const;
  [[nodiscard]] Bytes parameter_bytes() const;  // x1, without optimiser copies

 private:
  friend class GraphBuilder;
  friend class GraphFreezer;
  Graph() = default;

  template <typename T, typename Offset>
  static std::span<const T> row(const std::vector<T>& data, const std::vector<Offset>& begin, std::size_t i) {
    return {data.data() + begin[i], data.data() + begin[i + 1]};
  }
  static std::string_view slice(const std::string& text, const std::vector<std::uint32_t>& begin, std::size_t i) {
    return std::string_view(text).substr(begin[i], begin[i + 1] - begin[i]);
  }

  // Per op.
  std::string names_;
  std::vector<std::uint32_t> name_begin_, type_of_, module_of_, label_of_, attributes_of_;
  std::vector<Role> role_;
  std::vector<double> flops_;
  std::vector<Bytes> bytes_touched_;
  std::vector<std::int32_t> colocation_;
  std::vector<KindSet> allowed_;
  std::vector<OpId> updates_, forward_of_;
  std::vector<std::uint8_t> trained_;
  std::vector<std::uint32_t> input_begin_, distinct_input_begin_, control_in_begin_, control_out_begin_, output_begin_;
  std::vector<TensorId> inputs_, distinct_inputs_;
  std::vector<OpId> control_in_, control_out_, topological_;
  // Per tensor.
  std::vector<OpId> producer_;
  std::vector<DType> tensor_dtype_;
  std::vector<Bytes> tensor_bytes_;
  std::vector<std::uint32_t> dim_begin_, consumer_begin_;
  std::vector<std::int64_t> dims_;
  std::vector<OpId> consumers_;
  std::vector<std::uint8_t> is_output_;
  // Whole graph.
  std::string title_, hash_;
  Optimizer optimizer_ = Optimizer::kSgd;
  std::vector<std::string> types_, modules_, labels_, attributes_, colocation_names_;
  std::vector<TensorId> graph_outputs_;
  std::vector<MeasuredTimes> measured_;
  std::size_t num_edges_ = 0, source_nodes_ = 0, source_edges_ = 0;
};

}  // namespace berth
