// SPDX-License-Identifier: Apache-2.0
#include "sim/pipeline.h"

#include <algorithm>
#include <optional>

#include "base/thread_pool.h"
#include "machine/device_set.h"

namespace berth {
namespace {

DeviceId nearest_device(const Problem& problem, DeviceId device) {
  constexpr Bytes kProbe = Bytes{1} << 20;
  DeviceId nearest = kNoDevice;
  Picoseconds least = 0;
  for (const DeviceId other : problem.machine().device_ids()) {
    if (other == device) continue;
    const Picoseconds time = route_time(problem, kProbe, problem.machine().route(device, other));
    if (nearest != kNoDevice && time >= least) continue;
    nearest = other;
    least = time;
  }
  return nearest;
}

// Adds up one plan; keeps its vectors between plans.
class PipelineScorer {
 public:
  explicit PipelineScorer(const Problem& problem) : problem_(problem), routes_(problem) {}

  const Score& run(const Plan& plan) {
    const Machine& machine = problem_.machine();
    transfers_.assign(machine.num_devices(), 0);
    score_.devices.assign(machine.num_devices(), {});
    score_.pool_peaks.assign(machine.pools().size(), 0);
    score_.queues.assign(machine.queues().size(), {});
    add_ops(plan);
    for (const TensorId tensor : problem_.graph().tensors()) add_tensor(plan, tensor);
    score_.step_time = 0;
    for (const DeviceId id : machine.device_ids()) {
      const Picoseconds lanes = machine.device(id).lanes;
      const Picoseconds load = (score_.devices[index(id)].busy + lanes - 1) / lanes + transfers_[index(id)];
      score_.step_time = std::max(score_.step_time, load);
    }
    judge_memory();
    return score_;
  }

 private:
  void add_ops(const Plan& plan) {
    for (const OpId op : problem_.graph().ops()) {
      const DeviceId device = plan.device(op);
      const Bytes bytes = problem_.resident_bytes(op);
      score_.devices[index(device)].busy += problem_.duration(op, device);
      score_.devices[index(device)].peak += bytes;
      if (const int pool = problem_.machine().pool_of(device); pool >= 0)
        score_.pool_peaks[static_cast<std::size_t>(pool)] += bytes;
    }
  }

  void add_tensor(const Plan& plan, TensorId tensor) {
    const DeviceId home = plan.device(problem_.graph().producer(tensor));
    DeviceSet others = 0;
    for (const OpId consumer : problem_.graph().consumers(tensor)) others |= device_bit(plan.device(consumer));
    others &= ~device_bit(home);
    if (others == 0) return;
    transfers_[index(home)] += carry(tensor, routes_.out(home));
    for (; others != 0; others &= others - 1) {
      const DeviceId device = lowest_device(others);
      transfers_[index(device)] += carry(tensor, routes_.in(device));
    }
  }

  Picoseconds carry(TensorId tensor, std::span<const std::uint16_t> route) {
    const Bytes bytes = problem_.graph().bytes(tensor);
    Picoseconds sum = 0;
    for (const std::uint16_t channel : route) {
      const Picoseconds time = problem_.transfer_time(bytes, channel);
      const int queue = problem_.machine().channels()[channel].queue;
      sum += time;
      if (queue < 0 || time == 0) continue;
      score_.queues[static_cast<std::size_t>(queue)].busy += time;
      score_.queues[static_cast<std::size_t>(queue)].bytes += bytes;
    }
    return sum;
  }

  void judge_memory() {
    score_.overflow.reset();
    const auto judge = [&](Bytes over, DeviceId device, int pool) {
      if (over > 0 && (!score_.overflow || over > score_.overflow->over))
        score_.overflow = Overflow{device, pool, kNoOp, 0, over};
    };
    const Machine& machine = problem_.machine();
    for (const DeviceId id : machine.device_ids()) {
      const int pool = machine.pool_of(id);
      const Bytes held = pool < 0 ? score_.devices[index(id)].peak : score_.pool_peaks[static_cast<std::size_t>(pool)];
      judge(held - problem_.capacity(id), id, pool);
    }
    score_.feasible = !score_.overflow.has_value();
  }

  const Problem& problem_;
  const HostRoutes routes_;
  std::vector<Picoseconds> transfers_;
  Score score_;
};

class PipelineEvaluator final : public Evaluator {
 public:
  PipelineEvaluator(const Problem& problem, int threads) : problem_(problem), num_threads_(threads) {
    scorers_.emplace_back(problem);
  }

  const Score& evaluate(const Plan& plan) override { return scorers_.front().run(plan); }

  std::span<const Score> evaluate(std::span<const Plan> plans) override {
    if (scores_.size() < plans.size()) scores_.resize(plans.size());
    if (!pool_) start_threads();
    pool_->for_each(plans.size(), [&](std::size_t i, int worker) {
      scores_[i] = scorers_[static_cast<std::size_t>(worker)].run(plans[i]);
    });
    return std::span<const Score>(scores_).first(plans.size());
  }

 private:
  void start_threads() {
    pool_.emplace(num_threads_);
    while (scorers_.size() < static_cast<std::size_t>(pool_->size())) scorers_.emplace_back(problem_);
  }

  const Problem& problem_;
  int num_threads_;
  std::optional<ThreadPool> pool_;
  std::vector<PipelineScorer> scorers_;
  std::vector<Score> scores_;
};

}  // namespace

Picoseconds route_time(const Problem& problem, Bytes bytes, std::span<const std::uint16_t> route) {
  Picoseconds sum = 0;
  for (const std::uint16_t channel : route) sum += problem.transfer_time(bytes, channel);
  return sum;
}

HostRoutes::HostRoutes(const Problem& problem) : problem_(problem) {
  const Machine& machine = problem.machine();
  const std::optional<DeviceId> host = machine.first_of(DeviceKind::kCpu);
  for (const DeviceId id : machine.device_ids()) {
    if (machine.device(id).kind == DeviceKind::kCpu) {
      partner_.push_back(kNoDevice);
    } else {
      partner_.push_back(host ? *host : nearest_device(problem, id));
    }
  }
}

std::span<const std::uint16_t> HostRoutes::out(DeviceId device) const {
  const DeviceId partner = partner_[index(device)];
  if (partner == kNoDevice) return {};
  return problem_.machine().route(device, partner);
}

std::span<const std::uint16_t> HostRoutes::in(DeviceId device) const {
  const DeviceId partner = partner_[index(device)];
  if (partner == kNoDevice) return {};
  return problem_.machine().route(partner, device);
}

Score pipeline_score(const Problem& problem, const Plan& plan) { return PipelineScorer(problem).run(plan); }

std::unique_ptr<Evaluator> make_pipeline_evaluator(const Problem& problem, int threads) {
  return std::make_unique<PipelineEvaluator>(problem, threads);
}

}  // namespace berth
