// SPDX-License-Identifier: Apache-2.0
#include "services/serving/llm_facts.h"

#include <algorithm>

#include "problem/cost/cost_model.h"

namespace berth {
namespace {

void find_layers(const llm::Placement& placement, LlmDeviceUse& use) {
  for (std::size_t i = 0; i < placement.home.size(); ++i) {
    const bool is_home = placement.home[i] == use.device;
    const bool is_moved_here = std::ranges::find(placement.moved[i], use.device) != placement.moved[i].end();
    if (is_home) use.layers.push_back(static_cast<std::int64_t>(i));
    if (is_moved_here && !is_home) use.feed_forwards.push_back(static_cast<std::int64_t>(i));
  }
}

LlmDeviceUse use_of(const LlmAnswer& answer, const llm::Serving::Load& load, DeviceId device) {
  const llm::Serving& serving = *answer.serving;
  const bool computes = load.weights + load.cache > 0;
  LlmDeviceUse use{.device = device, .weights = load.weights, .cache = load.cache};
  use.runtime = serving.reserved(device) + load.copies + (computes ? serving.activations() : 0);
  use.capacity = answer.machine->capacity(device);
  find_layers(answer.placement(), use);
  return use;
}

bool share_memory(const Machine& machine, DeviceId a, DeviceId b) {
  return a == b || (machine.pool_of(a) >= 0 && machine.pool_of(a) == machine.pool_of(b));
}

// A step of one of the workloads, as the plan has it.
struct TimedStep {
  const Score& score;
  double seconds, copies_s;  // with and of copies of weights
};

TimedStep timed_step(const llm::Verdict& verdict, llm::Phase phase) {
  if (phase == llm::Phase::kDecode) return {verdict.decode, verdict.decode_s, verdict.decode_copies_s};
  return {verdict.prefill, verdict.prefill_s, verdict.prefill_copies_s};
}

// Whether ops spend more on reading memory than on arithmetic.
StepBound bound_of_ops(const LlmAnswer& answer, llm::Phase phase) {
  const Graph& graph = answer.serving->problem(phase).graph();
  const Plan plan = answer.serving->plan_of(answer.placement(), phase);
  double memory = 0.0, arithmetic = 0.0;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kCompute) continue;
    const Device& device = answer.machine->device(plan.device(op));
    const OpCost cost = price(graph, op, device);
    (2.0 * cost.compute_s >= cost.work_s ? arithmetic : memory) += op_time_s(cost, device);
  }
  return memory >= arithmetic ? StepBound::kMemory : StepBound::kArithmetic;
}

}  // namespace

std::vector<LlmDeviceUse> device_uses(const LlmAnswer& answer) {
  const llm::Serving& serving = *answer.serving;
  const Machine& machine = *answer.machine;
  const std::vector<llm::Serving::Load> loads = serving.loads(answer.placement());
  std::vector<LlmDeviceUse> all;
  for (const DeviceId id : machine.device_ids()) all.push_back(use_of(answer, loads[index(id)], id));
  std::vector<LlmDeviceUse> uses;
  for (LlmDeviceUse& use : all) {
    use.free = use.capacity;
    for (const LlmDeviceUse& other : all) {
      if (share_memory(machine, use.device, other.device)) use.free -= other.weights + other.cache + other.runtime;
    }
    const auto& gpus = serving.accelerators();
    if (use.device == serving.cpu() || std::ranges::find(gpus, use.device) != gpus.end()) uses.push_back(use);
  }
  return uses;
}

StepLimits step_limits(const LlmAnswer& answer, llm::Phase phase) {
  const TimedStep step = timed_step(answer.verdict(), phase);
  const double seconds = std::max(1e-12, step.seconds);
  double links_s = 0.0;
  StepLimits limits;
  for (const QueueUse& queue : step.score.queues) {
    links_s += to_seconds(queue.busy);
    limits.links += to_seconds(queue.busy) / seconds;
  }
  limits.copies = step.copies_s / seconds;
  for (const DeviceId id : answer.machine->device_ids()) {
    limits.devices.emplace_back(id, to_seconds(step.score.devices[index(id)].busy) / seconds);
  }
  std::ranges::stable_sort(limits.devices, std::ranges::greater(), [](const auto& entry) { return entry.second; });
  if (2.0 * step.copies_s >= step.seconds) {
    limits.bound = StepBound::kCopies;
  } else if (2.0 * links_s >= step.seconds) {
    limits.bound = StepBound::kLinks;
  } else {
    limits.bound = bound_of_ops(answer, phase);
  }
  return limits;
}

std::vector<StepPart> step_parts(const LlmAnswer& answer, llm::Phase phase) {
  const Graph& graph = answer.serving->problem(phase).graph();
  const Plan plan = answer.serving->plan_of(answer.placement(), phase);
  std::vector<StepPart> parts;
  for (const OpId op : graph.ops()) {
    if (graph.role(op) != Role::kCompute) continue;
    const OpFeatures features = features_of(graph, op);
    if (features.streamed.op == StreamedOp::kNone) continue;
    const DeviceId id = plan.device(op);
    const Device& device = answer.machine->device(id);
    const auto same = [&](const StepPart& part) {
      return part.device == id && part.type.op == features.streamed.op && part.type.bits == features.streamed.bits;
    };
    auto part = std::ranges::find_if(parts, same);
    if (part == parts.end()) {
      parts.push_back({id, streaming_table(device).name, features.streamed});
      part = parts.end() - 1;
    }
    const StreamedWork work = streamed_work(features, device);
    part->arithmetic_s += work.arithmetic_s;
    part->traffic_s += work.traffic_s;
    ++part->ops;
  }
  return parts;
}

}  // namespace berth
