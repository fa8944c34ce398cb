// SPDX-License-Identifier: Apache-2.0
// A training step seen as layers: which layer every op belongs to, and in which part of the step it runs. The graph is
// the step of one microbatch, so that everything but the updates runs once per microbatch.
//
// Layers come from plan/layers/layers.h. Layers that stages cannot part are joined into one block: those between the
// ends of an edge that runs against the pass (a forward op that reads from a later layer, a gradient that flows to a
// later one), and those of ops that must share a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"

namespace berth::pipeline {

enum class Part : std::uint8_t {
  kStatic,  // parameters, buffers, constants and views of them: there once, for all microbatches
  kInput,   // arrives with every microbatch
  kForward,
  kBackwardInput,   // of the backward pass, and some other layer may wait for it
  kBackwardWeight,  // of the backward pass, and leads to nothing but updates inside its own layer
  kUpdate,          // once per step: updates, and sums of gradients from several layers
};

struct LayeredStep {
  const Problem* problem = nullptr;
  bool named_by_modules = false;                 // else by the labels of parameters
  std::vector<std::vector<std::string>> blocks;  // names of layers, in the order of the forward pass
  std::vector<std::uint32_t> block_of;           // indexed by OpId
  std::vector<Part> part_of;                     // indexed by OpId
  // Tensors that updates read and microbatches make. A buffer of so many bytes beside the maker takes their sum over
  // the microbatches; 0 for a view of another one's buffer.
  struct Sum {
    TensorId tensor;
    Bytes bytes;
  };
  std::vector<Sum> sums;  // by tensor
  // Storages that are added to such a buffer where they are made, and so hold nothing of their own. By TensorId.
  std::vector<std::uint8_t> adds_up;

  [[nodiscard]] const Graph& graph() const { return problem->graph(); }
  [[nodiscard]] std::uint32_t block(OpId op) const { return block_of[index(op)]; }
  [[nodiscard]] Part part(OpId op) const { return part_of[index(op)]; }
};

// The problem must outlive it. Refused are graphs without a backward pass or without layers, those whose layers all
// hang together, and machines whose devices do not work at the same time.
Result<LayeredStep> find_layered_step(const Problem& problem);

// The source that a static tensor shows: the output of a parameter, buffer or constant. For Part::kStatic alone.
TensorId source_of(const LayeredStep& step, TensorId tensor);

}  // namespace berth::pipeline
