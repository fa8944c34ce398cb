// SPDX-License-Identifier: Apache-2.0
#include "report/plan_section.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>
#include <vector>

#include "report/moves.h"
#include "report/pace.h"
#include "report/path_summary.h"
#include "sim/critical_path.h"
#include "sim/memory_timeline.h"
#include "sim/pipeline.h"
#include "sim/simulator.h"

namespace berth::report {
namespace {

constexpr std::size_t kMemoryBins = 2048;          // of the step; each keeps its highest level
constexpr std::uint64_t kMostTicks = 0x7fffffff;   // of the page's clock, in which starts and durations are counted
constexpr std::size_t kOpsToSimulate = 1'500'000;  // for the moves: so many ops, however many simulations that makes
constexpr std::size_t kMostMoved = 40;             // ops whose moves are simulated

bool streams(const Problem& problem) { return problem.objective() == Objective::kPipeline; }

// Samples that stream through have no timeline: every op begins at 0 and takes its time.
Timeline timeline_of(const Problem& problem, const Plan& plan) {
  Timeline timeline = simulate_timeline(problem, plan);
  if (!streams(problem)) return timeline;
  timeline.op_end.assign(problem.graph().num_ops(), 0);
  for (const OpId op : problem.graph().ops()) {
    const Picoseconds time = problem.duration(op, plan.device(op));
    if (time > 0) timeline.ops.push_back({op, plan.device(op), 0, 0, time});
  }
  return timeline;
}

std::vector<CriticalStep> critical_steps_of(const Problem& problem, const Plan& plan, const Timeline& timeline) {
  return streams(problem) ? std::vector<CriticalStep>() : critical_path(problem, plan, timeline);
}

// So long that everything that is shown fits into the page's numbers.
Picoseconds tick_of(const Timeline& timeline) {
  Picoseconds longest = timeline.score.step_time;
  for (const OpEvent& event : timeline.ops) longest = std::max(longest, event.end);
  return static_cast<Picoseconds>(static_cast<std::uint64_t>(longest) / kMostTicks + 1);
}

class PlanWriter {
 public:
  PlanWriter(JsonWriter& json, Blob& blob, const Problem& problem, const ReportedPlan& reported, std::string prefix)
      : json_(json),
        blob_(blob),
        problem_(problem),
        graph_(problem.graph()),
        reported_(reported),
        prefix_(std::move(prefix)),
        timeline_(timeline_of(problem, reported.plan)),
        path_(critical_steps_of(problem, reported.plan, timeline_)),
        tick_(tick_of(timeline_)) {}

  void write() {
    json_.begin_object();
    write_head();
    write_pipeline();
    write_devices();
    write_sums();
    write_convergence();
    write_ops();
    write_transfers();
    write_memory();
    write_path();
    write_moves();
    json_.end_object();
  }

 private:
  [[nodiscard]] std::uint32_t ticks(Picoseconds time) const { return static_cast<std::uint32_t>(time / tick_); }
  [[nodiscard]] const Score& score() const { return timeline_.score; }

  void write_head() {
    json_.key("name").value(reported_.name).key("note").value(reported_.note);
    json_.key("step_s").value(to_seconds(score().step_time)).key("feasible").value(score().feasible);
    json_.key("bound_s").value(to_seconds(reported_.lower_bound)).key("tick_s").value(to_seconds(tick_));
    json_.key("search_s").value(reported_.search_s).key("evaluations").value(reported_.evaluations);
    json_.key("seed").value(reported_.seed).key("interrupted").value(reported_.interrupted);
    const PathSummary sums = summarise(problem_, path_);
    json_.key("limits").begin_array();
    for (const std::string& sentence : limits(sums)) json_.value(sentence);
    json_.end_array();
    json_.key("path").begin_object();
    json_.key("compute_s")
        .value(to_seconds(sums.compute))
        .key("transfer_s")
        .value(to_seconds(sums.transfer + sums.latency));
    json_.key("for_data_s").value(to_seconds(sums.for_data)).key("for_device_s").value(to_seconds(sums.for_device));
    json_.key("for_link_s").value(to_seconds(sums.for_link)).end_object();
    if (!score().overflow) return;
    const Overflow& overflow = *score().overflow;
    json_.key("overflow").begin_object().key("device").value(index(overflow.device)).key("over").value(overflow.over);
    json_.key("time_s").value(to_seconds(overflow.time));
    json_.key("op").value(overflow.op == kNoOp ? -1.0 : static_cast<double>(index(overflow.op))).end_object();
  }

