// SPDX-License-Identifier: Apache-2.0
#include "learn/beliefs.h"

#include <algorithm>
#include <cmath>

namespace berth::learn {

double Beliefs::Group::entropy() const {
  double sum = 0.0;
  for (const double chance : chances) sum -= chance > 0.0 ? chance * std::log(chance) : 0.0;
  return sum;
}

std::size_t Beliefs::used_groups() const {
  return static_cast<std::size_t>(std::ranges::count_if(groups, [](const Group& group) { return !group.ops.empty(); }));
}

Beliefs make_beliefs(const Problem& problem, std::vector<DeviceId> devices, std::vector<std::vector<OpId>> ops,
                     const Tensor& chances, Plan plan) {
  Beliefs beliefs;
  beliefs.group_of.assign(problem.graph().num_ops(), -1);
  const std::vector<float> values = floats_of(chances);
  const std::size_t width = devices.size();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (const OpId op : ops[i]) beliefs.group_of[index(op)] = static_cast<std::int64_t>(i);
    Beliefs::Group& group = beliefs.groups.emplace_back();
    group.ops = std::move(ops[i]);
    const auto row = values.begin() + static_cast<std::ptrdiff_t>(i * width);
    group.chances.assign(row, row + static_cast<std::ptrdiff_t>(width));
    group.chosen = static_cast<std::size_t>(std::ranges::max_element(group.chances) - group.chances.begin());
  }
  beliefs.devices = std::move(devices);
  beliefs.plan = std::move(plan);
  return beliefs;
}

}  // namespace berth::learn
