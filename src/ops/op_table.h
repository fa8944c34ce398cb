// SPDX-License-Identifier: Apache-2.0
// The op table: what is known of about 1,000 types of ops, whatever framework they come from. Importers, the zoo and
// the cost model ask here and nowhere else. The rows are data, one file per dialect (rows_*.cc); docs/cost-model.md
// says how to add an op.
//
// Types are compared without case, underscores and the overloads of ATen: "aten._log_softmax.default" and "LogSoftmax"
// are one name. A type that no row names is priced by its bytes, element by element, and reported as unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ops/cost_class.h"

namespace berth {

// Whose rules the types and attributes of ops follow.
enum class Dialect : std::uint8_t { kOnnx, kTensorFlow, kOpenVino, kAten, kZoo };

// How flops follow from sizes and attributes (ops/flops.cc has the formulas). Only products count, 2 per multiply-add.
enum class Formula : std::uint8_t {
  kNone,
  kProduct,         // matrix product whose first factor is the input `data`
  kSumOfProducts,   // matrix products of a batch, added up
  kEinsum,          // over all labels of the equation
  kRecurrent,       // every row of `data` times all weights: `weights` inputs from `weight` on
  kConv,            // y = x * w: output 0 and the input `weight`
  kConvFromInput,   // transposed convolution, or gradient for x: the inputs `data` (what is spread) and `weight`
  kFilterGradient,  // gradient for w: the gradient of y in the input `data`; output 0 has the shape of w
  kConvBackward,    // gradients for x and w in one op: inputs gradient, x, w
  kAttention,       // query, key, value from the input `data` on
  kSelfAttention,   // with the projection of x (input 0) by the weights (input 1)
  kAttentionGrad,   // gradient, query, key, value
  kExperts,         // mixture of experts: x, router, then weights of three dimensions, experts first
  kBody,            // a loop or a choice: what its importer counted inside
};

// Where the weight of a convolution has its output channels, or what counts as such.
enum class Filter : std::uint8_t {
  kFirst,     // outputs, inputs per group, window (or the other way round if transposed)
  kFirstTwo,  // groups, outputs per group, inputs per group, window
  kLast,      // window, inputs, outputs
  kLastTwo,   // window, channels, outputs per channel
};

struct FlopRule {
  Formula formula = Formula::kNone;
  std::uint8_t data = 0, weight = 1;  // positions of inputs
  std::uint8_t weights = 1;           // 0: all inputs behind that are matrices
  std::uint8_t times = 1;
  Filter filter = Filter::kFirst;
  bool keeps_past = false;  // attention whose output 1 holds the keys of this and all earlier calls
};

enum class Reads : std::uint8_t {
  kAll,           // reads every input and writes every output whole
  kGathered,      // reads of some inputs only about as much as it writes: gathers, slices
  kShapeOnly,     // looks at the shape of some inputs alone
  kNothing,       // neither reads nor writes data
  kRewrites,      // reads all and writes some inputs again: optimiser steps
  kRewritesRows,  // the same, of those inputs only as much as the others hold: sparse steps
};

struct Traffic {
  Reads reads = Reads::kAll;
  std::uint8_t input = 0, inputs = 1;  // which: the first, and how many
};

enum class Effect : std::uint8_t {
  kMakes,               // new tensors
  kView,                // its outputs alias its first input
  kViewIfSameType,      // ... unless it has to convert
  kViewUnlessTraining,  // dropout
  kViewOfState,         // of what changes from turn to turn or from step to step: never folded into a constant
  kMayView,             // alias or copy, as the layout in memory wants it; priced as a copy
  kInPlace,             // writes its first input and gives it back
  kUpdate,              // writes a variable, its first input
};

struct OpInfo {
  CostClass cost_class = CostClass::kElementwise;
  FlopRule flops = {};
  Traffic traffic = {};
  Effect effect = Effect::kMakes;
};

// What a type is in its dialect; none if it is not in the table.
std::optional<OpInfo> find_op(Dialect dialect, std::string_view type);

// The same for a type whose dialect nobody knows, as in a Graph. Names that mean different things in two dialects are
// those of the zoo first, then ONNX, TensorFlow, OpenVINO, ATen; "aten." in front says ATen.
std::optional<OpInfo> find_op(std::string_view type);

// The table itself, for tests and documentation: types between spaces that share all facts.
struct OpRow {
  std::string_view types;
  OpInfo info;
};
struct OpChapter {
  Dialect dialect;
  std::string_view domain;  // in front of the types: "com.microsoft.", "aten."; mostly empty
  std::span<const OpRow> rows;
};
std::span<const OpChapter> op_table();

}  // namespace berth
