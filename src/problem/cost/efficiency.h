// SPDX-License-Identifier: Apache-2.0
// The efficiency table: how much of a device's peak arithmetic and memory bandwidth ops of a class reach, fitted on
// measured graphs (docs/cost-model.md says how; tools/fit_costs does it again) or, where nobody could measure, assumed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/kinds.h"
#include "problem/cost/op_class.h"

namespace berth {

enum class Units : std::uint8_t {
  kPlain,   // ordinary arithmetic units, and whatever does no products
  kTensor,  // matrix units: products in f16, bf16, f8, and convolutions in tf32
};

enum class Origin : std::uint8_t { kFitted, kAssumed };

// The last-level cache beyond which `spill` counts: a large server CPU's. GPU rows do without.
inline constexpr double kCacheBytes = 32.0 * 1024 * 1024;

// One row. The time of an op alone, without launch, is the sum of
//   arithmetic  flops / (peak * arithmetic) * (1 + narrow / channels)
//   traffic     bytes / (bandwidth * traffic) * (1 + spill * bytes / (bytes + kCacheBytes)) + bytes / (slices *
//   slice_bytes_per_s) fixed       products * fixed_s + rows * row_s
// with the op's flops, bytes, channels, slices, products and rows (problem/cost/op_features.h). Zero means "does not
// matter".
struct Efficiency {
  CostClass cost_class = CostClass::kNothing;
  Units units = Units::kPlain;
  Origin origin = Origin::kAssumed;
  double arithmetic = 0.0;         // share of the peak that wide products reach
  double traffic = 0.0;            // share of the memory bandwidth; above 1 where caches help
  double fixed_s = 0.0;            // a kernel's ramp up and tail, however small
  double narrow = 0.0;             // channels at which a convolution runs at half its share
  double slice_bytes_per_s = 0.0;  // what one slice alone can stream
  double spill = 0.0;              // what a byte costs on top once the op has outgrown the cache
  double row_s = 0.0;              // one row: an entry of an index, a plane of a batch norm
};

// Row for ops of a class on a kind of device. Total: a class without products has one row for both units, kinds other
// than CPU and GPU take the GPU's rows.
const Efficiency& efficiency(DeviceKind kind, CostClass cost_class, Units units);

struct EfficiencyTable {
  DeviceKind kind;
  std::string_view origin;  // where its rows come from
  std::span<const Efficiency> rows;
};
std::span<const EfficiencyTable> efficiency_tables();

}  // namespace berth
