// SPDX-License-Identifier: Apache-2.0
#include "learn/train/trainer.h"

#include <algorithm>
#include <cmath>

#include "plan/order/ranks.h"
#include "plan/search/placement.h"

namespace berth::learn {
namespace {

// Of an update near the best plan: few, because the next one begins from what they find.
constexpr int kPlansNearBest = 4;

// Whether all ops that take time anywhere are on one device.
bool is_on_one_device(const Problem& problem, const Plan& plan) {
  std::optional<DeviceId> device;
  for (const OpId op : problem.graph().ops()) {
    if (problem.graph().role(op) != Role::kCompute) continue;
    if (device && *device != plan.device(op)) return false;
    device = plan.device(op);
  }
  return true;
}

std::optional<double> baseline_start(const SamplingOptions& options) {
  if (!options.baseline_fails) return std::nullopt;
  return reward_of(options.reward, {options.reward.failing_s, false, 0.0});
}

}  // namespace

Trainer::Trainer(std::vector<Lesson> lessons, const SamplingOptions& options, std::uint64_t seed,
                 Communicator& communicator)
    : lessons_(std::move(lessons)),
      states_(lessons_.size()),
      baselines_(lessons_.size(),
                 {Baseline(options.baseline_decay, baseline_start(options)), Baseline(options.baseline_decay)}),
      options_(options),
      seed_(seed),
      communicator_(communicator),
      adam_(static_cast<std::size_t>(lessons_.front().policy->parameters().count())),
      rng_(stream_of(seed, communicator.rank())) {}

std::uint64_t Trainer::plans_per_update() const {
  const auto usual = static_cast<std::uint64_t>(options_.groupings) * static_cast<std::uint64_t>(options_.placements);
  std::uint64_t plans = 0;
  for (const std::size_t lesson : lessons_of_update(lessons_.size(), options_, seed_, updates_)) {
    const bool is_near = is_near_best() && states_[lesson].best;
    plans += is_near ? std::min<std::uint64_t>(usual, kPlansNearBest) : usual;
  }
  return plans;
}

// False if it had to stop.
bool Trainer::measure(Attempt& attempt, UpdateFacts& facts, Clock::time_point& clock) {
  Environment& environment = *lessons_[attempt.lesson].environment;
  const Problem& problem = environment.problem();
  const std::span<const Plan> plans = attempt.batch->plans();
  const bool limited = has_limits(problem);
  std::vector<bool> legal(plans.size(), true);
  for (std::size_t i = 0; i < legal.size(); ++i) {
    // A limit on crossings, say, is not the policy's to keep: such a plan fails.
    if (limited) legal[i] = !verify(problem, plans[i]);
    if (options_.refuse_single && is_on_one_device(problem, plans[i])) legal[i] = false;
    if (legal[i]) environment.submit(plans[i]);
  }
  facts.sample_s += lap(clock);
  attempt.batch->prepare();
  facts.prepare_s += lap(clock);
  const std::vector<Score> scores = environment.collect(should_stop_);
  facts.wait_s += lap(clock);
  std::size_t next = 0;
  for (std::size_t i = 0; i < legal.size(); ++i) {
    if (!legal[i]) {
      attempt.measured.push_back({options_.reward.failing_s, false, 1.0});
      if (on_illegal_) on_illegal_();
      continue;
    }
    if (next == scores.size()) return false;
    const Score& score = scores[next++];
    states_[attempt.lesson].offer_ahead(plans[i], score);
    if (on_plan_) on_plan_(attempt.lesson, plans[i], score);
    attempt.measured.push_back(measurement_of(problem, score));
  }
  return !is_stopped();
}

// Samples and measures plans for a lesson, at most `most` of them (0: as the options say). False if it had to stop.
bool Trainer::try_lesson(Attempt& attempt, std::uint64_t most, UpdateFacts& facts) {
  Clock::time_point clock = Clock::now();
  Sampling sampling{options_.groupings, options_.placements, facts.noise};
  if (most > 0) sampling = {1, static_cast<int>(most), facts.noise};
  // Ranks must stop at the same place; only one that is alone may do so anywhere.
  if (alone_ || communicator_.size() == 1) sampling.should_stop = should_stop_;
  const LessonState& known = states_[attempt.lesson];
  const ScoredPlan* const best = is_near_best() && known.best ? &*known.best : nullptr;
  if (best != nullptr) {
    sampling.groupings = 1;
    sampling.placements =
        std::min(most > 0 ? sampling.placements : options_.groupings * options_.placements, kPlansNearBest);
    sampling.near = &best->plan;
    const Problem& problem = lessons_[attempt.lesson].environment->problem();
    attempt.near = reward_of(options_.reward, measurement_of(problem, best->score));
  }
  attempt.batch = lessons_[attempt.lesson].policy->sample(sampling, rng_);
  if (attempt.batch->was_stopped() || is_stopped() || !measure(attempt, facts, clock)) return false;
  for (Measurement& measurement : attempt.measured) {
    measurement = with_noise(measurement, options_.env_noise, rng_);
    attempt.rewards.push_back(reward_of(options_.reward, measurement));
  }
  return true;
}

// Sums over all ranks of what the baseline and the facts need.
Status Trainer::share(Attempt& attempt) {
  std::vector<double> sums(6);
  for (std::size_t i = 0; i < attempt.rewards.size(); ++i) {
    sums[0] += 1.0;
    sums[1] += attempt.rewards[i];
    sums[2] += attempt.rewards[i] * attempt.rewards[i];
    if (!attempt.measured[i].feasible) continue;
    sums[3] += 1.0;
    sums[4] += attempt.measured[i].time_s;
    sums[5] += attempt.rewards[i];
  }
  if (!alone_) BERTH_RETURN_IF_ERROR(communicator_.sum(std::span(sums)));
  UpdateFacts& facts = attempt.facts;
  facts.plans = static_cast<int>(sums[0]);
  facts.fitting = static_cast<int>(sums[3]);
  facts.mean_reward = sums[1] / sums[0];
  facts.reward_deviation = std::sqrt(std::max(sums[2] / sums[0] - facts.mean_reward * facts.mean_reward, 0.0));
  facts.mean_time_s = sums[3] > 0.0 ? sums[4] / sums[3] : 0.0;
  attempt.valid_mean = sums[3] > 0.0 ? std::optional(sums[5] / sums[3]) : std::nullopt;
  return {};
}

// What every plan's log-probability is multiplied by; the sum over all ranks is a mean.
//
// Compared with the batch, a plan is compared with the mean of those plans that share none of its choices: what depends
// on the same choice would take its gradient away.
std::vector<double> Trainer::weights_of(const Attempt& attempt, bool valid_only, double share_of_lesson) const {
  const UpdateFacts& facts = attempt.facts;
  const std::vector<double>& rewards = attempt.rewards;
  const int counted = valid_only ? facts.fitting : facts.plans;
  std::vector<double> weights(rewards.size());
  if (counted == 0) return weights;
  const double sum = (valid_only ? *attempt.valid_mean : facts.mean_reward) * counted;
  const double scale = (options_.scale_advantage ? 1.0 / scale_of(attempt) : 1.0) * share_of_lesson / counted;
  const auto counts = [&](std::size_t i) { return !valid_only || attempt.measured[i].feasible; };
  const std::size_t per_choice = attempt.batch->plans_per_choice();
  for (std::size_t begin = 0; begin < rewards.size(); begin += per_choice) {
    const std::size_t end = std::min(begin + per_choice, rewards.size());
    double own = 0.0;
    int own_count = 0;
    for (std::size_t i = begin; i < end; ++i) {
      own += counts(i) ? rewards[i] : 0.0;
      own_count += counts(i) ? 1 : 0;
    }
    const bool by_batch = options_.baseline == BaselineKind::kBatch && counted > own_count;
    double base = by_batch ? (sum - own) / (counted - own_count) : facts.baseline;
    if (options_.baseline == BaselineKind::kNone) base = 0.0;
    if (attempt.near) base = *attempt.near;
    for (std::size_t i = begin; i < end; ++i) weights[i] = counts(i) ? (rewards[i] - base) * scale : 0.0;
  }
  const auto steps = static_cast<std::size_t>(options_.placements);
  return credit_steps(std::move(weights), options_.credit, options_.step_discount, steps);
}

// Spread evenly over the updates; the first is none of them.
bool Trainer::is_near_best() const {
  const auto so_far = [&](std::uint64_t updates) {
    return std::floor(static_cast<double>(updates) * options_.near_best);
  };
  return so_far(updates_ + 1) > so_far(updates_);
}

// The usual deviation of rewards; never so small that chance would count for everything.
double Trainer::scale_of(const Attempt& attempt) const {
  const double usual = baselines_[attempt.lesson].second.value(attempt.facts.reward_deviation);
  return std::max(usual, 1e-3 * std::abs(attempt.facts.mean_reward)) + 1e-12;
}

Status Trainer::weigh(Attempt& attempt, double share_of_lesson) {
  BERTH_RETURN_IF_ERROR(share(attempt));
  UpdateFacts& facts = attempt.facts;
  auto& [baseline, deviation] = baselines_[attempt.lesson];
  const auto valid_after = static_cast<std::uint64_t>(options_.valid_only_after);
  const bool valid_only = valid_after > 0 && updates_ >= valid_after;
  const std::optional<double> mean = valid_only ? attempt.valid_mean : std::optional(facts.mean_reward);
  facts.baseline = baseline.value(mean.value_or(facts.mean_reward));
  facts.entropies = attempt.batch->entropies();
  facts.used_groups = attempt.batch->used_groups();
  attempt.weights = weights_of(attempt, valid_only, share_of_lesson);
  if (mean) baseline.add(*mean);
  deviation.add(facts.reward_deviation);
  evaluations_ += static_cast<std::uint64_t>(facts.plans);
  return {};
}

void Trainer::push_back(const Attempt& attempt) {
  // Gradients are summed over ranks: the bonus, which every rank has, must not grow with them.
  const double shares = (alone_ ? 1.0 : communicator_.size()) * static_cast<double>(attempts_.size());
  const double bonus = entropy_weight_at(options_, updates_) / shares;
  attempt.batch->loss({attempt.weights, bonus, options_.ratio_clip}).backward();
}

// The first plan that is allowed, of those that were drawn or of one more.
void Trainer::leave_a_plan(Attempt& attempt) {
  const Lesson& lesson = lessons_[attempt.lesson];
  if (!attempt.batch) attempt.batch = lesson.policy->sample({1, 1, 0.0}, rng_);
  for (const Plan& plan : attempt.batch->plans()) {
    if (verify(lesson.environment->problem(), plan)) continue;
    lesson.environment->submit(plan);
    for (const Score& score : lesson.environment->collect()) states_[attempt.lesson].offer_ahead(plan, score);
    return;
  }
}

// An update that was stopped leaves no trace but what was found.
void Trainer::give_up(const Moving& before) {
  for (Attempt& attempt : attempts_) {
    if (must_find(attempt.lesson)) leave_a_plan(attempt);
  }
  undo(before);
}

Result<std::optional<Trainer::Gradients>> Trainer::gradients(std::uint64_t most) {
  const std::vector<std::size_t> lessons = lessons_of_update(lessons_.size(), options_, seed_, updates_);
  if (is_stopped() && !must_find(lessons.front())) return std::optional<Gradients>();
  const Moving before = moving();
  attempts_.clear();
  Gradients result;
  UpdateFacts& facts = result.facts;
  facts.update = updates_ + 1;
  facts.noise = noise_at(options_, updates_);
  facts.rate = rate_at(options_, updates_);
  const bool cut = most > 0 && most < plans_per_update();
  for (const std::size_t lesson : lessons) attempts_.emplace_back().lesson = lesson;
  for (const Lesson& lesson : lessons_) lesson.policy->begin_update(updates_);
  parameters().clear_gradients();
  std::vector<const UpdateFacts*> of_lessons;
  for (Attempt& attempt : attempts_) {
    if (!try_lesson(attempt, cut ? most : 0, facts) || cut) {
      give_up(before);
      return std::optional<Gradients>();
    }
    Clock::time_point clock = Clock::now();
    BERTH_RETURN_IF_ERROR(weigh(attempt, 1.0 / static_cast<double>(attempts_.size())));
    push_back(attempt);
    if (attempt.batch->was_stopped()) {
      give_up(before);
      return std::optional<Gradients>();
    }
    of_lessons.push_back(&attempt.facts);
    facts.gradient_s += lap(clock);
  }
  result.values = parameters().gradients();
  combine(of_lessons, facts);
  facts.evaluations = evaluations_;
  return std::optional(std::move(result));
}

Status Trainer::step(std::vector<float> gradients, UpdateFacts& facts) {
  BERTH_RETURN_IF_ERROR(communicator_.sum(std::span(gradients)));
  std::vector<float> values = parameters().values();
  facts.gradient_norm = adam_.step(values, gradients, facts.rate, options_.clip);
  if (!std::isfinite(facts.gradient_norm)) {
    return bad_input("the gradients of update {} are not finite (train anew with --option rate={})", updates_ + 1,
                     facts.rate / 10);
  }
  parameters().set_values(values);
  return {};
}

Status Trainer::learn_again(UpdateFacts& facts) {
  for (int epoch = 1; epoch < options_.epochs; ++epoch) {
    parameters().clear_gradients();
    for (const Attempt& attempt : attempts_) {
      attempt.batch->prepare();
      push_back(attempt);
    }
    BERTH_RETURN_IF_ERROR(step(parameters().gradients(), facts));
  }
  return {};
}

Result<std::optional<UpdateFacts>> Trainer::update(std::uint64_t most) {
  const Moving before = moving();
  const auto undone = [&](Error error) {  // a rank that died, say: what is saved then is the state before
    undo(before);
    return error;
  };
  Result<std::optional<Gradients>> found_or_error = gradients(most);
  if (!found_or_error) return undone(found_or_error.error());
  std::optional<Gradients> found = *std::move(found_or_error);
  if (!found) return std::optional<UpdateFacts>();
  Clock::time_point clock = Clock::now();
  const std::vector<float> values = options_.epochs > 1 ? parameters().values() : std::vector<float>();
  const AdamState adam = options_.epochs > 1 ? adam_.state() : AdamState();
  Status stepped = step(std::move(found->values), found->facts);
  if (stepped) stepped = learn_again(found->facts);
  const bool stopped = std::ranges::any_of(attempts_, [](const Attempt& one) { return one.batch->was_stopped(); });
  attempts_.clear();
  if (!stepped || stopped) {
    if (!values.empty()) {
      parameters().set_values(values);
      adam_.restore(adam);
    }
    if (!stepped) return undone(stepped.error());
    undo(before);
    return std::optional<UpdateFacts>();
  }
  ++updates_;
  finish_update();
  found->facts.best_s = best_time_of(states_);
  found->facts.step_s = lap(clock);
  return std::optional(found->facts);
}

void Trainer::finish_update() {
  for (LessonState& state : states_) state.finish_update();
}

void Trainer::undo(Moving before) {
  attempts_.clear();
  rng_ = before.rng;
  baselines_ = std::move(before.baselines);
  evaluations_ = before.evaluations;
}

void Trainer::propose(std::size_t lesson, Search& search, const Proposals& wanted, Rng& rng) {
  constexpr std::uint64_t kAtOnce = 16;
  const Problem& problem = lessons_[lesson].environment->problem();
  Policy& policy = *lessons_[lesson].policy;
  std::uint64_t left = wanted.plans;
  const auto try_plan = [&](const Plan& plan) {
    if (left == 0 || (search.has_best() && search.should_stop())) return;
    --left;
    if (!verify(problem, plan)) search.evaluate(plan);  // a limit on crossings, say, is not the policy's to keep
  };
  const auto try_orders = [&](Plan plan) {
    try_plan(plan);
    if (wanted.plain || plan.priority.empty()) return;
    plan.priority = upward_ranks(problem, plan);
    try_plan(plan);
  };
  if (left == 0) return;
  const Plan likeliest = policy.greedy();
  try_orders(likeliest);
  const std::uint64_t orders = wanted.plain || likeliest.priority.empty() ? 1 : 2;
  Sampling sampling{1, 0, wanted.plain ? 0.0 : policy.proposal_noise()};
  sampling.rising = true;
  while (left > 0 && !search.should_stop()) {
    sampling.placements = static_cast<int>(std::min((left + orders - 1) / orders, kAtOnce));
    const std::unique_ptr<Batch> batch = policy.sample(sampling, rng);
    for (const Plan& plan : batch->plans()) try_orders(plan);
  }
}

TrainState Trainer::state() const {
  const Parameters& parameters = lessons_.front().policy->parameters();
  TrainState state{updates_, evaluations_, parameters.layout(), parameters.values(), adam_.state(), rng_, states_};
  for (std::size_t i = 0; i < states_.size(); ++i) {
    state.lessons[i].baseline = baselines_[i].first.state();
    state.lessons[i].deviation = baselines_[i].second.state();
  }
  return state;
}

void Trainer::restore(TrainState state) {
  updates_ = state.updates;
  evaluations_ = state.evaluations;
  parameters().set_values(state.values);
  adam_.restore(std::move(state.adam));
  rng_ = state.rng;
  states_ = std::move(state.lessons);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    baselines_[i].first.restore(states_[i].baseline);
    baselines_[i].second.restore(states_[i].deviation);
  }
}

}  // namespace berth::learn
