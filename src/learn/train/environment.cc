// SPDX-License-Identifier: Apache-2.0
#include "learn/train/environment.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "sim/evaluator.h"

namespace berth::learn {
namespace {

constexpr auto kLook = std::chrono::milliseconds(20);  // how often it is asked whether to stop

class SimulatedEnvironment final : public Environment {
 public:
  SimulatedEnvironment(const Problem& problem, int threads) : problem_(problem) {
    for (int i = 0; i < std::max(threads, 1); ++i) threads_.emplace_back([this] { work(); });
  }
  ~SimulatedEnvironment() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  SimulatedEnvironment(const SimulatedEnvironment&) = delete;
  SimulatedEnvironment& operator=(const SimulatedEnvironment&) = delete;

  [[nodiscard]] const Problem& problem() const override { return problem_; }

  void submit(Plan plan) override {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back({std::move(plan), {}, {}});
    }
    wake_.notify_one();
  }

  std::vector<Score> collect(const std::function<bool()>& should_stop) override {
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, kLook, [&] { return finished_ == jobs_.size(); })) {
      if (should_stop && should_stop()) jobs_.resize(taken_);  // those that were begun are waited for
    }
    std::vector<Score> scores;
    scores.reserve(jobs_.size());
    times_.clear();
    for (Job& job : jobs_) {
      scores.push_back(std::move(job.score));
      if (keeps_times_) times_.push_back(std::move(job.times));
    }
    jobs_.clear();
    taken_ = finished_ = 0;
    return scores;
  }

  void keep_times() override {
    const std::lock_guard lock(mutex_);
    keeps_times_ = true;
  }
  std::vector<OpTimes> take_times() override { return std::move(times_); }

 private:
  struct Job {
    Plan plan;
    Score score;
    OpTimes times;
  };

  // What a thread measures with, made with the first plan: on a large graph it takes a while.
  class Measure {
   public:
    explicit Measure(const Problem& problem) : problem_(problem) {}
    void operator()(Job& job, bool with_times) {
      if (with_times && problem_.objective() == Objective::kStep) {
        if (!timed_) timed_ = std::make_unique<TimedSimulator>(problem_);
        job.score = timed_->run(job.plan, job.times);
        return;
      }
      if (!evaluator_) evaluator_ = make_single_evaluator(problem_);
      job.score = evaluator_->evaluate(job.plan);
    }

   private:
    const Problem& problem_;
    std::unique_ptr<Evaluator> evaluator_;
    std::unique_ptr<TimedSimulator> timed_;
  };

  // Takes plans in the order of submission until the end. A job stays where it is while others are added: a deque moves
  // nothing when it grows.
  void work() {
    Measure measure(problem_);
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return stopping_ || taken_ < jobs_.size(); });
      if (stopping_) return;
      Job& job = jobs_[taken_++];
      const bool with_times = keeps_times_;
      lock.unlock();
      measure(job, with_times);
      lock.lock();
      if (++finished_ == jobs_.size()) done_.notify_all();
    }
  }

  const Problem& problem_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<Job> jobs_;  // since the last collect()
  std::size_t taken_ = 0, finished_ = 0;
  bool stopping_ = false, keeps_times_ = false;
  std::vector<OpTimes> times_;  // of the plans of the last collect()
  std::vector<std::thread> threads_;
};

// Plans wait until they are collected: a GPU wants them all at once. Times of ops it does not know.
class BatchEnvironment final : public Environment {
 public:
  BatchEnvironment(const Problem& problem, int threads)
      : problem_(problem), evaluator_(make_simulated_evaluator(problem, threads, SimulateOn::kCuda)) {}

  [[nodiscard]] const Problem& problem() const override { return problem_; }
  void submit(Plan plan) override { plans_.push_back(std::move(plan)); }
  std::vector<Score> collect(const std::function<bool()>& /*should_stop*/) override {
    batch_.clear();
    for (const Plan& plan : plans_) batch_.add(plan);
    const BatchScores& scores = evaluator_->evaluate(batch_.batch());
    std::vector<Score> all;
    all.reserve(plans_.size());
    for (std::size_t i = 0; i < plans_.size(); ++i) all.push_back(score_of(scores, i));
    plans_.clear();
    return all;
  }

 private:
  // What somebody might keep as the best plan is simulated once more, for its whole score.
  Score score_of(const BatchScores& scores, std::size_t i) {
    const std::pair value(scores.over[i], scores.step_time[i]);
    if (!best_ || value < *best_) {
      best_ = value;
      return evaluator_->evaluate(plans_[i]);
    }
    Score score;
    score.step_time = scores.step_time[i];
    score.feasible = scores.feasible(i);
    if (!score.feasible) score.overflow = Overflow{.over = scores.over[i]};
    const std::size_t devices = problem_.machine().num_devices();
    const Bytes* peaks = scores.peaks.data() + i * scores.num_places;
    for (std::size_t device = 0; device < devices; ++device) score.devices.push_back({.peak = peaks[device]});
    score.pool_peaks.assign(peaks + devices, peaks + scores.num_places);
    return score;
  }

  const Problem& problem_;
  std::unique_ptr<Evaluator> evaluator_;
  std::vector<Plan> plans_;  // since the last collect()
  GatheredPlans batch_;
  std::optional<std::pair<Bytes, Picoseconds>> best_;
};

double share_over(Bytes peak, Bytes capacity) {
  return static_cast<double>(peak - capacity) / static_cast<double>(std::max<Bytes>(capacity, 1));
}

// Of the fullest memory, pools as one.
double overflow_of(const Problem& problem, const Score& score) {
  double most = 0.0;
  for (const DeviceId device : problem.machine().device_ids()) {
    if (problem.machine().pool_of(device) >= 0) continue;
    most = std::max(most, share_over(score.devices[index(device)].peak, problem.capacity(device)));
  }
  for (std::size_t pool = 0; pool < score.pool_peaks.size(); ++pool)
    most = std::max(most, share_over(score.pool_peaks[pool], problem.pool_capacity(static_cast<int>(pool))));
  return most;
}

}  // namespace

std::unique_ptr<Environment> make_simulated_environment(const Problem& problem, int threads, SimulateOn on) {
  if (on == SimulateOn::kCuda) return std::make_unique<BatchEnvironment>(problem, threads);
  return std::make_unique<SimulatedEnvironment>(problem, threads);
}

Measurement measurement_of(const Problem& problem, const Score& score) {
  return {to_seconds(score.step_time), score.feasible, score.feasible ? 0.0 : overflow_of(problem, score)};
}

Measurement with_noise(Measurement measurement, double noise, Rng& rng) {
  if (noise > 0.0) measurement.time_s *= std::exp(noise * rng.normal());
  return measurement;
}

}  // namespace berth::learn
