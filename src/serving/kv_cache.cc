// SPDX-License-Identifier: Apache-2.0
#include "serving/kv_cache.h"

#include <algorithm>

namespace berth::llm {
namespace {

std::int64_t padded(std::int64_t cells) { return (cells + kCellPadding - 1) / kCellPadding * kCellPadding; }

double bytes_per_cell(const CacheShape& shape, const CacheSettings& settings) {
  const auto bytes = [](const GgmlType& type, std::int64_t width) {
    return static_cast<double>(width) * static_cast<double>(type.block_bytes) /
           static_cast<double>(type.block_elements);
  };
  return bytes(*settings.key_type, shape.key_width) + bytes(*settings.value_type, shape.value_width);
}

}  // namespace

CacheShape cache_shape(const Config& config, std::int64_t layer, const CacheSettings& settings) {
  CacheShape shape;
  std::int64_t cells = padded(settings.context);
  if (config.is_windowed(layer)) cells = std::min(cells, padded(config.window + settings.prompt_batch));
  shape.cells = cells * settings.sequences;
  if (config.is_latent()) {
    shape.key_width = config.kv_rank + config.rope_width;
  } else {
    shape.key_width = config.kv_heads_at(layer) * config.key_width;
    shape.value_width = config.kv_heads_at(layer) * config.value_width;
  }
  return shape;
}

Bytes cache_bytes(const Config& config, std::int64_t layer, const CacheSettings& settings) {
  const CacheShape shape = cache_shape(config, layer, settings);
  return stored_bytes(*settings.key_type, shape.key_width, shape.cells) +
         stored_bytes(*settings.value_type, shape.value_width, shape.cells);
}

Bytes cache_bytes(const Config& config, const CacheSettings& settings) {
  Bytes sum = 0;
  for (std::int64_t layer = 0; layer < config.layers; ++layer) sum += cache_bytes(config, layer, settings);
  return sum;
}

double cache_bytes_read(const Config& config, std::int64_t layer, const CacheSettings& settings, std::int64_t depth) {
  const std::int64_t seen = config.is_windowed(layer) ? std::min(depth, config.window) : depth;
  return static_cast<double>(seen) * bytes_per_cell(cache_shape(config, layer, settings), settings);
}

}  // namespace berth::llm
