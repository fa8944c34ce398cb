// SPDX-License-Identifier: Apache-2.0
#include "learn/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

#include "plan/placement.h"

namespace berth::learn {
namespace {

using Clock = std::chrono::steady_clock;

// Seconds since the last call.
double lap(Clock::time_point& last) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last).count();
  last = now;
  return seconds;
}

// Streams of ranks must differ, and those of a policy's start and its samples too.
Rng stream_of(std::uint64_t seed, int rank) {
  Rng rng(seed ^ 0x6265727468ULL);
  for (int i = 0; i < rank; ++i) rng.fork();
  return rng.fork();
}

std::optional<double> baseline_start(const Options& options) {
  if (!options.baseline_fails) return std::nullopt;
  return reward_of(options.reward, {options.reward.failing_s, false, 0.0});
}

}  // namespace

double rate_at(const Options& options, std::uint64_t update) {
  const auto after = static_cast<std::uint64_t>(options.decay_after);
  if (options.rate_decay >= 1.0 || update < after) return options.rate;
  const std::uint64_t times = (update - after) / static_cast<std::uint64_t>(std::max(options.decay_every, 1));
  return options.rate * std::pow(options.rate_decay, static_cast<double>(times));
}

double noise_at(const Options& options, std::uint64_t update) {
  return update < static_cast<std::uint64_t>(options.noise_updates) ? options.noise : 0.0;
}

double entropy_weight_at(const Options& options, std::uint64_t update) {
  if (options.entropy_updates <= 0) return options.entropy_end;
  const double share = std::min(1.0, static_cast<double>(update) / options.entropy_updates);
  return options.entropy + (options.entropy_end - options.entropy) * share;
}

Trainer::Trainer(Policy& policy, Environment& environment, const Options& options, std::uint64_t seed,
                 Communicator& communicator)
    : policy_(policy),
      environment_(environment),
      options_(options),
      communicator_(communicator),
      adam_(static_cast<std::size_t>(policy.parameters().count())),
      baseline_(options.baseline_decay, baseline_start(options)),
      deviation_(options.baseline_decay),
      rng_(stream_of(seed, communicator.rank())) {}

void Trainer::offer(const Plan& plan, const Score& score) {
  if (best_plan_ && !better(score, best_score_)) return;
  best_plan_ = plan;
  best_score_ = score;
}

std::vector<Measurement> Trainer::measure(Batch& batch, UpdateFacts& facts, Clock::time_point& clock) {
  const Problem& problem = environment_.problem();
  const bool limited = has_limits(problem);
  std::vector<bool> legal(batch.plans().size(), true);
  for (std::size_t i = 0; i < legal.size(); ++i) {
    // A limit on crossings, say, is not the policy's to keep: such a plan fails.
    if (limited) legal[i] = !verify(problem, batch.plans()[i]);
    if (legal[i]) environment_.submit(batch.plans()[i]);
  }
  facts.sample_s += lap(clock);
  batch.prepare();
  facts.prepare_s = lap(clock);
  const std::vector<Score> scores = environment_.collect();
  facts.wait_s = lap(clock);
  std::vector<Measurement> measured;
  std::size_t next = 0;
  for (std::size_t i = 0; i < legal.size(); ++i) {
    if (!legal[i]) {
      measured.push_back({options_.reward.failing_s, false, 1.0});
      if (on_illegal_) on_illegal_();
      continue;
    }
    const Score& score = scores[next++];
    offer(batch.plans()[i], score);
    if (on_plan_) on_plan_(batch.plans()[i], score);
    measured.push_back(measurement_of(problem, score));
  }
  return measured;
}

// Sums over all ranks of what the baseline and the facts need.
Status Trainer::share(UpdateFacts& facts, std::span<const double> rewards, std::span<const Measurement> measured) {
  std::vector<double> sums(6);
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    sums[0] += 1.0;
    sums[1] += rewards[i];
    sums[2] += rewards[i] * rewards[i];
    if (!measured[i].feasible) continue;
    sums[3] += 1.0;
    sums[4] += measured[i].time_s;
    sums[5] += rewards[i];
  }
  if (!alone_) BERTH_RETURN_IF_ERROR(communicator_.sum(std::span(sums)));
  facts.plans = static_cast<int>(sums[0]);
  facts.fitting = static_cast<int>(sums[3]);
  facts.mean_reward = sums[1] / sums[0];
  facts.reward_deviation = std::sqrt(std::max(sums[2] / sums[0] - facts.mean_reward * facts.mean_reward, 0.0));
  facts.mean_time_s = sums[3] > 0.0 ? sums[4] / sums[3] : 0.0;
  valid_mean_ = sums[3] > 0.0 ? std::optional(sums[5] / sums[3]) : std::nullopt;
  return {};
}

// What every plan's log-probability is multiplied by; the sum over all ranks is a mean.
//
// Compared with the batch, a plan is compared with the mean of those plans that share none of its choices: what depends
// on the same choice would take its gradient away.
std::vector<double> Trainer::weights_of(const UpdateFacts& facts, std::span<const double> rewards,
                                        std::span<const Measurement> measured, bool valid_only,
                                        std::size_t per_choice) const {
  const int counted = valid_only ? facts.fitting : facts.plans;
  std::vector<double> weights(rewards.size());
  if (counted == 0) return weights;
  const double sum = (valid_only ? *valid_mean_ : facts.mean_reward) * counted;
  const double scale = options_.scale_advantage ? 1.0 / scale_of(facts) : 1.0;
  const auto counts = [&](std::size_t i) { return !valid_only || measured[i].feasible; };
  for (std::size_t begin = 0; begin < rewards.size(); begin += per_choice) {
    const std::size_t end = std::min(begin + per_choice, rewards.size());
    double own = 0.0;
    int own_count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      own += counts(i) ? rewards[i] : 0.0;
      own_count += counts(i) ? 1 : 0;
    }
    const bool by_batch = options_.baseline == "batch" && counted > own_count;
    const double base = by_batch ? (sum - own) / (counted - own_count) : facts.baseline;
    for (std::size_t i = begin; i < end; ++i) weights[i] = counts(i) ? (rewards[i] - base) * scale / counted : 0.0;
  }
  return weights;
}

