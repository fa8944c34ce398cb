// SPDX-License-Identifier: Apache-2.0
// Headers of safetensors files: names, shapes and places of tensors, no weights. Input is hostile: the length of the
// header is checked against the file and the format's own limit of 100 MB, every size against its stretch of the data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace berth {

struct StoredTensor {
  std::string name;   // as in the framework: "model.layers.0.self_attn.q_proj.weight"
  std::string dtype;  // "BF16"
  std::int64_t elements = 0;
  Bytes bytes = 0;
};

// From the beginning of a file, weights may be missing.
Result<std::vector<StoredTensor>> read_safetensors_header(std::string_view bytes);

// The files that an index (model.safetensors.index.json) names, sorted, each once. Names that lead out of the folder
// are refused.
Result<std::vector<std::string>> read_safetensors_index(std::string text);

}  // namespace berth
