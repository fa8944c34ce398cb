// SPDX-License-Identifier: Apache-2.0
#include "plan/layers/repeated_layers.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>

namespace berth {
namespace {

using Numbers = std::unordered_map<std::string, std::uint32_t>;

// "encoder.layer." of "encoder.layer.11", "" where no number ends the name.
std::string_view stack_of(std::string_view layer) {
  const std::size_t last = layer.find_last_not_of("0123456789");
  if (last == std::string_view::npos || layer[last] != '.' || last + 1 == layer.size()) return {};
  return layer.substr(0, last + 1);
}

// Per layer the name of its stack, "" for a layer that is alone in it.
std::vector<std::string_view> find_stacks(const Layers& layers) {
  Numbers sizes;
  for (const std::string& name : layers.names) ++sizes[std::string(stack_of(name))];
  std::vector<std::string_view> stacks;
  for (const std::string& name : layers.names) {
    const std::string_view stack = stack_of(name);
    stacks.push_back(sizes[std::string(stack)] > 1 ? stack : std::string_view());
  }
  return stacks;
}

// What an op's path, or a parameter's label, says after the name of the layer.
std::string_view inside(const Graph& graph, OpId op, std::string_view layer) {
  const std::string_view path = graph.module(op).empty() ? graph.label(op) : graph.module(op);
  return path.starts_with(layer) ? path.substr(layer.size()) : std::string_view();
}

}  // namespace

std::optional<std::vector<std::uint32_t>> repeated_places(const Graph& graph, const Layers& layers) {
  const std::vector<std::string_view> stacks = find_stacks(layers);
  Numbers labels, seen;  // by place; by place in one layer: how many
  bool repeats = false;
  std::vector<std::uint32_t> label_of(graph.num_ops());
  const auto number = [&](std::string key) {
    return labels.try_emplace(std::move(key), static_cast<std::uint32_t>(labels.size())).first->second;
  };
  for (const OpId op : graph.topological_order()) {
    const std::uint32_t layer = layers.of_op[index(op)];
    const std::string_view name = layers.names[layer], stack = stacks[layer];
    if (stack.empty()) {
      label_of[index(op)] = number(std::string(name));
      continue;
    }
    repeats = true;
    const std::string place =
        fmt::format("{} {} {}", inside(graph, op, name), graph.type(op), layers.backward[index(op)]);
    const std::uint32_t before = seen[fmt::format("{} {}", layer, place)]++;
    label_of[index(op)] = number(fmt::format("{} {} {}", stack, place, before));
  }
  if (!repeats) return std::nullopt;
  return label_of;
}

}  // namespace berth
