// SPDX-License-Identifier: Apache-2.0
// Program: the ops of an aten-graph/1 capture as calls of ATen's dispatcher, with everything that stays the same from
// step to step prepared: operators looked up, arguments converted, defaults filled in. What an op needs from the step
// (tensors, the device it runs on) is filled in by invoke().
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"

namespace berth::exec {

using Stack = std::vector<c10::IValue>;

// What an op does when it runs.
enum class CallKind : std::uint8_t {
  kStored,      // parameter, buffer, input: a tensor that is there before the step
  kSame,        // getitem, detach, alias: its input under another name
  kNothing,     // checks of the tracer
  kUpdate,      // sgd_update
  kDispatch,    // an operator of ATen
  kSubstitute,  // one that a device may lack, or that needs a seed of its own; see substitutes.h
};

struct TensorArgument {
  std::size_t position = 0;                // in the arguments
  bool is_list = false;                    // Tensor[]
  bool may_be_absent = false;              // Tensor?[]
  std::vector<std::int64_t> tensors = {};  // ids of tensors; -1: absent
};

class Substitute;

struct Call {
  CallKind kind = CallKind::kNothing;
  std::optional<c10::OperatorHandle> op = {};  // kDispatch; kSubstitute: where a device has the operator itself
  const Substitute* substitute = nullptr;
  Stack arguments = {};  // tensors are empty
  std::vector<TensorArgument> tensors = {};
  std::vector<std::size_t> devices = {};      // positions that say on which device
  bool draws = false;                         // random numbers
  std::optional<std::size_t> generator = {};  // position of what draws them, if the operator takes one

  // Whether it can be tried again after it ran out of memory: what it changes in place might have been changed.
  [[nodiscard]] bool is_repeatable() const { return kind != CallKind::kUpdate && (!op || !op->schema().is_mutable()); }
};

class Program {
 public:
  // Reads the calls of a capture whose graph has been read from the same text. Errors name the op; one that captures
  // may not call (operator_rules.h) is an error.
  static Result<Program> read(std::string text, const Graph& graph);

  [[nodiscard]] const Call& call(OpId op) const { return calls_[index(op)]; }
  // Types of ops for which substitutes stand, for people.
  [[nodiscard]] const std::vector<std::string>& substituted() const { return substituted_; }

 private:
  std::vector<Call> calls_;
  std::vector<std::string> substituted_;
};

// Runs one call. `inputs(id)` is the tensor of that id on the device. The outputs that exist, in order; throws what
// ATen throws. `seed` is for ops that draw random numbers.
using Inputs = std::vector<at::Tensor>;  // by tensor id
std::vector<at::Tensor> invoke(const Call& call, const Inputs& values, const at::Device& device, std::uint64_t seed,
                               Stack& stack);

}  // namespace berth::exec
