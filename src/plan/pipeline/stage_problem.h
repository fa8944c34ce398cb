// SPDX-License-Identifier: Apache-2.0
// StageProblem: a problem as dynamic programming over contiguous stages sees it. Blocks are what moves as one, in an
// acyclic order; a set of blocks closed under predecessors (a down-set) can be a first part of the pipeline, and the
// difference of two such sets a stage.
//
// Only forward ops order blocks. A backward op is in the block of its colocation unit or of the forward op that the
// graph names; where neither exists it is a block of its own, ordered against the backward edges, since the backward
// pass runs from late to early stages. Parameters and the like go with their first reader and views with what they look
// at. Blocks that would form a cycle are one block: no stage could hold one without the other.
//
// Two reductions keep the number of down-sets small without a loss: a block without work that only one other block has
// to do with joins it (its bytes count there), and a source that costs nothing anywhere is in no block: it floats, and
// goes with its first reader when the stages are known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem/problem.h"
#include "sim/pipeline_loads.h"

namespace berth {

// Lists of numbers, one after the other.
struct Lists {
  std::vector<std::uint32_t> begin{0}, items;
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t i) const {
    return {items.data() + begin[i], items.data() + begin[i + 1]};
  }
  [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
  void end_list() { begin.push_back(static_cast<std::uint32_t>(items.size())); }
};

// Devices that are the same to every block.
struct StageKind {
  std::vector<DeviceId> devices;
  Bytes capacity = 0;  // of each
};

struct StageProblem {
  static constexpr std::uint32_t kFixed = 0xffffffffU;

  // Blocks, numbered in topological order.
  Lists units;                     // of every block
  Lists predecessors, successors;  // blocks, ascending
  std::vector<DeviceId> fixed;     // per unit: where it is if that is given, else kNoDevice
  Lists floating;                  // units of blocks that float, from the front of the graph to its back
  std::vector<StageKind> kinds;
  std::vector<Picoseconds> work;  // [block * kinds + kind], before the division by lanes
  std::vector<Bytes> resident;
  std::vector<std::uint64_t> allowed;  // per block: bit per kind

  // Nets between blocks: tensors of one producer that the same other blocks read.
  std::vector<std::uint32_t> producer;     // block, or kFixed
  std::vector<std::uint32_t> num_readers;  // blocks, and one more if fixed units read it too
  std::vector<std::uint8_t> fixed_reader;
  std::vector<Picoseconds> out_time, in_time;  // [net * kinds + kind]
  Lists readers;                               // blocks of every net, ascending
  Lists made_by, read_by;                      // nets of every block

  [[nodiscard]] std::size_t num_blocks() const { return resident.size(); }
  [[nodiscard]] std::size_t num_kinds() const { return kinds.size(); }
  [[nodiscard]] std::size_t num_nets() const { return producer.size(); }
};

// Stages on these devices alone. Units that may be on none of them, and units of no work that only CPUs may hold (which
// cost nothing there), are fixed.
StageProblem make_stage_problem(const PipelineModel& model, std::span<const DeviceId> devices);

}  // namespace berth
