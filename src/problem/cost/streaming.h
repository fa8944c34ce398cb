// SPDX-License-Identifier: Apache-2.0
// What runtimes of language models reach of a device's figures: the one table of constants behind every speed that
// `berth llm` states (docs/llm.md says where each comes from; bench/llm_speeds.py fits them again, and leaves one
// machine out at a time to say how far off they are). Idea: a product reads its weights once, so it takes
//
//   max(bytes / (bandwidth * traffic), flops / (peak * matrix) * e(rows) / rows) + fixed
//
// (on a CPU, where the same cores do both, their sum) with e(rows) = min(vector * rows, rows + narrow), since kernels
// for a few rows of activations are of another kind than those for many, and a matrix that meets few rows (an expert of
// a mixture) leaves matrix units idle. Quantised weights have shares of their own: unpacking them is arithmetic.
#pragma once

#include <span>
#include <string_view>

#include "machine/devices.h"
#include "problem/cost/cost_model.h"
#include "problem/cost/streamed_op.h"

namespace berth {

// A row of the table. Shares of the bandwidth, of the matrix peak (below), and seconds.
struct StreamingRow {
  StreamedOp op;
  WeightBits bits;
  double matrix, traffic, fixed_s, narrow, vector;
};

// What a kind of device is taken for.
struct StreamingTable {
  std::string_view name;      // "NVIDIA cards"
  std::string_view source;    // where its rows come from
  double most_per_f32 = 0.0;  // the matrix peak counts up to so many times that of f32; 0: all of it
  double most_flops = 0.0;    // and up to so many FLOP/s
  std::span<const StreamingRow> rows;
  bool overlaps = true;  // memory and arithmetic at the same time
};
std::span<const StreamingTable> streaming_tables();
const StreamingTable& streaming_table(const Device& device);

// FLOP/s that the shares of products are of.
double matrix_peak(const StreamingTable& table, const Device& device);

// An op at the full peak and the full bandwidth, and the row that says what is reached of them.
struct StreamedWork {
  double arithmetic_s = 0.0, traffic_s = 0.0;
  const StreamingRow* row = nullptr;
};
StreamedWork streamed_work(const OpFeatures& features, const Device& device);

// What a runtime reached of what the table says, where somebody has run it (`berth llm --tune`): speeds of a device's
// arithmetic, of its memory, and of copies of weights to it.
struct ServedShares {
  double arithmetic = 1.0, memory = 1.0, copies = 1.0;
  bool operator==(const ServedShares&) const = default;
};
OpCost estimate_streamed(const OpFeatures& features, const Device& device, const ServedShares& shares = {});

}  // namespace berth
