// SPDX-License-Identifier: Apache-2.0
#include "ops/flops.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <iterator>
#include <limits>
#include <map>

#include "base/text.h"

namespace berth {
namespace {

constexpr double kPerMultiplyAdd = 2.0;

using Sizes = std::vector<std::int64_t>;

const Sizes* at(const std::vector<TensorSizes>& tensors, std::size_t i) {
  return i < tensors.size() && tensors[i] ? &*tensors[i] : nullptr;
}

double elements(const Sizes* sizes) {
  if (sizes == nullptr) return 0.0;
  double count = 1.0;
  for (const std::int64_t size : *sizes) count *= static_cast<double>(size);
  return count;
}

// Counted from the end, 1 is the last; 0 if there is no such axis.
double from_end(const Sizes* sizes, std::size_t back) {
  return sizes != nullptr && back <= sizes->size() ? static_cast<double>((*sizes)[sizes->size() - back]) : 0.0;
}

double rows_of(const Sizes* sizes) {
  const double width = from_end(sizes, 1);
  return width > 0.0 ? elements(sizes) / width : 0.0;
}

// The length that the product sums over: the last axis of its first factor, or another if that is transposed.
double product(const FlopRule& rule, const OpFacts& op) {
  const Sizes* factor = at(op.inputs, rule.data);
  if (factor == nullptr || factor->empty()) return 0.0;
  double terms = from_end(factor, 1);
  if (op.first_is_transposed && factor->size() >= 2) {
    terms = op.batch_is_inside ? static_cast<double>(factor->front()) : from_end(factor, 2);
  }
  return kPerMultiplyAdd * elements(at(op.outputs, 0)) * terms;
}

double sum_of_products(const FlopRule& rule, const OpFacts& op) {
  return kPerMultiplyAdd * elements(at(op.inputs, rule.data)) * from_end(at(op.outputs, 0), 1);
}

// Adds the sizes of one operand's labels. The axes of an ellipsis have labels of their own, counted from its end.
constexpr int kEllipsis = 256, kMostEllipsis = 255;
void add_labels(std::string_view labels, const Sizes& sizes, std::map<int, double>& size_of) {
  const auto letters = std::ranges::count_if(labels, [](char c) { return c != ' ' && c != '.'; });
  std::size_t axis = 0;
  const auto add = [&](int label) {
    if (axis < sizes.size()) size_of[label] = std::max(size_of[label], static_cast<double>(sizes[axis++]));
  };
  bool in_ellipsis = false;
  for (const char c : labels) {
    if (c == '.' && !in_ellipsis) {
      for (auto left = std::min<std::ptrdiff_t>(std::ssize(sizes) - letters, kMostEllipsis); left > 0; --left)
        add(kEllipsis + static_cast<int>(left));
    }
    in_ellipsis = c == '.';
    if (c != '.' && c != ' ') add(static_cast<unsigned char>(c));
  }
}

// Operands are multiplied two by two: each product runs over all labels of its two factors, and keeps those that the
// result or another operand has. The best order of a few operands; many are multiplied from left to right.
class Contraction {
 public:
  // False where a size is not known.
  bool read(const OpFacts& op) {
    const std::size_t arrow = op.equation.find("->");
    const std::vector<std::string_view> operands = split(op.equation.substr(0, arrow), ',');
    std::map<int, int> uses;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Sizes* sizes = at(op.inputs, i);
      if (sizes == nullptr) return false;
      std::map<int, double> own;
      add_labels(operands[i], *sizes, own);
      Labels& labels = factors_.emplace_back();
      for (const auto& [label, size] : own) {
        labels.set(static_cast<std::size_t>(label));
        size_of_[label] = std::max(size_of_[label], size);
        ++uses[label];
      }
    }
    const std::string_view result =
        arrow != std::string_view::npos ? op.equation.substr(arrow + 2) : std::string_view();
    for (const auto& [label, count] : uses) {
      const bool is_stated = label >= kEllipsis ? result.find('.') != std::string_view::npos
                                                : result.find(static_cast<char>(label)) != std::string_view::npos;
      // Without an arrow: what stands in one operand alone, and the ellipsis.
      if (arrow != std::string_view::npos ? is_stated : label >= kEllipsis || count == 1) {
        result_.set(static_cast<std::size_t>(label));
      }
    }
    return true;
  }

  // One operand alone is summed or transposed, not multiplied.
  [[nodiscard]] double flops() const {
    constexpr std::size_t kFew = 8;
    if (factors_.size() < 2) return 0.0;
    return factors_.size() <= kFew ? best_order() : left_to_right();
  }

