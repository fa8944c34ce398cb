// SPDX-License-Identifier: Apache-2.0
#include "measure/measured_evaluator.h"

#include <algorithm>
#include <tuple>

#include "sim/simulator.h"

namespace berth {
namespace {

void add_times(const Problem& problem, const Plan& plan, const Sample& sample, Score& score) {
  for (std::size_t i = 0; i < sample.ops.size(); ++i) {
    score.devices[index(plan.device(sample.ops[i].op))].busy += to_picoseconds(sample.op_s[i]);
  }
  const Machine& machine = problem.machine();
  for (const TransferSpan& span : sample.transfers) {
    for (const std::uint16_t channel : machine.route(span.from, span.to)) {
      const int queue = machine.channels()[channel].queue;
      if (queue < 0) continue;
      score.queues[static_cast<std::size_t>(queue)].busy += to_picoseconds(std::max(span.end_s - span.start_s, 0.0));
      score.queues[static_cast<std::size_t>(queue)].bytes += span.bytes;
    }
  }
}

// The memory that is most over its capacity, if any is.
void judge_memory(const Problem& problem, Score& score) {
  const Machine& machine = problem.machine();
  const auto judge = [&](Bytes over, DeviceId device, int pool) {
    if (over <= 0 || (score.overflow && score.overflow->over >= over)) return;
    score.overflow = Overflow{.device = device, .pool = pool, .op = kNoOp, .time = 0, .over = over};
  };
  for (const DeviceId device : machine.device_ids()) {
    const int pool = machine.pool_of(device);
    const Bytes peak = score.devices[index(device)].peak;
    if (pool < 0) {
      judge(peak - problem.capacity(device), device, pool);
    } else {
      score.pool_peaks[static_cast<std::size_t>(pool)] += peak;
    }
  }
  for (const DeviceId device : machine.device_ids()) {
    const int pool = machine.pool_of(device);
    if (pool >= 0) judge(score.pool_peaks[static_cast<std::size_t>(pool)] - problem.pool_capacity(pool), device, pool);
  }
  score.feasible = !score.overflow.has_value();
}

// As if the memory of the first device were too small by half: planners know what to do with that.
Score failed_score(const Problem& problem, const Plan& plan) {
  Score score = simulate(problem, plan);
  if (score.feasible) {
    const DeviceId first{};
    const Bytes capacity = std::max<Bytes>(problem.machine().capacity(first), 1);
    score.devices.front().peak = 2 * std::min<Bytes>(capacity, Bytes{1} << 60);
    score.overflow = Overflow{.device = first,
                              .pool = problem.machine().pool_of(first),
                              .op = kNoOp,
                              .time = 0,
                              .over = std::min<Bytes>(capacity, Bytes{1} << 60)};
  }
  score.feasible = false;
  return score;
}

class MeasuredEvaluator final : public Evaluator {
 public:
  explicit MeasuredEvaluator(std::shared_ptr<MeasuredScores> scores) : scores_(std::move(scores)) {}
  using Evaluator::evaluate;
  const Score& evaluate(const Plan& plan) override { return last_ = scores_->score(plan); }

 private:
  std::shared_ptr<MeasuredScores> scores_;
  Score last_;
};

class ScreeningEvaluator final : public Evaluator {
 public:
  ScreeningEvaluator(std::unique_ptr<Evaluator> inner, std::shared_ptr<Shortlist> shortlist)
      : inner_(std::move(inner)), shortlist_(std::move(shortlist)) {}
  const Score& evaluate(const Plan& plan) override {
    const Score& score = inner_->evaluate(plan);
    shortlist_->offer(plan, score);
    return score;
  }
  // What the list wants of a batch is simulated once more: it keeps whole scores.
  const BatchScores& evaluate(const PlanBatch& plans) override {
    const BatchScores& scores = inner_->evaluate(plans);
    Plan plan;
    for (std::size_t i = 0; i < plans.size; ++i) {
      if (!shortlist_->wants(scores.over[i], scores.step_time[i])) continue;
      plans.read(i, plan);
      shortlist_->offer(plan, inner_->evaluate(plan));
    }
    return scores;
  }
  bool likes_whole_batches() override { return inner_->likes_whole_batches(); }
  [[nodiscard]] const BatchUse* batch_use() const override { return inner_->batch_use(); }
  const Score* evaluate_bounded(const Plan& plan, Picoseconds cutoff) override {
    const Score* score = inner_->evaluate_bounded(plan, cutoff);
    if (score != nullptr) shortlist_->offer(plan, *score);
    return score;
  }
  void rebase(const Plan& plan) override { inner_->rebase(plan); }

