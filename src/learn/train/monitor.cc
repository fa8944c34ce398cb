// SPDX-License-Identifier: Apache-2.0
#include "learn/train/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"

namespace berth::learn {
namespace {

constexpr std::size_t kWindow = 20;           // updates whose rewards are compared
constexpr std::uint64_t kVarianceFrom = 100;  // updates watched before anything is said about rewards
constexpr double kFalling = 0.9;              // a deviation below this share of the first one is falling
constexpr double kSettled = 0.05;             // one below this share of the mean has nowhere to fall
constexpr double kLittleEntropy = 0.05;       // as a share of the uniform distribution's
constexpr std::uint64_t kEntropyUntil = 100;  // before this update that is too early, whatever was found
constexpr double kOneGroup = 1.5;
constexpr int kCollapsedFor = 10;  // updates in a row: on a handful of ops one group may be chance
constexpr std::uint64_t kSingleFrom = 200, kMemoryFrom = 50;

}  // namespace

std::vector<std::string> Monitor::watch(const UpdateFacts& facts) {
  remember(facts);
  constexpr std::array kWarnings{&Monitor::about_variance, &Monitor::about_entropy, &Monitor::about_groups,
                                 &Monitor::about_single, &Monitor::about_memory};
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < kWarnings.size(); ++i) {
    if (said_[i]) continue;
    auto line = (this->*kWarnings[i])(facts);
    said_[i] = line.has_value();
    if (line) lines.push_back(std::move(*line));
  }
  return lines;
}

void Monitor::remember(const UpdateFacts& facts) {
  ++watched_;
  const Rewards rewards{facts.mean_reward, facts.reward_deviation};
  if (first_.size() < kWindow) first_.push_back(rewards);
  last_.push_back(rewards);
  if (last_.size() > kWindow) last_.pop_front();
  collapsed_ = facts.used_groups > 0.0 && facts.used_groups < kOneGroup ? collapsed_ + 1 : 0;
}

// Of all rewards in the window, within updates and between them: an update of one plan has no deviation of its own.
double Monitor::deviation_of(const std::deque<Rewards>& window) {
  double mean = 0.0, variance = 0.0;
  for (const Rewards& update : window) mean += update.mean / static_cast<double>(window.size());
  for (const Rewards& update : window)
    variance += update.deviation * update.deviation + (update.mean - mean) * (update.mean - mean);
  return std::sqrt(variance / static_cast<double>(window.size()));
}

bool Monitor::found_something(const UpdateFacts& facts) const {
  return facts.best_s && (!single_s_ || *facts.best_s < *single_s_);
}

// With a rate of 0 nothing is to be learned, and there is nothing to say about how.
std::optional<std::string> Monitor::about_variance(const UpdateFacts& facts) const {
  if (options_.rate <= 0.0 || watched_ < kVarianceFrom) return std::nullopt;
  const double first = deviation_of(first_), last = deviation_of(last_);
  if (last < kFalling * first || last <= kSettled * std::abs(facts.mean_reward)) return std::nullopt;
  return fmt::format(
      "reward variance not falling: rewards deviate by {:.3g} after {} updates and by {:.3g} at the start; "
      "the policy is not learning (try --option rate={:.2g} or {})",
      last, facts.update, first, options_.rate / 5.0, hints_.more_plans);
}

std::optional<std::string> Monitor::about_entropy(const UpdateFacts& facts) const {
  const Entropies& now = facts.entropies;
  if (options_.rate <= 0.0 || now.most_placing <= 0.0 || now.placing >= kLittleEntropy * now.most_placing)
    return std::nullopt;
  if (facts.update >= kEntropyUntil && found_something(facts)) return std::nullopt;
  return fmt::format(
      "entropy gone: at update {} devices are chosen with {:.1f} % of the greatest entropy, so that nothing new is "
      "tried (try --option entropy={:.2g} or --option rate={:.2g})",
      facts.update, 100.0 * now.placing / now.most_placing, std::clamp(5.0 * options_.entropy, 0.01, 100.0),
      options_.rate / 5.0);
}

std::optional<std::string> Monitor::about_groups(const UpdateFacts& facts) const {
  if (options_.rate <= 0.0 || collapsed_ < kCollapsedFor || hints_.apart.empty()) return std::nullopt;
  return fmt::format("all groups collapsed: at update {} all ops are in one group and move together (try {})",
                     facts.update, hints_.apart);
}

std::optional<std::string> Monitor::about_single(const UpdateFacts& facts) const {
  if (options_.rate <= 0.0 || facts.update < kSingleFrom || !facts.best_s || !single_s_ || found_something(facts))
    return std::nullopt;
  return fmt::format(
      "best plan no better than one device: {} after {} updates, {} on one device; perhaps nothing is to be gained "
      "(try --option entropy={:.2g}, and the planner auto to see what others find)",
      format_seconds(*facts.best_s), facts.update, format_seconds(*single_s_),
      std::clamp(5.0 * options_.entropy, 0.01, 100.0));
}

std::optional<std::string> Monitor::about_memory(const UpdateFacts& facts) const {
  if (facts.update < kMemoryFrom || facts.best_s) return std::nullopt;
  std::string way_out = fmt::format("--option start-by-speed=off{}{} or a machine with more memory",
                                    hints_.more_groups.empty() ? "" : ", ", hints_.more_groups);
  if (!options_.start_by_speed) way_out = "--option start-by-speed=on";
  if (options_.reward.failing == FailingKind::kConstant) way_out = "--option failing=graded";
  return fmt::format("no plan fits in memory yet: {} measured in {} updates (try {})",
                     counted(facts.evaluations, "plan"), facts.update, way_out);
}

}  // namespace berth::learn
