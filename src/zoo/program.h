// SPDX-License-Identifier: Apache-2.0
// Program: a tensor program being written down. Ops go straight into a GraphBuilder; beside them it keeps the shape of
// every tensor and a tape of the differentiable ops with what their gradients need, which zoo/autodiff.h walks
// backwards.
//
// Module scopes nest: within scope("encoder") and scope("layer.3") an op gets the module path "encoder.layer.3" and a
// name such as "encoder.layer.3/matmul_1" (path, type, and a number from the second of its type on).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "graph/builder.h"
#include "zoo/op_types.h"
#include "zoo/shape.h"

namespace berth {

// Handle of one tensor of a Program; outputs of one op have consecutive ids. Empty by default.
struct Tensor {
  std::uint32_t id = 0xffffffff;
  explicit operator bool() const { return id != 0xffffffff; }
  bool operator==(const Tensor&) const = default;
};

struct TensorType {
  DType dtype = DType::kF32;
  Shape shape;
};

// How a tensor lies in memory, as far as reshape() must know.
enum class Layout : std::uint8_t {
  kContiguous,
  kStrided,   // part of wider rows: the last dimension may be divided, nothing else
  kPermuted,  // transposed: to be reshaped it must be copied
};

// Window of a convolution or a pool: (height, width); one-dimensional ones use the first entry.
struct Window {
  std::array<std::int64_t, 2> kernel{1, 1}, stride{1, 1}, pad{0, 0};
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
};

// What an op's gradient needs besides its tensors.
struct Attributes {
  int axis = 0;
  std::int64_t start = 0;
  double factor = 1.0;
  std::array<std::int8_t, Shape::kMaxDims> permutation{};
  Window window{};
};

// One op to write down.
struct Emission {
  OpKind kind = OpKind::kAdd;
  std::span<const Tensor> inputs;
  std::span<const TensorType> outputs;
  Bytes bytes_touched = -1;  // -1: inputs + outputs
  Role role = Role::kCompute;
  Layout layout = Layout::kContiguous;  // of every output
  Attributes attributes{};
};

struct TapeEntry {
  OpKind kind;
  OpId op;
  std::uint32_t module;
  std::uint32_t first_input, num_inputs;  // into Program::tape_inputs
  Tensor first_output;
  std::uint32_t num_outputs;
  Attributes attributes;
};

// What an op written while a reverse pass runs belongs to: the forward op and its module.
struct Origin {
  OpId forward_of = kNoOp;
  std::uint32_t module = 0;
};

class Program {
 public:
  // `training` decides whether parameters need gradients, dropout drops and norms keep what their gradients need.
  Program(std::string title, DType dtype, bool training);

  // Another module path until the scope ends.
  class [[nodiscard]] Scope {
   public:
    Scope(Program& program, std::uint32_t module) : program_(program), outer_(program.module_) {
      program.module_ = module;
    }
    ~Scope() { program_.module_ = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Program& program_;
    std::uint32_t outer_;
  };
  Scope scope(std::string_view part);        // the path with a part appended
  Scope root_scope() { return {*this, 0}; }  // the empty path

  // Leaves. Their names (and the labels of parameters) are the module path and `name`: "encoder.layer.0.bias".
  Tensor parameter(std::string_view name, Shape shape);
  Tensor buffer(std::string_view name, Shape shape);
  Tensor constant(std::string_view name, Shape shape);
  Tensor input(std::string_view name, DType dtype, Shape shape);

  // Writes an op down; returns its first output.
  Tensor emit(const Emission& emission);
  // Update of a parameter: no outputs, colocated with it.
  void emit_update(OpKind kind, Tensor parameter, Tensor gradient, Bytes bytes_touched);

  void set_loss(Tensor scalar);  // what training minimises; also an output
  void mark_output(Tensor tensor);
  void set_optimizer(Optimizer optimizer) { builder_.set_optimizer(optimizer); }

  [[nodiscard]] bool training() const { return training_; }
  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] std::size_t num_ops() const { return builder_.num_ops(); }
  [[nodiscard]] std::size_t num_tensors() const { return tensors_.size(); }
  [[nodiscard]] const Shape& shape(Tensor tensor) const { return info(tensor).type.shape; }
  [[nodiscard]] DType dtype(Tensor tensor) const { return info(tensor).type.dtype; }
  [[nodiscard]] const TensorType& type(Tensor tensor) const { return info(tensor).type; }
  [[nodiscard]] Layout layout(Tensor tensor) const { return info(tensor).layout; }
  [[nodiscard]] OpId producer(Tensor tensor) const { return info(tensor).op; }
  [[nodiscard]] Bytes bytes(Tensor tensor) const { return bytes(info(tensor).type); }
  [[nodiscard]] static Bytes bytes(const TensorType& type);

  // For the reverse pass.
  [[nodiscard]] std::span<const TapeEntry> tape() const { return tape_; }
  [[nodiscard]] std::span<const Tensor> tape_inputs(const TapeEntry& entry) const {
    return std::span(tape_inputs_).subspan(entry.first_input, entry.num_inputs);
  }
  [[nodiscard]] std::span<const Tensor> parameters() const { return parameters_; }
  [[nodiscard]] bool needs_gradient(Tensor tensor) const { return info(tensor).needs_gradient; }
  [[nodiscard]] Tensor loss() const { return loss_; }
  [[nodiscard]] Origin origin_of(Tensor tensor) const { return {info(tensor).op, info(tensor).module}; }
  // From now on ops are gradients: not taped themselves, and with this origin.
  void start_gradient_of(Origin origin);

  // Checks and freezes everything written so far; the Program is empty after that.
  Result<Graph> finish() &&;

 private:
  struct TensorInfo {
    TensorType type;
    OpId op = kNoOp;
    std::uint32_t module = 0;
    std::uint16_t output = 0;
    Layout layout = Layout::kContiguous;
    bool needs_gradient = false;
  };

  [[nodiscard]] const TensorInfo& info(Tensor tensor) const { return tensors_[tensor.id]; }
  [[nodiscard]] OutputRef ref(Tensor tensor) const { return {info(tensor).op, info(tensor).output}; }
  [[nodiscard]] double flops_of(const Emission& emission) const;
  Tensor leaf(OpKind kind, Role role, std::string_view name, TensorType type);
  Tensor add_outputs(OpId op, const Emission& emission, bool needs_gradient);
  std::uint32_t module_id(const std::string& path);
  const std::string& op_name(OpKind kind);  // valid until the next call

  GraphBuilder builder_;
  DType dtype_;
  bool training_;
  bool taping_;
  std::uint32_t module_ = 0;
  OpId forward_of_ = kNoOp;
  std::vector<std::string> modules_;
  std::unordered_map<std::string, std::uint32_t> module_ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> names_used_;  // (module, kind) -> how many ops so far
  std::deque<TensorInfo> tensors_;                               // references to shapes stay valid while ops are added
  std::vector<TapeEntry> tape_;
  std::vector<Tensor> tape_inputs_;
  std::vector<Tensor> parameters_;
  Tensor loss_;
  OpSpec spec_;       // reused from op to op
  std::string name_;  // likewise
};

}  // namespace berth
