// SPDX-License-Identifier: Apache-2.0
#include "learn/placeto/placeto_learner.h"

#include <algorithm>
#include <cmath>

#include "learn/grouping/fixed.h"
#include "learn/placeto/gradients.h"
#include "plan/search/placement.h"

namespace berth::learn {
namespace {

std::size_t steps_of(const PlacetoLesson& lesson, const PlacetoOptions& options) {
  return lesson.graph.size() * static_cast<std::size_t>(options.sweeps);
}

// As the planner `random` does: over the accelerators, as far as a group may be there.
std::vector<std::uint8_t> random_start(const GroupGraph& graph, Rng& rng) {
  const DeviceSet workers = set_of(worker_devices(graph.problem));
  std::vector<std::uint8_t> start(graph.size());
  for (std::size_t group = 0; group < graph.size(); ++group) {
    std::vector<std::uint8_t> some, preferred;
    for (std::size_t device = 0; device < graph.num_devices(); ++device) {
      if (!graph.may_be_on(group, device)) continue;
      some.push_back(static_cast<std::uint8_t>(device));
      if ((workers & device_bit(graph.devices[device])) != 0) preferred.push_back(static_cast<std::uint8_t>(device));
    }
    if (preferred.empty()) preferred = some;
    start[group] = preferred[rng.below(preferred.size())];
  }
  return start;
}

// Everything on the device that does all of it in the least time, as far as it may be there.
std::vector<std::uint8_t> single_start(const GroupGraph& graph) {
  std::size_t best = 0;
  double least = 0.0;
  for (std::size_t device = 0; device < graph.num_devices(); ++device) {
    double sum = 0.0;
    for (std::size_t group = 0; group < graph.size(); ++group)
      sum += static_cast<double>(graph.seconds.at(group, device));
    if (device > 0 && sum >= least) continue;
    least = sum;
    best = device;
  }
  return devices_in(graph, plan_on_one_device(graph.problem, graph.devices[best]));
}

}  // namespace

PlacetoLearner::PlacetoLearner(std::vector<std::unique_ptr<Environment>> environments, Groupings groupings,
                               const PlacetoOptions& options, std::uint64_t seed, at::Device device,
                               Communicator& communicator)
    : options_(options),
      seed_(seed),
      communicator_(communicator),
      parameters_(device),
      states_(environments.size()),
      adam_(0),
      rng_(stream_of(seed, communicator.rank())) {
  std::size_t devices = 0;
  for (std::size_t i = 0; i < environments.size(); ++i) {
    lessons_.push_back(
        std::make_unique<PlacetoLesson>(std::move(environments[i]), std::move(groupings[i]), options, device));
    if (is_decided(i)) devices = lessons_[i]->graph.num_devices();
  }
  if (devices == 0) return;  // nothing to decide
  Rng rng(seed);
  network_ = std::make_unique<PlacetoNetwork>(options, devices, parameters_, rng);
  adam_ = Adam(static_cast<std::size_t>(parameters_.count()));
}

std::uint64_t PlacetoLearner::plans_per_update() const {
  std::uint64_t plans = 0;
  for (const std::size_t lesson : lessons_of_update(lessons_.size(), options_, seed_, updates_))
    plans += 1 + steps_of(*lessons_[lesson], options_) * static_cast<std::uint64_t>(options_.episodes);
  return plans;
}

std::vector<std::uint8_t> PlacetoLearner::start_of(std::size_t lesson, Rng& rng) const {
  const GroupGraph& graph = lessons_[lesson]->graph;
  const FirstPlacement how = options_.first_placement;
  const bool best = how == FirstPlacement::kBest || (how == FirstPlacement::kTurns && updates_ % 2 == 1);
  if (best && states_[lesson].best) return devices_in(graph, states_[lesson].best->plan);
  return how == FirstPlacement::kSingle ? single_start(graph) : random_start(graph, rng);
}

// False if it had to stop.
bool PlacetoLearner::walk(Attempt& attempt, std::uint64_t most, UpdateFacts& facts) {
  PlacetoLesson& lesson = *lessons_[attempt.lesson];
  // All ranks walk from the same start, so that their returns can be compared.
  Rng start_rng(Rng(seed_ + 1).next() + updates_ * lessons_.size() + attempt.lesson);
  EpisodeRun run{.episodes = options_.episodes, .sweeps = options_.sweeps, .most = most};
  run.illegal = {options_.reward.failing_s, false, 1.0};
  if (should_stop_) run.should_stop = [&] { return is_stopped() && !must_find(attempt.lesson); };
  run.on_illegal = on_illegal_;
  run.on_plan = [&](const Plan& plan, const Score& score) {
    states_[attempt.lesson].offer_ahead(plan, score);
    if (on_plan_) on_plan_(attempt.lesson, plan, score);
  };
  Clock::time_point clock = Clock::now();
  std::optional<PlacetoTrace> trace = run_episodes(lesson, *network_, start_of(attempt.lesson, start_rng), run, rng_);
  if (!trace) return false;
  const double elapsed = lap(clock);
  facts.wait_s += trace->wait_s;
  facts.sample_s += trace->network_s;
  facts.prepare_s += elapsed - trace->wait_s - trace->network_s;
  attempt.trace = *std::move(trace);
  for (std::vector<Measurement>& episode : attempt.trace.measured) {
    for (Measurement& measurement : episode) measurement = with_noise(measurement, options_.env_noise, rng_);
  }
  return !is_stopped();
}

// Sums over all ranks of what the facts need.
Status PlacetoLearner::note_facts(Attempt& attempt, const PerEpisode& worth) {
  std::vector<double> sums(6);
  for (std::size_t i = 0; i < worth.size(); ++i) {
    for (std::size_t step = i == 0 ? 0 : 1; step < worth[i].size(); ++step) {  // the start is one plan for all
      const Measurement& measured = attempt.trace.measured[i][step];
      sums[0] += 1.0;
      sums[1] += worth[i][step];
      sums[2] += worth[i][step] * worth[i][step];
      if (!measured.feasible) continue;
      sums[3] += 1.0;
      sums[4] += measured.time_s;
    }
  }
  BERTH_RETURN_IF_ERROR(communicator_.sum(std::span(sums)));
  UpdateFacts& facts = attempt.facts;
  facts.plans = static_cast<int>(sums[0]);
  facts.fitting = static_cast<int>(sums[3]);
  facts.mean_reward = sums[1] / sums[0];
  facts.reward_deviation = std::sqrt(std::max(sums[2] / sums[0] - facts.mean_reward * facts.mean_reward, 0.0));
  facts.mean_time_s = sums[3] > 0.0 ? sums[4] / sums[3] : 0.0;
  facts.entropies.placing = attempt.trace.entropy;
  facts.entropies.most_placing = attempt.trace.most_entropy;
  facts.used_groups = static_cast<double>(lessons_[attempt.lesson]->graph.size());
  return {};
}

Status PlacetoLearner::weigh(Attempt& attempt) {
  PerEpisode worth;
  for (const std::vector<Measurement>& episode : attempt.trace.measured) {
    std::vector<double>& row = worth.emplace_back();
    for (const Measurement& measurement : episode) row.push_back(reward_of(options_.reward, measurement));
  }
  BERTH_RETURN_IF_ERROR(note_facts(attempt, worth));
  attempt.weights = returns_of(worth, options_.returns, options_.discount);
  double spread = 0.0;
  BERTH_RETURN_IF_ERROR(subtract_others(attempt.weights, communicator_, spread));
  LessonState& state = states_[attempt.lesson];
  UpdateFacts& facts = attempt.facts;
  Baseline mean(options_.baseline_decay), usual(options_.baseline_decay);
  mean.restore(state.baseline);
  usual.restore(state.deviation);
  facts.baseline = mean.value(facts.mean_reward);
  // Never so small that chance would count for everything.
  const double scale = std::max(usual.value(spread), 1e-4 * std::abs(facts.mean_reward)) + 1e-12;
  mean.add(facts.mean_reward);
  usual.add(spread);
  state.baseline = mean.state();
  state.deviation = usual.state();
  evaluations_ += static_cast<std::uint64_t>(facts.plans);
  if (!options_.scale_advantage) return {};
  for (std::vector<double>& row : attempt.weights) {
    for (double& weight : row) weight /= scale;
  }
  return {};
}

// The mean over decisions; the sum over ranks and lessons is a mean as well.
void PlacetoLearner::push_back(const Attempt& attempt, double share) {
  const double decisions = static_cast<double>(attempt.trace.steps.size() * attempt.weights.size());
  const double each = share / (std::max(decisions, 1.0) * communicator_.size());
  PerEpisode weights = attempt.weights;
  for (std::vector<double>& row : weights) {
    for (double& weight : row) weight *= each;
  }
  add_gradients(*lessons_[attempt.lesson], *network_, attempt.trace, weights,
                entropy_weight_at(options_, updates_) * each, options_.ratio_clip, parameters_.device());
}

// False if it was stopped, or was not allowed enough plans.
Result<bool> PlacetoLearner::try_all(std::vector<Attempt>& attempts, std::uint64_t most, UpdateFacts& facts) {
  const bool cut = most > 0 && most < plans_per_update();
  std::vector<const UpdateFacts*> of_lessons;
  for (Attempt& attempt : attempts) {
    const bool is_over = is_stopped() && !must_find(attempt.lesson);
    if (is_over || !walk(attempt, cut ? most : 0, facts) || cut) return false;
    BERTH_RETURN_IF_ERROR(weigh(attempt));
    of_lessons.push_back(&attempt.facts);
  }
  if (!attempts.empty()) combine(of_lessons, facts);
  facts.evaluations = evaluations_;
  return true;
}

Status PlacetoLearner::learn(const std::vector<Attempt>& attempts, UpdateFacts& facts) {
  for (int epoch = 0; epoch < options_.epochs; ++epoch) {
    Clock::time_point clock = Clock::now();
    parameters_.clear_gradients();
    for (const Attempt& attempt : attempts) push_back(attempt, 1.0 / static_cast<double>(attempts.size()));
    facts.gradient_s += lap(clock);
    std::vector<float> gradients = parameters_.gradients();
    BERTH_RETURN_IF_ERROR(communicator_.sum(std::span(gradients)));
    std::vector<float> values = parameters_.values();
    facts.gradient_norm = adam_.step(values, gradients, facts.rate, options_.clip);
    if (!std::isfinite(facts.gradient_norm)) {
      return bad_input("the gradients of update {} are not finite (train anew with --option rate={})", updates_ + 1,
                       facts.rate / 10);
    }
    parameters_.set_values(values);
    facts.step_s += lap(clock);
  }
  return {};
}

Result<std::optional<UpdateFacts>> PlacetoLearner::update(std::uint64_t most) {
  TrainState before = state();
  const auto undo = [&] {  // all but the plans that were found
    for (std::size_t i = 0; i < states_.size(); ++i) before.lessons[i].ahead = std::move(states_[i].ahead);
    restore(std::move(before));
  };
  UpdateFacts facts;
  facts.update = updates_ + 1;
  facts.rate = rate_at(options_, updates_);
  std::vector<Attempt> attempts;
  for (const std::size_t lesson : lessons_of_update(lessons_.size(), options_, seed_, updates_)) {
    if (is_decided(lesson)) attempts.emplace_back().lesson = lesson;
  }
  const Result<bool> tried = try_all(attempts, most, facts);
  if (!tried || !*tried) {
    undo();
    if (!tried) return tried.error();
    return std::optional<UpdateFacts>();
  }
  if (const Status learned = learn(attempts, facts); !learned) {
    undo();
    return learned.error();
  }
  ++updates_;
  for (LessonState& lesson : states_) lesson.finish_update();
  facts.best_s = best_time_of(states_);
  return std::optional(facts);
}

void PlacetoLearner::propose(std::size_t lesson, Search& search, const Proposals& wanted, Rng& rng) {
  if (wanted.plans == 0 || !is_decided(lesson)) return;
  constexpr int kAtOnce = 8;
  const std::uint64_t sweep = 1 + steps_of(*lessons_[lesson], options_);
  std::uint64_t left = std::max(wanted.plans, sweep);
  bool first = true;
  while (left > 0 && (first || !search.should_stop())) {
    const std::uint64_t before = search.evaluations();
    EpisodeRun run{.episodes = first ? 1 : kAtOnce, .sweeps = options_.sweeps, .greedy = first, .most = left};
    run.should_stop = [&] { return search.has_best() && search.should_stop(); };
    run.on_plan = [&](const Plan& plan, const Score& score) { search.add(plan, score); };
    run.on_illegal = [&] { search.count_evaluations(1); };
    run_episodes(*lessons_[lesson], *network_, start_of(lesson, rng), run, rng);
    first = false;
    left -= std::min(left, search.evaluations() - before);
    if (search.evaluations() == before) return;  // stopped before anything was judged
  }
}

Beliefs PlacetoLearner::beliefs(std::size_t lesson_number) {
  const at::NoGradGuard guard;
  PlacetoLesson& lesson = *lessons_[lesson_number];
  const GroupGraph& graph = lesson.graph;
  Rng rng(seed_);
  std::vector<std::uint8_t> devices = start_of(lesson_number, rng);
  if (!is_decided(lesson_number)) {
    return make_beliefs(graph.problem, graph.devices, {}, at::zeros({0}), plan_of(graph, devices));
  }
  const EpisodeRun run{.episodes = 1, .sweeps = options_.sweeps, .greedy = true};
  const PlacetoTrace trace = run_episodes(lesson, *network_, devices, run, rng).value();
  std::vector<Tensor> chances(graph.size());
  for (const PlacetoStep& step : trace.steps) {
    const PlacetoBatch batch = batch_of(lesson, std::span(&step, 1), parameters_.device());
    chances[step.turn] = network_->log_probabilities(lesson.network, batch.input).exp().squeeze(0);
    devices[step.turn] = static_cast<std::uint8_t>(step.chosen.front());
  }
  return make_beliefs(graph.problem, graph.devices, graph.ops, at::stack(chances), plan_of(graph, devices));
}

TrainState PlacetoLearner::state() const {
  return {updates_, evaluations_, parameters_.layout(), parameters_.values(), adam_.state(), rng_, states_};
}

void PlacetoLearner::restore(TrainState state) {
  updates_ = state.updates;
  evaluations_ = state.evaluations;
  parameters_.set_values(state.values);
  adam_.restore(std::move(state.adam));
  rng_ = state.rng;
  states_ = std::move(state.lessons);
}

Result<std::unique_ptr<PlacetoLearner>> make_placeto(std::vector<std::unique_ptr<Environment>> environments,
                                                     const PlacetoOptions& options, std::uint64_t seed,
                                                     at::Device device, Communicator& communicator) {
  PlacetoLearner::Groupings groupings;
  std::size_t devices = 0;
  for (const std::unique_ptr<Environment>& environment : environments) {
    const Problem& problem = environment->problem();
    BERTH_TRY(Grouping grouping,
              fixed_grouping(problem, options.grouping, usual_groups(problem, options.groups), seed));
    groupings.push_back(std::move(grouping));
    const std::size_t here = problem.machine().num_devices();
    if (devices != 0 && devices != here && options.device_head == DeviceHead::kFixed) {
      return bad_input(
          "device-head=fixed is for one machine; these have {} and {} devices (device-head=scored is for any)", devices,
          here);
    }
    devices = here;
  }
  return std::make_unique<PlacetoLearner>(std::move(environments), std::move(groupings), options, seed, device,
                                          communicator);
}

}  // namespace berth::learn
