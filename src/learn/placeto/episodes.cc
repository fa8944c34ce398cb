// SPDX-License-Identifier: Apache-2.0
#include "learn/placeto/episodes.h"

#include <algorithm>
#include <cmath>

#include "learn/train/learner.h"
#include "plan/search/placement.h"

namespace berth::learn {
namespace {

constexpr float kNever = -1e9F;  // added to the logit of a device that a group may not be on

struct Episode {
  Moment moment;
  Plan plan;
  Score score;
  bool legal = true;
};

// When groups began and ended, as shares of the step.
void read_times(const GroupGraph& graph, const Plan& plan, const Score& score, const OpTimes& times, Moment& moment) {
  moment.start.assign(graph.size(), 0.0F);
  moment.end.assign(graph.size(), 0.0F);
  if (times.end.empty() || score.step_time <= 0) return;
  const double scale = 1.0 / static_cast<double>(score.step_time);
  for (std::size_t group = 0; group < graph.size(); ++group) {
    Picoseconds first = score.step_time, last = 0;
    for (const OpId op : graph.ops[group]) {
      const Picoseconds end = times.end[index(op)];
      first = std::min(first, end - graph.problem.duration(op, plan.device(op)));
      last = std::max(last, end);
    }
    moment.start[group] = static_cast<float>(static_cast<double>(first) * scale);
    moment.end[group] = static_cast<float>(static_cast<double>(last) * scale);
  }
}

class Walk {
 public:
  Walk(PlacetoLesson& lesson, const PlacetoNetwork& network, const EpisodeRun& run, Rng& rng)
      : lesson_(lesson), network_(network), run_(run), rng_(rng), limited_(has_limits(lesson.graph.problem)) {}

  std::optional<PlacetoTrace> from(const std::vector<std::uint8_t>& start) {
    const GroupGraph& graph = lesson_.graph;
    if (!begin(start)) return std::nullopt;
    std::vector<float> done(graph.size());
    for (int sweep = 0; sweep < run_.sweeps; ++sweep) {
      for (std::size_t turn = 0; turn < graph.size(); ++turn) {
        if (!step(turn, done)) return std::nullopt;
        done[turn] += 1.0F / static_cast<float>(run_.sweeps);
      }
    }
    const auto decisions = static_cast<double>(std::max<std::size_t>(trace_.steps.size(), 1) * episodes_.size());
    trace_.entropy /= decisions;
    trace_.most_entropy /= decisions;
    return std::move(trace_);
  }

 private:
  // All episodes share their start, which is judged once.
  bool begin(const std::vector<std::uint8_t>& start) {
    Episode first;
    first.moment = {start, std::vector<float>(start.size()), std::vector<float>(start.size())};
    first.plan = plan_of(lesson_.graph, start);
    episodes_.push_back(std::move(first));
    if (!judge({true})) return false;
    episodes_.resize(static_cast<std::size_t>(run_.episodes), episodes_.front());
    trace_.measured.resize(episodes_.size(), trace_.measured.front());
    return true;
  }

  bool step(std::size_t turn, const std::vector<float>& done) {
    PlacetoStep step = look(turn, done);
    decide(step);
    std::vector<bool> moved(episodes_.size());
    for (std::size_t i = 0; i < episodes_.size(); ++i) {
      const auto device = static_cast<std::uint8_t>(step.chosen[i]);
      std::uint8_t& now = episodes_[i].moment.device_of[turn];
      moved[i] = now != device;
      if (!moved[i]) continue;
      now = device;
      move_group(lesson_.graph, turn, device, episodes_[i].plan);
    }
    trace_.steps.push_back(std::move(step));
    return judge(moved);
  }

  [[nodiscard]] PlacetoStep look(std::size_t turn, const std::vector<float>& done) const {
    const std::size_t width = lesson_.graph.num_devices() * StateFeatures::pair_width();
    PlacetoStep step;
    step.turn = turn;
    step.done = done;
    step.pairs.resize(episodes_.size() * width);
    const std::vector<Reach::Kin> kin = lesson_.graph.reach.kin_of(turn);
    for (std::size_t i = 0; i < episodes_.size(); ++i) {
      const Moment& moment = episodes_[i].moment;
      lesson_.features.pairs(moment, kin, turn, &step.pairs[i * width]);
      step.seen.push_back({moment.device_of, moment.start, {}});
    }
    return step;
  }