  [[nodiscard]] std::vector<std::string> limits(const PathSummary& sums) const {
    if (streams(problem_)) return what_sets_the_pace(problem_, reported_.plan);
    std::vector<std::string> sentences = what_limits(problem_, score(), sums, reported_.lower_bound);
    if (!reported_.bound_sentence.empty()) sentences.push_back(reported_.bound_sentence);
    if (auto pace = about_pace(problem_, reported_.plan)) sentences.push_back(*std::move(pace));
    return sentences;
  }

  // What every device has to do for one sample, and which device or link sets the pace. What links carry is in
  // "queues".
  void write_pipeline() {
    if (!streams(problem_)) return;
    const PipelineLoad load = pipeline_load(problem_, reported_.plan);
    json_.key("pipeline").begin_object().key("loads_s").begin_array();
    for (const Picoseconds time : load.devices) json_.value(to_seconds(time));
    json_.end_array().key("transfers_s").begin_array();
    for (const Picoseconds time : load.transfers) json_.value(to_seconds(time));
    json_.end_array();
    if (load.limiting_queue >= 0) {
      json_.key("limiting_queue").value(load.limiting_queue);
    } else {
      json_.key("limiting_device").value(index(load.limit));
    }
    json_.end_object();
  }

  void write_devices() {
    std::vector<std::size_t> ops(problem_.machine().num_devices(), 0);
    for (const DeviceId device : reported_.plan.device_of) ++ops[index(device)];
    std::vector<Picoseconds> on_path = summarise(problem_, path_).on_device;
    json_.key("devices").begin_array();
    for (const DeviceId id : problem_.machine().device_ids()) {
      const DeviceUse& use = score().devices[index(id)];
      json_.begin_object().key("busy_s").value(to_seconds(use.busy)).key("peak").value(use.peak);
      json_.key("ops").value(ops[index(id)]).key("critical_s").value(to_seconds(on_path[index(id)])).end_object();
    }
    json_.end_array().key("pool_peaks").begin_array();
    for (const Bytes peak : score().pool_peaks) json_.value(peak);
    json_.end_array();
  }

  void write_sums() {
    json_.key("queues").begin_array();
    for (const QueueUse& use : score().queues) {
      json_.begin_object().key("busy_s").value(to_seconds(use.busy)).key("bytes").value(use.bytes).end_object();
    }
    json_.end_array();
    // Bytes and number of tensors from device to device, whatever the route.
    const std::size_t devices = problem_.machine().num_devices();
    std::vector<Bytes> bytes(devices * devices, 0);
    std::vector<std::uint64_t> count(devices * devices, 0);
    for (const TensorId tensor : graph_.tensors()) {
      const DeviceId from = reported_.plan.device(graph_.producer(tensor));
      DeviceSet to = 0;
      for (const OpId user : graph_.consumers(tensor)) to |= device_bit(reported_.plan.device(user));
      for (to &= ~device_bit(from); to != 0; to &= to - 1) {
        const std::size_t cell = index(from) * devices + static_cast<std::size_t>(std::countr_zero(to));
        bytes[cell] += graph_.bytes(tensor);
        ++count[cell];
      }
    }
    json_.key("traffic").begin_array();
    for (const Bytes sum : bytes) json_.value(sum);
    json_.end_array().key("crossings").begin_array();
    for (const std::uint64_t number : count) json_.value(number);
    json_.end_array();
  }

  void write_convergence() {
    json_.key("convergence").begin_array();
    for (const Improvement& step : reported_.convergence) {
      json_.begin_array().value(step.seconds).value(step.evaluations).value(step.best_s).end_array();
    }
    json_.end_array();
  }