 private:
  using Labels = std::bitset<512>;

  [[nodiscard]] double product(const Labels& labels) const {
    double terms = kPerMultiplyAdd;
    for (const auto& [label, size] : size_of_) {
      if (labels.test(static_cast<std::size_t>(label))) terms *= size;
    }
    return terms;
  }

  // Over subsets of the operands, as bits.
  [[nodiscard]] double best_order() const {
    const std::size_t all = (std::size_t{1} << factors_.size()) - 1;
    std::vector<Labels> labels(all + 1);
    for (std::size_t set = 1; set <= all; ++set) {
      const auto first = static_cast<std::size_t>(std::countr_zero(set));
      labels[set] = labels[set & (set - 1)] | factors_[first];
    }
    std::vector<double> cost(all + 1, 0.0);
    const auto kept = [&](std::size_t set) { return labels[set] & (result_ | labels[all ^ set]); };
    for (std::size_t set = 1; set <= all; ++set) {
      if (std::has_single_bit(set)) continue;
      cost[set] = std::numeric_limits<double>::infinity();
      for (std::size_t part = (set - 1) & set; part > 0; part = (part - 1) & set) {
        const std::size_t rest = set ^ part;
        if (part < rest) break;  // the other half has been seen
        cost[set] = std::min(cost[set], cost[part] + cost[rest] + product(own(part, kept) | own(rest, kept)));
      }
    }
    return cost[all];
  }

  // One operand has all its labels: what only it has is summed within its first product.
  template <typename Kept>
  [[nodiscard]] Labels own(std::size_t set, const Kept& kept) const {
    return std::has_single_bit(set) ? factors_[static_cast<std::size_t>(std::countr_zero(set))] : kept(set);
  }

  [[nodiscard]] double left_to_right() const {
    std::vector<Labels> behind(factors_.size() + 1, result_);  // needed by the result or from operand i on
    for (std::size_t i = factors_.size(); i-- > 0;) behind[i] = behind[i + 1] | factors_[i];
    double sum = 0.0;
    Labels made = factors_[0];
    for (std::size_t i = 1; i < factors_.size(); ++i) {
      sum += product(made | factors_[i]);
      made = (made | factors_[i]) & behind[i + 1];
    }
    return sum;
  }