  // Draws a device for every episode.
  void decide(PlacetoStep& step) {
    Clock::time_point clock = Clock::now();
    const at::NoGradGuard guard;
    step.chosen.assign(episodes_.size(), 0);
    const at::Device device = lesson_.network.from_earlier.device();
    const PlacetoBatch batch = batch_of(lesson_, std::span(&step, 1), device);
    const std::vector<float> logs = floats_of(network_.log_probabilities(lesson_.network, batch.input));
    const std::size_t devices = lesson_.graph.num_devices();
    std::vector<float> then;
    for (std::size_t i = 0; i < episodes_.size(); ++i) {
      const std::span<const float> row(&logs[i * devices], devices);
      const std::size_t chosen = choose(i, step.turn, row);
      step.chosen[i] = static_cast<std::int64_t>(chosen);
      then.push_back(row[chosen]);
      add_entropy(step.turn, row);
    }
    step.log_then = tensor_of(then, {static_cast<std::int64_t>(then.size())});
    trace_.network_s += lap(clock);
  }

  std::size_t choose(std::size_t episode, std::size_t turn, std::span<const float> row) {
    if (!run_.forced.empty()) return static_cast<std::size_t>(run_.forced[episode][trace_.steps.size()]);
    if (run_.greedy) return static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    return drawn(turn, row);
  }

  std::size_t drawn(std::size_t turn, std::span<const float> row) {
    double left = rng_.uniform();
    std::size_t last = 0;
    for (std::size_t device = 0; device < row.size(); ++device) {
      if (!lesson_.graph.may_be_on(turn, device)) continue;
      last = device;
      if ((left -= std::exp(static_cast<double>(row[device]))) < 0.0) break;
    }
    return last;
  }

  void add_entropy(std::size_t turn, std::span<const float> row) {
    double choices = 0.0;
    for (std::size_t device = 0; device < row.size(); ++device) {
      if (!lesson_.graph.may_be_on(turn, device)) continue;
      choices += 1.0;
      trace_.entropy -= std::exp(static_cast<double>(row[device])) * static_cast<double>(row[device]);
    }
    trace_.most_entropy += std::log(choices);
  }

  // Measures the plans that changed; those of the others are known, and count as judged again. False if it has to stop.
  bool judge(const std::vector<bool>& changed) {
    if (run_.should_stop && run_.should_stop()) return false;
    const std::size_t allowed =
        run_.most == 0 ? episodes_.size() : std::min<std::uint64_t>(run_.most - judged_, episodes_.size());
    Clock::time_point clock = Clock::now();
    const Problem& problem = lesson_.graph.problem;
    std::vector<std::size_t> submitted;
    for (std::size_t i = 0; i < allowed; ++i) {
      if (!changed[i]) continue;
      // A limit on crossings, say, is not the policy's to keep: such a plan fails.
      episodes_[i].legal = !limited_ || !verify(problem, episodes_[i].plan);
      if (!episodes_[i].legal) continue;
      lesson_.environment->submit(episodes_[i].plan);
      submitted.push_back(i);
    }
    std::vector<Score> scores = lesson_.environment->collect(run_.should_stop);
    const std::vector<OpTimes> times = lesson_.environment->take_times();
    trace_.wait_s += lap(clock);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      Episode& episode = episodes_[submitted[k]];
      episode.score = std::move(scores[k]);
      read_times(lesson_.graph, episode.plan, episode.score, times.empty() ? OpTimes() : times[k], episode.moment);
    }
    return note(scores.size() < submitted.size() ? submitted[scores.size()] : allowed);
  }

