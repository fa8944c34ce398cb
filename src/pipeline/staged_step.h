// SPDX-License-Identifier: Apache-2.0
// A layered step cut into stages: what each action of a stage runs, in which order, what stages send each other, and
// what each holds from when to when. No devices yet: times and offsets are for who knows them (unit_run.h). The full
// expansion (expansion.h) is made of the same lists.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "format/pipeline_plan.h"
#include "pipeline/layered_step.h"

namespace berth::pipeline {

// How stages are cut: stage s has the blocks first_block[s] up to first_block[s + 1].
struct Cut {
  std::vector<std::uint32_t> first_block;  // begins with 0, ascending
  std::vector<std::uint8_t> recompute;     // per stage
  [[nodiscard]] std::size_t num_stages() const { return first_block.size(); }
  bool operator==(const Cut&) const = default;
};

// What a stage runs as one: the four kinds of actions, and the updates.
inline constexpr std::size_t kForms = 5;
inline constexpr std::size_t kUpdateForm = 4;
constexpr std::size_t form_of(ActionKind kind) { return static_cast<std::size_t>(kind); }

// An op of a form. `again`: of the forward pass, as it is run a second time before the backward pass.
struct Cell {
  OpId op;
  bool again = false;
};

// A place in the list of every form where a cell is; -1 where it is not.
using Places = std::array<std::int32_t, kForms>;
inline constexpr Places kNowhere{-1, -1, -1, -1, -1};

// A storage in a stage: one that the stage makes, or what it reads of others.
struct Held {
  enum class Kind : std::uint8_t { kOwn, kForeign, kInput, kStatic, kSum };
  Kind kind = Kind::kOwn;
  std::uint32_t stage = 0;
  TensorId tensor{};
  Bytes bytes = 0;
  Places made = kNowhere;                 // of the op that makes it; nowhere unless it is the stage's own
  Places last_use = kNowhere;             // of the last compute op that reads it, itself or as a view
  std::uint32_t read_in = 0;              // bit per form in which anything reads it, views too
  std::vector<std::uint32_t> wires = {};  // of the stage that show this storage
};

// A tensor of every microbatch that other stages read.
struct Wire {
  TensorId tensor{};
  std::uint32_t stage = 0;
  Part part = Part::kForward;
  std::uint32_t held = 0;              // the storage that it shows in its stage
  std::vector<std::uint32_t> readers;  // Held::Kind::kForeign, one per stage
};

// An update of a stage that has to wait for what reads its parameter in another stage.
struct ReaderControl {
  std::uint32_t from = 0, to = 0;
  Places last = kNowhere;  // in the forms of the first stage
};

struct StagedStep {
  const LayeredStep* step = nullptr;
  Cut cut;
  std::vector<std::uint32_t> stage_of;                       // indexed by OpId
  std::vector<std::array<std::vector<Cell>, kForms>> cells;  // [stage][form], in the order in which they run
  std::vector<Held> held;
  std::vector<Wire> wires;                           // by tensor
  std::vector<std::uint32_t> inputs, statics, sums;  // held of these kinds, by tensor, then stage
  std::vector<ReaderControl> controls;
  std::vector<Bytes> resident, gradients;  // per stage: weights and the like; buffers of sums

  [[nodiscard]] std::size_t num_stages() const { return cells.size(); }
};

// Every block must be in one stage, and no stage empty.
StagedStep make_staged_step(const LayeredStep& step, const Cut& cut);

// Whether a cell of a stage reads a tensor of the same stage as it was made the second time.
bool reads_again(const StagedStep& staged, const Cell& cell, TensorId tensor);

}  // namespace berth::pipeline
