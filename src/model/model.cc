// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

#include <algorithm>

namespace berth {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

template <typename Visit>
void for_each_predecessor(const Node& node, const std::vector<std::uint32_t>& maker, Visit visit) {
  for (const ValueIndex input : node.inputs) {
    if (input != kNoValue && maker[input] != kNone) visit(maker[input]);
  }
  for (const std::uint32_t before : node.control) {
    if (before < maker.size()) visit(before);
  }
}

}  // namespace

std::vector<std::uint32_t> topological_order(const Model& model) {
  const auto count = static_cast<std::uint32_t>(model.nodes.size());
  std::vector<std::uint32_t> maker(model.values.size(), kNone), missing(count, 0), begin(count + 1, 0), next;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const ValueIndex output : model.nodes[i].outputs) {
      if (output != kNoValue) maker[output] = i;
    }
  }
  const auto visit_all = [&](auto&& visit) {
    for (std::uint32_t i = 0; i < count; ++i)
      for_each_predecessor(model.nodes[i], maker, [&](std::uint32_t before) {
        if (before < count) visit(before, i);
      });
  };
  visit_all([&](std::uint32_t before, std::uint32_t after) {
    ++begin[before + 1];
    ++missing[after];
  });
  for (std::uint32_t i = 0; i < count; ++i) begin[i + 1] += begin[i];
  next.resize(begin.back());
  std::vector<std::uint32_t> fill(begin.begin(), begin.end() - 1);
  visit_all([&](std::uint32_t before, std::uint32_t after) { next[fill[before]++] = after; });
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (missing[i] == 0) order.push_back(i);
  }
  for (std::size_t done = 0; done < order.size(); ++done) {
    for (std::uint32_t at = begin[order[done]]; at < begin[order[done] + 1]; ++at) {
      if (--missing[next[at]] == 0) order.push_back(next[at]);
    }
  }
  return order;
}

Role role_of_stored(const Value& value) {
  if (!value.dtype || !value.shape) return Role::kConstant;
  const bool has_one = std::ranges::all_of(*value.shape, [](const Dim& dim) { return dim.size == 1; });
  const bool is_narrow = bits_of(*value.dtype) <= 8 && *value.dtype != DType::kBool;
  const bool is_weight = is_floating(*value.dtype) || (is_narrow && value.shape->size() >= 2);
  return is_weight && !has_one ? Role::kParameter : Role::kConstant;
}

}  // namespace berth
