// SPDX-License-Identifier: Apache-2.0
#include "learn/go/sage.h"

#include <algorithm>

namespace berth::learn {
namespace {

// For every element the row that the maximum is in; row `rows` (of zeros) where a node has no neighbour.
Tensor rows_of_maxima(const Tensor& values, const Neighbours& neighbours) {
  const Tensor plain = values.detach().to(at::kCPU).contiguous();
  const std::int64_t rows = plain.size(0), width = plain.size(1);
  Tensor where = at::full({rows, width}, rows, at::kLong);
  std::vector<float> most(static_cast<std::size_t>(width));
  const float* const data = plain.data_ptr<float>();
  std::int64_t* found = where.data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < rows; ++row, found += width) {
    std::fill(most.begin(), most.end(), -1.0F);
    const std::uint32_t end = neighbours.begin[static_cast<std::size_t>(row) + 1];
    for (std::uint32_t i = neighbours.begin[static_cast<std::size_t>(row)]; i < end; ++i) {
      const std::int64_t other = neighbours.node[i];
      const float* const value = data + other * width;
      for (std::int64_t k = 0; k < width; ++k) {
        const bool larger = value[k] > most[static_cast<std::size_t>(k)];
        most[static_cast<std::size_t>(k)] = larger ? value[k] : most[static_cast<std::size_t>(k)];
        found[k] = larger ? other : found[k];
      }
    }
  }
  return where.to(values.device());
}

}  // namespace

Tensor max_of_neighbours(const Tensor& values, const Neighbours& neighbours) {
  const Tensor where = rows_of_maxima(values, neighbours);
  const Tensor with_zeros = at::cat({values, at::zeros({1, values.size(1)}, values.options())});
  return with_zeros.gather(0, where);
}

SageLayer::SageLayer(const std::string& name, std::int64_t width, Parameters& parameters, Rng& rng)
    : pool_(parameters.glorot(name + ".pool", width, width, rng)),
      pool_bias_(parameters.constant(name + ".pool_bias", {width}, 0.0)),
      mix_(parameters.glorot(name + ".mix", 3 * width, width, rng)),
      mix_bias_(parameters.constant(name + ".mix_bias", {width}, 0.0)) {}

Tensor SageLayer::forward(const Tensor& states, const Neighbours& before, const Neighbours& after) const {
  const Tensor pooled = at::relu(at::addmm(pool_bias_, states, pool_));
  const Tensor all = at::cat({states, max_of_neighbours(pooled, before), max_of_neighbours(pooled, after)}, 1);
  return states + at::relu(at::addmm(mix_bias_, all, mix_));
}

}  // namespace berth::learn
