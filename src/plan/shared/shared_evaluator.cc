// SPDX-License-Identifier: Apache-2.0
#include "plan/shared/shared_evaluator.h"

#include <algorithm>
#include <numeric>

namespace berth {
namespace {

constexpr double kWeightOfWorst = 0.9, kWeightOfMean = 0.1;
Picoseconds rounded(double picoseconds) {
  return static_cast<Picoseconds>(std::min(picoseconds + 0.5, kMostPicoseconds));
}

void take_larger(Bytes& into, Bytes other) { into = std::max(into, other); }

}  // namespace

SharedEvaluator::SharedEvaluator(std::span<const Problem> problems, std::span<const Picoseconds> yardsticks)
    : leader_(leader_of(yardsticks)), scores_(problems.size()), order_(problems.size()) {
  for (const Problem& problem : problems) evaluators_.push_back(make_single_evaluator(problem));
  for (const Picoseconds time : yardsticks) yardsticks_.push_back(static_cast<double>(std::max<Picoseconds>(time, 1)));
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

std::size_t SharedEvaluator::leader_of(std::span<const Picoseconds> yardsticks) {
  return static_cast<std::size_t>(std::ranges::max_element(yardsticks) - yardsticks.begin());
}

const Score& SharedEvaluator::evaluate(const Plan& plan) {
  for (std::size_t i = 0; i < evaluators_.size(); ++i) scores_[i] = &evaluators_[i]->evaluate(plan);
  return join();
}

const Score* SharedEvaluator::evaluate_bounded(const Plan& plan, Picoseconds cutoff) {
  for (std::size_t& problem : order_) {
    scores_[problem] = evaluators_[problem]->evaluate_bounded(plan, cutoff_of(problem, cutoff));
    if (scores_[problem] != nullptr) continue;
    std::swap(order_.front(), problem);
    return nullptr;
  }
  const Score& score = join();
  return score.step_time <= cutoff ? &score : nullptr;
}

void SharedEvaluator::rebase(const Plan& plan) {
  for (const auto& evaluator : evaluators_) evaluator->rebase(plan);
}

// The longest time in one problem with which the joint time may still be within the cutoff: as if the plan took no time
// in all others.
Picoseconds SharedEvaluator::cutoff_of(std::size_t problem, Picoseconds cutoff) const {
  const double weight = kWeightOfWorst + kWeightOfMean / static_cast<double>(evaluators_.size());
  const double ratio = (static_cast<double>(cutoff) + 1.0) / (yardsticks_[leader_] * weight);
  return rounded(ratio * yardsticks_[problem] + 1.0);
}

const Score& SharedEvaluator::join() {
  joint_ = *scores_[leader_];
  double worst = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    const Score& score = *scores_[i];
    const double ratio = static_cast<double>(score.step_time) / yardsticks_[i];
    worst = std::max(worst, ratio);
    sum += ratio;
    for (std::size_t device = 0; device < score.devices.size(); ++device)
      take_larger(joint_.devices[device].peak, score.devices[device].peak);
    for (std::size_t pool = 0; pool < score.pool_peaks.size(); ++pool)
      take_larger(joint_.pool_peaks[pool], score.pool_peaks[pool]);
    joint_.feasible = joint_.feasible && score.feasible;
    const bool is_fuller = score.overflow && (!joint_.overflow || score.overflow->over > joint_.overflow->over);
    if (is_fuller) joint_.overflow = score.overflow;
  }
  const double mean = sum / static_cast<double>(scores_.size());
  joint_.step_time = rounded((kWeightOfWorst * worst + kWeightOfMean * mean) * yardsticks_[leader_]);
  return joint_;
}

}  // namespace berth