// The usual deviation of rewards; never so small that chance would count for everything.
double Trainer::scale_of(const UpdateFacts& facts) const {
  return std::max(deviation_.value(facts.reward_deviation), 1e-3 * std::abs(facts.mean_reward)) + 1e-12;
}

Result<std::optional<Trainer::Gradients>> Trainer::gradients(std::uint64_t most) {
  const auto stopped = [&] { return should_stop_ && should_stop_(); };
  if (stopped()) return std::optional<Gradients>();
  Clock::time_point clock = Clock::now();
  const Rng before = rng_;
  Gradients result;
  UpdateFacts& facts = result.facts;
  facts.update = updates_ + 1;
  facts.noise = noise_at(options_, updates_);
  facts.rate = rate_at(options_, updates_);
  Sampling sampling{options_.groupings, options_.placements, facts.noise};
  const auto wanted = static_cast<std::uint64_t>(sampling.groupings) * static_cast<std::uint64_t>(sampling.placements);
  const bool cut = most > 0 && most < wanted;
  if (cut) sampling = {1, static_cast<int>(most), facts.noise};
  const std::unique_ptr<Batch> batch = policy_.sample(sampling, rng_);
  const bool in_time = !stopped();
  std::vector<Measurement> measured;
  if (in_time) measured = measure(*batch, facts, clock);
  if (cut || !in_time || stopped()) {
    rng_ = before;
    return std::optional<Gradients>();
  }
  std::vector<double> rewards;
  for (Measurement& measurement : measured) {
    measurement = with_noise(measurement, options_.env_noise, rng_);
    rewards.push_back(reward_of(options_.reward, measurement));
  }
  BERTH_RETURN_IF_ERROR(share(facts, rewards, measured));
  const auto valid_after = static_cast<std::uint64_t>(options_.valid_only_after);
  const bool valid_only = valid_after > 0 && updates_ >= valid_after;
  const std::optional<double> mean = valid_only ? valid_mean_ : std::optional(facts.mean_reward);
  facts.baseline = baseline_.value(mean.value_or(facts.mean_reward));
  policy_.parameters().clear_gradients();
  // Gradients are summed over ranks: the bonus, which every rank has, must not grow with them.
  const double bonus = entropy_weight_at(options_, updates_) / (alone_ ? 1 : communicator_.size());
  batch->loss(weights_of(facts, rewards, measured, valid_only, batch->plans_per_choice()), bonus).backward();
  result.values = policy_.parameters().gradients();
  if (mean) baseline_.add(*mean);
  deviation_.add(facts.reward_deviation);
  evaluations_ += static_cast<std::uint64_t>(facts.plans);
  facts.evaluations = evaluations_;
  facts.entropies = batch->entropies();
  facts.used_groups = batch->used_groups();
  if (best_plan_ && best_score_.feasible) facts.best_s = to_seconds(best_score_.step_time);
  facts.gradient_s = lap(clock);
  return std::optional(std::move(result));
}

Result<std::optional<UpdateFacts>> Trainer::update(std::uint64_t most) {
  const Moving before{rng_, baseline_, deviation_, evaluations_};
  const auto undone = [&](Error error) {  // a rank that died, say: what is saved then is the state before
    std::tie(rng_, baseline_, deviation_, evaluations_) =
        std::tie(before.rng, before.baseline, before.deviation, before.evaluations);
    return error;
  };
  Result<std::optional<Gradients>> found_or_error = gradients(most);
  if (!found_or_error) return undone(found_or_error.error());
  std::optional<Gradients> found = *std::move(found_or_error);
  if (!found) return std::optional<UpdateFacts>();
  Clock::time_point clock = Clock::now();
  if (const Status summed = communicator_.sum(std::span(found->values)); !summed) return undone(summed.error());
  std::vector<float> values = policy_.parameters().values();
  found->facts.gradient_norm = adam_.step(values, found->values, found->facts.rate, options_.clip);
  if (!std::isfinite(found->facts.gradient_norm)) {
    return undone(bad_input("the gradients of update {} are not finite (train anew with --option rate={})",
                            updates_ + 1, found->facts.rate / 10));
  }
  policy_.parameters().set_values(values);
  ++updates_;
  found->facts.step_s = lap(clock);
  return std::optional(found->facts);
}

TrainState Trainer::state() const {
  return {updates_,      evaluations_,      policy_.parameters().values(),
          adam_.state(), baseline_.state(), deviation_.state(),
          rng_,          best_plan_,        best_score_};
}

void Trainer::restore(TrainState state) {
  updates_ = state.updates;
  evaluations_ = state.evaluations;
  policy_.parameters().set_values(state.values);
  adam_.restore(std::move(state.adam));
  baseline_.restore(state.baseline);
  deviation_.restore(state.deviation);
  rng_ = state.rng;
  best_plan_ = std::move(state.best_plan);
  best_score_ = std::move(state.best_score);
}

}  // namespace berth::learn
