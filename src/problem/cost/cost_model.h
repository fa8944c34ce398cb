// SPDX-License-Identifier: Apache-2.0
// The cost model: time of an op alone on a device. A measured time for the device's model wins; else
//
//   work = max(flops / (peak * e_a), bytes / (bandwidth * e_b))
//
// with efficiencies that are smooth functions of the op's class and size (problem/cost/efficiency.h writes them as a
// sum of times, which is the same thing; docs/cost-model.md has both forms). Time never falls when flops or bytes grow.
#pragma once

#include "graph/graph.h"
#include "machine/machine.h"
#include "problem/cost/efficiency.h"
#include "problem/cost/op_features.h"

namespace berth {

struct OpCost {
  double work_s = 0.0;     // without launch; a measured time on a synchronous device contains it already
  double compute_s = 0.0;  // the arithmetic alone, at most work_s: what fusion cannot save
  bool measured = false;
};

OpCost price(const Graph& graph, OpId op, const Device& device);
// The same for a compute op whose features are known, which is most of the work for many devices.
OpCost price(const Graph& graph, OpId op, const OpFeatures& features, const Device& device);

// The same without looking at measured times.
OpCost estimate(const OpFeatures& features, const Device& device);

// Replaces an estimate by a measured time; negative: there is none. The arithmetic stays as estimated, at most all of
// it.
void take_measured(OpCost& cost, double seconds);

// Time of the op on the device, launch included. Asynchronous devices: max(launch, work); synchronous ones: launch +
// work, but a measured time already contains its launch. Zero for ops that need no kernel.
double op_time_s(const OpCost& cost, const Device& device);

// Bandwidth that long streaming kernels reach, for fused groups.
double streaming_bytes_per_s(const Device& device);

// Peak and units that the products of an op run on: convolutions in f32 use tf32 where the device has it, matrix
// products in f32 do not.
struct ProductRate {
  double flops_per_s = 0.0;
  Units units = Units::kPlain;
};
ProductRate product_rate(const OpFeatures& features, const Device& device);

// Parts of an estimate under a given row, for the fit.
OpCost estimate_with(const OpFeatures& features, const Device& device, const ProductRate& rate, const Efficiency& row);

// Kinds of devices an op may run on: those its graph allows, without NPUs for gradients and updates, since NPUs run
// inference.
KindSet runnable_kinds(const Graph& graph, OpId op);

}  // namespace berth