  std::vector<Labels> factors_;
  Labels result_;
  std::map<int, double> size_of_;
};

double einsum(const OpFacts& op) {
  Contraction contraction;
  return contraction.read(op) ? contraction.flops() : 0.0;
}

// Every row meets every weight: a row is a sample, or a sample at one time.
double recurrent(const FlopRule& rule, const OpFacts& op) {
  double weights = 0.0;
  const bool takes_all = rule.weights == 0;
  const std::size_t end = takes_all ? op.inputs.size() : rule.weight + std::size_t{rule.weights};
  for (std::size_t i = rule.weight; i < end; ++i) {
    const Sizes* sizes = at(op.inputs, i);
    if (sizes != nullptr && (!takes_all || sizes->size() == 2)) weights += elements(sizes);
  }
  return kPerMultiplyAdd * rule.times * rows_of(at(op.inputs, rule.data)) * weights;
}

// Multiply-adds per output element: the weight over its output channels.
double taps(const Sizes* weight, Filter filter) {
  if (weight == nullptr || weight->size() < 3) return 0.0;
  const auto first = [&](std::size_t i) { return static_cast<double>((*weight)[i]); };
  double channels = 0.0;
  switch (filter) {
    case Filter::kFirst:
      channels = first(0);
      break;
    case Filter::kFirstTwo:
      channels = first(0) * first(1);
      break;
    case Filter::kLast:
      channels = from_end(weight, 1);
      break;
    case Filter::kLastTwo:
      channels = from_end(weight, 1) * from_end(weight, 2);
      break;
  }
  return channels > 0.0 ? elements(weight) / channels : 0.0;
}

double conv(const FlopRule& rule, const OpFacts& op) {
  const Sizes* spread = op.conv_is_transposed ? at(op.inputs, rule.data) : at(op.outputs, 0);
  return kPerMultiplyAdd * elements(spread) * taps(at(op.inputs, rule.weight), rule.filter);
}

double conv_from_input(const FlopRule& rule, const OpFacts& op) {
  return kPerMultiplyAdd * elements(at(op.inputs, rule.data)) * taps(at(op.inputs, rule.weight), rule.filter);
}

double filter_gradient(const FlopRule& rule, const OpFacts& op) {
  return kPerMultiplyAdd * elements(at(op.inputs, rule.data)) * taps(at(op.outputs, 0), rule.filter);
}

// As much as the convolution itself for each of the two gradients that it makes; that of the bias is a sum.
double conv_backward(const FlopRule& rule, const OpFacts& op) {
  const Sizes* spread = at(op.inputs, op.conv_is_transposed ? 1 : 0);
  const auto made =
      std::ranges::count_if(op.outputs, [](const TensorSizes& sizes) { return sizes && sizes->size() >= 3; });
  return kPerMultiplyAdd * elements(spread) * taps(at(op.inputs, 2), rule.filter) * static_cast<double>(made);
}

// Rows of keys: [..., keys, width], or [batch, keys, heads, 2 or 3, width] where several factors lie in one tensor.
double keys_in(const Sizes* sizes) {
  constexpr std::size_t kPacked = 5;
  return sizes != nullptr && sizes->size() == kPacked ? static_cast<double>((*sizes)[1]) : from_end(sizes, 2);
}

// Every query with every key, then every weight with every value: the keys once per element of the query and once per
// element of the result.
double attention(const FlopRule& rule, const OpFacts& op) {
  const Sizes* query = at(op.inputs, rule.data);
  const Sizes* key = at(op.inputs, rule.data + std::size_t{1});
  const Sizes* value = at(op.inputs, rule.data + std::size_t{2});
  const Sizes* result = at(op.outputs, 0);
  double keys = keys_in(key != nullptr ? key : query);
  if (const Sizes* all = at(op.outputs, 1); rule.keeps_past && all != nullptr && all->size() == 4) {
    keys = std::max(keys, from_end(all, 2));
  }
  const double made = result != nullptr ? elements(result) : rows_of(query) * from_end(value, 1);
  return kPerMultiplyAdd * keys * ((key != nullptr ? elements(query) : made) + made);
}

// Five products: scores again, then gradients of weights and of each factor.
double attention_grad(const OpFacts& op) {
  const double queries = elements(at(op.inputs, 1)), gradient = elements(at(op.inputs, 0));
  return kPerMultiplyAdd * from_end(at(op.inputs, 2), 2) * (3.0 * queries + 2.0 * gradient);
}

// Projection to queries, keys and values of one width, then attention among the rows of a sample.
double self_attention(const FlopRule& rule, const OpFacts& op) {
  const Sizes* x = at(op.inputs, 0);
  const double projected = from_end(at(op.inputs, 1), 1);
  const Sizes* result = at(op.outputs, 0);
  const double made = result != nullptr ? elements(result) : rows_of(x) * projected / 3.0;
  double keys = x != nullptr && x->size() == 3 ? from_end(x, 2) : 0.0;
  if (const Sizes* all = at(op.outputs, 1); rule.keeps_past && all != nullptr && all->size() == 5) {
    keys = std::max(keys, from_end(all, 2));
  }
  return kPerMultiplyAdd * (elements(x) * projected + 2.0 * keys * made);
}

// A row meets the weights of so many experts, not of all.
double experts(const OpFacts& op) {
  double per_expert = 0.0;
  for (std::size_t i = 2; i < op.inputs.size(); ++i) {
    const Sizes* weight = at(op.inputs, i);
    if (weight != nullptr && weight->size() == 3 && weight->front() > 0) {
      per_expert += elements(weight) / static_cast<double>(weight->front());
    }
  }
  return kPerMultiplyAdd * rows_of(at(op.inputs, 0)) * static_cast<double>(op.experts_used) * per_expert;
}

}  // namespace

double flops_of(const FlopRule& rule, const OpFacts& op) {
  switch (rule.formula) {
    case Formula::kNone:
      return 0.0;
    case Formula::kProduct:
      return product(rule, op);
    case Formula::kSumOfProducts:
      return sum_of_products(rule, op);
    case Formula::kEinsum:
      return einsum(op);
    case Formula::kRecurrent:
      return recurrent(rule, op);
    case Formula::kConv:
      return conv(rule, op);
    case Formula::kConvFromInput:
      return conv_from_input(rule, op);
    case Formula::kFilterGradient:
      return filter_gradient(rule, op);
    case Formula::kConvBackward:
      return conv_backward(rule, op);
    case Formula::kAttention:
      return attention(rule, op);
    case Formula::kSelfAttention:
      return self_attention(rule, op);
    case Formula::kAttentionGrad:
      return attention_grad(op);
    case Formula::kExperts:
      return experts(op);
    case Formula::kBody:
      return op.body_flops;
  }
  return 0.0;
}

}  // namespace berth