  // Takes the first so many episodes' plans into account. Whether that is all of them.
  bool note(std::size_t count) {
    trace_.measured.resize(episodes_.size());
    for (std::size_t i = 0; i < count; ++i) {
      const Episode& episode = episodes_[i];
      ++judged_;
      if (!episode.legal) {
        trace_.measured[i].push_back(run_.illegal);
        if (run_.on_illegal) run_.on_illegal();
        continue;
      }
      trace_.measured[i].push_back(measurement_of(lesson_.graph.problem, episode.score));
      if (run_.on_plan) run_.on_plan(episode.plan, episode.score);
    }
    return count == episodes_.size() && (run_.most == 0 || judged_ < run_.most);
  }

  PlacetoLesson& lesson_;
  const PlacetoNetwork& network_;
  const EpisodeRun& run_;
  Rng& rng_;
  bool limited_;
  std::vector<Episode> episodes_;
  PlacetoTrace trace_;
  std::uint64_t judged_ = 0;
};

}  // namespace

PlacetoLesson::PlacetoLesson(std::unique_ptr<Environment> measured_by, Grouping grouping, const PlacetoOptions& options,
                             at::Device device)
    : environment(std::move(measured_by)),
      graph(environment->problem(), std::move(grouping)),
      features(graph, options),
      network(graph, options, device) {
  environment->keep_times();
}

std::optional<PlacetoTrace> run_episodes(PlacetoLesson& lesson, const PlacetoNetwork& network,
                                         const std::vector<std::uint8_t>& start, const EpisodeRun& run, Rng& rng) {
  return Walk(lesson, network, run, rng).from(start);
}

PlacetoBatch batch_of(const PlacetoLesson& lesson, std::span<const PlacetoStep> steps, at::Device device) {
  const GroupGraph& graph = lesson.graph;
  const std::size_t episodes = steps.front().seen.size(), columns = steps.size() * episodes;
  const std::size_t width = lesson.features.group_width(), devices = graph.num_devices();
  std::vector<float> groups(graph.size() * columns * width), pairs, offset(columns * devices);
  std::array<std::vector<float>, 3> pools;
  for (auto& pool : pools) pool.resize(graph.size() * columns);
  std::vector<std::int64_t> turn, chosen;
  std::vector<Tensor> then;
  std::size_t column = 0;
  for (const PlacetoStep& step : steps) {
    const std::vector<Reach::Kin> kin = graph.reach.kin_of(step.turn);
    pairs.insert(pairs.end(), step.pairs.begin(), step.pairs.end());
    chosen.insert(chosen.end(), step.chosen.begin(), step.chosen.end());
    if (step.log_then.defined()) then.push_back(step.log_then);
    for (std::size_t i = 0; i < episodes; ++i, ++column) {
      lesson.features.groups(step.seen[i].device_of, step.seen[i].start, step.done, step.turn, &groups[column * width],
                             columns);
      for (std::size_t group = 0; group < graph.size(); ++group) {
        if (kin[group] == Reach::Kin::kSelf) continue;
        pools[static_cast<std::size_t>(kin[group]) - 1][group * columns + column] = 1.0F;
      }
      turn.push_back(static_cast<std::int64_t>(step.turn * columns + column));
      for (std::size_t d = 0; d < devices; ++d)
        offset[column * devices + d] = graph.may_be_on(step.turn, d) ? lesson.features.prior()[d] : kNever;
    }
  }
  const auto n = static_cast<std::int64_t>(graph.size()), c = static_cast<std::int64_t>(columns);
  const auto d = static_cast<std::int64_t>(devices);
  PlacetoBatch batch;
  NetworkInput& input = batch.input;
  input.columns = c;
  input.groups = tensor_of(groups, {n * c, static_cast<std::int64_t>(width)}).to(device);
  for (std::size_t i = 0; i < pools.size(); ++i) input.pools[i] = tensor_of(pools[i], {n, c, 1}).to(device);
  input.turn = tensor_of(turn, {c}).to(device);
  input.pairs = tensor_of(pairs, {c, d, static_cast<std::int64_t>(StateFeatures::pair_width())}).to(device);
  input.offset = tensor_of(offset, {c, d}).to(device);
  batch.chosen = tensor_of(chosen, {c, 1}).to(device);
  if (!then.empty()) batch.log_then = at::cat(then).to(device);
  return batch;
}

}  // namespace berth::learn
