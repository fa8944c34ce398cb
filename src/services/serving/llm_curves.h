// SPDX-License-Identifier: Apache-2.0
// What becomes of a placement when contexts grow and more sequences are served: memory of every device over the
// context, and decode speed over what is in the caches.
#pragma once

#include <cstdint>
#include <vector>

#include "services/serving/llm.h"

namespace berth {

struct MemoryCurve {
  DeviceId device;
  Bytes capacity = 0;
  std::vector<Bytes> weights, cache, runtime;  // by context
};

struct SpeedCurve {
  std::int64_t sequences = 1;
  std::vector<double> tokens_per_s;  // of all sequences together, by depth
};

struct LlmCurves {
  std::vector<std::int64_t> contexts, depths;
  std::vector<MemoryCurve> memory;  // of devices that hold something
  std::vector<SpeedCurve> speeds;
};

// The plan of the answer kept as it is.
Result<LlmCurves> curves_of(const LlmAnswer& answer);

}  // namespace berth