 private:
  std::unique_ptr<Evaluator> inner_;
  std::shared_ptr<Shortlist> shortlist_;
};

}  // namespace

Score score_of_sample(const Problem& problem, const Plan& plan, const Result<Sample>& sample) {
  if (!sample) return failed_score(problem, plan);
  Score score;
  score.step_time = to_picoseconds(sample->median_s());
  score.devices.resize(problem.machine().num_devices());
  score.pool_peaks.resize(problem.machine().pools().size());
  score.queues.resize(problem.machine().queues().size());
  for (std::size_t i = 0; i < score.devices.size(); ++i) score.devices[i].peak = sample->peak[i];
  add_times(problem, plan, *sample, score);
  judge_memory(problem, score);
  return score;
}

bool MeasuredScores::PlanLess::operator()(const Plan& a, const Plan& b) const {
  return std::tie(a.device_of, a.priority, a.fusions) < std::tie(b.device_of, b.priority, b.fusions);
}

Score MeasuredScores::score(const Plan& plan) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = scores_.find(plan); known != scores_.end()) return known->second.score;
  }
  Entry entry = run(plan);
  const std::lock_guard lock(mutex_);
  return scores_.try_emplace(plan, std::move(entry)).first->second.score;
}

MeasuredScores::Entry MeasuredScores::run(const Plan& plan) {
  const Result<Sample> sample = session_->measure(plan);
  Entry entry{score_of_sample(session_->problem(), plan, sample), {}};
  if (!sample) entry.failure = sample.error().message;
  const std::lock_guard lock(mutex_);
  if (listener_) listener_(sample, entry.score);
  return entry;
}

Score MeasuredScores::confirmed(const Plan& plan) {
  const Score first = score(plan);
  {
    const std::lock_guard lock(mutex_);
    const Entry& entry = scores_.at(plan);
    if (entry.is_confirmed || entry.failure) return first;
  }
  Entry again = run(plan);
  const std::lock_guard lock(mutex_);
  Entry& entry = scores_.at(plan);
  if (!again.failure) entry = std::move(again);
  entry.is_confirmed = true;
  return entry.score;
}

std::optional<std::string> MeasuredScores::failure(const Plan& plan) {
  const std::lock_guard lock(mutex_);
  const auto known = scores_.find(plan);
  return known != scores_.end() ? known->second.failure : std::nullopt;
}

std::unique_ptr<Evaluator> make_measured_evaluator(std::shared_ptr<MeasuredScores> scores) {
  return std::make_unique<MeasuredEvaluator>(std::move(scores));
}

bool Shortlist::wants(Bytes over, Picoseconds step_time) const {
  const std::lock_guard lock(mutex_);
  if (entries_.size() < most_) return true;
  if (entries_.empty()) return false;
  const Score& last = entries_.back().score;
  const Bytes last_over = last.overflow ? last.overflow->over : 0;
  return std::tie(over, step_time) < std::tie(last_over, last.step_time);
}

void Shortlist::offer(const Plan& plan, const Score& score) {
  if (most_ == 0) return;
  const std::lock_guard lock(mutex_);
  if (entries_.size() == most_ && !better(score, entries_.back().score)) return;
  if (std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.plan == plan; })) return;
  if (entries_.size() == most_) entries_.pop_back();
  const auto place = std::ranges::find_if(entries_, [&](const Entry& entry) { return better(score, entry.score); });
  entries_.insert(place, {plan, score});
}

std::vector<Plan> Shortlist::plans() const {
  const std::lock_guard lock(mutex_);
  std::vector<Plan> plans;
  for (const Entry& entry : entries_) plans.push_back(entry.plan);
  return plans;
}

std::unique_ptr<Evaluator> make_screening_evaluator(std::unique_ptr<Evaluator> simulated,
                                                    std::shared_ptr<Shortlist> shortlist) {
  return std::make_unique<ScreeningEvaluator>(std::move(simulated), std::move(shortlist));
}

}  // namespace berth