  // Per op: device, start and duration in ticks (0 for timeless ops and for members of a fused group but the lowest),
  // lane.
  void write_ops() {
    std::vector<std::uint8_t> device, lane(graph_.num_ops(), 0);
    std::vector<std::uint32_t> start, duration(graph_.num_ops(), 0);
    for (const OpId op : graph_.ops()) {
      device.push_back(static_cast<std::uint8_t>(index(reported_.plan.device(op))));
      start.push_back(ticks(timeline_.op_end[index(op)]));
    }
    for (const OpEvent& event : timeline_.ops) {
      start[index(event.op)] = ticks(event.start);
      duration[index(event.op)] = std::max(1U, ticks(event.end) - ticks(event.start));
      lane[index(event.op)] = static_cast<std::uint8_t>(std::min(event.lane, 255));
    }
    blob_.add(prefix_ + "device", device);
    blob_.add(prefix_ + "start", start);
    blob_.add(prefix_ + "duration", duration);
    blob_.add(prefix_ + "lane", lane);
    std::vector<std::uint32_t> fused;  // pairs: op, lowest member of its group
    for (const auto& group : reported_.plan.fusions) {
      if (streams(problem_)) break;  // then every op counts by itself
      const OpId leader = *std::ranges::min_element(group);
      for (const OpId op : group) {
        fused.push_back(static_cast<std::uint32_t>(index(op)));
        fused.push_back(static_cast<std::uint32_t>(index(leader)));
      }
    }
    blob_.add(prefix_ + "fused", fused);
  }

  void write_transfers() {
    std::vector<std::uint32_t> op, start, duration, channel;
    std::vector<std::uint8_t> from, to;
    std::vector<float> bytes;
    for (const TransferEvent& event : timeline_.transfers) {
      op.push_back(static_cast<std::uint32_t>(index(graph_.producer(event.tensor))));
      from.push_back(static_cast<std::uint8_t>(index(event.from)));
      to.push_back(static_cast<std::uint8_t>(index(event.to)));
      channel.push_back(static_cast<std::uint32_t>(event.channel));
      start.push_back(ticks(event.start));
      duration.push_back(std::max(1U, ticks(event.end) - ticks(event.start)));
      bytes.push_back(static_cast<float>(event.bytes));
    }
    blob_.add(prefix_ + "sent_op", op);
    blob_.add(prefix_ + "sent_from", from);
    blob_.add(prefix_ + "sent_to", to);
    blob_.add(prefix_ + "sent_channel", channel);
    blob_.add(prefix_ + "sent_start", start);
    blob_.add(prefix_ + "sent_duration", duration);
    blob_.add(prefix_ + "sent_bytes", bytes);
  }

  void write_memory() {
    json_.key("memory_bins").value(kMemoryBins);
    blob_.add(prefix_ + "memory", streams(problem_) ? std::vector<float>() : memory_levels());
  }

  // Per device, the most that it holds at any time of each bin.
  [[nodiscard]] std::vector<float> memory_levels() const {
    const std::size_t devices = problem_.machine().num_devices();
    const Picoseconds step = std::max<Picoseconds>(1, score().step_time);
    const auto bin = [&](Picoseconds time) {
      const double share = static_cast<double>(time) / static_cast<double>(step);
      return std::min(kMemoryBins - 1, static_cast<std::size_t>(share * static_cast<double>(kMemoryBins)));
    };
    std::vector<float> level(devices * kMemoryBins, 0.0F);
    std::vector<Bytes> held(devices, 0);
    std::vector<std::size_t> done(devices, 0);  // bins that are filled
    const auto fill = [&](std::size_t device, std::size_t last) {
      for (; done[device] <= last; ++done[device]) {
        float& most = level[device * kMemoryBins + done[device]];
        most = std::max(most, static_cast<float>(held[device]));
      }
      done[device] = last;  // the last one is not over yet
    };
    for (const MemoryEvent& event : memory_timeline(problem_, reported_.plan)) {
      fill(index(event.device), bin(event.time));
      held[index(event.device)] = event.held;
      fill(index(event.device), bin(event.time));
    }
    for (std::size_t device = 0; device < devices; ++device) fill(device, kMemoryBins - 1);
    return level;
  }

