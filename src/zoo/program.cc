// SPDX-License-Identifier: Apache-2.0
#include "zoo/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "ops/flops.h"

namespace berth {
namespace {

// Of a kind, from the op table.
const FlopRule& flop_rule(OpKind kind) {
  static const std::array<FlopRule, kOpKinds> rules = [] {
    std::array<FlopRule, kOpKinds> by_kind{};
    for (const OpTypeInfo& type : zoo_op_types()) {
      const auto info = find_op(Dialect::kZoo, type.name);
      BERTH_CHECK(info.has_value());
      by_kind[static_cast<std::size_t>(type.kind)] = info->flops;
    }
    return by_kind;
  }();
  return rules[static_cast<std::size_t>(kind)];
}

}  // namespace

Program::Program(std::string title, DType dtype, bool training)
    : builder_(std::move(title)), dtype_(dtype), training_(training), taping_(training) {
  module_id("");
}

Program::Scope Program::scope(std::string_view part) {
  const std::string& path = modules_[module_];
  return {*this, module_id(path.empty() ? std::string(part) : fmt::format("{}.{}", path, part))};
}

std::uint32_t Program::module_id(const std::string& path) {
  const auto [entry, is_new] = module_ids_.try_emplace(path, static_cast<std::uint32_t>(modules_.size()));
  if (is_new) modules_.push_back(path);
  return entry->second;
}

const std::string& Program::op_name(OpKind kind) {
  const std::uint64_t key = (std::uint64_t{module_} << 8U) | static_cast<std::uint64_t>(kind);
  const std::uint32_t before = names_used_[key]++;
  name_ = modules_[module_];
  if (!name_.empty()) name_ += '/';
  name_ += name_of(kind);
  if (before > 0) fmt::format_to(std::back_inserter(name_), "_{}", before);
  return name_;
}

Bytes Program::bytes(const TensorType& type) {
  const std::int64_t elements = type.shape.elements();
  const int bits = bits_of(type.dtype);
  return elements > kMaxTotalBytes / bits ? kMaxTotalBytes : (elements * bits + 7) / 8;
}

Tensor Program::leaf(OpKind kind, Role role, std::string_view name, TensorType type) {
  BERTH_CHECK(forward_of_ == kNoOp);
  const std::string& path = modules_[module_];
  name_ = path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
  OpSpec spec;
  spec.name = name_;
  spec.type = name_of(kind);
  spec.role = role;
  spec.outputs = {{type.dtype, {type.shape.begin(), type.shape.end()}}};
  spec.module = path;
  if (role == Role::kParameter) spec.label = name_;
  const OpId op = builder_.add(spec);
  const Tensor tensor{static_cast<std::uint32_t>(tensors_.size())};
  tensors_.push_back({type, op, module_, 0, Layout::kContiguous, training_ && role == Role::kParameter});
  return tensor;
}

Tensor Program::parameter(std::string_view name, Shape shape) {
  parameters_.push_back(leaf(OpKind::kParameter, Role::kParameter, name, {dtype_, shape}));
  return parameters_.back();
}

Tensor Program::buffer(std::string_view name, Shape shape) {
  return leaf(OpKind::kBuffer, Role::kBuffer, name, {dtype_, shape});
}

Tensor Program::constant(std::string_view name, Shape shape) {
  return leaf(OpKind::kConstant, Role::kConstant, name, {dtype_, shape});
}

Tensor Program::input(std::string_view name, DType dtype, Shape shape) {
  return leaf(OpKind::kInput, Role::kInput, name, {dtype, shape});
}

double Program::flops_of(const Emission& emission) const {
  const FlopRule& rule = flop_rule(emission.kind);
  if (rule.formula == Formula::kNone) return 0.0;
  const auto sizes = [](const TensorType& type) {
    return std::vector<std::int64_t>(type.shape.begin(), type.shape.end());
  };
  OpFacts facts;
  for (const Tensor input : emission.inputs) facts.inputs.emplace_back(sizes(type(input)));
  for (const TensorType& output : emission.outputs) facts.outputs.emplace_back(sizes(output));
  return berth::flops_of(rule, facts);
}

Tensor Program::emit(const Emission& emission) {
  spec_.name = op_name(emission.kind);
  spec_.type = name_of(emission.kind);
  spec_.role = emission.role;
  spec_.module = modules_[module_];
  spec_.flops = flops_of(emission);
  spec_.bytes_touched = emission.bytes_touched;
  spec_.forward_of = forward_of_;
  spec_.inputs.clear();
  bool needs_gradient = false;
  for (const Tensor input : emission.inputs) {
    spec_.inputs.push_back(ref(input));
    needs_gradient |= info(input).needs_gradient;
  }
  spec_.outputs.resize(emission.outputs.size());
  for (std::size_t i = 0; i < emission.outputs.size(); ++i) {
    const TensorType& type = emission.outputs[i];
    spec_.outputs[i].dtype = type.dtype;
    spec_.outputs[i].shape.assign(type.shape.begin(), type.shape.end());
  }
  return add_outputs(builder_.add(spec_), emission, needs_gradient && taping_);
}

Tensor Program::add_outputs(OpId op, const Emission& emission, bool needs_gradient) {
  const Tensor first{static_cast<std::uint32_t>(tensors_.size())};
  if (needs_gradient) {
    tape_.push_back({emission.kind, op, module_, static_cast<std::uint32_t>(tape_inputs_.size()),
                     static_cast<std::uint32_t>(emission.inputs.size()), first,
                     static_cast<std::uint32_t>(emission.outputs.size()), emission.attributes});
    tape_inputs_.insert(tape_inputs_.end(), emission.inputs.begin(), emission.inputs.end());
  }
  std::uint16_t output = 0;
  for (const TensorType& type : emission.outputs) {
    tensors_.push_back({type, op, module_, output++, emission.layout, needs_gradient});
  }
  return first;
}

void Program::emit_update(OpKind kind, Tensor parameter, Tensor gradient, Bytes bytes_touched) {
  module_ = info(parameter).module;
  OpSpec spec;
  spec.name = op_name(kind);
  spec.type = name_of(kind);
  spec.inputs = {ref(parameter), ref(gradient)};
  spec.module = modules_[module_];
  spec.bytes_touched = std::min(bytes_touched, kMaxTotalBytes);
  spec.updates = info(parameter).op;
  builder_.add(spec);
}

void Program::set_loss(Tensor scalar) {
  BERTH_CHECK(shape(scalar).elements() == 1);
  loss_ = scalar;
  mark_output(scalar);
}

void Program::mark_output(Tensor tensor) { builder_.mark_output(ref(tensor)); }

void Program::start_gradient_of(Origin origin) {
  taping_ = false;
  forward_of_ = origin.forward_of;
  module_ = origin.module;
}

Result<Graph> Program::finish() && {
  // The tape is no longer needed, and a large graph wants its memory.
  std::deque<TensorInfo>().swap(tensors_);
  std::vector<TapeEntry>().swap(tape_);
  std::vector<Tensor>().swap(tape_inputs_);
  names_used_.clear();
  return std::move(builder_).build();
}

}  // namespace berth
