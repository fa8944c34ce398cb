// SPDX-License-Identifier: Apache-2.0
// The cache of keys and values: resident state beside its layer. The formula is llama.cpp's: cells for every token of
// the context of a sequence, in multiples of 256, times the sequences, times the width of keys and of values in the
// layer, each in its own type. Layers with a sliding window keep the window and one batch of the prompt only; layers
// with a state keep that, whatever the context; layers that read an earlier one's cache keep nothing. Latent attention
// (DeepSeek) keeps one narrow vector per token and no values, and a key more where an indexer chooses tokens.
#pragma once

#include "serving/model.h"

namespace berth::llm {

struct CacheSettings {
  std::int64_t context = 4096;  // tokens per sequence
  std::int64_t sequences = 1;
  std::int64_t prompt_batch = 512;  // tokens of a prompt that are computed at once (llama.cpp's -ub)
  const GgmlType* key_type = find_ggml_type("f16");
  const GgmlType* value_type = find_ggml_type("f16");
};

inline constexpr std::int64_t kCellPadding = 256;

struct CacheShape {
  std::int64_t cells = 0;                       // over all sequences
  std::int64_t key_width = 0, value_width = 0;  // elements per cell
  Bytes state_bytes = 0;                        // over all sequences
};

CacheShape cache_shape(const Config& config, std::int64_t layer, const CacheSettings& settings);
// Bytes of one layer's cache, and of all.
Bytes cache_bytes(const Config& config, std::int64_t layer, const CacheSettings& settings);
Bytes cache_bytes(const Config& config, const CacheSettings& settings);
// Bytes that one sequence reads when `depth` tokens are in its cache.
double cache_bytes_read(const Config& config, std::int64_t layer, const CacheSettings& settings, std::int64_t depth);

}  // namespace berth::llm
