// SPDX-License-Identifier: Apache-2.0
#include "graph/builder.h"

#include <algorithm>
#include <cmath>

#include "graph/freeze.h"

namespace berth {

Bytes tensor_bytes(const TensorSpec& tensor) {
  Bytes elements = 1;
  for (const std::int64_t dim : tensor.shape) {
    if (dim == 0) return 0;
  }
  for (const std::int64_t dim : tensor.shape) {
    if (elements > kMaxTotalBytes / dim) return -1;
    elements *= dim;
  }
  const Bytes bytes = (elements * bits_of(tensor.dtype) + 7) / 8;  // at most 128 bits each: no overflow
  return bytes > kMaxTotalBytes ? -1 : bytes;
}

GraphBuilder::GraphBuilder(std::string title) {
  graph_.title_ = std::move(title);
  graph_.source_nodes_ = graph_.source_edges_ = kAsCounted;
  for (auto* begin : {&graph_.name_begin_, &graph_.input_begin_, &graph_.output_begin_, &graph_.dim_begin_})
    begin->push_back(0);
  intern(graph_.modules_, module_ids_, "");
  intern(graph_.labels_, label_ids_, "");
  intern(graph_.attributes_, attributes_ids_, "");
}

std::uint32_t GraphBuilder::intern(std::vector<std::string>& pool, std::unordered_map<std::string, std::uint32_t>& ids,
                                   std::string_view text) {
  const auto [entry, is_new] = ids.try_emplace(std::string(text), static_cast<std::uint32_t>(pool.size()));
  if (is_new) pool.emplace_back(text);
  return entry->second;
}

void GraphBuilder::note(Error error) {
  if (!early_error_) early_error_ = std::move(error);
}

void GraphBuilder::reserve(std::size_t ops) {
  ops = std::min(ops, kMaxOps);
  graph_.role_.reserve(ops);
  graph_.flops_.reserve(ops);
  graph_.bytes_touched_.reserve(ops);
  graph_.name_begin_.reserve(ops + 1);
  graph_.tensor_bytes_.reserve(ops);
}

OpId GraphBuilder::add(const OpSpec& op) {
  const auto id = static_cast<OpId>(num_ops());
  if (early_error_) return id;
  if (num_ops() >= kMaxOps) return note(bad_input("the graph has more than {} ops", kMaxOps)), id;
  if (op.name.empty()) return note(bad_input("op {} has no name", index(id))), id;
  if (op.name.size() > kMaxNameLength) {
    return note(bad_input("the name of op {} has {} characters; at most {} are read", index(id), op.name.size(),
                          kMaxNameLength)),
           id;
  }
  if (op.attributes.size() > kMaxAttributesLength) {
    return note(bad_input("op '{}': its attributes have {} characters; at most {} are read", op.name,
                          op.attributes.size(), kMaxAttributesLength)),
           id;
  }
  if (!std::isfinite(op.flops) || op.flops < 0 || op.flops > 1e30) {
    return note(bad_input("op '{}': flops {} are not between 0 and 1e30", op.name, op.flops)), id;
  }
  if (op.bytes_touched < -1 || op.bytes_touched > kMaxTotalBytes) {
    return note(bad_input("op '{}': it touches {} bytes, which is out of range", op.name, op.bytes_touched)), id;
  }
  graph_.names_ += op.name;
  graph_.name_begin_.push_back(static_cast<std::uint32_t>(graph_.names_.size()));
  if (graph_.names_.size() > 0xffffffffULL - kMaxNameLength) note(bad_input("the names of all ops exceed 4 GiB"));
  graph_.type_of_.push_back(intern(graph_.types_, type_ids_, op.type));
  graph_.module_of_.push_back(intern(graph_.modules_, module_ids_, op.module));
  graph_.label_of_.push_back(intern(graph_.labels_, label_ids_, op.label));
  graph_.attributes_of_.push_back(intern(graph_.attributes_, attributes_ids_, op.attributes));
  graph_.role_.push_back(op.role);
  graph_.flops_.push_back(op.flops);
  graph_.bytes_touched_.push_back(op.bytes_touched);
  graph_.colocation_.push_back(
      op.colocate.empty() ? -1
                          : static_cast<std::int32_t>(intern(graph_.colocation_names_, colocation_ids_, op.colocate)));
  graph_.allowed_.push_back(op.allowed);
  graph_.updates_.push_back(op.updates);
  graph_.forward_of_.push_back(op.forward_of);
  raw_inputs_.insert(raw_inputs_.end(), op.inputs.begin(), op.inputs.end());
  if (raw_inputs_.size() > kMaxEdges) note(bad_input("the graph has more than {} edges", kMaxEdges));
  graph_.input_begin_.push_back(static_cast<std::uint32_t>(raw_inputs_.size()));
  for (const OpId before : op.control_inputs) add_control_edge(before, id);
  for (const TensorSpec& tensor : op.outputs) add_tensor(id, tensor);
  graph_.output_begin_.push_back(static_cast<std::uint32_t>(graph_.tensor_bytes_.size()));
  return id;
}

void GraphBuilder::add_tensor(OpId op, const TensorSpec& tensor) {
  const auto name = [&] { return graph_.name(op); };
  const std::size_t output = graph_.tensor_bytes_.size() - graph_.output_begin_.back();
  if (graph_.tensor_bytes_.size() >= kMaxTensors)
    return note(bad_input("the graph has more than {} tensors", kMaxTensors));
  if (tensor.shape.size() > kMaxRank) {
    return note(
        bad_input("op '{}': output {} has rank {}; at most {} is read", name(), output, tensor.shape.size(), kMaxRank));
  }
  for (const std::int64_t dim : tensor.shape) {
    if (dim < 0) return note(bad_input("op '{}': output {} has the negative dimension {}", name(), output, dim));
  }
  const Bytes bytes = tensor_bytes(tensor);
  if (bytes < 0 || bytes > kMaxTotalBytes - total_bytes_) {
    return note(bad_input("op '{}': the size of output {} overflows; all tensors together may have {}", name(), output,
                          format_bytes(kMaxTotalBytes)));
  }
  total_bytes_ += bytes;
  graph_.producer_.push_back(op);
  graph_.tensor_dtype_.push_back(tensor.dtype);
  graph_.tensor_bytes_.push_back(bytes);
  graph_.dims_.insert(graph_.dims_.end(), tensor.shape.begin(), tensor.shape.end());
  graph_.dim_begin_.push_back(static_cast<std::uint32_t>(graph_.dims_.size()));
}

void GraphBuilder::mark_output(OutputRef tensor) { output_marks_.push_back(tensor); }

void GraphBuilder::set_source_counts(std::size_t nodes, std::size_t edges) {
  graph_.source_nodes_ = nodes;
  graph_.source_edges_ = edges;
}

void GraphBuilder::set_measured(std::string_view device_model, OpId op, double seconds) {
  if (early_error_) return;
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e5) {
    return note(bad_input("op {}: the measured time {} s on '{}' is out of range", index(op), seconds, device_model));
  }
  auto table = std::find_if(graph_.measured_.begin(), graph_.measured_.end(),
                            [&](const MeasuredTimes& times) { return times.device_model == device_model; });
  if (table == graph_.measured_.end()) {
    graph_.measured_.push_back({std::string(device_model), {}});
    table = graph_.measured_.end() - 1;
  }
  if (index(op) >= num_ops()) return note(bad_input("a measured time names op {} of {}", index(op), num_ops()));
  if (table->seconds.size() <= index(op)) table->seconds.resize(index(op) + 1, -1.0F);
  table->seconds[index(op)] = static_cast<float>(seconds);
}

void GraphBuilder::add_control_edge(OpId before, OpId after) {
  if (control_edges_.size() >= kMaxEdges) return note(bad_input("the graph has more than {} control edges", kMaxEdges));
  control_edges_.push_back({before, after});
}

}  // namespace berth
