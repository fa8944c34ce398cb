// SPDX-License-Identifier: Apache-2.0
// Finding a good placement. A step of serving is a chain of layers, so what counts is which device holds how much of
// it: a few numbers (serving/plan/shapes.h). Every order of the GPUs starts from the rules of thumb of the
// rivals; the best starts are improved by moving layers between blocks and tensors to and from the
// CPU, each step judged by the simulator. The rivals themselves are among the starts, so no result is behind them by
// more than a tie (3 %), of which the simpler plan and the faster prompt are taken. Deterministic: limits count
// simulations.
#pragma once

#include <optional>
#include <vector>

#include "serving/plan/shapes.h"

namespace berth::llm {

struct Judged {
  Shape shape;
  Placement placement;
  Verdict verdict;
};

struct JudgedRival {
  std::string_view name;
  std::string note;
  Placement placement;
  Verdict verdict;
};

struct PlacementSearch {
  Judged best;
  std::vector<JudgedRival> rivals;  // of several single devices only the best
  std::vector<Judged> found;        // all that fit and that no search has improved, the best first
  std::uint64_t simulations = 0;
};

struct SearchLimits {
  std::uint64_t judgements = 1200;  // placements simulated at most, besides the starts
};

PlacementSearch find_placement(Serving& serving, const SearchLimits& limits = {});

// The largest context, in multiples of 256 and at most `most`, at which some placement fits; 0: none. `on_gpus`: with
// nothing but the words on the CPU. Memory alone decides.
Result<std::int64_t> largest_context(const std::shared_ptr<const Model>& model,
                                     const std::shared_ptr<const Machine>& machine, ServingOptions options,
                                     bool on_gpus, std::int64_t most);

}  // namespace berth::llm
