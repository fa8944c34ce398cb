// SPDX-License-Identifier: Apache-2.0
#include "serving/kv_cache.h"

#include <algorithm>
#include <limits>

namespace berth::llm {
namespace {

// Widths come from files: products of them stop at the largest number (stored_bytes), and so do their sums.
Bytes sum_at_most(Bytes a, Bytes b) {
  Bytes sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<Bytes>::max() : sum;
}

std::int64_t padded(std::int64_t cells) { return (cells + kCellPadding - 1) / kCellPadding * kCellPadding; }

double bytes_per_cell(const CacheShape& shape, const CacheSettings& settings) {
  const auto bytes = [](const GgmlType& type, std::int64_t width) {
    return static_cast<double>(width) * static_cast<double>(type.block_bytes) /
           static_cast<double>(type.block_elements);
  };
  return bytes(*settings.key_type, shape.key_width) + bytes(*settings.value_type, shape.value_width);
}

}  // namespace

namespace {

// The layer whose cache this one reads: itself, or the last one of its kind that has a cache.
std::int64_t cached_layer(const Config& config, std::int64_t layer) {
  if (config.cache_layers == 0 || layer < config.cache_layers) return layer;
  for (std::int64_t other = config.cache_layers; other-- > 0;) {
    if (config.attention_at(other) == config.attention_at(layer)) return other;
  }
  return config.cache_layers - 1;
}

void set_widths(const Config& config, std::int64_t layer, CacheShape& shape) {
  if (config.is_latent()) {
    shape.key_width = config.kv_rank + config.rope_width + config.indexer_width;
    return;
  }
  const bool narrow = config.is_windowed(layer) && config.window_key_width > 0;
  shape.key_width = config.kv_heads_at(layer) * (narrow ? config.window_key_width : config.key_width);
  shape.value_width = config.kv_heads_at(layer) * (narrow ? config.window_value_width : config.value_width);
}

}  // namespace

CacheShape cache_shape(const Config& config, std::int64_t layer, const CacheSettings& settings) {
  CacheShape shape;
  if (config.has_state(layer)) {
    shape.state_bytes = settings.sequences * config.state.elements() * static_cast<Bytes>(sizeof(float));
    return shape;
  }
  set_widths(config, layer, shape);
  if (cached_layer(config, layer) != layer) return shape;
  std::int64_t cells = padded(settings.context);
  if (config.is_windowed(layer)) cells = std::min(cells, padded(config.window + settings.prompt_batch));
  shape.cells = cells * settings.sequences;
  return shape;
}

Bytes cache_bytes(const Config& config, std::int64_t layer, const CacheSettings& settings) {
  const CacheShape shape = cache_shape(config, layer, settings);
  const Bytes keys = stored_bytes(*settings.key_type, shape.key_width, shape.cells);
  const Bytes values = stored_bytes(*settings.value_type, shape.value_width, shape.cells);
  return sum_at_most(shape.state_bytes, sum_at_most(keys, values));
}

Bytes cache_bytes(const Config& config, const CacheSettings& settings) {
  Bytes sum = 0;
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    sum = sum_at_most(sum, cache_bytes(config, layer, settings));
  }
  return sum;
}

double cache_bytes_read(const Config& config, std::int64_t layer, const CacheSettings& settings, std::int64_t depth) {
  const CacheShape shape = cache_shape(config, layer, settings);
  if (shape.state_bytes > 0) {  // read and written
    return 2.0 * static_cast<double>(shape.state_bytes) / static_cast<double>(settings.sequences);
  }
  const std::int64_t seen = config.is_windowed(layer) ? std::min(depth, config.window) : depth;
  return static_cast<double>(seen) * bytes_per_cell(shape, settings);
}

}  // namespace berth::llm
