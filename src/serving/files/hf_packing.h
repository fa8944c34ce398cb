// SPDX-License-Identifier: Apache-2.0
// quantization_config of a config.json: how its matrices are packed.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "files/json/json_value.h"
#include "serving/weight_format.h"

namespace berth {

struct HfPacking {
  std::optional<llm::Packing> packing;  // none: matrices are not packed, or by a method that is not known
  std::string note;                     // empty: nothing is guessed
};
// AWQ, GPTQ, FP8, MXFP4, compressed-tensors, bitsandbytes.
Result<HfPacking> read_packing(const JsonValue& quantization);

}  // namespace berth
