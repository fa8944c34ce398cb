// SPDX-License-Identifier: Apache-2.0
#include "ops/traffic.h"

#include <algorithm>

namespace berth {
namespace {

// What is moved of an input that the rule names, by the bytes of the outputs and of all other inputs.
Bytes moved(Reads reads, Bytes input, Bytes outputs, Bytes others) {
  switch (reads) {
    case Reads::kGathered:
      return std::min(input, outputs);
    case Reads::kRewrites:
      return clamped_sum(input, input);
    case Reads::kRewritesRows:
      return clamped_sum(std::min(input, others), std::min(input, others));
    case Reads::kShapeOnly:
    case Reads::kNothing:
      return 0;
    case Reads::kAll:
      break;
  }
  return input;
}

}  // namespace

Bytes bytes_touched(const Traffic& traffic, std::span<const Bytes> inputs, Bytes outputs) {
  if (traffic.reads == Reads::kAll) return -1;
  if (traffic.reads == Reads::kNothing) return 0;
  const std::size_t end = std::min(inputs.size(), std::size_t{traffic.input} + traffic.inputs);
  if (traffic.input >= end) return -1;  // the input it is about is left out
  Bytes others = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i < traffic.input || i >= end) others = clamped_sum(others, inputs[i]);
  }
  Bytes sum = clamped_sum(outputs, others);
  for (std::size_t i = traffic.input; i < end; ++i) {
    sum = clamped_sum(sum, moved(traffic.reads, inputs[i], outputs, others));
  }
  return sum;
}

}  // namespace berth
