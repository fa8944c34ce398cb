// SPDX-License-Identifier: Apache-2.0
#include "learn/hierarchical/grouper.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace berth::learn {
namespace {

// Index of the one type of an item, as one number between 0 and 1: what Google's code feeds.
Tensor type_index(const Rows& types, at::Device device) {
  std::vector<float> values(types.count);
  for (std::size_t row = 0; row < types.count; ++row) {
    const auto begin = types.values.begin() + static_cast<std::ptrdiff_t>(row * types.width);
    const auto most = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(types.width));
    values[row] = static_cast<float>(most - begin) / static_cast<float>(types.width);
  }
  return tensor_of(values, {static_cast<std::int64_t>(types.count), 1}).to(device);
}

}  // namespace

Grouper::Grouper(const ItemFeatures& features, const StartingGroups& start, std::size_t groups,
                 const PlacementOptions& options, Parameters& parameters, Rng& rng)
    : tanh_(options.grouper_activation == GrouperActivation::kTanh), scale_(options.grouper_scale) {
  const at::Device device = parameters.device();
  std::vector<Tensor> fixed{as_tensor(features.shapes).to(device), as_tensor(features.adjacency).to(device),
                            as_tensor(features.costs).to(device)};
  if (options.type_feature == TypeFeature::kIndex) fixed.push_back(type_index(features.types, device));
  fixed_ = at::cat(fixed, 1);
  std::int64_t width = fixed_.size(1);
  if (options.type_feature == TypeFeature::kEmbedding) {
    types_ = as_tensor(features.types).to(device);
    types_ = types_ / types_.sum(1, true).clamp_min(1.0);
    type_table_ = parameters.glorot("grouper.types", types_.size(1), options.type_size, rng);
    width += options.type_size;
  }
  const auto count = static_cast<std::int64_t>(groups);
  in_ = parameters.glorot("grouper.in", std::max<std::int64_t>(width, 1), options.grouper_hidden, rng);
  out_ = parameters.glorot("grouper.out", options.grouper_hidden, count, rng);
  if (tanh_) {
    in_bias_ = parameters.constant("grouper.in_bias", {options.grouper_hidden}, 0.0);
    out_bias_ = parameters.constant("grouper.out_bias", {count}, 0.0);
  }
  if (start.groups.empty()) return;
  std::vector<std::int64_t> first(start.groups.begin(), start.groups.end());
  start_ = tensor_of(first, {static_cast<std::int64_t>(first.size())}).to(device);
  std::vector<float> table(groups * groups);
  for (std::size_t g = 0; g < groups; ++g) table[g * groups + g] = static_cast<float>(start.weight);
  start_table_ = parameters.from("grouper.start", table, {count, count});
}

Tensor Grouper::logits() const {
  Tensor input = type_table_.defined() ? at::cat({fixed_, at::matmul(types_, type_table_)}, 1) : fixed_;
  if (input.size(1) == 0) input = at::zeros({input.size(0), 1}, input.options());
  Tensor hidden = tanh_ ? at::tanh(at::addmm(in_bias_, input, in_)) : at::mm(input, in_);
  Tensor logits = tanh_ ? at::addmm(out_bias_, hidden, out_) : at::mm(hidden, out_);
  if (scale_ != 1.0) logits = logits * scale_;
  if (start_table_.defined()) logits = logits + start_table_.index_select(0, start_);
  return logits;
}

}  // namespace berth::learn
