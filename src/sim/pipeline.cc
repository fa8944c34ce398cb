// SPDX-License-Identifier: Apache-2.0
#include "sim/pipeline.h"

#include <algorithm>
#include <optional>

#include "machine/device_set.h"

namespace berth {
namespace {

// Adds up one plan; keeps its vectors between plans.
class PipelineScorer {
 public:
  explicit PipelineScorer(const Problem& problem) : problem_(problem), ways_(problem) {}

  const Score& run(const Plan& plan) {
    const Machine& machine = problem_.machine();
    transfers_.assign(machine.num_devices(), 0);
    score_.devices.assign(machine.num_devices(), {});
    score_.pool_peaks.assign(machine.pools().size(), 0);
    score_.queues.assign(machine.queues().size(), {});
    add_ops(plan);
    for (const TensorId tensor : problem_.graph().tensors()) add_tensor(plan, tensor);
    find_loads();
    score_.step_time = load_.largest();
    judge_memory();
    return score_;
  }
  [[nodiscard]] const PipelineLoad& load() const { return load_; }

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
    const DeviceSet direct = others & ways_.direct(home), by_host = others & ~direct;
    for (DeviceSet rest = direct; rest != 0; rest &= rest - 1) {
      const DeviceId device = lowest_device(rest);
      const Picoseconds time = carry(tensor, ways_.between(home, device));
      transfers_[index(home)] += time;
      transfers_[index(device)] += time;
    }
    if (by_host != 0) transfers_[index(home)] += carry(tensor, ways_.to_host(home));
    for (DeviceSet rest = by_host; rest != 0; rest &= rest - 1) {
      const DeviceId device = lowest_device(rest);
      transfers_[index(device)] += carry(tensor, ways_.from_host(device));
    }
  }

  Picoseconds carry(TensorId tensor, PipelineWays::Route route) {
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

  void find_loads() {
    const Machine& machine = problem_.machine();
    load_ = {};
    load_.transfers = transfers_;
    Picoseconds largest = -1;
    for (const DeviceId id : machine.device_ids()) {
      const Picoseconds lanes = machine.device(id).lanes;
      load_.devices.push_back((score_.devices[index(id)].busy + lanes - 1) / lanes + transfers_[index(id)]);
      if (load_.devices.back() <= largest) continue;
      load_.limit = id;
      largest = load_.devices.back();
    }
    for (std::size_t queue = 0; queue < score_.queues.size(); ++queue) {
      load_.queues.push_back(score_.queues[queue].busy);
      if (load_.queues.back() <= largest) continue;
      load_.limiting_queue = static_cast<int>(queue);
      largest = load_.queues.back();
    }
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
  const PipelineWays ways_;
  std::vector<Picoseconds> transfers_;
  PipelineLoad load_;
  Score score_;
};

class PipelineEvaluator final : public Evaluator {
 public:
  explicit PipelineEvaluator(const Problem& problem) : scorer_(problem) {}

  using Evaluator::evaluate;
  const Score& evaluate(const Plan& plan) override { return scorer_.run(plan); }

 private:
  PipelineScorer scorer_;
};

}  // namespace

Picoseconds route_time(const Problem& problem, Bytes bytes, std::span<const std::uint16_t> route) {
  Picoseconds sum = 0;
  for (const std::uint16_t channel : route) sum += problem.transfer_time(bytes, channel);
  return sum;
}

PipelineWays::PipelineWays(const Problem& problem)
    : problem_(problem),
      host_(problem.machine().first_of(DeviceKind::kCpu)),
      direct_(problem.machine().num_devices(), 0) {
  const Machine& machine = problem.machine();
  const auto passes_no_cpu = [&](Route route) {
    return std::ranges::all_of(route.first(route.size() - 1), [&](std::uint16_t channel) {
      return machine.channels()[channel].to >= machine.num_devices();  // only CPUs and switches relay
    });
  };
  const std::vector<DeviceId> accelerators = machine.accelerators();
  for (const DeviceId from : accelerators) {
    for (const DeviceId to : accelerators) {
      if (from != to && passes_no_cpu(between(from, to))) direct_[index(from)] |= device_bit(to);
    }
  }
}

PipelineWays::Route PipelineWays::to_host(DeviceId device) const {
  if (!host_ || problem_.machine().device(device).kind == DeviceKind::kCpu) return {};
  return between(device, *host_);
}

PipelineWays::Route PipelineWays::from_host(DeviceId device) const {
  if (!host_ || problem_.machine().device(device).kind == DeviceKind::kCpu) return {};
  return between(*host_, device);
}

Picoseconds PipelineLoad::largest() const {
  if (limiting_queue >= 0) return queues[static_cast<std::size_t>(limiting_queue)];
  return limit == kNoDevice ? 0 : devices[index(limit)];
}

PipelineLoad pipeline_load(const Problem& problem, const Plan& plan) {
  PipelineScorer scorer(problem);
  scorer.run(plan);
  return scorer.load();
}

Score pipeline_score(const Problem& problem, const Plan& plan) { return PipelineScorer(problem).run(plan); }

std::unique_ptr<Evaluator> make_pipeline_evaluator(const Problem& problem) {
  return std::make_unique<PipelineEvaluator>(problem);
}

}  // namespace berth
