// SPDX-License-Identifier: Apache-2.0
#include "exec/program/attention.h"

#include <cmath>
#include <limits>

namespace berth::exec {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// Sums of small types are kept in f32, as the kernels do.
at::ScalarType type_of_sums(const at::Tensor& tensor) {
  const at::ScalarType type = tensor.scalar_type();
  return type == at::kHalf || type == at::kBFloat16 ? at::kFloat : type;
}

double scale_of(const Attention& attention) {
  return attention.scale ? *attention.scale : 1.0 / std::sqrt(static_cast<double>(attention.query.size(-1)));
}

// Heads that several heads of the query share are repeated for each of them.
at::Tensor for_every_head(const at::Tensor& shared, const at::Tensor& query) {
  if (query.dim() < 3 || shared.size(-3) == query.size(-3)) return shared;
  return shared.repeat_interleave(query.size(-3) / shared.size(-3), -3);
}

// The sum of a gradient over the heads that share one.
at::Tensor of_shared_heads(const at::Tensor& gradient, const at::Tensor& shared) {
  if (gradient.dim() < 3 || gradient.size(-3) == shared.size(-3)) return gradient;
  std::vector<std::int64_t> sizes = gradient.sizes().vec();
  sizes.insert(sizes.end() - 2, sizes[sizes.size() - 3] / shared.size(-3));
  sizes[sizes.size() - 4] = shared.size(-3);
  return gradient.reshape(sizes).sum(-3);
}

at::Tensor masked_scores(const Attention& attention, const at::Tensor& query, const at::Tensor& key) {
  at::Tensor scores = at::matmul(query, key.transpose(-2, -1)).mul_(scale_of(attention));
  if (attention.is_causal) {
    const at::Tensor sees = at::ones({query.size(-2), key.size(-2)}, scores.options().dtype(at::kBool)).tril();
    scores.masked_fill_(sees.logical_not(), kMinusInfinity);
  }
  if (!attention.mask.defined()) return scores;
  if (attention.mask.scalar_type() == at::kBool)
    return scores.masked_fill(attention.mask.logical_not(), kMinusInfinity);
  return scores.add(attention.mask);
}

}  // namespace

AttentionResult attend(const Attention& attention) {
  const at::ScalarType sums = type_of_sums(attention.query);
  const at::Tensor query = attention.query.to(sums);
  const at::Tensor key = for_every_head(attention.key.to(sums), query);
  const at::Tensor value = for_every_head(attention.value.to(sums), query);
  at::Tensor weights = masked_scores(attention, query, key);
  at::Tensor logsumexp = weights.logsumexp(-1);
  logsumexp.masked_fill_(logsumexp.eq(kMinusInfinity), 0.0);  // a query that sees nothing
  weights.sub_(logsumexp.unsqueeze(-1)).exp_();
  const at::Tensor output = at::matmul(weights, value);
  return {output.to(attention.query.scalar_type()), logsumexp, weights.to(attention.query.scalar_type())};
}

AttentionGradients attend_backward(const Attention& attention, const at::Tensor& gradient, const at::Tensor& output,
                                   const at::Tensor& logsumexp, bool wants_mask_gradient) {
  const at::ScalarType sums = type_of_sums(attention.query);
  const at::Tensor query = attention.query.to(sums), upper = gradient.to(sums);
  const at::Tensor key = for_every_head(attention.key.to(sums), query);
  const at::Tensor value = for_every_head(attention.value.to(sums), query);
  const at::Tensor weights = masked_scores(attention, query, key).sub_(logsumexp.to(sums).unsqueeze(-1)).exp_();
  const at::Tensor of_value = at::matmul(weights.transpose(-2, -1), upper);
  const at::Tensor mean = upper.mul(output.to(sums)).sum(-1, /*keepdim=*/true);
  const at::Tensor of_scores = at::matmul(upper, value.transpose(-2, -1)).sub_(mean).mul_(weights);
  const double scale = scale_of(attention);
  AttentionGradients gradients;
  gradients.query = at::matmul(of_scores, key).mul_(scale).to(attention.query.scalar_type());
  gradients.key = of_shared_heads(at::matmul(of_scores.transpose(-2, -1), query).mul_(scale), attention.key)
                      .to(attention.key.scalar_type());
  gradients.value = of_shared_heads(of_value, attention.value).to(attention.value.scalar_type());
  if (wants_mask_gradient) {
    gradients.mask = of_scores.sum_to_size(attention.mask.sizes()).to(attention.mask.scalar_type());
  }
  return gradients;
}

}  // namespace berth::exec
