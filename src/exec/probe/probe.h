// SPDX-License-Identifier: Apache-2.0
// Probe: this computer as a machine, by measurement. Peaks are chosen such that the cost model, which takes a share of
// them (problem/cost/efficiency.h), gives the measured rate of a large product and of streaming through memory.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

namespace berth::exec {

struct ProbeOptions {
  int parts = 1;          // CPU sub-devices of equal core sets
  int gpu_parts = 1;      // equal parts of every GPU's multiprocessors
  bool thorough = false;  // more sizes, more repeats, more dtypes
};

// One measured figure.
struct ProbePoint {
  std::string device;  // "cpu", "gpu0", "cpu>gpu0"
  std::string what;    // "product f32", "stream f32", "smallest op", "launch", "copy"
  double size = 0.0;   // side of the product, or bytes
  double value = 0.0;  // FLOP/s, B/s or seconds
  std::string unit;
};

struct Probed {
  Machine machine;
  std::vector<ProbePoint> points;
  std::vector<std::string> notes;  // what could not be measured, and what stands for it
};

Result<Probed> probe(const ProbeOptions& options);

}  // namespace berth::exec