  // Ops by their number, transfers by 2^31 + their position.
  void write_path() {
    constexpr std::uint32_t kTransfer = 0x80000000U;
    std::unordered_map<std::uint64_t, std::uint32_t> position;
    // A tensor goes to a device once, and over a channel once on its way.
    const auto key = [](TensorId tensor, DeviceId to, int channel) {
      return static_cast<std::uint64_t>(index(tensor)) << 32 | index(to) << 16 | static_cast<std::uint64_t>(channel);
    };
    for (std::size_t i = 0; i < timeline_.transfers.size(); ++i) {
      const TransferEvent& event = timeline_.transfers[i];
      position[key(event.tensor, event.to, event.channel)] = static_cast<std::uint32_t>(i);
    }
    std::vector<std::uint32_t> items;
    std::vector<std::uint8_t> why;
    for (const CriticalStep& step : path_) {
      items.push_back(step.is_transfer ? kTransfer | position.at(key(step.tensor, step.device, step.channel))
                                       : static_cast<std::uint32_t>(index(step.op)));
      why.push_back(static_cast<std::uint8_t>(step.why));
    }
    blob_.add(prefix_ + "path", items);
    blob_.add(prefix_ + "path_why", why);
  }

  // What a plan waits for: the ops of the critical path, or of the device that sets the pace.
  [[nodiscard]] std::vector<OpId> ops_that_matter() const {
    std::vector<OpId> ops;
    if (streams(problem_)) {
      const DeviceId slowest = pipeline_load(problem_, reported_.plan).limit;
      for (const OpEvent& event : timeline_.ops) {
        if (event.device == slowest) ops.push_back(event.op);
      }
    }
    for (const CriticalStep& step : path_) {
      if (!step.is_transfer) ops.push_back(step.op);
    }
    return ops;
  }

  // The longest of them, one per unit: the step time with each of them on every other device.
  void write_moves() {
    std::vector<OpId> candidates = ops_that_matter();
    const auto time = [&](OpId op) { return problem_.duration(op, reported_.plan.device(op)); };
    std::ranges::stable_sort(candidates, [&](OpId a, OpId b) { return time(a) > time(b); });
    std::vector<std::uint32_t> units;
    Mover mover(problem_, reported_.plan);
    std::size_t simulated = 0;
    json_.key("moves").begin_array();
    for (const OpId op : candidates) {
      if (units.size() >= kMostMoved || simulated >= kOpsToSimulate) break;
      if (std::ranges::find(units, problem_.unit(op)) != units.end()) continue;
      units.push_back(problem_.unit(op));
      simulated += write_moves_of(mover, op) * graph_.num_ops();
    }
    json_.end_array();
  }

  std::size_t write_moves_of(Mover& mover, OpId op) {
    std::size_t simulations = 0;
    json_.begin_object().key("op").value(index(op)).key("to").begin_array();
    for (const DeviceId device : problem_.machine().device_ids()) {
      if (device == reported_.plan.device(op)) continue;
      const std::array<OpId, 1> ops{op};
      const Result<Moved> moved = mover.move(ops, device);
      if (!moved) continue;
      ++simulations;
      json_.begin_array().value(index(device)).value(to_seconds(moved->score.step_time));
      json_.value(moved->score.feasible).end_array();
    }
    json_.end_array().end_object();
    return simulations;
  }

  JsonWriter& json_;
  Blob& blob_;
  const Problem& problem_;
  const Graph& graph_;
  const ReportedPlan& reported_;
  std::string prefix_;
  Timeline timeline_;
  std::vector<CriticalStep> path_;
  Picoseconds tick_;
};

}  // namespace

void write_plan(JsonWriter& json, Blob& blob, const Problem& problem, const ReportedPlan& reported,
                const std::string& prefix) {
  PlanWriter(json, blob, problem, reported, prefix).write();
}

}  // namespace berth::report
