// SPDX-License-Identifier: Apache-2.0
#include "learn/placeto/returns.h"

#include <algorithm>
#include <cmath>

namespace berth::learn {

PerEpisode returns_of(const PerEpisode& worth, Returns kind, double discount) {
  PerEpisode returns;
  for (const std::vector<double>& states : worth) {
    std::vector<double> row(states.size() - 1);
    double later = kind == Returns::kDrop ? 0.0 : states.back();
    for (std::size_t step = row.size(); step-- > 0;) {
      if (kind == Returns::kDrop) {
        row[step] = later = states[step + 1] - states[step] + discount * later;
      } else if (kind == Returns::kBest) {
        later = std::max(later, states[step + 1]);
        row[step] = later - states[step];
      } else {
        row[step] = later;
      }
    }
    returns.push_back(std::move(row));
  }
  return returns;
}

Status subtract_others(PerEpisode& returns, Communicator& communicator, double& spread) {
  const std::size_t steps = returns.front().size();
  std::vector<double> sums(steps + 1);
  for (const std::vector<double>& row : returns) {
    for (std::size_t step = 0; step < steps; ++step) sums[step] += row[step];
  }
  sums[steps] = static_cast<double>(returns.size());
  BERTH_RETURN_IF_ERROR(communicator.sum(std::span(sums)));
  const double others = sums[steps] - 1.0;
  std::vector<double> squares(2);
  for (std::vector<double>& row : returns) {
    for (std::size_t step = 0; step < steps; ++step) {
      if (others > 0.0) row[step] -= (sums[step] - row[step]) / others;
      squares[0] += row[step] * row[step];
      squares[1] += 1.0;
    }
  }
  BERTH_RETURN_IF_ERROR(communicator.sum(std::span(squares)));
  spread = squares[1] > 0.0 ? std::sqrt(squares[0] / squares[1]) : 0.0;
  return {};
}

}  // namespace berth::learn
